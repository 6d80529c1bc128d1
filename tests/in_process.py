"""Commands of petaudit run in this process, which saves starting Python for each of them."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from petaudit.cli import main

_PLAIN = {"NO_COLOR": "1", "TERM": "dumb"}


def run(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run petaudit in a folder, and return what a program of its own would have."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        _inside(folder, _PLAIN | environment),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            code = main(list(arguments))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
    return subprocess.CompletedProcess(arguments, code, _written(out), _written(err))


def _written(stream: io.TextIOWrapper[io.BytesIO]) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode("utf-8")


@contextlib.contextmanager
def _inside(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    with contextlib.chdir(folder):
        os.environ |= environment
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)

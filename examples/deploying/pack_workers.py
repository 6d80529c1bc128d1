"""Pack petaudit and what it needs, as they are installed here, for the Python of Spark's workers.

    python pack_workers.py environment.tar.gz
    spark-submit --archives environment.tar.gz#environment \\
        --conf spark.pyspark.python=./environment/bin/python ...

So driver and workers have the same versions, which they must. Workers need the Python that runs
this (such as 3.11) on their PATH, and the same kind of machine, because NumPy and others are
machine code. Where there is no such Python, pack one along: conda-pack does that.
"""

from __future__ import annotations

import io
import re
import sys
import tarfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

PYTHON = f"""\
#!/bin/sh
here=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH="$here/lib${{PYTHONPATH:+:$PYTHONPATH}}"
exec python{sys.version_info.major}.{sys.version_info.minor} "$@"
"""


def packages(name: str) -> set[str]:
    """A package and all that it needs, without extras."""
    known: set[str] = set()
    waiting = [name]
    while waiting:
        name = re.sub("[-_.]+", "-", waiting.pop()).lower()
        if name in known:
            continue
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:
            # It is for another system or another Python.
            continue
        known.add(name)
        waiting += [re.split(r"[^\w.-]", need)[0] for need in needs if "extra ==" not in need]
    return known


def files(name: str) -> Iterator[tuple[Path, str]]:
    """The files of an installed package, with their places in the archive."""
    for file in distribution(name).files or []:
        if not {"..", "__pycache__", "petaudit"}.intersection(file.parts) and file.suffix != ".pth":
            yield Path(str(file.locate())), f"lib/{file}"


def pack(target: Path, level: int = 6) -> None:
    """Write the archive."""
    with tarfile.open(target, "w:gz", compresslevel=level) as archive:
        start = tarfile.TarInfo("bin/python")
        start.mode, start.size = 0o755, len(PYTHON)
        archive.addfile(start, io.BytesIO(PYTHON.encode()))
        for name in sorted(packages("petaudit")):
            for path, place in files(name):
                archive.add(path, place, recursive=False)
        # From where it is: it may be installed as a link to its source.
        spec = find_spec("petaudit")
        [folder] = (spec and spec.submodule_search_locations) or [""]
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                place = path.relative_to(folder).as_posix()
                archive.add(path, f"lib/petaudit/{place}", recursive=False)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].endswith(".tar.gz"):
        sys.exit("usage: python pack_workers.py ARCHIVE.tar.gz")
    pack(Path(sys.argv[1]))

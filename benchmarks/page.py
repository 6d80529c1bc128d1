"""Make the page of benchmarks in both languages, with its plots, from the results of a run.

python benchmarks/page.py results.json   # keep them as results/latest.json, make the page
python benchmarks/page.py                # make the page from results/latest.json
python benchmarks/page.py --check        # exit code 1 if the page says something else
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from measuring import HERE, BenchError
from page_sections import page_of
from page_words import CHINESE, ENGLISH
from reduced import LATEST, read_latest, reduced, written

DOCS: Final = HERE.parent / "docs"
FOLDERS: Final = {ENGLISH: "", CHINESE: "zh-TW"}


def files_of(results: dict[str, Any]) -> dict[str, str]:
    """Every file of the page by its path below docs/."""
    found: dict[str, str] = {}
    for language, folder in FOLDERS.items():
        text, plots = page_of(results, language)
        place = Path(folder)
        found[(place / "benchmarks.md").as_posix()] = text
        for name, svg in plots.items():
            found[(place / "images" / name).as_posix()] = svg
    return found


def differing(files: dict[str, str], docs: Path) -> list[str]:
    """Which files are other ones, missing, or left over from an older page."""
    wrong = [
        name
        for name, text in files.items()
        if not (docs / name).is_file() or (docs / name).read_text(encoding="utf-8") != text
    ]
    return sorted([*wrong, *(own for own in _present(docs) if own not in files)])


def write(files: dict[str, str], docs: Path) -> None:
    """Write every file, and remove plots that the page no longer has."""
    for name in _present(docs):
        if name not in files:
            (docs / name).unlink()
    for name, text in files.items():
        target = docs / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _present(docs: Path) -> list[str]:
    found: list[Path] = []
    for folder in FOLDERS.values():
        found += (docs / folder / "images").glob("benchmarks-*.svg")
    return [own.relative_to(docs).as_posix() for own in found]


def main(arguments: Sequence[str] | None = None, docs: Path = DOCS, latest: Path = LATEST) -> int:
    """Make or check the page."""
    parser = argparse.ArgumentParser(description="Make the page of benchmarks.")
    parser.add_argument("run", nargs="?", type=Path, help="what run.py --json wrote")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    options = parser.parse_args(arguments)
    if options.check and options.run:
        parser.error("--check: only with the results that are kept")
    try:
        if options.run:
            latest.parent.mkdir(parents=True, exist_ok=True)
            kept = written(reduced(json.loads(options.run.read_text(encoding="utf-8"))))
            latest.write_text(kept, encoding="utf-8")
        files = files_of(read_latest(latest))
    except BenchError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    if not options.check:
        write(files, docs)
        return 0
    wrong = differing(files, docs)
    for name in wrong:
        print(f"docs/{name} is not what {latest.name} gives: run benchmarks/page.py")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

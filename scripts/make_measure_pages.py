"""Write the head of docs/measures/*.md, in every language, from the classes of the measures.

python scripts/make_measure_pages.py            # writes the heads, and leaves the rest of the pages
python scripts/make_measure_pages.py --check    # exit code 1 if a head is another one
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from petaudit.cli.listing import about
from petaudit.i18n.catalogue import CHINESE, ENGLISH
from petaudit.i18n.phrases import render
from petaudit.measures import Measure, all_measures

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
FOLDERS: Final = {ENGLISH: DOCS / "measures", CHINESE: DOCS / "zh-TW" / "measures"}
START: Final = "<!-- head: scripts/make_measure_pages.py makes it from the docstring -->"
END: Final = "<!-- end of head -->"
HEAD: Final = re.compile(f"{START}.*?{END}\n", re.DOTALL)
_SIGNS: Final = re.compile(r"[*_<|\\]")


def head(measure: Measure, language: str) -> str:
    """What ``petaudit measures NAME`` prints, as a list.

    >>> measure = all_measures()["k-anonymity"]
    >>> head(measure, ENGLISH).splitlines()[2]
    '- How small is the smallest group of people who look alike?'
    """
    lines = (render(text, language, 0) for text in about(measure))
    items = "\n".join("- " + _SIGNS.sub(r"\\\g<0>", line) for line in lines)
    return f"{START}\n\n{items}\n\n{END}\n"


def pages() -> Iterator[tuple[Path, str]]:
    """Every page with the text that it should have."""
    for measure in all_measures().values():
        for language, folder in FOLDERS.items():
            path = folder / f"{measure.name}.md"
            title, _, rest = path.read_text(encoding="utf-8").partition("\n\n")
            rest = HEAD.sub("", rest, count=1).lstrip("\n")
            yield path, f"{title}\n\n{head(measure, language)}\n{rest}"


def main() -> int:
    """Write or check the heads."""
    parser = argparse.ArgumentParser(description="Write the heads of docs/measures/*.md.")
    parser.add_argument("--check", action="store_true", help="only say whether they are up to date")
    options = parser.parse_args()
    behind = [(path, text) for path, text in pages() if path.read_text(encoding="utf-8") != text]
    if options.check:
        for path, _ in behind:
            name = path.relative_to(DOCS)
            sys.stderr.write(f"{name} is not what the class says: run make_measure_pages.py\n")
        return 1 if behind else 0
    for path, text in behind:
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

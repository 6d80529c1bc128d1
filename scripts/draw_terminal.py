"""Draw what a command prints as an SVG picture for the README.

export COLUMNS=100
petaudit demo | python scripts/draw_terminal.py "petaudit demo" > docs/images/demo.svg
petaudit --lang zh-TW demo | python scripts/draw_terminal.py "petaudit --lang zh-TW demo" \
    > docs/zh-TW/images/demo.svg
"""

from __future__ import annotations

import re
import sys
import unicodedata
from html import escape

LINE_HEIGHT = 19
CHARACTER_WIDTH = 8.2
MARGIN = 18
GREEN, RED = "#4fc26b", "#ff6b6b"
COLOURS = {"pass": GREEN, "FAIL": RED, "ERROR": RED}
CHINESE_COLOURS = {"通過": GREEN, "未通過": RED, "錯誤": RED}
WIDE = re.compile("([\u2e80-\u9fff\uff00-\uffef]+)")


def draw(command: str, text: str) -> str:
    """An SVG that looks like a terminal, in fonts that every machine has.

    >>> draw("x", "a < b").count("a &lt; b")
    1
    """
    lines = [f"$ {command}", *text.rstrip("\n").split("\n")]
    width = max(map(_width, lines)) * CHARACTER_WIDTH + 2 * MARGIN
    height = len(lines) * LINE_HEIGHT + 2 * MARGIN
    rows = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN + 14 + number * LINE_HEIGHT}" xml:space="preserve">'
        f"{_coloured(line)}</text>"
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" role="img" aria-label="{escape(command)}">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#16202b"/>\n'
        f'<g font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace" '
        f'font-size="13.5" fill="#dfe7ef">\n{rows}\n</g>\n</svg>\n'
    )


def _coloured(line: str) -> str:
    if WIDE.search(line):
        return _in_columns(line)
    shown = escape(line)
    for word, colour in COLOURS.items():
        look = f'<tspan fill="{colour}" font-weight="bold">{word}</tspan>'
        shown = re.sub(rf"(?<=  ){word}(?=  |$)", look, shown)
    return shown


def _in_columns(line: str) -> str:
    """Ideographs are rarely as wide as two letters, so whatever is next to them gets its place."""
    shown, column = "", 0
    for part in filter(None, WIDE.split(line)):
        colour = CHINESE_COLOURS.get(part)
        look = f' fill="{colour}" font-weight="bold"' if colour else ""
        place = f"{MARGIN + column * CHARACTER_WIDTH:.1f}"
        shown += f'<tspan x="{place}"{look}>{escape(part)}</tspan>'
        column += _width(part)
    return shown


def _width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in line)


if __name__ == "__main__":
    sys.stdout.write(draw(sys.argv[1], sys.stdin.read()))

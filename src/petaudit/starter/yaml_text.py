"""Names and comments as YAML that reads back as exactly what went in."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from typing import Final

import yaml

from petaudit.errors import shortened
from petaudit.i18n.catalogue import ENGLISH, language
from petaudit.i18n.phrases import translate

WIDEST: Final = 100
COMMENT_COLUMN: Final = 34
_PLAIN: Final = re.compile(r"(\.{0,2}/)*[^\W\d_][\w./-]*((:| )[\w./-]+)*")
_READ_AS_OTHERS: Final = ("y", "n")
"""Truth values for some readers of YAML."""
_ESCAPED: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def scalar(text: str) -> str:
    r"""Write a text so that YAML reads it as this text; hidden characters are escaped.

    >>> print(scalar("zip"), scalar("null"), scalar("a: #1"), scalar("年齡"), scalar("a\u202eb"))
    zip "null" "a: #1" 年齡 "a\u202eb"
    """
    if _PLAIN.fullmatch(text) and text.isprintable() and text.lower() not in _READ_AS_OTHERS:
        try:
            if yaml.safe_load(text) == text:
                return text
        except yaml.YAMLError:
            pass
    return '"' + "".join(map(_escaped, text)) + '"'


def remark(text: str) -> str:
    """A name as it may stand in a comment: one printable line, not too long."""
    return shortened("".join(_escaped(mark) if mark not in '"\\' else mark for mark in text))


def comment(text: str, indent: str = "") -> str:
    """A sentence as comment lines, in the chosen language."""
    start = f"{indent}# "
    if language() == ENGLISH:
        lines = textwrap.wrap(translate(text), WIDEST - len(start), break_on_hyphens=False)
    else:
        lines = _wrapped(translate(text), WIDEST - len(start))
    return "\n".join(f"{start}{line}" for line in lines)


_WORDS: Final = re.compile(
    # A mark that ends something stands with what is before it, one that opens with what follows.
    r"\s+|[「（]*(?:[\u2e80-\u9fff]|[^\s\u2e80-\u9fff\u3000-\u303f\uff00-\uffef]+)"
    r"[、。，；：？！）」]*|."
)


def _wrapped(text: str, most: int) -> list[str]:
    """Lines of a text that may break between ideographs, which take two columns each."""
    lines = [""]
    for word in _WORDS.findall(text):
        if width(lines[-1] + word.rstrip()) > most and lines[-1].strip():
            lines.append(word.lstrip())
        else:
            lines[-1] += word
    return [line.rstrip() for line in lines]


def commented(text: str, indent: str = "") -> str:
    """Lines that stand there for later.

    >>> print(commented("  a:\\n    b: 1", "  "))
      # a:
      #   b: 1
    """
    return "\n".join(f"{indent}# {line.removeprefix(indent)}" for line in text.split("\n"))


def entry(line: str, reason: str, column: int = COMMENT_COLUMN) -> str:
    """A line with its reason behind it from a column on, or above it where that is too long."""
    pad = " " * max(column - width(line), 2)
    together = f"{line}{pad}# {translate(reason)}"
    if width(together) <= WIDEST:
        return together
    indent = line[: len(line) - len(line.lstrip(" "))]
    return f"{comment(reason, indent)}\n{line}"


def width(text: str) -> int:
    """Columns on a screen: ideographs take two."""
    return sum(2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in text)


def _escaped(mark: str) -> str:
    if mark in _ESCAPED:
        return _ESCAPED[mark]
    if mark.isprintable():
        return mark
    number = ord(mark)
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"

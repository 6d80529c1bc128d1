"""One look at the bytes of a CSV file, for readers that would pass over what is odd about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_BLOCK: Final = 4 << 20
_CONTROLS = rb"\x00-\x08\x0b\x0c\x0e-\x1f"
_EMPTY_LINE = re.compile(rb"\A[\r\n]|\n\n|\r\r|\n\r")
_BLANK_LINE = re.compile(rb"(?:\A|[\r\n])[\x00-\x09\x0b\x0c\x0e-\x20]+(?=[\r\n]|\Z)")
_CONTROL = re.compile(rb"[" + _CONTROLS + rb"]")


@dataclass(frozen=True)
class CsvScan:
    """What the bytes show, wherever it stands."""

    is_utf8: bool
    has_quotes: bool
    has_blanks_before_quotes: bool
    has_controls: bool
    has_empty_lines: bool
    has_blank_lines: bool
    """Lines of nothing but blanks or control characters."""
    line_ends: frozenset[str]


def scan_csv(path: Path, delimiter: str) -> CsvScan:
    r"""Look at the whole file, in blocks of whole lines.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b'a;b\r\n1; "2"\r\n')
    ...     file.flush()
    ...     found = scan_csv(Path(file.name), ";")
    >>> found.has_quotes, found.has_blanks_before_quotes, found.line_ends, found.has_blank_lines
    (True, True, frozenset({'\r\n'}), False)
    """
    before_quote = re.compile(
        rb"(?:\A|[\r\n]|" + re.escape(delimiter.encode()) + rb')[\x01-\x09\x0b\x0c\x0e-\x20]+"'
    )
    found: set[str] = set()
    ends: set[str] = set()
    for block in _blocks(path):
        if not _is_utf8(block):
            found.add("broken")
        if b'"' in block:
            found.add("quotes")
            if before_quote.search(block):
                found.add("blanks before quotes")
        for name, pattern in (
            ("controls", _CONTROL),
            ("empty lines", _EMPTY_LINE),
            ("blank lines", _BLANK_LINE),
        ):
            if name not in found and pattern.search(block):
                found.add(name)
        both, feeds, returns = (block.count(own) for own in (b"\r\n", b"\n", b"\r"))
        ends |= {
            end
            for end, number in (("\r\n", both), ("\n", feeds - both), ("\r", returns - both))
            if number
        }
    return CsvScan(
        is_utf8="broken" not in found,
        has_quotes="quotes" in found,
        has_blanks_before_quotes="blanks before quotes" in found,
        has_controls="controls" in found,
        has_empty_lines="empty lines" in found,
        has_blank_lines="blank lines" in found,
        line_ends=frozenset(ends),
    )


def _blocks(path: Path) -> Iterator[bytes]:
    """The file in blocks that end where a line does."""
    rest = b""
    with path.open("rb") as file:
        while more := file.read(_BLOCK):
            rest += more
            # A CR at the very end may be half of a line end.
            cut = rest.rfind(b"\n") + 1 or rest.rfind(b"\r", 0, -1) + 1
            if cut:
                yield rest[:cut]
                rest = rest[cut:]
    if rest:
        yield rest


def _is_utf8(block: bytes) -> bool:
    try:
        block.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True

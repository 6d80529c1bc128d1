"""What is probably wrong in a file that YAML refuses, in words for those who write it by hand.

Nothing of a line is quoted but the one character at fault: the file may be a table of people,
given by mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from petaudit.errors import joined, phrase

_LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_START = r"\s*(?:- +)*"
_INDENT = re.compile("[ ]*([\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff])")
_OTHER_COLON = re.compile(_START + r"[^:#\[{]*?([：﹕︰∶])")
_OTHER_BLANK = re.compile(_START + "[^:#]*:([\u00a0\u3000])")
_NO_BLANK = re.compile(_START + r"""(["']?)(?=[^:]*[^\W\d])[\w .\-]+\1:(?![\s\\/:]|$)""")
_NO_BLANK_AFTER_DASH = re.compile(_START + r"-(?![\s\-\d.]|$)")
_OTHER_DASH = re.compile(r"\s*([－﹣—–•・])")
_OTHER_QUOTE = re.compile(r"(?:\s*|.*?[:\-,\[{] +[\[{]?)([“”‘’＂＇])")
_OTHER_BRACKET = re.compile(r".*([］】｝])\s*,?\s*$")
_LONGEST_START = 200
"""How much of a line is looked at: beyond that there is no key."""

_STARTS = {
    "while scanning an alias": "*",
    "while scanning an anchor": "&",
    "while scanning a directive": "%",
    "while scanning a tag": "!",
    "while parsing a tag": "!",
    "while scanning a block scalar": joined(["|", ">"], " or "),
}
_BLOCK_ENDS = {
    "<block mapping start>": phrase("the indentation of this key fits no key above it"),
    "<block sequence start>": phrase("the indentation of this list item fits no line above it"),
    "?": phrase("a key stands among list items; '- ' is missing, or the indentation is wrong"),
    "-": phrase("a list item stands among keys; its indentation is wrong, or that of the keys"),
    "<scalar>": phrase("text follows a closing quote; put all of it in quotes of the other kind"),
}
_OF_THE_LIBRARY = {
    "but found another document": phrase("but found another document"),
    "found unhashable key": phrase("found unhashable key"),
    "not valid YAML": phrase("not valid YAML"),
    "second occurrence": phrase("an anchor (&) stands here twice"),
}


def explained(text: str, problem: yaml.MarkedYAMLError) -> tuple[int | None, str]:
    """The line at fault and what is wrong with it.

    >>> try:
    ...     yaml.safe_load("a: 1\\nb：2\\n\\nc: 3\\n")
    ... except yaml.MarkedYAMLError as problem:
    ...     explained("a: 1\\nb：2\\n\\nc: 3\\n", problem)
    (2, "a full-width ：; write ': '")
    """
    what = problem.problem or "not valid YAML"
    mark, context = problem.problem_mark, problem.context_mark
    if mark is None:
        return None, _without_content(what)
    if not isinstance(problem, (yaml.scanner.ScannerError, yaml.parser.ParserError)):
        return mark.line + 1, _without_content(what)
    if context is not None and problem.context in _STARTS:
        return context.line + 1, _must_be_quoted(_STARTS[problem.context])
    lines = _LINE_BREAK.split(text)
    if context is not None and "quoted scalar" in (problem.context or ""):
        return _in_quotes(lines, what, mark.line, context.line)
    if what.startswith("found character"):
        return mark.line + 1, _no_start(lines[mark.line], mark.column)
    return _in_structure(text, lines, what, mark, context)


def _in_quotes(lines: list[str], what: str, at: int, opened: int) -> tuple[int, str]:
    if "escape" in what:
        if opened == at:
            return at + 1, phrase("a backslash in double quotes; use single quotes or /")
        return at + 1, phrase(
            "a backslash in double quotes that were opened in line {line}; use single quotes or /",
            line=opened + 1,
        )
    if lines[opened].rstrip().endswith('\\"'):
        return opened + 1, phrase(
            "a quote is opened and never closed; a backslash stands before the closing one; use "
            "single quotes or /"
        )
    return opened + 1, phrase("a quote is opened and never closed")


def _no_start(line: str, column: int) -> str:
    if line[column : column + 1] != "\t":
        return _must_be_quoted(line[column : column + 1])
    if line[:column].strip():
        return phrase("a tab; write blanks")
    return phrase("a tab; indent with blanks")


def _in_structure(
    text: str, lines: list[str], what: str, mark: Any, context: Any
) -> tuple[int, str]:
    """Something stands where it cannot; the cause is often some lines above."""
    no_colon = what.startswith("could not find expected ':'")
    last = _last_text(text, context if no_colon else mark)
    first = mark.line
    if no_colon:
        first = context.line
    elif last is not None:
        # A text without quotes may have swallowed the lines at fault.
        first = last.end_mark.line if last.style else last.start_mark.line
    until = context.line if no_colon else mark.line
    for number in range(first, until + 1):
        hint = _suspect(lines[number][:_LONGEST_START])
        if hint:
            return number + 1, hint
    if last is not None and last.style in {"'", '"'}:
        opened, closed = last.start_mark.line, last.end_mark.line
        if opened < closed == until:
            return opened + 1, phrase(
                "a quote is opened and closed only in line {line}", line=closed + 1
            )
    if no_colon:
        return context.line + 1, phrase(
            "a line is neither a key with ': ' nor a list item with '- '"
        )
    if "',' or" in what:
        return _in_brackets(lines, what, mark.line, context)
    return mark.line + 1, _misplaced(what, mark.line > first)


def _in_brackets(lines: list[str], what: str, at: int, opened: Any) -> tuple[int, str]:
    for number in range(opened.line, at + 1):
        found = _OTHER_BRACKET.match(lines[number][-_LONGEST_START:])
        if found:
            right = "}" if found[1] == "｝" else "]"
            said = phrase("a full-width {mark}; write '{right}'", mark=found[1], right=right)
            return number + 1, said
    is_mapping = what.startswith("expected ',' or '}'")
    return at + 1, phrase(
        "expected ',' or '{right}', but got {token}; a comma is missing, or the {left} of line "
        "{line} is open",
        right="}" if is_mapping else "]",
        token=what.rpartition(", but got ")[2],
        left="{" if is_mapping else "[",
        line=opened.line + 1,
    )


def _misplaced(what: str, below: bool) -> str:
    found = what.rpartition("found '")[2].removesuffix("'")
    if what.startswith("mapping values"):
        if below:
            return phrase(
                "the key is indented deeper than its neighbours, or the line above lacks ': '"
            )
        return phrase("mapping values are not allowed here; put a text that holds ': ' in quotes")
    if what.startswith("expected <block end>"):
        other = phrase("wrong indentation, or a text that must stand in quotes")
        return _BLOCK_ENDS.get(found, other)
    if what.startswith("expected '<document start>'") and found.startswith("<block"):
        return phrase("the indentation differs from that of the first line")
    if what.startswith("sequence entries"):
        return phrase("a list item cannot start here; give it a line of its own")
    if what.startswith("expected the node content"):
        return phrase("expected the node content, but found {token!r}", token=found)
    return _without_content(what)


def _suspect(line: str) -> str | None:
    """The usual slips at the start of a line."""
    if found := _INDENT.match(line):
        return phrase("{blank}; indent with ordinary blanks", blank=_name(found[1]))
    if line.lstrip().startswith("#"):
        return None
    if found := _OTHER_COLON.match(line):
        return phrase("a full-width {mark}; write ': '", mark=found[1])
    if found := _OTHER_BLANK.match(line):
        return phrase("{blank}; write an ordinary blank after the colon", blank=_name(found[1]))
    if _NO_BLANK.match(line):
        return phrase("a blank after the colon is missing")
    if _NO_BLANK_AFTER_DASH.match(line):
        return phrase("a blank after the dash is missing")
    if found := _OTHER_DASH.match(line):
        return phrase("{mark} starts no list item; write '- '", mark=found[1])
    if found := _OTHER_QUOTE.match(line):
        return phrase("{mark} is no quote of YAML; write \" or '", mark=found[1])
    return None


def _last_text(text: str, mark: Any) -> Any:
    """The last text, in quotes or not, that starts before the mark."""
    last = None
    for token in _tokens(text):
        if token.start_mark.index >= mark.index:
            break
        if isinstance(token, yaml.ScalarToken):
            last = token
    return last


def _tokens(text: str) -> Iterator[Any]:
    loader: Any = yaml.SafeLoader(text)
    try:
        while loader.check_token():
            yield loader.get_token()
    except (yaml.YAMLError, ValueError, OverflowError):
        yield from loader.tokens


def _name(blank: str) -> str:
    if blank == "\u3000":
        return phrase("an ideographic space")
    return phrase("a space of another kind (U+{number:04X})", number=ord(blank))


def _must_be_quoted(start: str) -> str:
    return phrase("a text that starts with {start} must stand in quotes", start=start)


def _without_content(what: str) -> str:
    """A message of the library without what it quotes from the file."""
    if what in _OF_THE_LIBRARY:
        return _OF_THE_LIBRARY[what]
    if what.startswith(("could not determine a constructor", "found undefined tag handle")):
        short = re.sub(r" '.*| \".*", "", what, flags=re.DOTALL)
        return phrase("{what}; {hint}", what=short, hint=_must_be_quoted("!"))
    return re.sub(
        r"((?:tag handle|alias)) .*|(base64 data[^:]*): .*", r"\1\2", what, flags=re.DOTALL
    )

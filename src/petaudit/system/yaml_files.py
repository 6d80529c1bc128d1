"""YAML read safely (plain data, no duplicate keys, no aliases, bounded size), and its problems.

What is probably wrong in a file that YAML refuses is said in words for those who write it by hand.
Nothing of a line is quoted but the one character at fault: the file may be a table of people, given
by mistake.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from petaudit.errors import InputError, Phrase, joined, phrase, shortened
from petaudit.i18n.phrases import cells
from petaudit.system.files import text_of
from petaudit.system.kinds import KeyPath

LARGEST_FILE = 1_000_000


class _RefusedError(yaml.MarkedYAMLError):
    """What YAML would take and petaudit does not; the message needs no explanation."""

    def __init__(self, template: str, mark: Any, **fields: Any) -> None:
        problem = template if isinstance(template, Phrase) else phrase(template, **fields)
        super().__init__(problem=problem, problem_mark=mark)


class _StrictLoader(yaml.SafeLoader):
    """Safe loader that refuses what YAML would silently resolve."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.labels: set[int] = set()
        """Mappings whose keys are labels of a hierarchy, and so may be values of the data."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise _RefusedError("aliases are not accepted", mark)
        return super().compose_node(parent, index)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        if node.tag in _MEANT_OTHERWISE:
            raise _RefusedError(_MEANT_OTHERWISE[node.tag], node.start_mark)
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError, AttributeError, TypeError):
            # What the library lets through: days that never were, numbers that are words.
            kind = node.tag.rpartition(":")[2]
            raise _RefusedError(
                "a value cannot be read as {kind}", node.start_mark, kind=kind
            ) from None

    def construct_scalar(self, node: Any) -> Any:
        value = super().construct_scalar(node)
        try:
            # JSON writes one character as two escapes; half of one is no text.
            return value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise _RefusedError(
                "a text contains half of a surrogate pair", node.start_mark
            ) from None

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: dict[Any, str] = {}
        for key_node, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                continue
            written = _written(key, key_node)
            if id(node) in self.labels:
                written = cells(written, phrase("a label"))
            if key in seen:
                mark = key_node.start_mark
                if seen[key] == written:
                    raise _RefusedError("duplicate key: {key}", mark, key=written)
                raise _RefusedError(
                    "duplicate key: {key}, first as {first}", mark, key=written, first=seen[key]
                )
            seen[key] = written
        return super().construct_mapping(node, deep=deep)


_HIERARCHIES = ("hierarchies", "HIERARCHY")
"""Below them stand columns, and below these labels."""
_MEANT_OTHERWISE = {
    "tag:yaml.org,2002:merge": phrase("merge keys (<<) are not accepted; write the options out"),
    "tag:yaml.org,2002:value": phrase("a lone = must be quoted"),
}


def _written(key: Any, node: Any) -> str:
    """A key as the file has it, not as Python would write it."""
    if key is None:
        return "null"
    try:
        shown = repr(key)
    except ValueError:
        # Python refuses to write thousands of digits.
        return phrase("a very large number")
    return shortened(shown if isinstance(key, str) else str(node.value))


# Numbers as YAML 1.2 has them: in the older one 1e-3 is text, 010 is eight and 1:30 is ninety.
_NUMBERS = {
    "tag:yaml.org,2002:int": r"[-+]?(0|[1-9][0-9]*)|0x[0-9a-fA-F]+",
    "tag:yaml.org,2002:float": (
        r"[-+]?((0|[1-9][0-9]*)?\.[0-9]+|(0|[1-9][0-9]*)\.)([eE][-+]?[0-9]+)?"
        r"|[-+]?(0|[1-9][0-9]*)[eE][-+]?[0-9]+|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
    ),
}
_StrictLoader.yaml_implicit_resolvers = {
    first: [resolver for resolver in resolvers if resolver[0] not in _NUMBERS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _tag, _pattern in _NUMBERS.items():
    _StrictLoader.add_implicit_resolver(
        _tag, re.compile(rf"({_pattern})\Z", re.ASCII), list("-+0123456789.")
    )


@dataclass(frozen=True)
class Document:
    """Plain data, and the line of each key and item.

    >>> document = parse_yaml("a:\\n  b: [5,\\n    6]\\n", "example")
    >>> document.value, document.line_of(("a", "b")), document.line_of(("a", "b", 1))
    ({'a': {'b': [5, 6]}}, 2, 3)
    """

    value: Any
    lines: Mapping[KeyPath, int | None]
    """None for what is not in the file."""

    def line_of(self, path: KeyPath) -> int | None:
        """The line of a key, or of the nearest one above it; None if the file has none of them."""
        while path not in self.lines:
            if not path:
                return None
            path = path[:-1]
        return self.lines[path]

    def is_changed(self, path: KeyPath) -> bool:
        """Whether a value comes from the command line and not from the file."""
        return self.lines.get(path, 0) is None


def read_yaml(path: Path, *, is_hierarchy: bool = False) -> Any:
    """Read a YAML file; every problem names the file and, where known, the line."""
    return parse_yaml(read_text(path), str(path), is_hierarchy=is_hierarchy).value


def read_document(path: Path) -> Document:
    """Read a YAML file together with its line numbers."""
    return parse_yaml(read_text(path), str(path))


def read_text(path: Path) -> str:
    """Read a file that people write by hand: UTF-8 and of bounded size."""
    try:
        return text_of(path, LARGEST_FILE)
    except UnicodeDecodeError as problem:
        before = re.split(rb"\r\n?|\n", problem.object[: problem.start])
        raise InputError(
            "{path}, line {line}: byte {byte} of the line is not UTF-8 text; save the file as "
            "UTF-8",
            path=str(path),
            line=len(before),
            byte=len(before[-1]) + 1,
        ) from None


def _too_large(origin: str) -> InputError:
    return InputError(
        "{origin}: larger than {most:,} bytes; not read", origin=origin, most=LARGEST_FILE
    )


def _in_line(origin: str, line: int, what: str) -> InputError:
    return InputError("{origin}, line {line}: {what}", origin=origin, line=line, what=what)


def parse_yaml(text: str, origin: str, *, is_hierarchy: bool = False) -> Document:
    """Parse text; messages call it by its origin."""
    if len(text) > LARGEST_FILE:
        raise _too_large(origin)
    try:
        loader = _StrictLoader(text)
    except yaml.reader.ReaderError as problem:
        line = text.count("\n", 0, problem.position) + 1
        if problem.character == 0:
            # Between the letters of UTF-16 stand zeros.
            hint = phrase("contains a character that YAML does not allow; save the file as UTF-8")
        else:
            hint = phrase("contains a character that YAML does not allow")
        raise _in_line(origin, line, hint) from None
    try:
        node = loader.get_single_node()
        if node is None:
            return Document(None, {})
        lines: dict[KeyPath, int | None] = {}
        _note_lines(loader, node, (_HIERARCHIES[0],) if is_hierarchy else (), lines)
        return Document(loader.construct_document(node), lines)
    except RecursionError:
        raise InputError("{origin}: nested too deeply", origin=origin) from None
    except (ValueError, OverflowError):
        # What the library does not expect itself, such as an escape beyond all characters.
        raise _in_line(origin, loader.line + 1, phrase("not valid YAML")) from None
    except yaml.MarkedYAMLError as problem:
        at, what = explained(text, problem)
        if at is None:
            raise InputError("{origin}: {what}", origin=origin, what=what) from None
        raise _in_line(origin, at, what) from None


def _note_lines(loader: Any, node: Any, path: KeyPath, lines: dict[KeyPath, int | None]) -> None:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        if not set(path[:-1]).isdisjoint(_HIERARCHIES):
            loader.labels.add(id(node))
        for key_node, value_node in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                below = (*path, loader.construct_object(key_node, deep=True))
                lines[below] = key_node.start_mark.line + 1
                _note_lines(loader, value_node, below, lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note_lines(loader, item, (*path, index), lines)


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
    "?": phrase("a key among list items; '- ' is missing, or the indentation is wrong"),
    "-": phrase("a list item among keys; its indentation is wrong, or that of the keys"),
    "<scalar>": phrase("text follows a closing quote; put all of it in quotes of the other kind"),
}
_OF_THE_LIBRARY = {
    "but found another document": phrase("but found another document"),
    "found unhashable key": phrase("found unhashable key"),
    "not valid YAML": phrase("not valid YAML"),
    "second occurrence": phrase("duplicate anchor (&)"),
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
    if isinstance(problem, _RefusedError):
        return mark.line + 1, what
    if not isinstance(problem, (yaml.scanner.ScannerError, yaml.parser.ParserError)):
        return mark.line + 1, _without_content(what)
    if context is not None and problem.context in _STARTS:
        return context.line + 1, _must_be_quoted(_STARTS[problem.context])
    lines = _LINE_BREAK.split(text)
    if context is not None and "quoted scalar" in (problem.context or ""):
        return _in_quotes(lines, what, mark.line, context.line)
    if what.startswith("found character"):
        before, start = lines[mark.line][: mark.column], lines[mark.line][mark.column :][:1]
        if start != "\t":
            return mark.line + 1, _must_be_quoted(start)
        is_inside = bool(before.strip())
        hint = phrase("a tab; use spaces") if is_inside else phrase("a tab; indent with spaces")
        return mark.line + 1, hint
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
            "a quote is opened and never closed; a backslash is before the closing one; use single "
            "quotes or /"
        )
    return opened + 1, phrase("a quote is opened and never closed")


def _in_structure(
    text: str, lines: list[str], what: str, mark: Any, context: Any
) -> tuple[int, str]:
    """A misplaced element; the cause is often some lines above."""
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
                "a quote is opened here and closed only in line {line}", line=closed + 1
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
        bracket = _OTHER_BRACKET.match(lines[number][-_LONGEST_START:])
        if bracket:
            right = "}" if bracket[1] == "｝" else "]"
            return number + 1, phrase(
                "a full-width {mark}; write '{right}'", mark=bracket[1], right=right
            )
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
    token = what.rpartition("found '")[2].removesuffix("'")
    if what.startswith("mapping values"):
        if below:
            return phrase(
                "the key is indented deeper than its neighbours, or the line above lacks ': '"
            )
        return phrase("mapping values are not allowed here; put a text that holds ': ' in quotes")
    if what.startswith("expected <block end>"):
        other = phrase("wrong indentation, or a text that must be quoted")
        return _BLOCK_ENDS.get(token, other)
    if what.startswith("expected '<document start>'") and token.startswith("<block"):
        return phrase("the indentation differs from that of the first line")
    if what.startswith("sequence entries"):
        return phrase("a list item cannot start here; give it a line of its own")
    if what.startswith("expected the node content"):
        return phrase("expected the node content, but found {token!r}", token=token)
    return _without_content(what)


def _suspect(line: str) -> str | None:
    """The usual slips at the start of a line."""
    if slip := _INDENT.match(line):
        return phrase("{blank}; indent with ordinary spaces", blank=_name(slip[1]))
    if line.lstrip().startswith("#"):
        return None
    if slip := _OTHER_COLON.match(line):
        return phrase("a full-width {mark}; write ': '", mark=slip[1])
    if slip := _OTHER_BLANK.match(line):
        return phrase("{blank}; write an ordinary space after the colon", blank=_name(slip[1]))
    if _NO_BLANK.match(line):
        return phrase("missing space after the colon")
    if _NO_BLANK_AFTER_DASH.match(line):
        return phrase("missing space after the dash")
    if slip := _OTHER_DASH.match(line):
        return phrase("{mark} does not start a list item; write '- '", mark=slip[1])
    if slip := _OTHER_QUOTE.match(line):
        return phrase("{mark} is not a YAML quote; write \" or '", mark=slip[1])
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
    return phrase("a text that starts with {start} must be quoted", start=start)


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

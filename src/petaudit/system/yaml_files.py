"""YAML read safely (plain data, no duplicate keys, no aliases, bounded size), and its problems."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from petaudit.errors import InputError, phrase, shortened
from petaudit.i18n.phrases import cells
from petaudit.system.files import before_reading
from petaudit.system.kinds import KeyPath
from petaudit.system.yaml_hints import explained

LARGEST_FILE = 1_000_000


class _RefusedError(yaml.MarkedYAMLError):
    """What YAML would take and petaudit does not; the message needs no explanation."""

    def __init__(self, problem: str, mark: Any) -> None:
        super().__init__(problem=problem, problem_mark=mark)
        self.said = problem
        self.line = mark.line + 1


class _StrictLoader(yaml.SafeLoader):
    """Safe loader that refuses what YAML would silently resolve."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.labels: set[int] = set()
        """Mappings whose keys are labels of a hierarchy, and so may be values of the data."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise _RefusedError(phrase("aliases are not accepted"), mark)
        return super().compose_node(parent, index)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        if node.tag in _MEANT_OTHERWISE:
            raise _RefusedError(_MEANT_OTHERWISE[node.tag], node.start_mark)
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError, AttributeError, TypeError):
            # What the library lets through: days that never were, numbers that are words.
            kind = node.tag.rpartition(":")[2]
            said = phrase("a value cannot be read as {kind}", kind=kind)
            raise _RefusedError(said, node.start_mark) from None

    def construct_scalar(self, node: Any) -> Any:
        value = super().construct_scalar(node)
        try:
            # JSON writes one character as two escapes; half of one is no text.
            return value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            said = phrase("a text holds half a character")
            raise _RefusedError(said, node.start_mark) from None

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
                said = phrase("{key} stands here twice", key=written)
                if seen[key] != written:
                    said = phrase(
                        "{key} stands here twice, first as {first}", key=written, first=seen[key]
                    )
                raise _RefusedError(said, key_node.start_mark)
            seen[key] = written
        return super().construct_mapping(node, deep=deep)


_HIERARCHIES = ("hierarchies", "HIERARCHY")
"""Below them stand columns, and below these labels."""
_MEANT_OTHERWISE = {
    "tag:yaml.org,2002:merge": phrase("merge keys (<<) are not accepted; write the options out"),
    "tag:yaml.org,2002:value": phrase("a lone = must stand in quotes"),
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
    first: [own for own in resolvers if own[0] not in _NUMBERS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _tag, _pattern in _NUMBERS.items():
    _StrictLoader.add_implicit_resolver(
        _tag, re.compile(rf"({_pattern})\Z", re.ASCII), list("-+0123456789.")
    )


@dataclass(frozen=True)
class Document:
    """Plain data, and the line on which each key and item of it stands.

    >>> found = parse_yaml("a:\\n  b: [5,\\n    6]\\n", "example")
    >>> found.value, found.line_of(("a", "b")), found.line_of(("a", "b", 1))
    ({'a': {'b': [5, 6]}}, 2, 3)
    """

    value: Any
    lines: Mapping[KeyPath, int | None]
    """None for what stands in no line of the file."""

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
        before_reading(path)
        if path.stat().st_size > LARGEST_FILE:
            raise _too_large(str(path))
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError("file {path!r} does not exist", path=str(path)) from None
    except OSError as problem:
        raise InputError(
            "{path}: cannot be read ({reason})", path=str(path), reason=problem.strerror
        ) from None
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
        said = phrase("holds a character that YAML forbids")
        if problem.character == 0:
            # Between the letters of UTF-16 stand zeros.
            said = phrase("holds a character that YAML forbids; save the file as UTF-8")
        raise _in_line(origin, line, said) from None
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
    except _RefusedError as problem:
        raise _in_line(origin, problem.line, problem.said) from None
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
                own = (*path, loader.construct_object(key_node, deep=True))
                lines[own] = key_node.start_mark.line + 1
                _note_lines(loader, value_node, own, lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note_lines(loader, item, (*path, index), lines)

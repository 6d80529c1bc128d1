"""YAML read safely: plain data only, no duplicate keys, no aliases, bounded size."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from petaudit.errors import InputError, shortened
from petaudit.files import require_regular

LARGEST_FILE = 1_000_000
KeyPath: TypeAlias = tuple[Hashable, ...]


class _StrictLoader(yaml.SafeLoader):
    """Safe loader that refuses what YAML would silently resolve."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not accepted", mark)
        return super().compose_node(parent, index)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        if node.tag in _MEANT_OTHERWISE:
            raise yaml.constructor.ConstructorError(
                None, None, _MEANT_OTHERWISE[node.tag], node.start_mark
            )
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError, AttributeError, TypeError):
            # What the library lets through: days that never were, numbers that are words.
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(
                None, None, f"a value cannot be read as {kind}", node.start_mark
            ) from None

    def construct_scalar(self, node: Any) -> Any:
        value = super().construct_scalar(node)
        try:
            # JSON writes one character as two escapes; half of one is no text.
            return value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise yaml.constructor.ConstructorError(
                None, None, "a text holds half a character", node.start_mark
            ) from None

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{_written(key)} stands here twice", key_node.start_mark
                )
            seen.add(key if isinstance(key, Hashable) else id(key_node))
        return super().construct_mapping(node, deep=deep)


_MEANT_OTHERWISE = {
    "tag:yaml.org,2002:merge": "merge keys (<<) are not accepted; write the options out",
    "tag:yaml.org,2002:value": "a lone = must stand in quotes",
}


def _written(key: Any) -> str:
    try:
        return shortened(repr(key))
    except ValueError:
        # Python refuses to write thousands of digits.
        return "a very large number"


# People write 1e-3, which only YAML 1.2 takes for a number.
_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$", re.ASCII),
    list("-+0123456789."),
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


def read_yaml(path: Path) -> Any:
    """Read a YAML file; every problem names the file and, where known, the line."""
    return read_document(path).value


def read_document(path: Path) -> Document:
    """Read a YAML file together with its line numbers."""
    return parse_yaml(read_text(path), str(path))


def read_text(path: Path) -> str:
    """Read a file that people write by hand: UTF-8 and of bounded size."""
    try:
        require_regular(path)
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path}: larger than {LARGEST_FILE:,} bytes; not read")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"file {str(path)!r} does not exist") from None
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror})") from None
    except UnicodeDecodeError as problem:
        raise InputError(f"{path}: byte {problem.start} is not UTF-8 text") from None


def parse_yaml(text: str, origin: str) -> Document:
    """Parse text; messages call it by its origin."""
    if len(text) > LARGEST_FILE:
        raise InputError(f"{origin}: larger than {LARGEST_FILE:,} bytes; not read")
    try:
        loader = _StrictLoader(text)
    except yaml.reader.ReaderError as problem:
        line = text.count("\n", 0, problem.position) + 1
        raise InputError(f"{origin}, line {line}: holds a character that YAML forbids") from None
    try:
        node = loader.get_single_node()
        if node is None:
            return Document(None, {})
        lines: dict[KeyPath, int | None] = {}
        _note_lines(loader, node, (), lines)
        return Document(loader.construct_document(node), lines)
    except RecursionError:
        raise InputError(f"{origin}: nested too deeply") from None
    except ValueError:
        # What the library does not expect itself, such as an escape beyond all characters.
        raise InputError(f"{origin}, line {loader.line + 1}: not valid YAML") from None
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        what = getattr(problem, "problem", None) or "not valid YAML"
        raise InputError(f"{origin}{where}: {what}") from None


def _note_lines(loader: Any, node: Any, path: KeyPath, lines: dict[KeyPath, int | None]) -> None:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key_node, value_node in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                own = (*path, loader.construct_object(key_node, deep=True))
                lines[own] = key_node.start_mark.line + 1
                _note_lines(loader, value_node, own, lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note_lines(loader, item, (*path, index), lines)

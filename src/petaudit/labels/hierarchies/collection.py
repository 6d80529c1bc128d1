"""The hierarchies of a table, however the caller gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from petaudit.errors import HierarchyError, OptionError, listing, phrase, suggestion
from petaudit.labels.cells import trim
from petaudit.labels.hierarchies.files import read_file, read_folder
from petaudit.labels.hierarchies.hierarchy import Hierarchy
from petaudit.labels.hierarchies.rules import Rule, dates, mask_right, ordered, ranges
from petaudit.system.files import fingerprint_of
from petaudit.system.yaml_files import read_yaml

HierarchySpec: TypeAlias = "str | PathLike[str] | Mapping[str, Any] | Hierarchies | None"
ValuesOf: TypeAlias = Callable[[str], Iterable[str | None]]


class Hierarchies:
    """Hierarchies by attribute; those given as a rule are built when their values are known."""

    def __init__(
        self, by_attribute: Mapping[str, Hierarchy | Rule], rules_file: Path | None = None
    ) -> None:
        self._by_attribute: dict[str, Hierarchy | Rule] = {}
        for name, entry in by_attribute.items():
            attribute = trim(str(name))
            if attribute in self._by_attribute:
                raise HierarchyError("there are two hierarchies for {column!r}", column=attribute)
            self._by_attribute[attribute] = entry
        self._rules_file = rules_file
        self._built: dict[str, Hierarchy] = {}

    @classmethod
    def of(cls, spec: HierarchySpec) -> Hierarchies:
        """Read what a caller gave: a folder, a YAML file, a mapping, or nothing.

        >>> Hierarchies.of({"sex": {"F": "*", "M": "*"}}).attributes
        ('sex',)
        """
        if spec is None:
            return cls({})
        if isinstance(spec, Hierarchies):
            return spec
        if isinstance(spec, Mapping):
            return cls({str(name): _entry(str(name), entry) for name, entry in spec.items()})
        if not isinstance(spec, str | PathLike):
            raise HierarchyError(
                "hierarchies are given as a {kind}; a folder, a YAML file or a mapping was "
                "expected",
                kind=type(spec).__name__,
            )
        path = Path(spec)
        if path.suffix.lower() in {".yaml", ".yml"}:
            return cls.from_yaml(read_yaml(path, is_hierarchy=True), path)
        return cls(read_folder(path))

    @classmethod
    def from_yaml(cls, content: object, path: Path) -> Hierarchies:
        """Read the text form: a folder name, or per attribute a file name, a rule or a mapping.

        Names of files are relative to the folder of the YAML file.
        """
        base = path.parent
        if isinstance(content, str):
            return cls(read_folder(base / content))
        if not isinstance(content, Mapping):
            raise HierarchyError(
                "{path}: hierarchies are a folder or one entry per attribute", path=path
            )
        entries: dict[str, Hierarchy | Rule] = {}
        for name, entry in content.items():
            attribute = str(name)
            if isinstance(entry, str):
                entries[attribute] = read_file(base / entry, attribute)
            else:
                entries[attribute] = _entry(attribute, entry)
        return cls(entries, path)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that say what these hierarchies are."""
        own = (entry.path for entry in self._by_attribute.values() if isinstance(entry, Hierarchy))
        return tuple(path for path in (self._rules_file, *own) if path is not None)

    def fingerprint(self) -> dict[str, Any]:
        """What identifies the hierarchies without showing a label of them."""
        found: dict[str, Any] = {"attributes": list(self.attributes)}
        if self.files:
            found["sha256"] = fingerprint_of(self.files)
        return found

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that have a hierarchy."""
        return tuple(self._by_attribute)

    def rule(self, attribute: str) -> Rule | None:
        """The rule that makes the hierarchy of an attribute; None where it was spelled out."""
        entry = self._by_attribute[attribute]
        return None if isinstance(entry, Hierarchy) else entry

    def __contains__(self, attribute: str) -> bool:
        return attribute in self._by_attribute

    def __bool__(self) -> bool:
        return bool(self._by_attribute)

    def get(self, attribute: str, values_of: ValuesOf | None) -> Hierarchy:
        """The hierarchy of an attribute; ``values_of`` serves those that come from a rule."""
        entry = self._by_attribute.get(attribute)
        if entry is None:
            raise HierarchyError(
                "there is no hierarchy for column {column!r}{near}; there are hierarchies "
                "for: {columns}",
                column=attribute,
                near=suggestion(attribute, self._by_attribute),
                columns=listing(self.attributes) or phrase("no column"),
            )
        if isinstance(entry, Hierarchy):
            return entry
        if attribute not in self._built:
            if values_of is None:
                raise HierarchyError(
                    "the hierarchy of {column!r} is a rule: it needs the original table to "
                    "know the values",
                    column=attribute,
                )
            self._built[attribute] = entry.build(attribute, values_of(attribute))
        return self._built[attribute]


def _entry(attribute: str, entry: object) -> Hierarchy | Rule:
    if isinstance(entry, Hierarchy):
        return entry
    if isinstance(entry, Mapping):
        return _rule(attribute, entry) or Hierarchy.from_mapping(attribute, entry)
    if isinstance(entry, str | PathLike):
        return read_file(Path(entry), attribute)
    if isinstance(entry, Sequence):
        return Hierarchy(attribute, entry)
    if hasattr(entry, "build"):
        return entry
    raise HierarchyError(
        "the hierarchy of {column!r} is a {kind}; a mapping from leaf to labels, a list of "
        "rows, a file or a rule was expected",
        column=attribute,
        kind=type(entry).__name__,
    )


_RULE_OPTIONS: dict[str, frozenset[str]] = {
    "ranges": frozenset({"origin", "bottom", "top"}),
    "mask": frozenset({"mark", "levels"}),
    "dates": frozenset(),
    "ordered": frozenset({"groups"}),
}


def _rule(attribute: str, entry: Mapping[Any, Any]) -> Rule | None:
    """Read a rule in its text form; None where the entry maps leaves to labels."""
    name = next((key for key in _RULE_OPTIONS if key in entry), None)
    if name is None:
        return None
    options = {key: value for key, value in entry.items() if key != name}
    unknown = [str(key) for key in options if key not in _RULE_OPTIONS[name]]
    try:
        if unknown and not _is_rule(name, entry[name]):
            # A leaf that happens to have the name of a rule, among other leaves.
            return None
        if unknown:
            raise OptionError(
                "unknown option {name!r}{near}",
                name=unknown[0],
                near=suggestion(unknown[0], _RULE_OPTIONS[name]),
            )
        return _made_rule(name, entry[name], options)
    except OptionError as problem:
        raise HierarchyError(
            "rule {name} for {column!r}: {problem}",
            name=name,
            column=attribute,
            problem=problem.text,
        ) from None


def _is_rule(name: str, argument: object) -> bool:
    try:
        _made_rule(name, argument, {})
    except OptionError:
        return False
    return True


def _made_rule(name: str, argument: object, options: Mapping[str, Any]) -> Rule:
    if name == "ranges":
        return ranges(*_as_list(argument), **options)
    if name == "dates":
        return dates(*_as_list(argument))
    if name == "ordered":
        return ordered(_as_list(argument), *_as_list(options.get("groups", [])))
    if argument != "right":
        raise OptionError("mask is {mask!r}; only 'right' is known", mask=argument)
    return mask_right(**options)


def _as_list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]

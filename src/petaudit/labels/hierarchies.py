"""The hierarchies of a table, however the caller gives them."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from petaudit.errors import LONGEST_PATH, HierarchyError, listing, phrase, shortened, suggestion
from petaudit.labels.cells import SUPPRESSED, trim
from petaudit.labels.hierarchy import OTHER, Hierarchy
from petaudit.labels.numbers import range_of
from petaudit.labels.rule_forms import RULE_EXAMPLES, parse_rule
from petaudit.labels.rules import PathRule, Rule, counts_of, other_label
from petaudit.system.files import before_reading, fingerprint_of, os_reason
from petaudit.system.yaml_files import read_yaml

HierarchySpec: TypeAlias = "str | PathLike[str] | Mapping[str, Any] | Hierarchies | None"
ValuesOf: TypeAlias = Callable[[str], Iterable[str | None]]
Announce: TypeAlias = Callable[[Hierarchy], object]
"""Told of a hierarchy when it is made from the values of a table."""
_MOST_NAMED = 5
_SEPARATORS = (",", "\t", "|", "；", "，")
"""What stands instead of a semicolon where somebody took another program's separator."""
_FILE_OPTIONS = {"file", "other"}
_FILE_NAME = re.compile(r".*hierarchy_(?P<attribute>.+)\.csv", re.IGNORECASE | re.DOTALL)


class Hierarchies:
    """Hierarchies by attribute; those given as a rule are built when their values are known.

    >>> import petaudit
    >>> known = Hierarchies.of({"sex": {"F": "*", "M": "*"}, "age": petaudit.ranges(10)})
    >>> known.attributes, known.get("sex", None).generalize("F", 1)
    (('sex', 'age'), '*')
    """

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
        self._fixed: dict[str, tuple[Mapping[str | None, int], PathRule]] = {}
        """The counts that rules which depend on counts were built for, and what they are then."""

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
                "hierarchies must be a folder, a YAML file or a mapping, got {kind}",
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
                "{path}: hierarchies must be a folder or one entry per attribute", path=path
            )
        entries = {str(name): _entry(str(name), entry, base) for name, entry in content.items()}
        return cls(entries, path)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that say what these hierarchies are."""
        given = (
            entry.path if isinstance(entry, Hierarchy) else getattr(entry, "file", None)
            for entry in self._by_attribute.values()
        )
        return tuple(path for path in (self._rules_file, *given) if path is not None)

    def fingerprint(self) -> dict[str, Any]:
        """What identifies the hierarchies without showing a label of them."""
        facts: dict[str, Any] = {"attributes": list(self.attributes)}
        if self.files:
            facts["sha256"] = fingerprint_of(self.files)
        return facts

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that have a hierarchy."""
        return tuple(self._by_attribute)

    def rule(self, attribute: str) -> Rule | None:
        """The rule that makes the hierarchy of an attribute; None where it was spelled out."""
        entry = self._by_attribute[attribute]
        return None if isinstance(entry, Hierarchy) else entry

    def with_other(self, label: str) -> Hierarchies:
        """The same with a level for values that do not fit, where there is none yet."""
        entries: dict[str, Hierarchy | Rule] = {}
        for attribute, entry in self._by_attribute.items():
            entries[attribute] = entry
            if isinstance(entry, PathRule):
                entries[attribute] = entry.with_other(label)
            elif isinstance(entry, Hierarchy) and entry.other is None:
                entries[attribute] = changed = copy(entry)
                changed.other = label
        return Hierarchies(entries, self._rules_file)

    def __contains__(self, attribute: str) -> bool:
        return attribute in self._by_attribute

    def __bool__(self) -> bool:
        return bool(self._by_attribute)

    def get(
        self, attribute: str, values_of: ValuesOf | None, announce: Announce | None = None
    ) -> Hierarchy:
        """The hierarchy of an attribute; ``values_of`` serves those that depend on the values."""
        entry = self._by_attribute.get(attribute)
        if entry is None:
            raise HierarchyError(
                "there is no hierarchy for column {column!r}{near}; there are hierarchies "
                "for: {columns}",
                column=attribute,
                near=suggestion(attribute, self._by_attribute),
                columns=listing(self.attributes) or phrase("no column"),
            )
        if isinstance(entry, Hierarchy) and (entry.other is None or values_of is None):
            return entry
        if values_of is None and attribute not in self._built:
            raise HierarchyError(
                "the hierarchy of {column!r} is a rule: it needs the original table to "
                "know the values",
                column=attribute,
            )
        if isinstance(entry, PathRule) and entry.fixed is not None and values_of is not None:
            entry = self._fixed_rule(attribute, entry, values_of)
        if attribute not in self._built and values_of is not None:
            values = values_of(attribute)
            if isinstance(entry, Hierarchy):
                self._built[attribute] = entry.with_others(values, entry.other or OTHER)
            else:
                self._built[attribute] = entry.build(attribute, values)
            if announce is not None:
                announce(self._built[attribute])
        return self._built[attribute]

    def _fixed_rule(self, attribute: str, rule: PathRule, values_of: ValuesOf) -> PathRule:
        """What a rule that depends on counts is for a table; another table has another one."""
        counts = counts_of(values_of(attribute))
        if attribute not in self._fixed or self._fixed[attribute][0] != counts:
            self._fixed[attribute] = counts, rule.fixed_for(attribute, counts)
            self._built.pop(attribute, None)
        return self._fixed[attribute][1]

    def for_labels(
        self, attribute: str, labels: Sequence[str | None], values_of: ValuesOf | None = None
    ) -> Hierarchy | None:
        """Return the hierarchy that a rule gives these labels; None where no rule makes it.

        It is not stored: measures of the original have one for the values of the original. Labels
        that the rule does not know are left out, since a population may be generalised already. A
        rule that depends on counts takes those of ``values_of``, which the table was made with.
        """
        rule = self.rule(attribute)
        if rule is None:
            return None
        if not isinstance(rule, PathRule):
            return rule.build(attribute, labels)
        if rule.fixed is not None and values_of is None:
            raise HierarchyError(
                "rule {name} for {column!r} depends on the table that it is used on, and the "
                "original is not given: give it, or the rule with its labels written out "
                "(petaudit hierarchies)",
                name=rule.name,
                column=attribute,
            )
        if rule.fixed is not None and values_of is not None:
            rule = self._fixed_rule(attribute, rule, values_of)
        return rule.build_known(attribute, labels) or Hierarchy(attribute, [[SUPPRESSED]])


def _entry(attribute: str, entry: object, base: Path = Path()) -> Hierarchy | Rule:
    if isinstance(entry, Hierarchy):
        return entry
    if isinstance(entry, Mapping):
        if "file" in entry and set(entry) <= _FILE_OPTIONS and isinstance(entry["file"], str):
            hierarchy = read_file(base / entry["file"], attribute)
            hierarchy.other = other_label(entry.get("other"))
            return hierarchy
        return parse_rule(attribute, entry, base) or Hierarchy.from_mapping(attribute, entry)
    if isinstance(entry, str | PathLike):
        if entry in RULE_EXAMPLES and not (base / entry).exists():
            raise HierarchyError(
                "the hierarchy of {column!r}: file {name!r} does not exist; a rule is written as "
                "{example}",
                column=attribute,
                name=str(entry),
                example=RULE_EXAMPLES[str(entry)],
            )
        return read_file(base / entry, attribute)
    if isinstance(entry, Sequence):
        return Hierarchy(attribute, entry)
    if hasattr(entry, "build"):
        return entry
    raise HierarchyError(
        "the hierarchy of {column!r} must be a mapping from leaf to labels, a list of rows, a file "
        "or a rule, got {kind}",
        column=attribute,
        kind=type(entry).__name__,
    )


def read_folder(folder: Path) -> dict[str, Hierarchy]:
    """Read a folder of CSV files, ``<anything>hierarchy_<attribute>.csv`` per attribute."""
    # These never raise, unlike the methods of Path: a name may be too long for the system.
    if not os.path.exists(folder):  # noqa: PTH110
        shown = shortened(str(folder), LONGEST_PATH)
        raise HierarchyError("hierarchy folder {folder!r} does not exist", folder=shown)
    if not os.path.isdir(folder):  # noqa: PTH112
        raise HierarchyError(
            "{folder!r} is a file; expected a folder of hierarchies", folder=str(folder)
        )
    hierarchies: dict[str, Hierarchy] = {}
    for path in sorted(folder.iterdir()):
        attribute = attribute_of_file(path.name)
        if attribute is None:
            continue
        if attribute in hierarchies:
            raise HierarchyError(
                "folder {folder!r} has two hierarchies for {column!r}: {first} and {second}",
                folder=str(folder),
                column=attribute,
                first=hierarchies[attribute].origin,
                second=path.name,
            )
        hierarchies[attribute] = read_file(path, attribute)
    if not hierarchies:
        names = sorted(path.name for path in folder.iterdir())
        raise HierarchyError(
            "folder {folder!r} has no file named <anything>hierarchy_<attribute>.csv; it has: "
            "{names}",
            folder=str(folder),
            names=listing(names, _MOST_NAMED) or phrase("nothing"),
        )
    return hierarchies


def attribute_of_file(name: str) -> str | None:
    """The attribute that a file is named after; None for other files.

    >>> attribute_of_file("adult_hierarchy_age.csv"), attribute_of_file("notes.txt")
    ('age', None)
    """
    match = _FILE_NAME.fullmatch(name)
    return None if match is None else trim(match["attribute"])


def read_file(path: Path, attribute: str) -> Hierarchy:
    """Read one hierarchy: ``;`` separated, no header, leaf first."""
    rows: list[list[str]] = []
    line_numbers: list[int] = []
    try:
        before_reading(path)
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, delimiter=";", strict=True)
            for row in reader:
                if any(trim(cell) for cell in row):
                    rows.append(row)
                    line_numbers.append(reader.line_num)
    except OSError as problem:
        shown = shortened(str(path), LONGEST_PATH)
        raise HierarchyError(
            "{path}: cannot be read ({reason})", path=shown, reason=os_reason(problem)
        ) from None
    except UnicodeDecodeError as problem:
        raise HierarchyError(
            "{path}: byte {place} is not UTF-8 text", path=path, place=problem.start
        ) from None
    except csv.Error as problem:
        raise HierarchyError(
            "{path}: not a ';' separated file ({reason})", path=path, reason=problem
        ) from None
    _refuse_other_separator(rows, path)
    return Hierarchy(attribute, rows, path=path, line_numbers=line_numbers)


def _refuse_other_separator(rows: Sequence[Sequence[str]], path: Path) -> None:
    """Refuse leaves without labels that have another separator, equally often in every line.

    A separator has no blank after it, unlike a comma in a name; and ``[20,30[`` is a label.
    """
    lines = [trim(row[0]) for row in rows if len(row) == 1 and range_of(row[0]) is None]
    if not lines or len(lines) < len(rows):
        return
    for mark in _SEPARATORS:
        numbers = {line.count(mark) for line in lines}
        if len(numbers) == 1 and numbers != {0} and not any(f"{mark} " in line for line in lines):
            raise HierarchyError(
                "{path}: no line has a ';' and every line has {number} {mark}: separate the "
                "labels by ';' (if a label holds {mark}, add ';*' to each line)",
                path=path,
                number=numbers.pop(),
                mark=phrase("tab") if mark == "\t" else f"'{mark}'",
            )

"""One attribute's hierarchy: from every leaf, ever more general labels up to one root."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from petaudit.errors import (
    MOST_QUOTED,
    DataValues,
    HierarchyError,
    NotMeasurableError,
    RowsOf,
    counted,
    phrase,
    suggestion,
)
from petaudit.exact.fractions import parse_number
from petaudit.labels.cells import SUPPRESSED, label_of
from petaudit.labels.numbers import decimal_of, in_common_units, numbers_among, read_numbers

NULL_LABEL = ""
"""How a hierarchy spells a null: CSV files cannot tell an empty cell from a missing one.

A hierarchy that covers nulls has a line that starts with an empty leaf; further empty cells in it
keep the null a null at these levels.
"""

OTHER = "other"
"""The label of values that fit no other level, unless another one is given."""


class Hierarchy:
    """Leaf-to-root paths of one attribute, validated on construction.

    >>> city = Hierarchy("city", [["Paris", "Europe"], ["Lima", "America"]])
    >>> city.levels, city.level_of("Europe"), city.generalize("Lima", 2)
    (3, 1, '*')
    """

    def __init__(
        self,
        attribute: str,
        rows: Iterable[Sequence[object]],
        *,
        origin: str | None = None,
        path: Path | None = None,
        line_numbers: Sequence[int] | None = None,
    ) -> None:
        self.attribute = attribute
        self.path = path
        self.rows_of: RowsOf | None = None
        """How errors say in which rows of a table the labels stand, where there is a table."""
        self.other: str | None = None
        """The label of values that are not among the leaves; without one they are an error."""
        self.others: tuple[str, ...] = ()
        """The leaves that are there only because of that label."""
        self.notes: tuple[str, ...] = ()
        """What a rule recognised about the values."""
        self.origin = origin or (
            str(path) if path else phrase("hierarchy of {column!r}", column=attribute)
        )
        self._lines: dict[str, int] = {}
        """Where each leaf was first, as far as it came from lines."""
        self._paths = self._validated(rows, line_numbers)
        if len({path[-1] for path in self._paths.values()}) > 1:
            self._paths = {leaf: (*path, SUPPRESSED) for leaf, path in self._paths.items()}
        self._lowest_level, self.ambiguous_labels = self._index_levels()

    @classmethod
    def from_mapping(cls, attribute: str, paths: Mapping[object, object]) -> Hierarchy:
        """Build from ``{leaf: [label, ...]}`` (one label may stand alone).

        >>> Hierarchy.from_mapping("sex", {"F": "*", "M": "*"}).levels
        2
        """
        rows: list[Sequence[object]] = []
        for leaf, path in paths.items():
            above = path if isinstance(path, Sequence) and not isinstance(path, str) else [path]
            rows.append([leaf, *above])
        return cls(attribute, rows)

    @property
    def levels(self) -> int:
        """How many levels there are, the leaves included."""
        return len(next(iter(self._paths.values())))

    @property
    def top(self) -> str:
        """The label of the root."""
        return next(iter(self._paths.values()))[-1]

    @property
    def leaves(self) -> tuple[str, ...]:
        """The leaves, in the order of the source."""
        return tuple(self._paths)

    def holds(self, label: str | None) -> bool:
        """Whether any level has this label (the suppression mark always counts)."""
        text = _text(label)
        return text in self._lowest_level or text == SUPPRESSED

    def level_of(self, label: str | None) -> int:
        """The lowest level at which the label occurs; ``*`` is the top unless named."""
        text = _text(label)
        if text in self._lowest_level:
            return self._lowest_level[text]
        if text == SUPPRESSED:
            return self.levels - 1
        raise self.unknown_labels([label])

    def path_of(self, leaf: str | None) -> tuple[str, ...]:
        """All labels of a leaf, itself first."""
        try:
            return self._paths[_text(leaf)]
        except KeyError:
            raise self.unknown_leaves([leaf]) from None

    def is_leaf(self, label: str | None) -> bool:
        """Whether the label is one of the leaves."""
        return _text(label) in self._paths

    def generalize(self, leaf: str | None, level: int) -> str | None:
        """The label of a leaf at a level."""
        return self.path_of(leaf)[level] or None

    def path_from(self, label: str | None) -> tuple[str, ...]:
        """The labels from this label (at its lowest level) up to the root."""
        level = self.level_of(label)
        text = _text(label)
        if text not in self._lowest_level:
            return (self.top,)
        return next(path[level:] for path in self._paths.values() if path[level] == text)

    def with_others(self, values: Iterable[str | None], label: str) -> Hierarchy:
        """Return the same with a level for those values that are not leaves.

        A suppressed cell stays what it is: as a leaf it would be of the lowest level. A root that
        says something, as Europe does, is not theirs: there is a level above it then.

        >>> city = Hierarchy("city", [["Paris", "Europe"], ["Rome", "Europe"]])
        >>> both = city.with_others(["Rome", "Lima"], "other")
        >>> both.path_of("Rome"), both.path_of("Lima")
        (('Rome', 'Europe', '*'), ('Lima', 'other', '*'))
        """
        known = {NULL_LABEL, SUPPRESSED, *self._paths}
        others = sorted({_text(value) for value in values} - known)
        if not others:
            return self
        if label in self._lowest_level:
            raise HierarchyError(
                "{origin}: the label {label!r} of other values is one of its own labels, too",
                origin=self.origin,
                label=label,
            )
        above = [label] * (self.levels - 1)
        if above and self.top == SUPPRESSED:
            above[-1] = SUPPRESSED
        rows = [*self._paths.values(), *([value, *above] for value in others)]
        extended = Hierarchy(self.attribute, rows, origin=self.origin, path=self.path)
        extended.others = tuple(others)
        return extended

    @property
    def changing_labels(self) -> tuple[str, ...]:
        """The labels of several levels that do not stand for the same leaves at all of them.

        >>> ages = Hierarchy("age", [["1", "<9", "<9"], ["9", ">8", "50"], ["50", ">8", "50"]])
        >>> ages.changing_labels
        ('50',)
        """
        changing = {
            label
            for path in self._paths.values()
            for label in path
            if path[self._lowest_level[label]] != label
        }
        return tuple(label for label in self.ambiguous_labels if label in changing)

    def require_nested(self) -> None:
        """Raise an error unless equal labels are equal at every level above.

        >>> Hierarchy("age", [["1", "low", "a"], ["2", "low", "b"]]).require_nested()
        Traceback (most recent call last):
        petaudit.errors.HierarchyError: hierarchy of 'age', line 2: not nested, because 1 label of \
level 1 has several labels above it at level 2; give it the same one in every line
        """
        for level in range(1, self.levels - 1):
            above: dict[str, str] = {}
            torn: dict[str, str] = {}
            for leaf, path in self._paths.items():
                if above.setdefault(path[level], path[level + 1]) != path[level + 1]:
                    torn.setdefault(path[level], leaf)
            if torn:
                label, leaf = next(iter(torn.items()))
                problem = phrase(
                    "not nested, because {labels} of level {level} has several labels above it at "
                    "level {above}; give it the same one in every line",
                    labels=counted(len(torn), "label"),
                    level=level,
                    above=level + 1,
                )
                raise self._at(self._lines.get(leaf, 0), problem, label)

    def unknown_labels(self, labels: Sequence[str | None]) -> HierarchyError:
        """The error for labels of the data that no level holds."""
        nulls = ""
        if None in labels:
            nulls = phrase(" (for nulls it needs a line with an empty leaf)")
        return self.label_error(
            phrase(
                "column {column!r} holds {labels} not found in its hierarchy ({origin}){nulls}",
                column=self.attribute,
                labels=counted(len(labels), "label"),
                origin=self.origin,
                nulls=nulls,
            ),
            labels,
            known=self._lowest_level,
        )

    def unknown_leaves(
        self, labels: Sequence[str | None], remedy: str | None = None
    ) -> HierarchyError:
        """The error for values of the data that are not leaves."""
        if remedy is None:
            remedy = phrase(" (add a line for each; other: true in a rule takes all that lack)")
        if len(labels) == 1:
            message = phrase(
                "column {column!r} holds 1 value that is not a leaf of its hierarchy "
                "({origin}){remedy}",
                column=self.attribute,
                origin=self.origin,
                remedy=remedy,
            )
        else:
            message = phrase(
                "column {column!r} holds {number:,} values that are not leaves of its hierarchy "
                "({origin}){remedy}",
                column=self.attribute,
                number=len(labels),
                origin=self.origin,
                remedy=remedy,
            )
        return self.label_error(message, labels, known=self._paths, are_leaves=True)

    def label_error(
        self,
        message: str,
        labels: Sequence[str | None],
        *,
        known: Iterable[str] = (),
        are_leaves: bool = False,
    ) -> HierarchyError:
        """Return an error about labels of the attribute, with the rows that hold them."""
        # The nearest label, unless as many are quoted already as a message may.
        near = suggestion(_text(labels[0]), known) if len(labels) < MOST_QUOTED else ""
        data = DataValues(labels, self.attribute, are_leaves, near)
        problem = HierarchyError(message, data=data)
        return problem if self.rows_of is None else problem.in_rows(self.rows_of)

    def _validated(
        self, rows: Iterable[Sequence[object]], line_numbers: Sequence[int] | None
    ) -> dict[str, tuple[str, ...]]:
        paths: dict[str, tuple[str, ...]] = {}
        width = 0
        for index, row in enumerate(rows):
            line = line_numbers[index] if line_numbers else index + 1
            if isinstance(row, str) or not isinstance(row, Iterable):
                raise self._at(line, phrase("expected a list of labels, the leaf first"))
            labels = tuple(_text(label_of(cell)) for cell in row)
            width = width or len(labels)
            if not labels:
                raise self._at(line, phrase("the row is empty"))
            if len(labels) != width:
                problem = phrase(
                    "the leaf has {levels} levels where the rows before have {width}",
                    levels=len(labels),
                    width=width,
                )
                raise self._at(line, problem, labels[0])
            if labels[0] != NULL_LABEL and NULL_LABEL in labels:
                raise self._at(line, phrase("the leaf has an empty label above it"), labels[0])
            self._lines.setdefault(labels[0], line)
            known = paths.setdefault(labels[0], labels)
            if known != labels:
                problem = phrase("the leaf is in an earlier line with another path")
                raise self._at(line, problem, labels[0])
        if not paths:
            raise HierarchyError("{origin} is empty", origin=self.origin)
        return paths

    def _at(self, line: int, problem: str, *leaf: str) -> HierarchyError:
        return HierarchyError(
            "{origin}, line {line}: {problem}",
            origin=self.origin,
            line=line,
            problem=problem,
            data=DataValues(leaf),
        )

    def _index_levels(self) -> tuple[dict[str, int], tuple[str, ...]]:
        lowest: dict[str, int] = {}
        ambiguous: dict[str, None] = {}
        for level in range(self.levels):
            for path in self._paths.values():
                if lowest.setdefault(path[level], level) != level and path[level] != NULL_LABEL:
                    ambiguous[path[level]] = None
        return lowest, tuple(ambiguous)


def _text(label: str | None) -> str:
    return NULL_LABEL if label is None else label


class LeavesUnder:
    """The leaves that every label of a hierarchy stands for; ``*`` stands for all.

    >>> under = LeavesUnder(Hierarchy("age", [["1", "low"], ["2", "low"], ["7", "high"]]))
    >>> under.leaves("low"), under.leaves("7.0"), under.leaves("*"), under.leaves("x")
    (('1', '2'), ('7',), ('1', '2', '7'), None)
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        under: dict[str, list[str | None]] = {}
        for leaf in hierarchy.leaves:
            for level, label in enumerate(hierarchy.path_of(leaf)):
                # A label of several levels counts at its lowest, as everywhere.
                if hierarchy.level_of(label) == level:
                    under.setdefault(label, []).append(leaf or None)
        self._under = {label: tuple(leaves) for label, leaves in under.items()}
        self.all = tuple(leaf or None for leaf in hierarchy.leaves)
        self._by_number: dict[Decimal, tuple[str | None, ...]] | None = None

    def leaves(self, label: str | None) -> tuple[str | None, ...] | None:
        """The leaves under a label; None where no level has it."""
        text = _text(label)
        if text in self._under:
            return self._under[text]
        if text == SUPPRESSED:
            return self.all
        number = decimal_of(text)
        if number is None:
            return None
        if self._by_number is None:
            self._by_number = {}
            # The lowest level comes last, and stays.
            for text in sorted(self._under, key=self.hierarchy.level_of, reverse=True):
                spelled = decimal_of(text)
                if spelled is not None:
                    self._by_number[spelled] = self._under[text]
        return self._by_number.get(number)

    def middle(self, label: str | None) -> Fraction | None:
        """Half-way between the lowest and the highest leaf; None unless leaves are numbers.

        >>> str(LeavesUnder(Hierarchy("age", [["1"], ["2"], ["7"]])).middle("*"))
        '4'
        """
        numbers = numbers_among(self.leaves(label) or ())
        return None if numbers is None else (min(numbers) + max(numbers)) / 2

    @property
    def silent(self) -> tuple[str, ...]:
        """The labels that say nothing: the root, unless a leaf is called so, too."""
        top, levels = self.hierarchy.top, self.hierarchy.levels
        return (top,) if levels > 1 and self.hierarchy.level_of(top) == levels - 1 else ()


def labels_in_common(
    column: str, hierarchy: Hierarchy, released: Sequence[str | None], labels: Sequence[str | None]
) -> list[str | None]:
    """Replace each label by the released one on its path, if there is one; others stay.

    A label that occurs at several levels is that of its lowest level: if the leaf 50 and the root
    of a hierarchy are both called 50, a released 50 is the leaf, and 49 does not become it.

    >>> city = Hierarchy("city", [["Paris", "Europe"], ["Rome", "Europe"], ["Lima", "America"]])
    >>> labels_in_common("city", city, ["Europe", "Oslo"], ["Paris", "Lima", "Oslo", "Bonn"])
    ['Europe', 'Lima', 'Oslo', 'Bonn']
    """
    known = set(released)
    return [
        label if label in known else _above(column, hierarchy, known, label) for label in labels
    ]


def _above(
    column: str, hierarchy: Hierarchy, known: set[str | None], label: str | None
) -> str | None:
    if hierarchy.is_leaf(label):
        path = hierarchy.path_of(label)
    elif hierarchy.holds(label):
        path = hierarchy.path_from(label)
    else:
        return label
    first = hierarchy.levels - len(path)
    released = dict.fromkeys(
        above or None
        for level, above in enumerate(path, start=first)
        if (above or None) in known and hierarchy.level_of(above or None) == level
    )
    if len(released) > 1:
        raise NotMeasurableError(
            "column {column!r} is generalised to overlapping labels, so that a value of the "
            "population may belong to several of them: give the population generalised the "
            "same way",
            column=column,
        )
    return next(iter(released), label)


def numbers_above(hierarchy: Hierarchy) -> dict[Fraction | None, set[str]]:
    """The labels above the leaves that spell a number, by that number.

    >>> numbers_above(Hierarchy("age", [["49", "50"], ["51", "50"]]))
    {Fraction(50, 1): {'50'}}
    """
    above: dict[Fraction | None, set[str]] = {}
    for label in {label for leaf in hierarchy.leaves for label in hierarchy.path_of(leaf)[1:]}:
        number = parse_number(label)
        if number is not None:
            above.setdefault(number, set()).add(label)
    return above


def leaf_intervals(
    hierarchy: Hierarchy, labels: Sequence[str]
) -> Mapping[str, tuple[Fraction, Fraction]]:
    """The smallest and the largest number among the leaves under each of some labels.

    >>> ages = Hierarchy("age", [["1", "low"], ["2", "low"]])
    >>> [str(end) for end in leaf_intervals(ages, ["low"])["low"]]
    ['1', '2']
    """
    leaves = hierarchy.leaves
    numbers = read_numbers(leaves)
    [units], places = in_common_units(numbers)
    above = numbers_above(hierarchy)
    # The table may write 50.0 where the hierarchy has 50.
    spellings = {label: {label, *above.get(parse_number(label), ())} for label in labels}
    wanted = set[str]().union(*spellings.values())
    numbers_under: dict[str, list[int]] = {}
    for leaf, is_number, number in zip(
        leaves, numbers.is_number.tolist(), units.tolist(), strict=True
    ):
        if is_number:
            for label in wanted.intersection(hierarchy.path_of(leaf)):
                numbers_under.setdefault(label, []).append(number)
    unit = 10**places
    intervals: dict[str, tuple[Fraction, Fraction]] = {}
    for label, spelled in spellings.items():
        under = [number for text in spelled for number in numbers_under.get(text, ())]
        if under:
            intervals[label] = (Fraction(min(under), unit), Fraction(max(under), unit))
    return intervals

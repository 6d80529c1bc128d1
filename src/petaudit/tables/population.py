"""Classes of a table beside the same classes of the population that its people are among."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from petaudit.errors import InputError, counted, phrase
from petaudit.i18n.numbers import Unit
from petaudit.labels.cells import SUPPRESSED
from petaudit.tables._encoding import class_indices, whole_numbers
from petaudit.tables.classes.grouped import label_positions
from petaudit.tables.classes.keys import class_keys
from petaudit.tables.engines.remote import join_numbers, sizes_in_engine
from petaudit.tables.results import Integers, different_people, summed

if TYPE_CHECKING:
    from petaudit.tables.table_counts import TableCounts

Labels: TypeAlias = Sequence[str | None]
Translate: TypeAlias = Callable[[str, Labels, Labels], Labels]
"""Column, labels of the table, labels of the population: what each of the latter is called."""


@dataclass(frozen=True)
class CodedClasses:
    """Every class of a table: per column the position of its label, and its size."""

    labels: tuple[tuple[str | None, ...], ...]
    codes: tuple[Integers, ...]
    sizes: Integers

    @cached_property
    def is_suppressed(self) -> npt.NDArray[np.bool_]:
        """Whether all labels of a class are the suppression mark."""
        marked = np.ones(len(self.sizes), dtype=bool)
        for labels, codes in zip(self.labels, self.codes, strict=True):
            mark = labels.index(SUPPRESSED) if SUPPRESSED in labels else -1
            marked &= codes == mark
        return marked


@dataclass(frozen=True)
class PopulationClasses:
    """The classes of a table, each with its size in the table and in the population.

    Classes of equal sizes are one entry; entries are ordered by size in the population, then by
    size in the table. Rows whose every quasi-identifier is suppressed are in no class, neither
    those of the table nor those of the population.
    """

    sizes: Integers
    population_sizes: Integers
    classes: Integers
    suppressed_rows: int
    population_rows: int
    classes_without_rows: int
    """Classes of the population that have no row in the table."""
    people_without_rows: int
    """The people in these classes."""
    uniques_with_rows: int
    """People of the population who are alone in their class, and have a row in the table."""
    uniques_without_rows: int
    """The same for people who have none."""
    memberships: int
    """The people of all classes of the population, the suppressed one too: each in every class."""
    fit_elsewhere: bool = False
    """Whether suppressed rows are a class, and some of their people must fit another one."""

    @cached_property
    def rows(self) -> int:
        """Rows of the table in classes."""
        return int((self.sizes * self.classes).sum())

    def with_suppressed_as_class(self) -> PopulationClasses:
        """The same with all suppressed rows as one more class.

        They may be anybody who fits no class of the table. Where these people are fewer than the
        rows, some fit another class, one that has more people than rows.
        """
        if not self.suppressed_rows:
            return self
        inside = self.population_sizes * self.classes
        people = self.population_rows - int(inside.sum())
        fit_elsewhere = people < self.suppressed_rows
        if fit_elsewhere:
            people += int(inside[self.population_sizes > self.sizes].sum())
        sizes, population_sizes, classes = _folded(
            np.append(self.sizes, self.suppressed_rows),
            np.append(self.population_sizes, people),
            np.append(self.classes, 1),
        )
        return replace(
            self,
            sizes=sizes,
            population_sizes=population_sizes,
            classes=classes,
            suppressed_rows=0,
            fit_elsewhere=fit_elsewhere,
        )


@dataclass(frozen=True)
class Person:
    """Whom rows belong to, where a person may have several of them."""

    column: str | None
    """The column of the population that tells people apart; None where its rows are people."""
    in_table: int
    in_population: int


def count_coded_classes(table: TableCounts, quasi_identifiers: Sequence[str]) -> CodedClasses:
    """Count all classes; codes are positions among the values of each column."""
    keys = class_keys(table, quasi_identifiers)
    values = [table.value_counts(name) for name in quasi_identifiers]
    labels = tuple(counts.labels for counts in values)
    if keys.codes is not None:
        # There are about as many classes as rows: sorting is faster than grouping in the engine.
        rows = table.collected(keys.rows.select(*keys.names))
        key, sizes = np.unique(whole_numbers(rows.column(0)), return_counts=True)
        return CodedClasses(labels, keys.codes.decode(key).codes, sizes.astype(np.int64))
    classes = keys.collected(lambda keys: keys.flagged(table.grouped(keys.rows, keys.names)))
    codes = (
        label_positions(classes.column(name), counts)
        for name, counts in zip(keys.names, values, strict=True)
    )
    return CodedClasses(labels, tuple(codes), whole_numbers(classes.column("n")))


def merged_groups(
    table: TableCounts, columns: Sequence[str], merged: Mapping[str, Integers]
) -> nw.LazyFrame[Any]:
    """Every class with its size in the engine, where some labels count as others.

    Columns are named as in ``coded_classes``; ``merged`` has the position of the label that each
    label of a column counts as.
    """
    keys = [f"k{place}" for place in range(len(columns))]
    rows = table.raw_frame.select(
        *map(nw.Expr.alias, (nw.col(name) for name in table.keys(columns)), keys)
    )
    names = [f"code{place}" for place in range(len(columns))]
    for column, key, name in zip(columns, keys, names, strict=True):
        values = table.values(column)
        code = merged.get(column, np.arange(len(values.counts.labels), dtype=np.int64))
        rows = join_numbers(table, rows, values, key, {name: code})
    return table.grouped(rows.select(*names), names)


def population_classes(
    sample: TableCounts,
    population: TableCounts,
    quasi_identifiers: Sequence[str],
    translate: Translate,
    person: Person | None = None,
) -> PopulationClasses:
    """Find every class of the sample in the population; an error if somebody is missing there.

    With a person the sample has a row per person and class, and so the sizes are people.
    """
    everybody = population.rows if person is None else person.in_population
    if person is not None and everybody < person.in_table:
        raise InputError(
            "the population has {people}, fewer than the {own_people:,} of the table; it must "
            "contain everybody in the table",
            people=counted(everybody, "person", "people", of=everybody),
            own_people=person.in_table,
        )
    if person is None and everybody < sample.rows:
        raise InputError(
            "the population has {rows}, fewer than the {own_rows:,} of the table; it must contain "
            "everybody in the table",
            rows=counted(population.rows, "row", of=population.rows),
            own_rows=sample.rows,
        )
    is_local = not (sample.is_remote or population.is_remote)
    count_sizes = _sizes if is_local else sizes_in_engine
    column = None if person is None else person.column
    sizes, people, times = count_sizes(sample, population, quasi_identifiers, translate, column)
    _check_holds_all(sizes, people, times, Unit.ROW if person is None else Unit.PERSON)
    without = sizes == 0
    is_alone = people == 1
    of_table = _folded(sizes[~without], people[~without], times[~without])
    return PopulationClasses(
        *of_table,
        suppressed_rows=sample.rows - int((sizes * times).sum()),
        population_rows=everybody,
        classes_without_rows=int(times[without].sum()),
        people_without_rows=int((people * times)[without].sum()),
        uniques_with_rows=int(times[~without & is_alone].sum()),
        uniques_without_rows=int(times[without & is_alone].sum()),
        memberships=(
            everybody
            if column is None
            else int((people * times).sum())
            + population.by_person(quasi_identifiers, column).suppressed_rows(quasi_identifiers)
        ),
    )


def _sizes(
    sample: TableCounts,
    population: TableCounts,
    quasi_identifiers: Sequence[str],
    translate: Translate,
    person: str | None,
) -> tuple[Integers, Integers, Integers]:
    """Pairs of sizes, in the table and in the population, and how many classes have each."""
    _, _, in_sample, in_population = _matched(
        sample, population, quasi_identifiers, translate, person
    )
    return _folded(in_sample, in_population, np.ones(len(in_sample), dtype=np.int64))


def people_of_classes(
    sample: TableCounts,
    population: TableCounts,
    quasi_identifiers: Sequence[str],
    translate: Translate,
    person: str | None,
) -> Integers:
    """The people of each class in the population, in the order of ``coded_classes``.

    Of suppressed rows it is not known who they are, and their class has nobody.
    """
    index, kept, _, in_population = _matched(
        sample, population, quasi_identifiers, translate, person
    )
    people = np.zeros(len(kept), dtype=np.int64)
    people[kept] = in_population[index]
    return people


def _matched(
    sample: TableCounts,
    population: TableCounts,
    quasi_identifiers: Sequence[str],
    translate: Translate,
    person: str | None,
) -> tuple[Integers, npt.NDArray[np.bool_], Integers, Integers]:
    """Which of the classes of both each class of the sample is, and the sizes of all of them.

    The suppressed rows of the sample are in none, and come second: which classes are not theirs.
    """
    classes_of_sample = sample.coded_classes(quasi_identifiers)
    names = (*quasi_identifiers, *(() if person is None else (person,)))
    by_name = population.coded_classes(names)
    places = len(quasi_identifiers)
    everybody = replace(by_name, labels=by_name.labels[:places], codes=by_name.codes[:places])
    kept, known = ~classes_of_sample.is_suppressed, ~everybody.is_suppressed
    columns = []
    for place, name in enumerate(quasi_identifiers):
        codes = classes_of_sample.codes[place][kept]
        labels = classes_of_sample.labels[place]
        released = [labels[code] for code in np.unique(codes).tolist()]
        called = translate(name, released, everybody.labels[place])
        position = {label: code for code, label in enumerate(labels)}
        recode = [position.setdefault(label, len(position)) for label in called]
        others = np.array(recode, dtype=np.int64)[everybody.codes[place][known]]
        columns.append(np.concatenate([codes, others]))
    number = int(kept.sum())
    index = class_indices(columns, number + int(known.sum()))
    classes = int(index.max(initial=-1)) + 1
    in_sample = summed(index[:number], classes_of_sample.sizes[kept], classes)
    if person is None:
        in_population = summed(index[number:], everybody.sizes[known], classes)
    else:
        # Labels of the population may become one in the table: only now are people told apart.
        people = by_name.codes[places][known]
        in_population = different_people(index[number:], people, classes)
    return index[:number], kept, in_sample, in_population


def _check_holds_all(sizes: Integers, people: Integers, times: Integers, unit: Unit) -> None:
    lacking = people < sizes
    number = int(times[lacking].sum())
    if not number:
        return
    classes = counted(number, "class", "classes")
    rows = unit.counted(int((sizes * times)[lacking].sum()))
    nowhere = int(times[lacking & (people == 0)].sum())
    given: dict[str, Any] = {"classes": classes, "rows": rows, "nowhere": nowhere}
    if unit is Unit.PERSON:
        problem = phrase(
            "{classes} of the table with {rows} and fewer people in the population ({nowhere:,} of "
            "them with nobody at all)",
            **given,
        )
    elif number == 1:
        problem = phrase(
            "{classes} of the table with {rows} has fewer people in the population than rows in "
            "the table ({nowhere:,} of them nobody at all)",
            **given,
        )
    else:
        problem = phrase(
            "{classes} of the table with {rows} have fewer people in the population than rows in "
            "the table ({nowhere:,} of them nobody at all)",
            **given,
        )
    raise InputError(
        "{found}: the population must contain everybody in the table, with the labels of the table "
        "or, where hierarchies lead to these, as it was collected",
        found=problem,
    )


def _folded(
    sizes: Integers, people: Integers, times: Integers
) -> tuple[Integers, Integers, Integers]:
    """Merge classes of equal sizes, in the order of people and then sizes."""
    # One number per pair: only a class of more than 2**31 people could be too large for that.
    width = int(sizes.max(initial=0)) + 1
    pairs, place = np.unique(people * width + sizes, return_inverse=True)
    return pairs % width, pairs // width, summed(place, times, len(pairs))

"""What an audit is given, opened and checked once and then shared by all measures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from petaudit.errors import (
    HierarchyError,
    InputError,
    OptionError,
    PetauditWarning,
    RoleError,
    argument,
    counted,
    error_context,
    joined,
    names_in,
    phrase,
    suggestion,
    term,
)
from petaudit.i18n.numbers import Unit
from petaudit.labels.cells import trim
from petaudit.labels.hierarchies import Hierarchies, HierarchySpec
from petaudit.labels.hierarchy import Hierarchy, LeavesUnder, labels_in_common
from petaudit.roles import Role, Roles, SideCar, read_side_car
from petaudit.system.progress import stage
from petaudit.system.reading import Reading
from petaudit.system.side_cars import side_car_path
from petaudit.tables import (
    Answer_co,
    BlockQuestion,
    ClassBlocks,
    ClassHistogram,
    PairCodes,
    PairCounts,
    Source,
    TableCounts,
    ValueCounts,
    check_aligned,
    open_source,
    pair_codes,
    pair_counts,
    snapshot,
)
from petaudit.tables.headers import check_column
from petaudit.tables.population import (
    Labels,
    Person,
    PopulationClasses,
    people_of_classes,
    population_classes,
)
from petaudit.tables.results import Integers

if TYPE_CHECKING:
    from petaudit.attacks.tables import ComparedTables

Suppressed: TypeAlias = Literal["class", "exclude"]
RolesSpec: TypeAlias = Roles | Mapping[str, "Role | str"] | str | PathLike[str] | None
"""Roles by column, or a YAML file that names them: a side-car, or a pipeline file."""


@dataclass(frozen=True)
class Inputs:
    """A released table with everything that is known about it."""

    table: Source
    roles: Roles
    hierarchies: Hierarchies
    original: Source | None = None
    key: str | None = None
    suppressed: Suppressed = "class"
    reveal_values: bool = False
    reading: Reading = field(default_factory=Reading)
    """How files are read, as far as that was given."""
    side_car: Path | None = None
    control: Source | None = None
    """Holdout records that were not used to make the table, to compare with."""
    population: Source | None = None
    """The population that the people of the table are a part of."""
    engine: str | None = None
    """What counts files, if it was chosen."""
    spark_master: str | None = None
    person: str | None = None
    """The column that tells people apart; without one, every row is taken for a person."""
    person_is_pseudonym: bool = False
    """Whether its values are made up, so that they may be released."""
    progress: Callable[[Any], object] | None = field(default=None, repr=False)
    """Called with the progress of a long search."""
    announces_notes: bool = True
    """Whether notes are warnings of Python at once, beside being kept."""
    _recognised: dict[str, None] = field(default_factory=dict, repr=False)
    _pairs: dict[str, PairCounts] = field(default_factory=dict, repr=False)
    _in_population: dict[tuple[str, ...], PopulationClasses] = field(
        default_factory=dict, repr=False
    )
    _attacked: dict[object, ComparedTables] = field(default_factory=dict, repr=False)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers; an error when there is none."""
        if not self.roles.quasi_identifiers:
            raise RoleError(
                "no quasi-identifier is known for {table}: name them ({argument}), or put a "
                "side-car <table>.yaml beside the table",
                table=self.table.name,
                argument=argument("quasi_identifiers"),
            )
        return self.roles.quasi_identifiers

    @property
    def identifiers(self) -> list[str]:
        """The columns that name people, but for those that people are counted or joined by."""
        named = self.roles.columns(Role.IDENTIFIER)
        return [name for name in named if name not in (self.key, self.person)]

    @property
    def tables(self) -> dict[str, Source]:
        """The tables by what they are."""
        given = {
            "table": self.table,
            "original": self.original,
            "control": self.control,
            "population": self.population,
        }
        return {name: source for name, source in given.items() if source is not None}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of a figure should know about how the tables were read."""
        return (*_notes(*self.tables.values()), *self._recognised)

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that was read; none of them may be written to."""
        sources = self.tables.values()
        side_cars = [self.side_car, *(source.side_car for source in sources)]
        read = (path for source in sources for path in source.files)
        return (*read, *dict.fromkeys(filter(None, side_cars)), *self.hierarchies.files)

    @property
    def fingerprints(self) -> dict[str, dict[str, Any]]:
        """What identifies the tables and hierarchies, without showing a value of them."""
        known = {name: source.fingerprint() for name, source in self.tables.items()}
        if self.hierarchies:
            known["hierarchies"] = self.hierarchies.fingerprint()
        return known

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes; an error when there is none."""
        if not self.roles.sensitive:
            raise RoleError(
                "no sensitive attribute is known for {table}: name it ({argument})",
                table=self.table.name,
                argument=argument("sensitive"),
            )
        return self.roles.sensitive

    @property
    def generalized_columns(self) -> tuple[str, ...]:
        """What hierarchy measures cover: the quasi-identifiers, or all columns with a hierarchy."""
        if self.roles.quasi_identifiers:
            return self.roles.quasi_identifiers
        columns = tuple(column for column in self.table.columns if column in self.hierarchies)
        if not columns:
            raise RoleError(
                "no column of {table} has a hierarchy ({argument}); hierarchies are for: {columns}",
                table=self.table.name,
                argument=argument("hierarchies"),
                columns=joined(self.hierarchies.attributes) or phrase("no column"),
            )
        return columns

    @property
    def class_blocks(self) -> ClassBlocks:
        """The classes with the values of the sensitive attributes; counted once for all."""
        counts = self.table.counts
        return counts.class_blocks(
            self.quasi_identifiers, self.sensitive, labels=self.reveal_values
        )

    def sensitive_values(self, attribute: str) -> ValueCounts:
        """The values of a sensitive attribute in the whole table, all spellings of one as one."""
        return self.table.counts.sensitive_values(attribute).counts

    @property
    def spellings_warning(self) -> tuple[str, ...]:
        """Say which sensitive attributes write a value in several ways, without any value."""
        merged = {name: self.sensitive_values(name).merged for name in self.sensitive}
        return tuple(
            phrase(
                "column {column!r} writes {values} in {spellings} that differ only in case, width, "
                "spaces, invisible characters or the form of a number; they count as the same",
                column=column,
                values=counted(values, "value"),
                spellings=counted(spellings, "spelling"),
            )
            for column, (values, spellings) in merged.items()
            if values
        )

    def ask_classes(self, question: BlockQuestion[Answer_co]) -> list[Answer_co]:
        """Ask every block of classes, suppressed rows as is asked for; without a class, nobody."""
        return self.class_blocks.ask(question, with_suppressed=self.suppressed == "class")

    @property
    def people_blocks(self) -> ClassBlocks:
        """The same with people instead of rows; see ``PeopleBlocks``. Needs a person column."""
        assert self.person is not None  # noqa: S101 (only asked for where people are counted)
        return self.table.counts.people_blocks(
            self.quasi_identifiers, self.sensitive, self.person, labels=self.reveal_values
        )

    def ask_people(self, question: BlockQuestion[Answer_co]) -> list[Answer_co]:
        """Ask the classes of people where a column tells them apart, else the classes of rows."""
        if self.person is None:
            return self.ask_classes(question)
        return self.people_blocks.ask(question, with_suppressed=self.suppressed == "class")

    @property
    def unit(self) -> Unit:
        """What the sizes of classes are numbers of."""
        return Unit.ROW if self.person is None else Unit.PERSON

    @cached_property
    def counted(self) -> TableCounts:
        """What classes are counted in: the rows, or a row per person and class."""
        if self.person is None:
            return self.table.counts
        return self.table.counts.by_person(self.quasi_identifiers, self.person)

    @property
    def individuals(self) -> int:
        """How many people the table has; where no column tells them apart, as many as rows."""
        return self.table.rows if self.person is None else self.table.counts.different(self.person)

    @property
    def population_person(self) -> str | None:
        """The column that tells the people of the population apart, if it has it."""
        has_it = self.population is not None and self.person in self.population.columns
        return self.person if has_it else None

    @property
    def population_individuals(self) -> int:
        """How many people the population has."""
        population = self._needed_population()
        column = self.population_person
        return population.rows if column is None else population.counts.different(column)

    @property
    def class_histogram(self) -> ClassHistogram:
        """How many classes have each number of people, the suppressed one as is asked for.

        Rows are people where no column tells them apart.
        """
        histogram = self.counted.class_histogram(self.quasi_identifiers)
        return histogram.with_suppressed_as_class() if self.suppressed == "class" else histogram

    @property
    def population_classes(self) -> PopulationClasses:
        """The classes with their sizes in the population; suppressed rows as is asked for."""
        classes = self.population_classes_but_suppressed
        return classes.with_suppressed_as_class() if self.suppressed == "class" else classes

    @property
    def population_classes_but_suppressed(self) -> PopulationClasses:
        """The same without suppressed rows."""
        population = self._needed_population()
        names = self.quasi_identifiers
        if names not in self._in_population:
            person = None
            if self.person is not None:
                person = Person(
                    self.population_person, self.individuals, self.population_individuals
                )
            self._in_population[names] = population_classes(
                self.counted, population.counts, names, self._as_released, person
            )
        return self._in_population[names]

    @property
    def people_of_classes(self) -> Integers:
        """The people of the population in each class, in the order of ``coded_classes``."""
        everybody = self._needed_population().counts
        return people_of_classes(
            self.counted,
            everybody,
            self.quasi_identifiers,
            self._as_released,
            self.population_person,
        )

    def attack_tables(
        self, person: str | None = None, *, by_counts: bool = False
    ) -> ComparedTables:
        """The tables as attacks see them, encoded once for all; the table is the synthetic one.

        An engine elsewhere counts equal rows of them, if that is all that is asked for.
        """
        from petaudit.attacks.counted import CountedTables  # noqa: PLC0415 (its compiler comes)
        from petaudit.attacks.tables import AttackTables  # noqa: PLC0415 (the same)

        tables = (self.table, self.needed_original, self.control)
        is_remote = any(table is not None and table.counts.is_remote for table in tables)
        key = (person, by_counts and is_remote)
        if key not in self._attacked:
            with stage(phrase("reading {tables}", tables=counted(2, "table"))):
                made = CountedTables if key[1] else AttackTables.of
                self._attacked[key] = made(*tables, person)
        return self._attacked[key]

    def _needed_population(self) -> Source:
        if self.population is None:
            raise InputError(
                "a population table is needed and was not given ({argument})",
                argument=argument("population"),
            )
        return self.population

    def _as_released(self, column: str, released: Labels, labels: Labels) -> Labels:
        """What labels of the population are called in the released table."""
        if column not in self.hierarchies or set(labels) <= set(released):
            return labels
        values = None if self.original is None else self._original_values
        hierarchy = self.hierarchies.for_labels(column, labels, values)
        if hierarchy is None:
            hierarchy = self.hierarchy(column)
        else:
            self._note(hierarchy_notes(hierarchy))
        return labels_in_common(column, hierarchy, released, labels)

    def hierarchy(self, attribute: str) -> Hierarchy:
        """The hierarchy of a column."""
        values = None if self.original is None else self._original_values
        if not self.hierarchies:
            raise HierarchyError(
                "there is no hierarchy for column {column!r}; give hierarchies ({argument})",
                column=attribute,
                argument=argument("hierarchies"),
            )
        try:
            # A copy, because other tables have other rows.
            hierarchy = copy(self.hierarchies.get(attribute, values, self._announce))
        except HierarchyError as problem:
            raise problem.in_rows(self.rows_of) from None
        hierarchy.rows_of = self.rows_of
        return hierarchy

    def _announce(self, hierarchy: Hierarchy) -> None:
        """Say what was recognised about the values of a column, once."""
        values = self.needed_original.counts.value_counts(hierarchy.attribute)
        self._note(hierarchy_notes(hierarchy, values))

    def _note(self, notes: Iterable[str]) -> None:
        for note in notes:
            self._recognised[note] = None
            if self.announces_notes:
                warnings.warn(note, PetauditWarning, stacklevel=3)

    def leaves_under(self, column: str) -> LeavesUnder | None:
        """What the labels of a column stand for; None where it has no hierarchy."""
        return LeavesUnder(self.hierarchy(column)) if column in self.hierarchies else None

    def rows_of(self, column: str, values: Sequence[str | None], are_leaves: bool) -> str:
        """Say which rows hold values of a column: how many there are, and the first of them."""
        before = self.original if are_leaves and self.original is not None else None
        table = self.table if before is None or column not in before.columns else before
        return "" if column not in table.columns else table.rows_holding(column, values)

    def _original_values(self, column: str) -> Mapping[str | None, int]:
        original = self.needed_original
        check_column(column, original.columns, original.name)
        return original.counts.value_counts(column).by_label

    @property
    def needed_original(self) -> Source:
        """The original; an error without one."""
        if self.original is None:
            raise InputError(
                "the original table is needed and was not given ({argument})",
                argument=argument("original"),
            )
        return self.original

    def pair_counts(self, column: str) -> PairCounts:
        """Original value against released label, row by row."""
        original = self.aligned_original
        if column not in self._pairs:
            self._pairs[column] = pair_counts(original.counts, self.table.counts, column, self.key)
        return self._pairs[column]

    def pair_codes(self, column: str) -> PairCodes:
        """The same by positions among the labels of both columns, which may be very many."""
        original = self.aligned_original
        return pair_codes(original.counts, self.table.counts, column, self.key)

    @cached_property
    def aligned_original(self) -> Source:
        """The original; an error unless every row has its partner, which is checked once."""
        original = self.needed_original
        names = (original.name, self.table.name)
        left_out = original.left_out, self.table.left_out
        if self.key is None and all(left_out) and left_out[0] != left_out[1]:
            # Rows in the same place would belong to different people.
            raise InputError(
                "{original} and {table} have blank rows in different places, so their rows cannot "
                "be paired by order: remove the blank rows, keep them ({keep}), or name a key "
                "column ({key})",
                original=names[0],
                table=names[1],
                keep=argument("blank_rows", "keep"),
                key=argument("key"),
            )
        check_aligned(original.counts, self.table.counts, self.key, names)
        return original


def hierarchy_notes(hierarchy: Hierarchy, values: ValueCounts | None = None) -> Iterator[str]:
    """Say how a rule read the values of a column, and how many cells fit no other level."""
    for note in hierarchy.notes:
        yield phrase("{origin}: {note}", origin=hierarchy.origin, note=note)
    if hierarchy.others and values is not None:
        places = [values.index[value] for value in hierarchy.others]
        yield phrase(
            "column {column!r}: {cells} ({values}) put into {label!r}, fitting no other level",
            column=hierarchy.attribute,
            cells=counted(int(values.counts[places].sum()), "cell"),
            values=counted(len(places), "value"),
            label=hierarchy.path_of(hierarchy.others[0])[1],
        )


def gather(
    table: object,
    *,
    original: object = None,
    control: object = None,
    population: object = None,
    roles: RolesSpec = None,
    quasi_identifiers: Sequence[str] | str | None = None,
    sensitive: Sequence[str] | str | None = None,
    hierarchies: HierarchySpec = None,
    key: str | None = None,
    suppressed: Suppressed = "class",
    reveal_values: bool = False,
    engine: str | None = None,
    spark_master: str | None = None,
    person: str | None = None,
    person_is_pseudonym: bool | None = None,
    use_side_car: bool = True,
    announce_notes: bool = True,
    **reading: Any,
) -> Inputs:
    """Open the tables and settle roles and hierarchies: what is given wins over the side-car.

    A file of roles takes the place of the side-car. ``reading`` are options of
    :class:`~petaudit.system.reading.Reading`.
    """
    if person is not None and not isinstance(person, str):
        raise OptionError("person must be the name of a column, got {value!r}", value=person)
    if person_is_pseudonym not in (None, True, False):
        raise OptionError(
            "person_is_pseudonym must be true or false, got {value!r}", value=person_is_pseudonym
        )
    if suppressed not in get_args(Suppressed):
        raise OptionError(
            "suppressed must be 'class' or 'exclude', got {suppressed!r}{near}",
            suppressed=suppressed,
            near=suggestion(str(suppressed), get_args(Suppressed)),
        )
    given = _given_roles(roles, quasi_identifiers, sensitive)
    needs_no_side_car = given and hierarchies and person is not None
    use_side_car = use_side_car and not needs_no_side_car
    read, side_car = Reading.checked(**reading), None
    if isinstance(roles, str | PathLike):
        side_car, use_side_car = _roles_file(roles, table), False
        read = read.over(side_car.reading.options)
    given_with = {**read.options, "engine": engine, "spark_master": spark_master}
    with snapshot():
        source = _opened(table, given_with)
        before = None if original is None else _opened(original, given_with)
        control_source = None if control is None else _opened(control, given_with)
        population_source = None if population is None else _opened(population, given_with)
    if announce_notes:
        for note in _notes(source, before, control_source, population_source):
            warnings.warn(note, PetauditWarning, stacklevel=3)
    if use_side_car:
        side_car = _side_car(source, before)
    settled = _settled_roles(given, side_car, source, may_lack=isinstance(roles, str | PathLike))
    known = Hierarchies.of(hierarchies)
    if not known and side_car is not None:
        known = side_car.hierarchies()
    if key is not None:
        for side in (source, before) if before else (source,):
            check_column(key, side.columns, side.name)
    person_column = _settled_person(person, side_car, settled, source)
    is_pseudonym = person_is_pseudonym
    if is_pseudonym is None:
        is_pseudonym = person is None and side_car is not None and side_car.person_is_pseudonym
    if is_pseudonym and person_column is None:
        raise OptionError(
            "person_is_pseudonym is about the person column, and none is named (person)"
        )
    for other in filter(None, (before, population_source)):
        for column in settled.quasi_identifiers:
            check_column(column, other.columns, other.name)
    return Inputs(
        source,
        settled,
        known,
        before,
        key,
        suppressed,
        reveal_values,
        read,
        side_car.path if side_car else None,
        control_source,
        population_source,
        engine,
        spark_master,
        person_column,
        is_pseudonym,
        announces_notes=announce_notes,
    )


def _notes(*tables: Source | None) -> tuple[str, ...]:
    """What is odd about how tables were read, each once."""
    return tuple(dict.fromkeys(note for table in tables if table for note in table.notes))


def _opened(table: object, options: Mapping[str, Any]) -> Source:
    if isinstance(table, Source):
        return table
    is_file = isinstance(table, str | Path) and "://" not in str(table)
    name = Path(str(table)).name if is_file else term("the table")
    with stage(phrase("reading {tables}", tables=name)):
        source = open_source(table, **options)
        is_empty = source.rows == 0
    if is_empty:
        raise InputError("{table} has a header but no rows", table=source.name)
    return source


def _given_roles(
    roles: RolesSpec,
    quasi_identifiers: Sequence[str] | str | None,
    sensitive: Sequence[str] | str | None,
) -> Roles | None:
    if roles is not None:
        if quasi_identifiers is not None or sensitive is not None:
            raise OptionError("give the roles either as one mapping or as lists, not both")
        if isinstance(roles, str | PathLike):
            return None
        return roles if isinstance(roles, Roles) else Roles(roles)
    if quasi_identifiers is None and sensitive is None:
        return None
    columns = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive}
    return Roles.of(
        **{
            name: names_in(names, name, RoleError)
            for name, names in columns.items()
            if names is not None
        }
    )


def _settled_roles(
    given: Roles | None, side_car: SideCar | None, source: Source, *, may_lack: bool
) -> Roles:
    """The roles of columns that are there; a file may name identifiers that were removed since."""
    if given or side_car is None:
        return (given or Roles({})).checked_against(source.columns, source.name)
    roles = side_car.roles
    if may_lack:
        gone = {*roles.columns(Role.IDENTIFIER)}.difference(source.columns)
        roles = Roles({name: role for name, role in roles.by_column.items() if name not in gone})
    with error_context(side_car.path):
        return roles.checked_against(source.columns, source.name)


def _settled_person(
    given: str | None, side_car: SideCar | None, roles: Roles, source: Source
) -> str | None:
    """The person column; an error if it is not there, or is something else as well."""
    if given is not None:
        person = trim(given)
        check_column(person, source.columns, source.name)
    elif side_car is not None and side_car.person is not None:
        person = side_car.person
        with error_context(side_car.path):
            check_column(person, source.columns, source.name)
    else:
        return None
    role = roles.by_column.get(person)
    if role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        raise RoleError(
            "column {column!r} is named as the person and as {role}; the person column only "
            "tells people apart, so it can be an identifier and nothing else",
            column=person,
            role=role.value,
        )
    return person


def _side_car(source: Source, before: Source | None) -> SideCar | None:
    for table in (source, before):
        if table is not None and len(table.paths) == 1:
            path = side_car_path(table.paths[0])
            if path is not None:
                return read_side_car(path, table.paths[0])
    return None


def _roles_file(path: str | PathLike[str], table: object) -> SideCar:
    """What a file that somebody named says about the table."""
    files = table.paths if isinstance(table, Source) else (table,)
    said = read_side_car(Path(path), files[0] if len(files) == 1 else None)
    if not said.roles.by_column:
        raise RoleError("{path}: it names no roles", path=said.path)
    return said

"""What to do about limits that are breached: commands that reach them, tried before they are shown.

Nothing is promised that was not worked out: what comes of dropping classes, of coarser levels and
of leaving out a column is measured on the classes of the table, by the measures themselves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from petaudit.auditing.coarsening import levels_for
from petaudit.auditing.dropping import ClassLevel, Dropping, Settings, settings_of
from petaudit.auditing.outcome import Audit
from petaudit.errors import PetauditError, counted, joined, listing, phrase, share, shortened
from petaudit.exact.fractions import parse_number
from petaudit.i18n.text import joined_names
from petaudit.inputs import Inputs
from petaudit.labels.cells import SUPPRESSED
from petaudit.labels.hierarchy import Hierarchy
from petaudit.labels.numbers import range_of
from petaudit.measures import Better, Family, Result, find_measure
from petaudit.measures.limits import rounded_texts
from petaudit.proposing import proposed_hierarchies
from petaudit.reports.advice import CHANGE, COMMAND, NOTE
from petaudit.reports.view import Advice, ChangedFigure
from petaudit.system import settings
from petaudit.system.reading import Reading
from petaudit.tables import is_address, is_uri

MOST_ROWS: Final = 2_000_000
"""Larger tables are not looked at again unless somebody asks for it (petaudit suppress)."""
_MOST_LOOKED_AT: Final = 20_000
"""The same where a measure looks at more than the classes."""
_SHORT: Final = {"k-anonymity": "--k", "l-diversity": "--l", "t-closeness": "--t"}
_TABLES: Final = ("hierarchies", "original", "population")
_READING: Final = tuple(settings.settings_of(Reading))
_OTHER_KINDS: Final = re.compile(
    r"\.(xlsx|xlsm|xls|ods|jsonl|ndjson|feather|arrow|sas7bdat|xpt|sav|zsav|dta)$", re.IGNORECASE
)
"""Files that are read, and not written."""
_SUFFIX: Final = re.compile(r"\.(parquet|tsv)$|\.(csv|tsv|txt)(\.\w+)?$", re.IGNORECASE)
_HIERARCHIES: Final = "hierarchies"
_DONE: Final = {
    "suppress": "suppressed",
    "generalize": "generalized",
    "anonymize": "anonymized",
    _HIERARCHIES: "hierarchies",
}
"""What the file that a command writes is called after."""
_EXAMPLE_LIMIT: Final = 5
_MOST_LABELS: Final = 50_000
"""Hierarchies of more values than that are not proposed unless somebody asks for it."""
NOT_SEARCHED: Final = ("special-uniques", "distinction", "population-uniqueness")
"""Limits that dropping rows can reach, and no search for levels knows."""
_COARSEST: Final = "everything"
_WITHOUT: Final = "without"
_COARSER: Final = "coarser"


def advice_of(audit: Audit) -> tuple[Advice, ...]:
    """What to do about the limits of an audit that are breached; nothing if none is."""
    broken = [result for result in audit.results if result.passed is False]
    if not broken:
        return ()
    settings = settings_of(audit)
    reachable = [result for result in broken if result.measure in settings]
    lossy = [
        result.measure for result in broken if find_measure(result.measure).family is Family.UTILITY
    ]
    notes: list[Advice] = []
    if lossy:
        text = phrase(
            "Dropping rows does not reach the limit of {measures}: generalise less where the other "
            "limits allow it",
            measures=listing(lossy),
        )
        notes.append(Advice(NOTE, text, about=tuple(lossy)))
    if not reachable:
        return tuple(notes)
    table = audit.inputs.table
    if table.counts.is_remote or table.rows > MOST_ROWS:
        why = phrase(
            "What to do was not worked out, because the table has more than {most:,} rows; "
            "petaudit suppress does it for any number",
            most=MOST_ROWS,
        )
        if table.counts.is_remote:
            why = phrase(
                "What to do was not worked out, because rows stay in {engine}",
                engine=table.counts.engine,
            )
        return (*notes, Advice(NOTE, why))
    try:
        return (*_Adviser(audit, settings, tuple(reachable)).advice(), *notes)
    except PetauditError:
        # What to do is an addition: no audit fails because of it.
        return (*notes, Advice(NOTE, phrase("What to do could not be worked out")))


def next_command(
    inputs: Inputs, given: Mapping[str, Any], action: str, out: str | None = None
) -> tuple[str, ...]:
    """The command that goes on with a table, with a limit for what takes one."""
    about = Audit(inputs, (), (), {}, given=given)
    limits = {"k-anonymity": {"limit": _EXAMPLE_LIMIT}} if action == "anonymize" else None
    return _Adviser(about, {}, ())._command(action, limits=limits, out=out)


@dataclass(frozen=True)
class _Adviser:
    """Tries what could be done about the limits of one audit."""

    audit: Audit
    settings: Settings
    """All limits about classes, breached or not: what reaches some must keep the others."""
    broken: tuple[Result, ...]

    @cached_property
    def level(self) -> ClassLevel:
        """The table by its classes."""
        return ClassLevel.of(self.audit.inputs)

    def advice(self) -> Iterator[Advice]:
        """Commands first, then what is out of reach, then what changing one column would do."""
        slow = self._slow()
        if slow:
            text = phrase(
                "What to do was not worked out, because trying it takes long for {measures}; "
                "petaudit suppress does it",
                measures=listing(slow),
            )
            yield Advice(NOTE, text)
            return
        dropping, limits, lost = self._dropping()
        coarser = self._generalizing(is_only_way=bool(lost))
        if lost and coarser is not None:
            # What reaches all limits is all that is needed.
            yield from (coarser, *self._anonymizing(), *self._changes())
            return
        notes = []
        if lost:
            text = phrase(
                "Dropping rows does not reach the limit of {measures}, because no class would be "
                "left: generalise the quasi-identifiers further, or release fewer of them",
                measures=listing(lost),
            )
            notes.append(Advice(NOTE, text, about=tuple(lost)))
        commands = [] if dropping is None else [self._suppressing(dropping, limits)]
        if coarser is not None:
            commands.append(coarser)
        if lost or (
            dropping is not None and 2 * dropping.rows_dropped > self.audit.inputs.table.rows
        ):
            # What reaches all limits is first; few want a table of which most rows are gone.
            commands.reverse()
        yield from (*commands, *self._anonymizing(), *notes)
        yield from self._changes()

    def _slow(self) -> list[str]:
        """The measures that look at more than classes, where rows are many."""
        if self.audit.inputs.table.rows <= _MOST_LOOKED_AT:
            return []
        return [
            name
            for name, options in self.settings.items()
            if self.level.looks_at_rows(find_measure(name), options)
        ]

    def _dropping(self) -> tuple[Dropping | None, Settings, list[str]]:
        """Drop classes for all limits that can be reached so; also those that cannot."""
        limits = dict(self.settings)
        lost: list[str] = []
        broken = {result.measure for result in self.broken}
        while broken & limits.keys():
            dropping = self.level.dropped_for(limits)
            if dropping.out_of_reach is None:
                return dropping, limits, lost
            lost.append(dropping.out_of_reach)
            del limits[dropping.out_of_reach]
        return None, limits, lost

    def _suppressing(self, dropping: Dropping, limits: Settings) -> Advice:
        rows, dropped = self.audit.inputs.table.rows, dropping.rows_dropped
        reaches = self._reached(limits)
        return Advice(
            COMMAND,
            phrase(
                "Drop {rows} ({share}) to meet {measures}",
                rows=counted(dropped, "row", of=rows),
                share=share(dropped, rows),
                measures=listing(reaches),
            ),
            reaches,
            self._command("suppress", limits=limits),
            self._call("suppress", limits=limits),
            rows_dropped=dropped,
        )

    def _anonymizing(self) -> Iterator[Advice]:
        """The search for the release that loses least, which was not tried here."""
        is_raw = self.audit.given.get("original") is not None or all(
            _are_values(labels, self.hierarchies.get(column))
            for column, labels in zip(
                self.level.classes.names, self.level.classes.labels, strict=True
            )
        )
        given, classes = self.audit.given, self.level.classes
        is_alike = given.get("population") is None or given.get("hierarchies") is not None
        if not is_raw or not is_alike or {*self.settings} & {*NOT_SEARCHED}:
            return
        one = {
            name: [_COARSEST] * len(labels)
            for name, labels in zip(classes.names, classes.labels, strict=True)
        }
        coarsest = ClassLevel(self.audit.inputs, classes.relabelled(one))
        if not all(
            coarsest.holds(find_measure(name), options) for name, options in self.settings.items()
        ):
            return
        text = phrase(
            "Search for the release that meets {measures} and loses least",
            measures=listing(self._reached(self.settings)),
        )
        yield Advice(
            COMMAND,
            text,
            command=self._command("anonymize", limits=self.settings),
            python=self._call("anonymize", limits=self.settings),
        )

    def _reached(self, limits: Settings) -> tuple[str, ...]:
        return tuple(result.measure for result in self.broken if result.measure in limits)

    # --- commands ---------------------------------------------------------------------------

    @cached_property
    def given(self) -> Mapping[str, Any]:
        """What was given, with what a file of roles says about reading the table."""
        read = {name: value for name, value in self.audit.inputs.reading.options.items() if value}
        return read | {name: each for name, each in self.audit.given.items() if each is not None}

    def _command(
        self,
        action: str,
        *,
        limits: Settings | None = None,
        levels: Mapping[str, int] | None = None,
        hierarchies: str | None = None,
        out: str | None = None,
    ) -> tuple[str, ...]:
        """The command with the user's own file and columns; none where the table is no file."""
        given, inputs = self.given, self.audit.inputs
        if hierarchies is not None:
            given = {**given, "hierarchies": hierarchies}
        path = self._searched if action == "anonymize" else given.get("table")
        texts = {name: _text(given.get(name)) for name in (*_TABLES, *_READING)}
        unsaid = any(given.get(name) is not None and not texts[name] for name in texts)
        if not isinstance(path, str | os.PathLike) or unsaid:
            return ()
        table = os.fspath(path)
        words = ["petaudit", action, f"./{table}" if table.startswith("-") else table]

        def put(option: str, value: str) -> None:
            words.extend([f"{option}={value}"] if value.startswith("-") else [option, value])

        put("--qi", joined_names(inputs.roles.quasi_identifiers))
        if inputs.roles.sensitive:
            put("--sensitive", joined_names(inputs.roles.sensitive))
        if inputs.identifiers:
            put("--identifier", joined_names(inputs.identifiers))
        if given.get("person") is not None:
            put("--person", str(given["person"]))
        if inputs.suppressed != "class" and limits is not None:
            put("--suppressed", inputs.suppressed)
        for name in ("hierarchies",) if limits is None else _TABLES:
            if name == "original" and (action == "anonymize" or not texts["hierarchies"]):
                continue
            if texts[name]:
                put(f"--{name}", texts[name])
        for name in _READING:
            if texts[name]:
                put(f"--{name.replace('_', '-')}", texts[name].replace("\t", "tab"))
        if levels is not None:
            put("--levels", joined_names([f"{column}={level}" for column, level in levels.items()]))
        for option, value in _limit_words(limits or {}):
            put(option, value)
        put("--out", out or _target(table, action))
        return tuple(words)

    @property
    def _searched(self) -> object:
        """The table that a search starts from: the original where there is one."""
        given = self.audit.given
        return given["table"] if given.get("original") is None else given["original"]

    def _call(
        self,
        action: str,
        *,
        limits: Settings | None = None,
        levels: Mapping[str, int] | None = None,
        is_proposed: bool = False,
    ) -> str:
        """The same in Python, where tables may be frames."""
        given, roles = self.given, self.audit.inputs.roles
        table = self._searched if action == "anonymize" else given.get("table")
        arguments = [repr(os.fspath(table)) if isinstance(table, str | os.PathLike) else "table"]
        named: dict[str, str] = {"quasi_identifiers": repr([*roles.quasi_identifiers])}
        if roles.sensitive:
            named["sensitive"] = repr([*roles.sensitive])
        if self.audit.inputs.identifiers:
            # Only all roles together can name those.
            named = {"roles": repr(roles.to_dict())}
        if levels is not None:
            named["levels"] = repr(dict(levels))
        if limits is not None:
            bounds = {
                name: options["limit"] for name, options in limits.items() if "limit" in options
            }
            others = {
                name: rest
                for name, options in limits.items()
                if (rest := {key: value for key, value in options.items() if key != "limit"})
            }
            named |= {"limits": repr(bounds)} if bounds else {}
            named |= {"options": repr(others)} if others else {}
        if self.audit.inputs.suppressed != "class" and limits is not None:
            named["suppressed"] = repr(self.audit.inputs.suppressed)
        for name in ("person", *_TABLES, *_READING):
            if name == "original" and action == "anonymize":
                continue
            value = given.get(name)
            if value is not None and not (levels is not None and name in _TABLES[1:]):
                named[name] = repr(value) if isinstance(value, str | int | Sequence) else name
        if is_proposed:
            shared = {"quasi_identifiers", "roles", "hierarchies", *_READING} & named.keys()
            about = [arguments[0], *(f"{name}={named[name]}" for name in named if name in shared)]
            named["hierarchies"] = f"petaudit.propose_hierarchies({', '.join(about)})"
        arguments += [f"{name}={value}" for name, value in named.items()]
        call = f"petaudit.{action}({', '.join(arguments)})"
        return f"{call}.table" if action == "anonymize" else call

    # --- coarser levels ---------------------------------------------------------------------

    @cached_property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchies of quasi-identifiers that hold all labels of the table."""
        known: dict[str, Hierarchy] = {}
        for column, labels in zip(self.level.classes.names, self.level.classes.labels, strict=True):
            hierarchy = self._hierarchy(column)
            if hierarchy is not None and all(map(hierarchy.holds, labels)):
                known[column] = hierarchy
        return known

    def _hierarchy(self, column: str) -> Hierarchy | None:
        inputs = self.audit.inputs
        if column not in inputs.hierarchies:
            return None
        try:
            counts = inputs.table.counts.value_counts(column).by_label
            return inputs.hierarchies.get(column, lambda _: counts)
        except PetauditError:
            # A rule that does not fit the labels of a table that is generalised already.
            return None

    def _generalizing(self, *, is_only_way: bool) -> Advice | None:
        """Levels that reach every limit from the raw table, if there are some.

        Where hierarchies lack, or do not lead there, proposed ones may; but if nothing is left of
        any quasi-identifier then, few want it unless it is the only way.
        """
        classes = self.level.classes
        known = {
            column: hierarchy
            for column, hierarchy in self.hierarchies.items()
            if hierarchy.levels > 1
            and all(map(hierarchy.is_leaf, classes.labels[classes.names.index(column)]))
        }
        levels = levels_for(self.level, known, self.settings) if known else None
        is_proposed = levels is None
        if is_proposed:
            levels = self._proposed_levels(is_only_way)
        if levels is None:
            return None
        reaches = self._reached(self.settings)
        first = self._command(_HIERARCHIES) if is_proposed else ()
        # The last word is where that writes to.
        written = first[-1] if first else None
        return Advice(
            COMMAND,
            phrase(
                "Keep all rows, with coarser values, to meet {measures}", measures=listing(reaches)
            ),
            reaches,
            self._command("generalize", levels=levels, hierarchies=written),
            self._call("generalize", levels=levels, is_proposed=is_proposed),
            first=first,
        )

    def _proposed_levels(self, is_only_way: bool) -> dict[str, int] | None:
        """Levels of the hierarchies that ``petaudit hierarchies`` would propose."""
        labels = [label for of_column in self.level.classes.labels for label in of_column]
        if len(labels) > _MOST_LABELS:
            return None
        if not is_only_way and any(map(_is_coarse, labels)):
            # Ranges and masks have hierarchies, which whoever made them knows.
            return None
        try:
            proposed = proposed_hierarchies(self.audit.inputs)
            known = {each.column: each.hierarchy for each in proposed.proposals}
        except PetauditError:
            # Such as hierarchies that are given and do not have the values of this table.
            return None
        # Raw people of a population get the same labels.
        inputs = replace(self.audit.inputs, hierarchies=proposed)
        levels = levels_for(ClassLevel(inputs, self.level.classes), known, self.settings)
        tops = {column: hierarchy.levels - 1 for column, hierarchy in known.items()}
        return levels if is_only_way or levels != tops else None

    # --- one column -------------------------------------------------------------------------

    def _changes(self) -> list[Advice]:
        """What leaving out a quasi-identifier, or one level more, would do, the best first."""
        names = self.level.classes.names
        tried: list[tuple[str, str, ClassLevel]] = []
        for column in names:
            if len(names) > 1:
                level = ClassLevel(self.audit.inputs, self.level.classes.without(column))
                tried.append((column, _WITHOUT, level))
            labels = self._one_level_up(column)
            if labels is not None:
                coarser = self.level.classes.relabelled({column: labels})
                tried.append((column, _COARSER, ClassLevel(self.audit.inputs, coarser)))
        changes = [
            (column, change, figures)
            for column, change, level in tried
            if (figures := self._figures(level))
        ]
        changes.sort(key=lambda entry: _rank(entry[2]))
        return [_change(column, change, figures) for column, change, figures in changes]

    def _one_level_up(self, column: str) -> list[str | None] | None:
        """What every label of a column becomes one level up; None where nothing changes."""
        hierarchy = self.hierarchies.get(column)
        if hierarchy is None:
            return None
        above: dict[str | None, str | None] = {}
        for leaf in hierarchy.leaves:
            path = hierarchy.path_of(leaf)
            for level, (label, parent) in enumerate(pairwise(path)):
                if hierarchy.level_of(label or None) == level:
                    above.setdefault(label or None, parent or None)
        before = self.level.classes.labels[self.level.classes.names.index(column)]
        after = [above.get(label, label) for label in before]
        return None if after == list(before) else after

    def _figures(self, level: ClassLevel) -> list[tuple[Result, Result]]:
        """The results of breached limits as they are and as they would be."""
        pairs = []
        for before in self.broken:
            measure = find_measure(before.measure)
            after = level.result(measure, self.settings[measure.name])
            if after is not None:
                pairs.append((before, after))
        return pairs


def _is_coarse(label: str | None) -> bool:
    """Whether a label is a range, a bound or a mask.

    >>> [_is_coarse(label) for label in ("[20,30[", ">=80", "476**", "*", "476", None)]
    [True, True, True, False, False, False]
    """
    if label is None or label == SUPPRESSED or parse_number(label) is not None:
        return False
    return SUPPRESSED in label or range_of(label) is not None


def _are_values(labels: Sequence[str | None], hierarchy: Hierarchy | None) -> bool:
    """Whether a column still has the values of people, and not coarser labels.

    >>> _are_values(["4767*", "4790*"], None), _are_values(["47677", None], None)
    (False, True)
    """
    if hierarchy is not None and not all(map(hierarchy.is_leaf, labels)):
        return False
    return not any(map(_is_coarse, labels))


def _rank(figures: Sequence[tuple[Result, Result]]) -> tuple[float, ...]:
    """The best first: the most limits that hold, then the best figures."""
    signs = [1 if before.better is Better.LOWER else -1 for before, _ in figures]
    values = (sign * after.value for sign, (_, after) in zip(signs, figures, strict=True))
    return -sum(after.passed is True for _, after in figures), *values


def _change(column: str, change: str, figures: Sequence[tuple[Result, Result]]) -> Advice:
    told = []
    for _, after in figures:
        value, *_ = rounded_texts(after.value, after.limit)
        fields = {"measure": after.measure, "value": value}
        holds = phrase("{measure} {value} (holds)", **fields)
        told.append(holds if after.passed else phrase("{measure} {value} (breached)", **fields))
    named = {"column": shortened(column), "figures": joined(told)}
    text = phrase("Without {column}: {figures}", **named)
    if change == _COARSER:
        text = phrase("{column} one level coarser: {figures}", **named)
    return Advice(
        CHANGE,
        text,
        tuple(after.measure for _, after in figures if after.passed),
        column=column,
        change=change,
        improves=any(_is_better(before, after) for before, after in figures),
        figures=tuple(
            ChangedFigure(after.measure, after.value, after.passed is True) for _, after in figures
        ),
    )


def _is_better(before: Result, after: Result) -> bool:
    if before.better is Better.LOWER:
        return after.value < before.value
    return after.value > before.value


def _limit_words(limits: Settings) -> Iterator[tuple[str, str]]:
    """The options of the command line for limits, and for what else measures were asked."""
    for name, options in limits.items():
        for key, value in options.items():
            if key == "limit" and name in _SHORT:
                yield _SHORT[name], str(value)
            elif key == "limit":
                yield "--limit", f"{name}={value}"
            elif isinstance(value, Mapping):
                # Only the distances of t-closeness are a mapping.
                yield (
                    "--distance",
                    joined_names([f"{column}={kind}" for column, kind in value.items()]),
                )
            elif isinstance(value, list):
                first, *others = map(_word, value)
                yield "--option", joined_names([f"{name}.{key}={first}", *others])
            else:
                yield "--option", joined_names([f"{name}.{key}={_word(value)}"])


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(value: object) -> str:
    """An option as it is typed; nothing for what cannot be.

    >>> _text(2), _text(["NA", "-"]), _text(None)
    ('2', 'NA,-', '')
    """
    if isinstance(value, list | tuple):
        return joined_names([str(item) for item in value])
    return str(value) if isinstance(value, str | int | Path) else ""


def _target(table: str, action: str) -> str:
    """Where to write: beside the file that was read, with the same ending.

    >>> _target("data/x.csv.gz", "suppress"), _target("benchmark://adult", "suppress")
    ('data/x-suppressed.csv.gz', 'adult-suppressed.csv')
    """
    done = _DONE[action]
    if is_address(table) or is_uri(table) or "://" in table:
        name = re.sub(r"\W+", "-", table.rpartition("/")[2].rpartition("=")[2])
        return f"{name}-{done}.{'yaml' if action == _HIERARCHIES else 'csv'}"
    if action == _HIERARCHIES:
        bare = _SUFFIX.sub("", _OTHER_KINDS.sub("", table)).rstrip("/")
        return f"{bare}-{done}.yaml"
    ending = _SUFFIX.search(table)
    if ending is None:
        kind = "parquet" if Path(table).is_dir() else "csv"
        return f"{_OTHER_KINDS.sub('', table).rstrip('/')}-{done}.{kind}"
    suffix = ending[0].replace(".txt", ".csv")
    return f"{table[: ending.start()]}-{done}{suffix}"

"""Attacks on a synthetic table: judged by how many more people they succeed on than strangers."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, cast

from petaudit.errors import (
    NotMeasurableError,
    OptionError,
    Phrase,
    UndecidedError,
    argument,
    joined,
    listing,
    names_in,
    phrase,
    term,
)
from petaudit.exact import coarse
from petaudit.exact.deciding import breaches, is_comparable, keeps, people_needed
from petaudit.exact.excess import Excess
from petaudit.i18n.numbers import Unit
from petaudit.inputs import Inputs
from petaudit.measures.attack_figure import (
    AttackFigure,
    ExactFigures,
    badness,
    exposed_text,
    rate_error,
    rounded_exposure,
    rounding_text,
)
from petaudit.measures.base import (
    Annotation,
    Better,
    Family,
    Measure,
    Need,
    ReportedFigure,
    Result,
    input_parameters,
    keywords_of,
    limit_parameter,
    rows_of,
)
from petaudit.measures.result import Columns as ResultColumns
from petaudit.pictures.attacks import attacks_of
from petaudit.pictures.base import finite
from petaudit.system import kinds
from petaudit.system.reading import Reading
from petaudit.tables import open_source

if TYPE_CHECKING:
    from petaudit.attacks.people import Attack, Exposure
    from petaudit.attacks.tables import AttackTables

# The search brings its compiler along: functions import it when they run.

Person: TypeAlias = Annotated[
    str | None, kinds.COLUMN, "rows with the same value in this column are one person's"
]
Control: TypeAlias = Annotated[
    str | None, kinds.TableFile(), "a holdout table, not used for training"
]
Columns: TypeAlias = Annotated[
    Sequence[str] | str | None, kinds.COLUMNS, "compare by these columns only; default: all"
]
By: TypeAlias = Annotated[
    str | None, kinds.COLUMN, "tell how exposed each group of people with one value of this is"
]
_MOST_SHOWN: Final = 5
ASSUMPTIONS: Final = (
    phrase("the control is from the same source as the original and was not used for training"),
    phrase("a row is a person, unless a column that tells people apart is named (person)"),
    phrase(
        "the synthetic table is taken as it is: another one of the same generator may expose others"
    ),
    phrase("only these attacks were tried: others may succeed on more people"),
)
"""What intervals and verdicts of attacks take for granted."""


@dataclass(frozen=True)
class Tried:
    """What a measure tried: its attacks, and what its result has beside theirs."""

    attacks: Sequence[Attack]
    breakdown: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[Phrase] = ()
    internal: Mapping[str, Any] = field(default_factory=dict)


class AttackMeasure(Measure):
    """A base of the attacks: what they need, and how their figures are judged."""

    family = Family.RISK
    better = Better.LOWER
    range = (-math.inf, 1.0)
    needs = (Need.ORIGINAL,)
    limit_help = "the excess over strangers may be at most this"
    has_same_columns = True
    decides_by_interval = True
    needs_control = False
    compares_equal_cells = False
    """Whether counts of equal rows are all that it needs, which an engine elsewhere gives."""
    is_mentioned = False
    only_by_name = "is for synthetic tables, whose rows belong to no real person"
    figure_ignores = ("exact_figures",)
    details = rows_of(AttackFigure, "attacks")
    pictures = staticmethod(attacks_of)

    @classmethod
    def signature(cls) -> inspect.Signature:
        """The parameters of the function: three tables, the limit, options, how files are read."""
        either = inspect.Parameter.POSITIONAL_OR_KEYWORD
        tables = [
            inspect.Parameter("original", either, annotation=object),
            inspect.Parameter("synthetic", either, annotation=object),
            inspect.Parameter("control", either, default=None, annotation=object),
        ]
        options = [option for option in cls.option_parameters() if option.name != "control"]
        shared = ("engine", "spark_master", "reveal_values", *inspect.signature(Reading).parameters)
        others = [input_parameters()[name] for name in shared]
        return inspect.Signature(
            [*tables, limit_parameter(), *options, *others], return_annotation=Annotation("Result")
        )

    @classmethod
    def split_arguments(cls, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The synthetic table is the one that is audited; the person need not be in it."""
        inputs, options = super().split_arguments(given)
        inputs |= {"table": options.pop("synthetic"), "use_side_car": False}
        if "person" in inputs:
            options["person"] = inputs.pop("person")
        return inputs, options

    def tables(self, inputs: Inputs, person: str | None, control: str | None) -> AttackTables:
        """The tables as attacks see them; with a control of its own, they are encoded again."""
        if control is not None:
            opened = open_source(
                control,
                **inputs.reading.options,
                called=phrase("the control"),
                engine=inputs.engine,
                spark_master=inputs.spark_master,
            )
            inputs = replace(inputs, control=opened, _attacked={})
        tables = inputs.attack_tables(person or inputs.person, by_counts=self.compares_equal_cells)
        if self.needs_control and not tables.has_control:
            raise NotMeasurableError(
                "{measure} needs a control to know how near strangers are ({argument})",
                measure=self.name,
                argument=argument("control"),
            )
        # Those who compare rows get tables of rows.
        return cast("AttackTables", tables)

    def secrets(
        self, inputs: Inputs, tables: AttackTables, given: Sequence[str] | str | None, name: str
    ) -> tuple[str, ...]:
        """The columns to guess: those that an option names, or the sensitive attributes."""
        named = inputs.roles.sensitive if given is None else names_in(given, name)
        if not named:
            raise OptionError(
                "{measure} needs a column to guess ({argument})",
                measure=self.name,
                argument=argument(name),
            )
        columns = tables.checked(named, name)
        for column in columns:
            if column in tables.constant:
                raise NotMeasurableError(
                    "column {column!r} has one value in all tables: there is nothing to guess",
                    column=column,
                )
        return columns

    def attack(self, inputs: Inputs, tables: AttackTables) -> Tried:
        """Attack everybody; options of the attack are keyword-only parameters of it."""
        raise NotImplementedError

    @cached_property
    def _parameters(self) -> list[tuple[inspect.Parameter, tuple[kinds.Kind, str]]]:
        """The options of the attack, then those of all."""
        return [*keywords_of(type(self).attack), *keywords_of(type(self).compute)]

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        by: By = None,
        person: Person = None,
        control: Control = None,
        exact_figures: ExactFigures = False,
        **options: Any,
    ) -> Result:
        """Judge attacks by the worst of them; what neither keeps nor breaks the limit is open."""
        from petaudit.attacks.people import by_group, rarest  # noqa: PLC0415 (see above)

        tables = self.tables(inputs, person, control)
        tried = self.attack(inputs, tables, **options)
        attacks = tried.attacks
        figures, compared = zip(
            *(AttackFigure.of(attack, tables) for attack in attacks), strict=True
        )
        known = [each for each in compared if each is not None]
        if limit is not None and known:
            given = (attacks, figures, known, float(limit))
            figures = tuple(_judged(*given, has_strangers=tables.has_strangers))
        worst = max(figures, key=badness)
        exposed = [each for attack in attacks for each in rarest(tables, attack)]
        if by is not None:
            (column,) = tables.checked([by], "by")
            for attack in attacks:
                for number, (code, group) in enumerate(by_group(tables, attack, column), 1):
                    # Values are for whoever may see them; others get a number.
                    label = tables.value(column, code) if inputs.reveal_values else str(number)
                    exposed.append(replace(group, group=f"{column}: {label}"))
        notes = [*tables.notes, *_constant(tables), *tried.warnings]
        if not known:
            notes.append(
                phrase(
                    "there is no control: how often an attack succeeds is no risk by itself, "
                    "because it succeeds on strangers, too"
                )
            )
        elif any(not is_comparable(each) for each in known):
            notes.append(
                phrase(
                    "the control is exposed more than the original: the two are not comparable, "
                    "and nothing is decided"
                )
            )
        result = self.result(
            worst.attack_rate if not known else math.nan if worst.value is None else worst.value,
            None,
            warnings=notes,
            breakdown={
                **worst.headline,
                **tried.breakdown,
                "rounded_to": None,
                "attacks": figures,
                "exposed": tuple(exposed),
            },
            figure=self.name if known else f"{self.name}: attack rate",
            exact_figures=exact_figures,
            attacked={each.name: None if each.counted else each.training for each in attacks},
            attack_tables=tables,
            **tried.internal,
            unit=Unit.ROW if inputs.person is None else Unit.PERSON,
        )
        if limit is None:
            return result
        result = replace(result, limit=float(limit))
        statuses = {figure.status for figure in figures}
        if "failed" in statuses:
            return replace(result, passed=False)
        if statuses == {"passed"}:
            return replace(result, passed=True)
        shown = result.published.attacks
        why = _why_undecided(shown, known, has_strangers=not known or tables.has_strangers)
        raise UndecidedError(why, result=result)

    def published(self, result: Result) -> Result:
        """The figures on steps of several people, unless exact ones were asked for."""
        if result.internal.get("exact_figures") or "attacks" not in result.breakdown:
            return result
        figures = tuple(figure.rounded(result.limit) for figure in result.attacks)
        worst = figures[result.attacks.index(max(result.attacks, key=badness))]
        parts = coarse.parts_of(min(worst.people, worst.control_people or worst.people))
        others = {
            name: coarse.rounded(result.breakdown[name], parts)
            for name in ("auc", "disclosed_in_original")
            if name in result.breakdown
        }
        shown = {
            **worst.headline,
            "rounded_to": worst.rounded_to,
            **others,
            "attacks": figures,
            "exposed": tuple(rounded_exposure(group) for group in result.exposed),
        }
        value = worst.value if result.control_rate is not None else worst.attack_rate
        return replace(
            result,
            value=math.nan if value is None else value,
            breakdown={**result.breakdown, **shown},
            internal={**result.internal, "exact_figures": True},
        )

    def explain(self, result: Result) -> Iterator[str]:
        """The rates and intervals, and how exposed the rarest people are."""
        figures = sorted(result.attacks, key=badness, reverse=True)
        yield from (figure.text for figure in figures[:_MOST_SHOWN])
        if len(figures) > 1:
            yield phrase(
                "{number} attacks were tried: a breach by one of them is corrected for that (Holm)",
                number=len(figures),
            )
        worst = figures[0].attack
        own = [each for each in result.exposed if each.attack == worst]
        rare, others = own[:2], sorted(own[2:], key=_excess_of, reverse=True)
        for group in [*rare, *others[:_MOST_SHOWN]]:
            if group.people != result.people:
                told = exposed_text(group)
                yield phrase("{name}: {told}", name=worst, told=told) if len(figures) > 1 else told
        if len(others) > _MOST_SHOWN:
            yield phrase(
                "{number:,} more groups are in the JSON document (exposed)",
                number=len(others) - _MOST_SHOWN,
            )
        yield from rounding_text([result.rounded_to])
        yield phrase("assumptions: {assumptions}", assumptions=joined(ASSUMPTIONS, "; "))

    def more_columns(self, result: Result) -> ResultColumns:
        """The rates and the interval, under the names that PETsARD's table has them."""
        from petaudit.tables.result_frames import ResultColumn  # noqa: PLC0415 (brings an engine)

        low, high = result.interval or (None, None)
        rates = {
            "attack_rate": (result.attack_rate, result.people),
            "baseline_rate": (result.base_rate, result.control_people or result.people),
            "control_rate": (result.control_rate, result.control_people),
        }
        risk = None if result.control_rate is None else finite(float(result.value))
        row = {"risk": risk, "risk_CI_btm": low, "risk_CI_top": high}
        for name, (rate, people) in rates.items():
            row |= {name: rate, f"{name}_err": rate_error(rate, people)}
        return {name: ResultColumn("number", [value]) for name, value in row.items()}

    def plain_words(self, figure: ReportedFigure) -> str | None:
        """Say the excess in people."""
        if figure.value is None or math.isnan(figure.value):
            return None
        if figure.value <= 0:
            return phrase(
                "{title}: no more of the people are exposed than of strangers.",
                title=term(self.title),
            )
        if figure.value <= coarse.FINEST:
            return phrase(
                "{title}: of the people whom the attack would miss among strangers, {share} or "
                "fewer are exposed.",
                title=term(self.title),
                share="1%",
            )
        return phrase(
            "{title}: of the people whom the attack would miss among strangers, about {share} are "
            "exposed.",
            title=term(self.title),
            share=f"{round(100 * figure.value, 1):g}%",
        )


def _judged(
    attacks: Sequence[Attack],
    figures: Sequence[AttackFigure],
    known: Sequence[Excess],
    limit: float,
    *,
    has_strangers: bool,
) -> Iterator[AttackFigure]:
    """The figures with their verdicts; one that is too low breaks a limit, but keeps none."""
    for attack, figure, each, is_broken in zip(
        attacks, figures, known, breaches(known, limit), strict=True
    ):
        if is_broken:
            yield replace(figure, status="failed")
        elif not has_strangers:
            yield replace(figure, status="undecided")
        elif keeps(each, limit):
            yield replace(figure, status="passed")
        else:
            needed = people_needed(each, limit)
            if needed is not None and attack.judged is not None:
                # Only one half of the control was compared with.
                needed *= 2
            yield replace(figure, status="undecided", people_needed=needed)


def _why_undecided(
    figures: Sequence[AttackFigure], known: Sequence[Excess], *, has_strangers: bool
) -> Phrase:
    if not known:
        return phrase(
            "there is no control, so the limit cannot be judged: how often an "
            "attack succeeds is no risk by itself"
        )
    undecided = [
        (figure, each)
        for figure, each in zip(figures, known, strict=True)
        if figure.status == "undecided"
    ]
    figure, each = max(undecided, key=lambda pair: badness(pair[0]))
    if not is_comparable(each):
        return phrase(
            "{text}; the control is exposed more than the original, so the two are not comparable",
            text=figure.text,
        )
    if not has_strangers:
        return phrase(
            "{text}; the generator has seen people of the control, so the excess is too low to "
            "show that the limit holds",
            text=figure.text,
        )
    if figure.people_needed is None:
        needed = phrase("no number of control people would decide it: the original has too few")
    else:
        needed = phrase(
            "about {number:,} control people would decide it", number=figure.people_needed
        )
    return phrase(
        "{text}, which does not show whether the limit holds; {needed}",
        text=figure.text,
        needed=needed,
    )


def _excess_of(group: Exposure) -> float:
    return -math.inf if group.excess is None else group.excess


def _constant(tables: AttackTables) -> Iterator[Phrase]:
    if tables.constant:
        yield phrase(
            "columns with a single value are left out: {columns}",
            columns=listing([repr(name) for name in tables.constant]),
        )


def named_columns(given: Sequence[str] | str | None, tables: AttackTables, name: str) -> list[str]:
    """The columns that an option names, or all; an error if none of them tells people apart."""
    names = tables.columns if given is None else names_in(given, name)
    columns = tables.checked(names, name)
    used = [column for column in columns if column not in tables.constant]
    if not used:
        raise NotMeasurableError(
            "all columns of {name} have one value in all tables: {columns}",
            name=name,
            columns=joined([repr(column) for column in columns]),
        )
    return used


def refuse_known(secret: str, known: Sequence[str], names: tuple[str, str]) -> None:
    """Raise an error for a column that is to be guessed and is known."""
    if secret in known:
        raise OptionError(
            "column {column!r} is named as {secret} and in {known}; what is known needs no guess",
            column=secret,
            secret=names[0],
            known=names[1],
        )

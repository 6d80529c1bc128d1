"""The gate, the same for every command: the verdict, what breaks a release, and what stays open.

Limits answer only what was asked. A table whose limits all hold may still name people, which
breaks the release, or leave questions open that the figures themselves raise; these are defined
here, each with its sentence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from petaudit.auditing.review import ColumnReview
from petaudit.errors import Phrase, listing, phrase, term
from petaudit.measures import Better, Family, Measure, Need, all_measures
from petaudit.measures.limits import is_idle
from petaudit.roles import Role

PASSED, FAILED, ERROR, MEASURED = "passed", "failed", "error", "measured"
EXIT_CODES: Final = {PASSED: 0, MEASURED: 0, FAILED: 1, ERROR: 2}
_L_DIVERSITY: Final = "l-diversity"


@dataclass(frozen=True)
class Figure:
    """What a measure said about a table."""

    measure: str
    status: str
    """``passed``, ``failed``, ``measured`` (without a limit) or ``error``."""
    value: float | bool | None
    limit: float | None = None
    strict: bool = False
    conditions: bool = False
    """Whether more than the limit must hold."""

    @property
    def is_idle(self) -> bool:
        """Whether every figure that there can be keeps the limit."""
        measure = all_measures()[self.measure]
        if self.limit is None or self.conditions:
            return False
        return is_idle(self.limit, measure.better.value, measure.range, strict=self.strict)

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Figure:
        """The figure of an entry of a document, where infinity is a word."""
        value, limit = entry["value"], entry.get("limit")
        return cls(
            str(entry["measure"]),
            str(entry["status"]),
            float(value) if isinstance(value, str) else value,
            limit if isinstance(limit, int | float) else None,
            entry.get("strict") is True,
            bool(entry.get("conditions")),
        )


def settle(
    statuses: Collection[str],
    *,
    problems: Collection[str],
    questions: Collection[str],
    strict: bool,
) -> str:
    """The verdict: ``passed``, ``failed``, ``error``, or ``measured`` where nothing was judged.

    What could not be measured weighs most, then a limit or anything else that breaks the release.
    Open questions decide nothing unless they must all be answered (``strict``).

    >>> settle(["passed"], problems=[], questions=["why?"], strict=False)
    'passed'
    >>> settle(["passed"], problems=[], questions=["why?"], strict=True)
    'error'
    >>> settle(["passed"], problems=["it names people"], questions=["why?"], strict=True)
    'failed'
    """
    if ERROR in statuses:
        return ERROR
    if FAILED in statuses or problems:
        return FAILED
    if strict and questions:
        return ERROR
    return PASSED if PASSED in statuses else MEASURED


def open_questions(
    figures: Sequence[Figure],
    *,
    sensitive: Sequence[str] = (),
    unlabelled: str | None = None,
    people: str | None = None,
    demands: Iterable[str | None] = (),
) -> tuple[str, ...]:
    """What the limits did not ask and the figures cannot answer.

    ``sensitive`` are the sensitive attributes, ``unlabelled`` says which columns have no role,
    ``people`` that rows may not be people, ``demands`` what a policy demands beside limits.

    >>> figures = [Figure("k-anonymity", "passed", 5.0, 5.0),
    ...            Figure("l-diversity", "measured", 1.0)]
    >>> for question in open_questions(figures, sensitive=["disease"]): print(question)
    in some class everybody has the same sensitive value (l-diversity is 1): whoever knows that \
somebody is in it knows the value
    """
    found: list[str] = []
    if unlabelled is not None:
        found.append(
            phrase(
                "columns without a role, which no measure looked at: {columns}", columns=unlabelled
            )
        )
    found += [text for text in (people, *demands) if text is not None]
    known = all_measures()
    told = [own for own in figures if own.status in (PASSED, MEASURED) and own.measure in known]
    worst = [
        own.measure
        for own in told
        if own.status == MEASURED and _is_worst(known[own.measure], own.value)
    ]
    if _L_DIVERSITY in worst:
        found.append(
            phrase(
                "in some class everybody has the same sensitive value ({measure} is 1): whoever "
                "knows that somebody is in it knows the value",
                measure=_L_DIVERSITY,
            )
        )
        # The other models of sensitive values say the same of that class.
        worst = [name for name in worst if Need.SENSITIVE not in known[name].needs]
    if worst:
        found.append(
            phrase(
                "no limit was set for {measures}, which could not be worse",
                measures=listing(worst, len(worst)),
            )
        )
    idle = [own.measure for own in told if own.is_idle]
    if idle:
        found.append(
            phrase(
                "no table could break the limit that was set for {measures}",
                measures=listing(idle, len(idle)),
            )
        )
    is_asked = any(Need.SENSITIVE in known[own.measure].needs for own in told)
    if sensitive and told and not is_asked:
        found.append(
            phrase(
                "no measure looked at the sensitive attribute {columns}", columns=listing(sensitive)
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class Conclusion:
    """What all runs of a pipeline say together: the verdict, why not to release, what is open."""

    verdict: str
    problems: tuple[str, ...]
    open_questions: tuple[str, ...]
    breaches: tuple[dict[str, Any], ...]
    """One for each table that still names people."""

    @property
    def exit_code(self) -> int:
        """0: no breach; 1: a breach; 2: something could not be measured, compared or decided."""
        return EXIT_CODES[self.verdict]


def conclude(
    entries: Sequence[Mapping[str, Any]],
    missing: Collection[str] = (),
    *,
    strict: bool = False,
    demands: Iterable[str | None] = (),
) -> Conclusion:
    """Judge the tables of a pipeline by the entries of its runs; ``missing`` are runs without one.

    A column that one Evaluator has a role for is still one that another knows nothing of.
    """
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        steps = dict(entry.get("modules") or {}).items()
        table = "_".join(f"{module}[{name}]" for module, name in steps if module != "Evaluator")
        groups.setdefault(table, []).append(entry)
    problems: dict[str, None] = {}
    questions = dict.fromkeys(open_questions((), demands=demands))
    breaches = []
    for table, group in groups.items():
        reviews = [ColumnReview.from_dict(own["columns"]) for own in group if own.get("columns")]
        sensitive = [
            name
            for own in group
            for name, role in (own.get("roles") or {}).items()
            if role == Role.SENSITIVE.value
        ]
        asked = [
            *(
                text
                for own in reviews
                for text in open_questions((), unlabelled=own.question, people=own.people)
            ),
            *open_questions(
                [Figure.of(own) for own in group], sensitive=[*dict.fromkeys(sensitive)]
            ),
        ]
        named = {
            text: phrase("{run}: {text}", run=table, text=text) if len(groups) > 1 else text
            for text in (*(text for own in reviews for text in own.problems), *asked)
        }
        problems |= {named[text]: None for own in reviews for text in own.problems}
        questions |= {named[text]: None for text in asked}
        columns = list(dict.fromkeys(name for own in reviews for name in own.names_people))
        if columns:
            breaches.append({"kind": "identifiers", "run": group[0]["run"], "columns": columns})
    statuses = {str(entry["status"]) for entry in entries} | ({ERROR} if missing else set())
    verdict = settle(statuses, problems=problems, questions=questions, strict=strict)
    return Conclusion(verdict, tuple(problems), tuple(questions), tuple(breaches))


def holds_line(limits: int, questions: Collection[str]) -> Phrase:
    """What to say where all limits hold."""
    if questions and limits == 1:
        return term("the limit holds, with open questions")
    if questions:
        return phrase("{limits} limits hold, with open questions", limits=limits)
    return (
        term("the limit holds")
        if limits == 1
        else phrase("all {limits} limits hold", limits=limits)
    )


def _is_worst(measure: Measure, value: float | bool | None) -> bool:
    """Whether a figure of protection could not be worse."""
    if measure.family not in (Family.PRIVACY, Family.RISK) or value is None:
        return False
    if isinstance(value, bool) or measure.better is Better.TRUE:
        return False
    low, high = measure.range
    return value >= high if measure.better is Better.LOWER else value <= low

"""The gate, the same for every command: the verdict, what breaks a release, and what stays open.

Limits answer only what was asked. A table whose limits all hold may still name people, which
breaks the release, or leave questions open that the figures themselves raise; these are defined
here, each with its sentence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from petaudit.errors import Phrase, listing, phrase
from petaudit.judging.review import ColumnReview
from petaudit.measures import Better, Family, Measure, Need, Result, all_measures
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
    conditions: Sequence[str] = ()
    """What must hold beside the limit."""

    @property
    def is_idle(self) -> bool:
        """Whether every figure that there can be keeps the limit."""
        measure = all_measures()[self.measure]
        if self.limit is None or self.conditions:
            return False
        return is_idle(self.limit, measure.better.value, measure.range, strict=self.strict)

    @classmethod
    def of(cls, entry: Mapping[str, Any] | Result) -> Figure:
        """The figure of a result, or of an entry of a document, where infinity is a word."""
        if isinstance(entry, Result):
            judged = (entry.measure, entry.status, entry.value, entry.limit)
            return cls(*judged, entry.is_strict, entry.conditions)
        value, limit = entry["value"], entry.get("limit")
        return cls(
            str(entry["measure"]),
            str(entry["status"]),
            float(value) if isinstance(value, str) else value,
            limit if isinstance(limit, int | float) else None,
            entry.get("strict") is True,
            entry.get("conditions") or (),
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


def open_questions(figures: Sequence[Figure], sensitive: Sequence[str] = ()) -> Iterator[str]:
    """What the limits did not ask and the figures cannot answer.

    >>> figures = [Figure("k-anonymity", "passed", 5.0, 5.0),
    ...            Figure("l-diversity", "measured", 1.0)]
    >>> for question in open_questions(figures, sensitive=["disease"]): print(question)
    in some class everybody has the same sensitive value (l-diversity is 1): whoever knows that \
somebody is in it knows the value
    """
    known = all_measures()
    told = [
        figure
        for figure in figures
        if figure.status in (PASSED, MEASURED) and figure.measure in known
    ]
    worst = [
        figure.measure
        for figure in told
        if figure.status == MEASURED and _is_worst(known[figure.measure], figure.value)
    ]
    if _L_DIVERSITY in worst:
        yield phrase(
            "in some class everybody has the same sensitive value ({measure} is 1): whoever knows "
            "that somebody is in it knows the value",
            measure=_L_DIVERSITY,
        )
        # The other models of sensitive values say the same of that class.
        worst = [name for name in worst if Need.SENSITIVE not in known[name].needs]
    if worst:
        yield phrase(
            "no limit was set for {measures}, which could not be worse",
            measures=listing(worst, len(worst)),
        )
    idle = [figure.measure for figure in told if figure.is_idle]
    if idle:
        yield phrase(
            "no table could break the limit that was set for {measures}",
            measures=listing(idle, len(idle)),
        )
    # A breached limit asked as well.
    asked = [*told, *(figure for figure in figures if figure.status == FAILED)]
    is_asked = any(
        Need.SENSITIVE in known[figure.measure].needs for figure in asked if figure.measure in known
    )
    if sensitive and told and not is_asked:
        yield phrase(
            "no measure looked at the sensitive attribute {columns}", columns=listing(sensitive)
        )


@dataclass(frozen=True)
class JudgedTable:
    """What measures found out about one table."""

    figures: Sequence[Figure]
    reviews: Sequence[ColumnReview] = ()
    """A column that one Evaluator has a role for is still one that another knows nothing of."""
    sensitive: Sequence[str] = ()
    name: str = ""
    run: str | None = None
    """The first run on the table, if a pipeline has several."""

    @property
    def problems(self) -> list[str]:
        """Why the table must not be released, whatever the figures say."""
        return [text for review in self.reviews for text in review.problems]


@dataclass(frozen=True)
class Conclusion:
    """What all measures say together: the verdict, why not to release, what is open."""

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
    tables: Sequence[JudgedTable],
    *,
    is_incomplete: bool = False,
    strict: bool = False,
    demands: Iterable[str | None] = (),
) -> Conclusion:
    """Judge tables by the figures of each.

    ``is_incomplete`` says that something was asked for and not measured, ``demands`` what policies
    demand beside limits.
    """

    def named(table: JudgedTable, texts: Iterable[str]) -> list[str]:
        if len(tables) == 1:
            return list(texts)
        return [phrase("{run}: {text}", run=table.name, text=text) for text in texts]

    problems: list[str] = []
    of_columns: list[str] = []
    of_figures: list[str] = []
    breaches = []
    for table in tables:
        problems += named(table, table.problems)
        for review in table.reviews:
            of_columns += named(table, review.open_questions)
        of_figures += named(table, open_questions(table.figures, table.sensitive))
        columns = dict.fromkeys(name for review in table.reviews for name in review.names_people)
        if columns:
            breaches.append({"kind": "identifiers", "run": table.run, "columns": [*columns]})
    questions = [*of_columns, *(text for text in demands if text is not None), *of_figures]
    statuses = {figure.status for table in tables for figure in table.figures}
    if is_incomplete:
        statuses.add(ERROR)
    verdict = settle(statuses, problems=problems, questions=questions, strict=strict)
    once = tuple(dict.fromkeys(problems)), tuple(dict.fromkeys(questions))
    return Conclusion(verdict, *once, tuple(breaches))


def limit_breach(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The breach of a limit by an entry of a document; a pipeline adds its run and line."""
    is_truth = isinstance(entry["value"], bool)
    higher, strict = entry["better"] == Better.HIGHER.value, entry["strict"]
    if is_truth:
        rule = phrase("true")
    elif higher:
        rule = phrase("above") if strict else phrase("at least")
    else:
        rule = phrase("below") if strict else phrase("at most")
    return {
        "kind": "limit",
        "run": None,
        **{name: entry[name] for name in ("measure", "profile", "value")},
        "limit": True if is_truth else entry["limit"],
        "limit_exact": entry.get("limit_exact"),
        "rule": rule,
        "conditions": entry["conditions"],
        "line": None,
    }


def tables_of(entries: Iterable[Mapping[str, Any]]) -> list[JudgedTable]:
    """The tables of a pipeline with the entries of the runs on each."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        steps = dict(entry.get("modules") or {}).items()
        table = "_".join(f"{module}[{name}]" for module, name in steps if module != "Evaluator")
        groups.setdefault(table, []).append(entry)
    return [
        JudgedTable(
            figures=[Figure.of(entry) for entry in group],
            reviews=_reviews(group),
            sensitive=[
                *dict.fromkeys(
                    name for entry in group for name in sensitive_columns(entry.get("roles") or {})
                )
            ],
            name=name,
            run=group[0].get("run"),
        )
        for name, group in groups.items()
    ]


def _reviews(entries: Iterable[Mapping[str, Any]]) -> list[ColumnReview]:
    """The looks at the columns, each once: most entries share one."""
    reviews: list[ColumnReview] = []
    for entry in entries:
        review = ColumnReview.from_dict(entry["columns"]) if entry.get("columns") else None
        if review is not None and review not in reviews:
            reviews.append(review)
    return reviews


def sensitive_columns(roles: Mapping[str, Any]) -> list[str]:
    """The sensitive attributes among roles by column, as documents have them."""
    return [column for column, role in roles.items() if role == Role.SENSITIVE.value]


def _is_worst(measure: Measure, value: float | bool | None) -> bool:
    """Whether a figure of protection could not be worse."""
    if measure.family not in (Family.PRIVACY, Family.RISK) or measure.better is Better.TRUE:
        return False
    if value is None:
        return False
    low, high = measure.range
    return value >= high if measure.better is Better.LOWER else value <= low


def verdict_sentence(
    verdict: str,
    *,
    failed: int,
    judged: int,
    names_people: bool,
    has_questions: bool,
    is_incomplete: bool,
) -> Phrase:
    """Return the verdict with how many of the limits fail, and what else stands in the way.

    >>> verdict_sentence("failed", failed=1, judged=3, names_people=False, has_questions=False,
    ...                  is_incomplete=False)
    'Do not release this as it is: 1 of 3 limits are not met.'
    """
    match verdict:
        case "failed" if names_people and not failed:
            return phrase("Do not release this as it is: the table still names people.")
        case "failed" if names_people:
            return phrase(
                "Do not release this as it is: the table still names people, and {failed} of "
                "{judged} limits are not met.",
                failed=failed,
                judged=judged,
            )
        case "failed" if judged <= 1:
            return phrase("Do not release this as it is: the limit is not met.")
        case "failed":
            return phrase(
                "Do not release this as it is: {failed} of {judged} limits are not met.",
                failed=failed,
                judged=judged,
            )
        case "error" if is_incomplete:
            return phrase("Not decided: something that was asked for could not be measured.")
        case "error":
            return phrase("Not decided: there are open questions, and all must be answered.")
        case "passed" if judged == 1 and has_questions:
            return phrase("The limit that was set holds, with open questions.")
        case "passed" if has_questions:
            return phrase(
                "All {number} limits that were set hold, with open questions.", number=judged
            )
        case "passed" if judged == 1:
            return phrase("The limit that was set holds.")
        case "passed":
            return phrase("All {number} limits that were set hold.", number=judged)
    return phrase("Nothing was judged: no limit was set.")

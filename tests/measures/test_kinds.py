"""What an option may be is said once: the kinds and the measures themselves agree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from measures.registry_cases import ATTACKS, PASSING, passing_inputs, suited
from petaudit.errors import OptionError, PetauditError
from petaudit.exact.fractions import parse_number, quotient
from petaudit.inputs import Inputs
from petaudit.measures import Measure, Option, all_measures
from petaudit.system import kinds
from petaudit.system.kinds import Kind

NAN, INF = float("nan"), float("inf")
VALUES = [
    *(None, True, False, 0, 1, 2, 7, -1, 10**400, -(10**400)),
    *(0.0, -0.0, 0.5, 1.0, 2.0, 1e300, -1e-300, NAN, INF, -INF),
    *(
        "",
        " ",
        "x",
        "2",
        "0.5",
        "-1",
        "true",
        "null",
        "nan",
        "inf",
        "a\0b",
        "Equal",
        " equal",
        "1e400",
        "1/3",
        "4/3",
        "30000000000000000001/30000000000000000000",
        "29999999999999999999/30000000000000000000",
        "1/0",
    ),
    *([], {}, [1], [0], ["x"], [None], [[]], [True], {"pay": 1}, {"pay": None}, {"pay": "x"}),
    *({1: "equal"}, {"x": "equal"}, {None: None}, {"pay": []}, b"2", 2j, (), ("equal",)),
]
# What a kind leaves to the measure: which words are units, and which names are tables.
LEFT_TO_THE_MEASURE = {
    ("mpuccs", "datetime_precision"),
    *((name, "control") for name in ("mpuccs", *ATTACKS)),
    ("linkability", "aux_cols"),
}
# No kind says that there are two lists which share no column, and that what is secret (here "pay")
# is not known.
RELATED_COLUMNS: dict[str, list[Any]] = {
    "aux_cols": [["pay", ["born"]], [[["born"], "pay"], [["pay"], "born"]]],
    "known": ["born", ["born"]],
    "keys": ["born", ["born"]],
}

pytestmark = pytest.mark.filterwarnings("ignore:the limit of")


def every_option() -> Iterator[Any]:
    for measure in all_measures().values():
        limit = [Option("limit", "", kind=measure.limit_kind)] if measure.limit_help else []
        for option in (*measure.options, *limit):
            if not isinstance(option.kind, kinds.Anything):
                yield pytest.param(measure, option, id=f"{measure.name}.{option.name}")


every = pytest.mark.parametrize(("measure", "option"), list(every_option()))


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return passing_inputs()


def right(kind: Kind) -> list[Any]:
    """Values at the edges of a kind and in the middle of it."""
    match kind:
        case kinds.Integer():
            return [kind.least, kind.least + 1, 7 if kind.most is None else kind.most]
        case kinds.Number():
            result = [
                kind.least,
                0.5,
                1,
                2,
                kind.most,
                1e-300,
                INF if kind.may_be_infinite else 3.5,
            ]
            return [value for value in result if kind.takes(value)]
        case kinds.COLUMN:
            return ["pay", " born "]
        case kinds.Boolean():
            return [True, False]
        case kinds.Choice():
            return list(kind.words)
        case kinds.Either():
            return [value for entry in kind.kinds for value in right(entry)]
        case kinds.ListOf():
            items = right(kind.item)
            return [[value] for value in items] + ([items] if items else [])
        case kinds.MapOf():
            names = kind.names or ("pay",)
            return [{name: value} for name in names for value in right(kind.item)]
    return []


def with_option(measure: Measure, option: Option, value: Any) -> dict[str, Any]:
    given = dict(PASSING[measure.name])
    if option.name == "profile":
        del given["limit"]
    if (measure.name, option.name) == ("recursive-l-diversity", "l"):
        # With l = 1, a larger c would hold for every table.
        given["limit"] = 1
    return given | {option.name: value}


def computed(measure: Measure, option: Option, value: Any, inputs: Inputs) -> Any:
    return measure.run(suited(measure.name, inputs), with_option(measure, option, value))


def outcome(measure: Measure, option: Option, value: Any, inputs: Inputs) -> object:
    try:
        return computed(measure, option, value, inputs)
    except PetauditError as problem:
        return problem


def is_number_as_text(kind: Kind, value: Any) -> bool:
    """The shell passes on numbers as text."""
    if not isinstance(kind, kinds.Number) or not isinstance(value, str):
        return False
    if not isinstance(kind, kinds.Limit) and quotient(value) is not None:
        return True
    return parse_number(value) is not None or (kind.may_be_infinite and value == "inf")


def takes_any_whole_number(kind: Kind) -> bool:
    if isinstance(kind, kinds.Either):
        return any(map(takes_any_whole_number, kind.kinds))
    return isinstance(kind, kinds.Integer) and kind.most is None


@pytest.mark.parametrize("name", all_measures())
def test_the_options_of_this_test_are_right(name: str, inputs: Inputs) -> None:
    measure = all_measures()[name]
    assert measure.run(suited(name, inputs), PASSING[name]).passed
    if measure.check is not None:
        measure.check(PASSING[name])


@every
def test_what_a_kind_takes_is_computed(measure: Measure, option: Option, inputs: Inputs) -> None:
    for value in RELATED_COLUMNS.get(option.name) or right(option.kind):
        assert option.kind.takes(value), value
        if measure.check is not None:
            measure.check(with_option(measure, option, value))
        # Another error is none of the option's: for example, the time was too short.
        said = outcome(measure, option, value, inputs)
        assert not isinstance(said, OptionError), f"{value!r}, but: {said}"


@every
def test_what_a_kind_refuses_the_measure_refuses(
    measure: Measure, option: Option, inputs: Inputs
) -> None:
    refused = [value for value in VALUES if not option.kind.takes(value)]
    assert len(refused) > 10
    for value in refused:
        if is_number_as_text(option.kind, value):
            continue
        if value is None and not option.required:
            # For a function None is "not given".
            continue
        said = outcome(measure, option, value, inputs)
        if isinstance(value, int) and value > 2**63 and takes_any_whole_number(option.kind):
            # No file of settings can say it, and for the measure it is as good as none.
            continue
        # Names of tables and columns are looked for.
        is_name = option.name in {"control", "person"}
        expected = PetauditError if is_name else OptionError
        assert isinstance(said, expected), f"{value!r} is refused by the kind, but not by {said}"


@every
def test_what_the_measure_refuses_the_kind_refuses(
    measure: Measure, option: Option, inputs: Inputs
) -> None:
    is_known = (measure.name, option.name) not in LEFT_TO_THE_MEASURE
    for value in VALUES:
        if is_known and option.kind.takes(value):
            said = outcome(measure, option, value, inputs)
            assert not isinstance(said, OptionError), f"{value!r} is taken by the kind, but: {said}"


@pytest.mark.parametrize(
    ("measure", "option"),
    [
        own
        for own in every_option()
        # The command of mpUCCs itself reads its options as numbers.
        if isinstance(own.values[1].kind, kinds.Number)
        and (own.values[0].name != "mpuccs" or own.values[1].name == "limit")
    ],
)
def test_numbers_may_be_text_as_the_shell_passes_them(
    measure: Measure, option: Option, inputs: Inputs
) -> None:
    texts = [text for text in ("2", " 0.5 ", "1e-3", "0", "1") if option.kind.takes(float(text))]
    assert texts
    for text in texts:
        as_text, as_number = (outcome(measure, option, own, inputs) for own in (text, float(text)))
        assert said(as_text) == said(as_number)
        assert not isinstance(as_text, OptionError)


def said(result: Any) -> object:
    """The figure and the verdict; errors quote the option as it was given."""
    if isinstance(result, PetauditError):
        return type(result)
    return (result.value, result.limit, result.passed, result.warnings)


@every
def test_the_schema_and_the_words_of_a_kind_are_there(measure: Measure, option: Option) -> None:
    assert option.kind.schema()
    assert option.kind.expected
    problems = kinds.Problems()
    option.kind.check(NAN, (option.name,), problems)
    [(at, message)] = problems
    assert at == (option.name,)
    assert message.startswith(f"{option.name} must be ")
    assert message.endswith(", got nan")


@pytest.mark.parametrize(
    ("measure", "option"), [own for own in every_option() if not own.values[1].shows_in_figure]
)
def test_an_option_that_does_not_show_in_the_figure_does_not_change_it(
    measure: Measure, option: Option, inputs: Inputs
) -> None:
    figures = {computed(measure, option, value, inputs).value for value in right(option.kind)}
    assert len(figures) == 1


def test_every_option_of_ours_has_a_kind() -> None:
    for measure in all_measures().values():
        for option in measure.options:
            assert not isinstance(option.kind, kinds.Anything), (measure.name, option.name)
    hidden = {
        (measure.name, option.name)
        for measure in all_measures().values()
        for option in measure.options
        if not option.shows_in_figure
    }
    assert ("t-closeness", "worst") in hidden
    assert not any(math.isnan(value) for value in right(kinds.Number()))

"""The gate: a limit and an earlier result decide, exactly, and an error never passes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.errors import InputError
from petaudit.pipelines.reading import Pipeline
from petaudit.pipelines.results import judge_entries, read_previous
from petaudit.system.yaml_files import parse_yaml
from pipelines.configs import read_pipeline
from pipelines.gate_twin import Verdict, verdicts

METHODS = {
    "risk": ("mpuccs", "lower"),
    "close": ("t-closeness", "lower"),
    "use": ("precision", "higher"),
    "pays": ("profitability", "true"),
    "beta": ("enhanced-beta-likeness", "lower"),
    "spread": ("distribution-distance", "lower"),
}
OPTIONS = {"pays": "cost: 4, gain: 300, loss: 300, benefit: 1200, "}
ROLES = {"zip": "quasi_identifier"}

RUN = {"document": "petaudit.result/2", "command": "run"}


def pipeline(allowed: dict[str, float]) -> Pipeline:
    lines = ["Loader: {t: {filepath: t.csv}}", "Evaluator:"]
    for name, (method, _) in METHODS.items():
        lines += [
            f"  {name}:",
            f"    {{{OPTIONS.get(name, '')}method: {method},",
            f"     allowed_worsening: {allowed.get(name, 0.0)!r}}}",
        ]
    return read_pipeline(parse_yaml("\n".join(lines), "audit.yaml"), "audit.yaml")


def entry(name: str = "risk", value: Any = 0.1, **more: Any) -> dict[str, Any]:
    """What a measure found, as the gate is given it."""
    method, better = METHODS[name]
    return {
        "run": f"Loader[t]_Evaluator[{name}]",
        "modules": {"Loader": "t", "Evaluator": name},
        "measure": method,
        "status": "measured",
        "figure": method,
        "value": value,
        "limit": None,
        "strict": False,
        "conditions": [],
        "profile": None,
        "better": better,
        "lower_bound": False,
        "reason": None,
        "options": {},
        "steps": {"Loader": {"nrows": None}},
        "warnings": [],
        "suppressed": "exclude",
        "roles": ROLES,
        "hierarchies": {"attributes": []},
        "person": None,
        **more,
    }


def after(now: dict[str, Any], then: dict[str, Any] | None, allowed: float = 0.0) -> dict[str, Any]:
    """The gate's word on one entry; another run is always there in the earlier result."""
    other = entry("close")
    earlier = {"results": [other, *([] if then is None else [then])]}
    name = now["modules"]["Evaluator"]
    return judge_entries([now, other], pipeline({name: allowed}), earlier)[0]


FIGURES = st.one_of(
    st.sampled_from([0, 1, 0.0, 0.1, 0.2, 0.3, 0.1 + 0.2, 0.7, 0.8, 0.9, 1.0, 5e-324]),
    st.floats(0, 1),
)
# A result that is infinite says so in a word; JSON has no number for it.
MAYBE_INFINITE = FIGURES | st.just("inf")
BAD_FIGURES = st.sampled_from(
    [None, "0.1", "-inf", "Infinity", [0.1], float("nan"), float("inf"), 10**400]
)


@st.composite
def figures(draw: st.DrawFn, name: str) -> dict[str, Any]:
    value = draw({"pays": st.booleans(), "beta": MAYBE_INFINITE}.get(name, FIGURES))
    status = draw(st.sampled_from(["measured", "passed", "failed", "error"]))
    is_error = status == "error"
    return entry(
        name,
        None if is_error else value,
        status=status,
        reason="why" if is_error else None,
        lower_bound=name == "risk" and draw(st.booleans()),
        options=draw(
            st.sampled_from([{}, {}, {}, {"threads": 1}, {"worst": 3}, {"distance": "equal"}])
        ),
        roles=draw(st.sampled_from([ROLES, ROLES, ROLES, None, {"age": "quasi_identifier"}])),
        suppressed=draw(st.sampled_from(["exclude", "exclude", "class"])),
        steps=draw(
            st.sampled_from([{"Loader": {"nrows": item}} for item in (None, None, None, 9)])
        ),
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Any], list[Any] | None, dict[str, float]]:
    names = st.lists(st.sampled_from([*METHODS]), unique=True)
    now = [draw(figures(name)) for name in draw(names.filter(bool))]
    then = draw(st.none() | names)
    earlier = None
    if then is not None:
        earlier = [draw(figures(name)) for name in then]
        for item in earlier:
            if draw(st.integers(0, 4)) == 0:
                item["value"] = draw(BAD_FIGURES | MAYBE_INFINITE | st.booleans())
    return now, earlier, {name: draw(FIGURES) for name in METHODS}


@settings(max_examples=examples(300))
@given(cases())
@example(([entry(value=0.3)], [entry(value=0.1)], dict.fromkeys(METHODS, 0.2)))
@example(([entry("beta", "inf")], [entry("beta", "inf")], dict.fromkeys(METHODS, 0)))
@example(([entry("beta", "inf")], [entry("beta", 0.5)], dict.fromkeys(METHODS, 0)))
def test_it_decides_as_its_rules_say(case: tuple[Any, Any, dict[str, float]]) -> None:
    now, then, allowed = case
    previous = None if then is None else {"results": then}
    result = judge_entries(now, pipeline(allowed), previous)
    assert [
        Verdict(
            item["status"],
            None if item["comparison"] is None else item["comparison"]["status"],
            tuple(breach["kind"] for breach in item["breaches"]),
        )
        for item in result
    ] == verdicts(now, then, allowed)
    for item in result:
        assert (item["reason"] is not None) == (item["status"] == "error")
    json.dumps(result, allow_nan=False)  # it can be written down


@pytest.mark.parametrize(
    ("name", "then", "now", "allowed", "expected"),
    [
        ("risk", 0.1, 0.2, 0.1, "passed"),
        ("risk", 0.1, 0.3, 0.2, "passed"),  # as floats, 0.3 - 0.1 is less than 0.2
        ("risk", 0.1, 0.30000000000000004, 0.2, "failed"),
        ("risk", 0.7, 0.8, 0.1, "passed"),  # as floats, 0.8 - 0.7 is more than 0.1
        ("risk", 0.1, 0.2, 0.09999999999999999, "failed"),
        ("risk", 0.1, 0.1, 0, "passed"),
        ("risk", 0.1, 0.0, 0, "passed"),
        ("risk", 0, 5e-324, 0, "failed"),
        ("use", 0.9, 0.8, 0.1, "passed"),
        ("use", 0.9, 0.8, 0.05, "failed"),
        ("use", 0.8, 0.9, 0, "passed"),
        ("pays", True, False, 0, "failed"),
        ("pays", True, False, 1, "passed"),
        ("pays", False, True, 0, "passed"),
        ("pays", False, False, 0, "passed"),
        ("beta", "inf", "inf", 0, "passed"),
        ("beta", 1e308, "inf", 1e308, "failed"),  # no allowance is enough
        ("beta", "inf", 1e308, 0, "passed"),
        ("use", "inf", "inf", 0, "passed"),
        ("use", "inf", 1e308, 1e308, "failed"),
        ("use", 0, "inf", 0, "passed"),
    ],
)
def test_a_figure_may_worsen_by_exactly_what_is_allowed(
    name: str, then: Any, now: Any, allowed: float, expected: str
) -> None:
    result = after(entry(name, now), entry(name, then), allowed)
    assert (result["status"], result["comparison"]["status"]) == (expected, expected)
    assert result["comparison"]["previous"] == then
    assert bool(result["breaches"]) == (expected == "failed")
    json.dumps(result, allow_nan=False)


@pytest.mark.parametrize(
    ("name", "then", "now", "worsening"),
    [
        ("beta", 1.5, "inf", "inf"),
        ("beta", "inf", 1.5, "-inf"),
        ("beta", "inf", "inf", 0.0),
        ("use", 1.5, "inf", "-inf"),
        ("use", "inf", 1.5, "inf"),
    ],
)
def test_how_much_worse_an_infinite_figure_is(
    name: str, then: Any, now: Any, worsening: Any
) -> None:
    result = after(entry(name, now), entry(name, then), 5.0)
    assert result["comparison"]["worsening"] == worsening
    for breach in result["breaches"]:
        assert (breach["value"], breach["limit"], breach["worsening"]) == (now, then, "inf")


def test_an_infinite_figure_that_breaks_its_limit_is_said_as_it_is() -> None:
    now = entry("beta", "inf", status="failed", limit=2.0)
    [result] = judge_entries([now], pipeline({}), None)
    assert [(item["value"], item["limit"], item["rule"]) for item in result["breaches"]] == [
        ("inf", 2.0, "at most")
    ]


def test_a_breach_says_value_limit_and_where() -> None:
    now = entry(value=0.25, status="failed", limit=0.2, profile=None)
    result = after(now, entry(value=0.1), 0.05)
    about = {"run": now["run"], "measure": "mpuccs", "profile": None, "value": 0.25}
    assert result["breaches"] == [
        {
            **{"kind": "limit", **about, "limit": 0.2, "limit_exact": None, "rule": "at most"},
            **{"conditions": [], "line": 3},
        },
        {
            **{"kind": "worsening", **about, "limit": 0.1, "worsening": 0.15, "allowed": 0.05},
            "line": 5,
        },
    ]


def test_an_earlier_figure_counts_even_if_it_could_not_be_compared_itself() -> None:
    then = entry(value=0.1) | {"status": "error", "reason": "the earlier figure was ..."}
    assert after(entry(value=0.1), then)["status"] == "passed"
    assert after(entry(value=0.2), then)["status"] == "failed"


def test_the_limit_of_a_truth_is_true() -> None:
    [result] = judge_entries([entry("pays", False, status="failed")], pipeline({}), None)
    assert [(item["value"], item["limit"]) for item in result["breaches"]] == [(False, True)]


@pytest.mark.parametrize(
    ("now", "then", "value", "expected"),
    [
        (True, False, 0.3, "failed"),  # it can only be worse still
        (True, False, 0.1, "error"),  # it may be better or worse
        (False, True, 0.1, "passed"),  # the old one was at least as bad as it says
        (False, True, 0.3, "error"),
        (True, True, 0.1, "error"),
        (True, True, 0.3, "error"),
    ],
)
def test_a_lower_bound_decides_only_what_it_can(
    now: bool, then: bool, value: float, expected: str
) -> None:
    result = after(entry(value=value, lower_bound=now), entry(value=0.2, lower_bound=then))
    assert result["status"] == expected
    assert (result["reason"] is None) == (expected != "error")


@pytest.mark.parametrize(
    ("name", "change", "word"),
    [
        ("risk", {"figure": "identification_rate"}, "figure"),
        ("risk", {"options": {"max_baseline_cols": 2}}, "max_baseline_cols"),
        ("close", {"roles": {"age": "quasi_identifier"}}, "roles"),
        ("close", {"suppressed": "class"}, "suppressed"),
        ("close", {"measure": "precision"}, "measure"),
        ("use", {"hierarchies": {"attributes": ["zip"]}}, "hierarchies"),
        ("close", {"person": "patient"}, "person"),
        # It needs no roles, but identifiers are left out, and hierarchies read its labels.
        ("spread", {"roles": {"zip": "identifier"}}, "roles"),
        ("spread", {"hierarchies": {"attributes": ["zip"]}}, "hierarchies"),
    ],
)
def test_what_was_measured_otherwise_is_not_compared(
    name: str, change: dict[str, Any], word: str
) -> None:
    now, then = entry(name), entry(name, **change)
    result = judge_entries([now], pipeline({name: 1.0}), {"results": [then]})[0]
    assert (result["status"], result["comparison"]["status"]) == ("error", "error")
    assert word in result["reason"]
    assert result["status"] == "error"


def test_what_does_not_show_in_the_figure_may_differ() -> None:
    then = entry(options={"threads": 1}, roles=None, limit=0.5, profile=None, status="failed")
    assert after(entry(options={"threads": 2}), then)["status"] == "passed"


@pytest.mark.parametrize(
    "value",
    [None, "0.1", {}, "-inf", "Infinity", "nan", float("nan"), float("inf"), float("-inf"),
     10**400],
)  # fmt: skip
def test_an_earlier_figure_that_is_none_is_an_error(value: Any) -> None:
    result = after(entry(), entry(value=value))
    assert result["status"] == "error"
    assert "no figure" in result["reason"]
    assert result["comparison"]["previous"] is None


@pytest.mark.parametrize(("name", "then"), [("pays", 1), ("risk", True)])
def test_a_truth_and_a_number_are_not_compared(name: str, then: Any) -> None:
    result = after(entry(name, True if name == "pays" else 0.1), entry(name, then))
    assert result["status"] == "error"
    assert "another kind" in result["reason"]


@pytest.mark.parametrize("status", ["measured", "passed", "failed", "error"])
def test_a_run_that_the_earlier_result_lacks_is_new(status: str) -> None:
    result = after(entry(status=status, reason="why" if status == "error" else None), None)
    assert (result["status"], result["comparison"]["status"]) == (status, "new")


@pytest.mark.parametrize("then", [[], [entry("close")], [{}], [{"run": None}], [{"run": ["x"]}]])
def test_an_earlier_result_without_any_of_the_runs_is_an_error(then: list[Any]) -> None:
    now = [entry("risk", status="passed"), entry("use"), entry("pays", False, status="failed")]
    result = judge_entries(now, pipeline({}), {"results": then})
    assert [item["status"] for item in result] == ["error"] * 3
    assert all("none of these runs" in item["reason"] for item in result)
    assert [item["comparison"]["status"] for item in result] == ["error"] * 3
    # What was breached is said all the same.
    assert [len(item["breaches"]) for item in result] == [0, 0, 1]


def test_a_measure_that_failed_keeps_its_own_reason() -> None:
    result = after(entry(value=None, status="error", reason="no rows"), entry())
    assert (result["status"], result["reason"]) == ("error", "no rows")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "does not exist"),
        ("", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("[]", "is not a result of petaudit"),
        ('{"document": "petaudit.result/2", "command": "x"}', "is not a result of petaudit"),
        ('{"document": "petaudit.check/1"}', "a result of petaudit check, and one of petaudit run"),
        (json.dumps({**RUN, "command": "check"}), "a result of petaudit check, and one of"),
        ('{"document": "petaudit.result/1"}', "results cannot be read"),
        (json.dumps(RUN), "results cannot be read"),
        (json.dumps({**RUN, "results": [1]}), "results cannot be read"),
    ],
)
def test_what_is_no_earlier_result_is_refused(
    text: str | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("earlier.json")
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        read_previous(path)
    assert "earlier.json" in str(caught.value)


def test_a_folder_is_no_earlier_result(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder"):
        read_previous(tmp_path)


@pytest.mark.parametrize("word", ["Infinity", "-Infinity", "NaN"])
def test_numbers_that_json_does_not_have_are_no_figures(word: str, tmp_path: Path) -> None:
    """Python reads them; a tool that wrote them did not write what petaudit writes."""
    then = json.dumps({**RUN, "results": [entry("beta", 0.125)]})
    path = tmp_path / "earlier.json"
    path.write_text(then.replace("0.125", word))
    [result] = judge_entries([entry("beta", 0.1)], pipeline({}), read_previous(path))
    assert result["status"] == "error"
    assert "no figure" in result["reason"]

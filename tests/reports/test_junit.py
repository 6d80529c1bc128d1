"""JUnit XML is read back, and held against the rules that Jenkins and GitLab go by."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as Tree

import pytest
from hypothesis import given, settings
from tests.reports.views import HOSTILE, SECRET, card, everything, view, views

from budget import examples
from petaudit.errors import counted, phrase
from petaudit.i18n.catalogue import CHINESE, LANGUAGES
from petaudit.i18n.voice import Voice
from petaudit.reports.junit import as_junit
from petaudit.reports.view import LeftOut, View

COUNTS = {"tests", "failures", "errors"}
# Of each element: attributes that it must have, that it may have, and its children.
RULES: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), COUNTS | {"name", "time"}, {"testsuite"}),
    "testsuite": (
        COUNTS | {"name"},
        {"skipped", "time", "timestamp", "hostname", "id", "package", "file"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": (
        {"name"},
        {"classname", "time"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
}


def suite_of(text: str) -> Tree.Element:
    """The suite, after everything that the format asks for was checked."""
    root = Tree.fromstring(text.encode())  # noqa: S314 (it is ours)
    assert root.tag == "testsuites"
    for element in root.iter():
        must, may, children = RULES[element.tag]
        assert must <= set(element.attrib) <= must | may
        assert {entry.tag for entry in element} <= children
    (suite,) = root
    cases = suite.findall("testcase")
    assert suite.get("tests") == root.get("tests") == str(len(cases))
    for name, tag in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
        assert suite.get(name) == str(len(suite.findall(f"testcase/{tag}")))
    assert root.get("failures") == suite.get("failures")
    assert root.get("errors") == suite.get("errors")
    assert all(len(entry) == 1 for entry in cases)
    names = [(entry.get("classname"), entry.get("name")) for entry in cases]
    assert len(names) == len(set(names))
    return suite


def only(text: str, tag: str) -> Tree.Element:
    (result,) = suite_of(text).findall(f"testcase/{tag}")
    return result


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_but_text(name: str, language: str) -> None:
    made = everything(name)
    suite = suite_of(as_junit(made, Voice(language)))
    assert len(suite.findall("testcase")) == 7 + 2 + 2
    shown = Voice().name(name)
    assert suite.get("name") == f"petaudit {shown}"
    assert shown in {entry.get("name") for entry in suite.iter("testcase")}


@given(views)
@settings(max_examples=examples(60), deadline=None)
def test_any_view(made: View) -> None:
    for voice in (Voice(), Voice(CHINESE, revealed=True)):
        text = as_junit(made, voice)
        suite = suite_of(text)
        result = {entry.tag for entry in suite.iterfind("testcase/*")}
        assert made.exit_code != 1 or "failure" in result
        assert made.exit_code != 2 or "error" in result
        assert SECRET not in text


def test_each_status_has_its_element() -> None:
    made = view(
        card(),
        card("k-anonymity", "passed", value=7.0, limit=5.0, better="higher"),
        card("precision", "measured", limit=None),
        card("l-diversity", "error", value=None, reason="no sensitive attribute"),
        left_out=(LeftOut("k-map", "a population table is needed"),),
        problems=("the table no longer exists",),
    )
    suite = suite_of(as_junit(made, Voice()))
    result = {entry.get("name"): entry[0].tag for entry in suite.iter("testcase")}
    assert result == {
        "t-closeness": "failure",
        "l-diversity": "error",
        "k-anonymity": "system-out",
        "precision": "system-out",
        "problem 1": "error",
        "k-map": "skipped",
    }
    assert {entry.get("classname") for entry in suite.iter("testcase")} == {"petaudit.check"}
    assert suite.attrib == {
        "name": "petaudit released.csv",
        "tests": "6",
        "failures": "1",
        "errors": "2",
        "skipped": "1",
    }


def test_a_breach() -> None:
    why = phrase("{rows} are too far", rows=counted(3, "row"))
    result = only(as_junit(view(card(explanation=(why,))), Voice()), "failure")
    assert result.get("type") == "limit"
    assert result.get("message") == "t-closeness is 0.44, and must be at most 0.40."
    assert (result.text or "").split("\n") == [
        "t-closeness is 0.44, and must be at most 0.40.",
        "t-closeness: 0.44; required: at most 0.40",
        "<5 rows are too far",
    ]


@pytest.mark.parametrize(
    ("given_value", "limit", "better", "strict", "kind"),
    [
        (0.3, 0.4, "lower", False, "worsening"),
        (0.4, 0.4, "lower", False, "worsening"),
        (0.4, 0.4, "lower", True, "limit"),
        (0.5, 0.4, "lower", False, "limit"),
        (5.0, 4.0, "higher", False, "worsening"),
        (3.0, 4.0, "higher", False, "limit"),
        (None, 4.0, "higher", False, "limit"),
        (0.5, None, "lower", False, "worsening"),
        (True, None, "true", False, "worsening"),
        (False, None, "true", False, "limit"),
    ],
)
def test_worse_than_before(
    given_value: float | None, limit: float | None, better: str, strict: bool, kind: str
) -> None:
    entry = card(
        value=given_value, limit=limit, better=better, strict=strict, worsening="it was 0.2"
    )
    entry = replace(entry, breaks_limit=not entry.keeps_limit)
    result = only(as_junit(view(entry), Voice()), "failure")
    assert result.get("type") == kind
    assert "it was 0.2" in (result.get("message") or "")


def test_without_a_limit_it_says_so() -> None:
    result = only(as_junit(view(card(status="measured", limit=None)), Voice()), "system-out")
    assert result.text == "t-closeness: 0.44; no limit was set"


@pytest.mark.parametrize(("code", "tag"), [(1, "failure"), (2, "error")])
def test_an_exit_code_never_looks_green(code: int, tag: str) -> None:
    made = view(exit_code=code, verdict={1: "failed", 2: "error"}[code])
    assert only(as_junit(made, Voice()), tag).get("type") == "verdict"


def test_runs_of_the_same_name_stay_apart() -> None:
    suite = suite_of(as_junit(view(card(run="a"), card("k-map", run="a"), kind="run"), Voice()))
    assert [entry.get("name") for entry in suite.iter("testcase")] == ["a", "a #2"]


def test_properties_tell_whether_there_are_values() -> None:
    for revealed in (False, True):
        suite = suite_of(as_junit(everything(), Voice(revealed=revealed)))
        told = {entry.get("name"): entry.get("value") for entry in suite.iter("property")}
        assert told["petaudit.contains_values"] == str(revealed).lower()
        assert told["petaudit.exit_code"] == "2"


def test_chinese() -> None:
    result = only(as_junit(view(card(status="measured", limit=None)), Voice(CHINESE)), "system-out")
    assert "未設定門檻" in (result.text or "")

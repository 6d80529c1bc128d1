"""SARIF is held against the parts of its schema that are used, and what code scanning asks for."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import given, settings
from tests.reports.views import HOSTILE, SECRET, card, everything, texts, view, views

from budget import examples
from petaudit.errors import counted, phrase
from petaudit.i18n.catalogue import CHINESE, LANGUAGES
from petaudit.i18n.voice import Voice
from petaudit.measures import all_measures
from petaudit.reports.sarif import as_sarif
from petaudit.reports.view import View


def closed(required: list[str], **properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": False,
    }


def array(items: object, **more: object) -> dict[str, object]:
    return {"type": "array", "items": items, **more}


TEXT = {"type": "string", "minLength": 1}
MESSAGE = closed(["text"], text={"type": "string"})
RULE = closed(
    # Code scanning asks for the descriptions and the help.
    ["id", "shortDescription", "fullDescription", "help"],
    id={"type": "string", "maxLength": 255},
    name={"type": "string", "maxLength": 255},
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=MESSAGE,
    defaultConfiguration=closed([], level={"enum": ["none", "note", "warning", "error"]}),
)
DRIVER = closed(
    ["name", "version", "rules"],
    name={"const": "petaudit"},
    version={"type": "string"},
    language={"type": "string", "pattern": "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$"},
    rules=array(RULE, uniqueItems=True),
)
NOTE = closed(["message"], level={"enum": ["warning", "error"]}, message=MESSAGE)
INVOCATION = closed(
    ["executionSuccessful"],
    executionSuccessful={"type": "boolean"},
    exitCode={"type": "integer"},
    exitCodeDescription={"type": "string"},
    toolExecutionNotifications=array(NOTE, minItems=1),
)
PLACE = closed(
    ["artifactLocation", "region"],
    artifactLocation=closed(["uri"], uri={**TEXT, "pattern": r"^[A-Za-z0-9%._~-][!-~]*$"}),
    region=closed(["startLine"], startLine={"type": "integer", "minimum": 1}),
)
RESULT = closed(
    ["ruleId", "ruleIndex", "kind", "level", "message", "locations", "partialFingerprints"],
    ruleId={"type": "string"},
    ruleIndex={"type": "integer", "minimum": 0},
    kind={"const": "fail"},
    level={"const": "error"},
    message=MESSAGE,
    # Code scanning refuses the whole file for one result without a place.
    locations=array(closed(["physicalLocation"], physicalLocation=PLACE), minItems=1),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    properties={"type": "object"},
)
RUN = closed(
    ["tool", "invocations", "results"],
    tool=closed(["driver"], driver=DRIVER),
    invocations=array(INVOCATION, minItems=1, maxItems=1),
    results=array(RESULT),
    properties={"type": "object"},
)
LOG = closed(
    ["$schema", "version", "runs"],
    version={"const": "2.1.0"},
    runs=array(RUN, minItems=1, maxItems=1),
    **{"$schema": {"type": "string", "pattern": r"sarif-schema-2\.1\.0\.json$"}},
)
CHECKER = jsonschema.Draft202012Validator(LOG)


def run_of(text: str) -> dict[str, Any]:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    log = json.loads(text, parse_constant=refuse)
    CHECKER.validate(log)
    run: dict[str, Any] = log["runs"][0]
    rules = [entry["id"] for entry in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    assert all(rules[entry["ruleIndex"]] == entry["ruleId"] for entry in run["results"])
    marks = [json.dumps(entry["partialFingerprints"]) for entry in run["results"]]
    assert len(marks) == len(set(marks))
    invocation = run["invocations"][0]
    notes = invocation.get("toolExecutionNotifications", [])
    if any(entry["level"] == "error" for entry in notes):
        assert not invocation["executionSuccessful"]
    return run


def messages(run: dict[str, Any]) -> list[str]:
    return [result["message"]["text"] for result in run["results"]]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_but_text(name: str, language: str) -> None:
    text = as_sarif(everything(name), Voice(language), location=name)
    run = run_of(text)
    assert len(run["results"]) == 3 + 2
    for told in messages(run):
        assert "](" not in told
        # No placeholder is left once the doubled braces are taken out.
        assert not {"{", "}"} & set(told.replace("{{", "").replace("}}", ""))
    assert all(mark == "\n" or mark.isprintable() or mark.isspace() for mark in text)


@given(views, texts)
@settings(max_examples=examples(60), deadline=None)
def test_any_view(made: View, location: str) -> None:
    for voice in (Voice(), Voice(CHINESE, revealed=True)):
        text = as_sarif(made, voice, location=location)
        run = run_of(text)
        wrong = sum(entry.status in ("failed", "error") for entry in made.cards) + len(
            made.problems
        )
        assert wrong <= len(run["results"]) <= wrong + 1
        assert run["results"] or made.exit_code == 0
        assert made.exit_code != 2 or not run["invocations"][0]["executionSuccessful"]
        assert SECRET not in text
        assert text == as_sarif(made, voice, location=location)


def test_a_breach() -> None:
    why = phrase("{rows} are too far", rows=counted(3, "row"))
    made = view(card(run="near", line=12, explanation=(why,)), kind="run")
    run = run_of(as_sarif(made, Voice(), location="ci/my audit.yaml"))
    (result,) = run["results"]
    assert result["ruleId"] == "t-closeness"
    assert result["message"]["text"].split("\n")[1] == "<5 rows are too far"
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "ci/my%20audit.yaml"},
        "region": {"startLine": 12},
    }
    assert result["properties"] == {"status": "failed", "value": 0.44, "limit": 0.4, "run": "near"}
    assert run["invocations"][0]["executionSuccessful"] is True
    assert run["invocations"][0]["exitCode"] == 1


def test_rules_are_the_measures_of_the_view() -> None:
    made = view(card(), card("k-anonymity", "passed", value=7.0, limit=5.0, better="higher"))
    rules = run_of(as_sarif(made, Voice()))["tool"]["driver"]["rules"]
    known = all_measures()["t-closeness"]
    assert [entry["id"] for entry in rules] == ["t-closeness", "k-anonymity"]
    assert rules[0]["name"] == "TCloseness"
    assert rules[0]["shortDescription"]["text"] == known.title
    assert rules[0]["fullDescription"]["text"] == known.question


def test_what_could_not_be_measured_is_a_finding_and_a_notification() -> None:
    made = view(
        card("l-diversity", "error", value=None, reason="no sensitive attribute"),
        problems=("run 3: the table no longer exists",),
        warnings=("a column is empty",),
    )
    run = run_of(as_sarif(made, Voice()))
    assert [entry["ruleId"] for entry in run["results"]] == ["l-diversity", "audit"]
    invocation = run["invocations"][0]
    assert invocation["executionSuccessful"] is False
    notes = [entry["level"] for entry in invocation["toolExecutionNotifications"]]
    assert notes == ["error", "error", "warning"]


def test_nothing_wrong_is_no_finding() -> None:
    made = view(card(status="passed", value=0.1), card("precision", "measured", limit=None))
    assert run_of(as_sarif(made, Voice()))["results"] == []


@pytest.mark.parametrize(
    ("location", "uri"),
    [
        ("audit.yaml", "audit.yaml"),
        ("./ci/audit.yaml", "ci/audit.yaml"),
        ("ci\\audit.yaml", "ci/audit.yaml"),
        ("/home/ann/audit.yaml", "audit.yaml"),
        ("C:\\Users\\ann\\audit.yaml", "audit.yaml"),
        ("\\\\server\\share\\audit.yaml", "audit.yaml"),
        ("file:///home/ann/audit.yaml", "audit.yaml"),
        ("file:/home/ann/audit.yaml", "audit.yaml"),
        ("~ann/audit.yaml", "audit.yaml"),
        ("../../home/ann/audit.yaml", "audit.yaml"),
        ("benchmark://adult", "adult"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
        ("資料/a?b#c.yaml", "%E8%B3%87%E6%96%99/a%3Fb%23c.yaml"),
        ("/", "petaudit"),
        ("..", "petaudit"),
        (".", "petaudit"),
    ],
)
def test_places_tell_nothing_about_the_machine(location: str, uri: str) -> None:
    (result,) = run_of(as_sarif(view(card()), Voice(), location=location))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


@given(texts)
@settings(max_examples=examples(100), deadline=None)
def test_any_place_is_relative(location: str) -> None:
    (result,) = run_of(as_sarif(view(card()), Voice(), location=location))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert ":" not in uri
    assert not PurePosixPath(unquote(uri)).is_absolute()
    assert ".." not in uri.split("/")


def test_without_a_place_it_is_the_subject() -> None:
    (result,) = run_of(as_sarif(view(card(), subject="my table.csv"), Voice()))["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "my%20table.csv"}, "region": {"startLine": 1}}


def test_fingerprints_outlive_figures_languages_and_lines() -> None:
    first = view(card(run="a", line=3))
    second = view(card(run="a", line=9, value=0.9), card("k-map", run="a"), card(run="b"))
    marks = [
        [
            result["partialFingerprints"]
            for result in run_of(as_sarif(made, Voice(language)))["results"]
        ]
        for made, language in ((first, "en"), (second, CHINESE))
    ]
    assert marks[0][0] == marks[1][0]
    assert marks[0][0] not in marks[1][1:]


def test_figures_that_json_lacks() -> None:
    (result,) = run_of(as_sarif(view(card(value=float("inf"))), Voice()))["results"]
    assert result["properties"]["value"] == "inf"


@pytest.mark.parametrize(("code", "verdict"), [(1, "failed"), (2, "error")])
def test_an_exit_code_never_looks_green(code: int, verdict: str) -> None:
    run = run_of(as_sarif(view(exit_code=code, verdict=verdict), Voice()))
    assert [result["ruleId"] for result in run["results"]] == ["audit"]


def test_chinese() -> None:
    made = view(verdict="error", exit_code=2)
    driver = run_of(as_sarif(made, Voice(CHINESE)))["tool"]["driver"]
    assert driver["language"] == "zh-TW"
    assert driver["rules"][0]["shortDescription"]["text"] == "整體稽核"

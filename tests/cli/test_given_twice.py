"""What is given twice, or could hold for every table, is an error of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from petaudit.cli import main
from petaudit.cli.parser import build_parser
from petaudit.errors import OptionError
from petaudit.pipelines.configuration import with_overrides
from petaudit.system.yaml_files import parse_yaml


def commands() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def options(kinds: tuple[type, ...]) -> list[tuple[str, str, str]]:
    """Command, option, and a value that the option takes."""
    return [
        (command, option, str(next(iter(action.choices or ["1"]))))
        for command, parser in commands()
        for action in parser._actions
        if isinstance(action, kinds) and action.nargs is None
        for option in action.option_strings[-1:]
        if option != "--lang"  # it judges nothing, and the later one counts
    ]


def positionals(command: str) -> list[str]:
    [parser] = [own for name, own in commands() if name == command]
    needed = [own for own in parser._actions if not own.option_strings and own.nargs in (None, "+")]
    required = [text for own in parser._actions if own.required and own.option_strings
                for text in (own.option_strings[-1], "a=1")]  # fmt: skip
    return ["x" for _ in needed] + required


@pytest.mark.parametrize(("command", "option", "value"), options((argparse._StoreAction,)))
def test_an_option_of_one_value_is_given_once(
    command: str, option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    needed = positionals(command)
    given = [command, *needed, *([] if option in needed else [option, value])]
    assert build_parser().parse_args(given)
    for again in ([option, value], [f"{option}={value}"]):
        with pytest.raises(SystemExit) as caught:
            build_parser().parse_args([*given, *again])
        assert caught.value.code == 2
        said = capsys.readouterr().err
        assert f"{option}" in said
        assert "given twice; it takes one value" in said


def test_the_options_of_this_test_are_those_that_judge() -> None:
    once = {(command, option) for command, option, _ in options((argparse._StoreAction,))}
    assert {("check", "--k"), ("check", "--t"), ("check", "--suppressed"), ("mpuccs", "--limit"),
            ("run", "--out"), ("generalize", "--suppress-below")} <= once  # fmt: skip
    several = {(command, option) for command, option, _ in options((argparse._AppendAction,))}
    assert {("check", "--qi"), ("check", "--limit"), ("run", "--set")} <= several
    assert build_parser().parse_args(["check", "x", "--qi", "a", "--qi", "b"]).qi == ["a", "b"]


ROWS = "zip,ill\na,flu\na,cold\nb,flu\nb,cold\n"


@pytest.mark.parametrize(
    "given",
    [
        ["--k", "0"],
        ["--k", "0.999999999999999999999"],
        ["--l", "0"],
        ["--t", "2"],
        ["--limit", "prosecutor-risk=1.5"],
        ["--limit", "alpha-k-anonymity=7"],
        ["--limit", "suppression=1.01"],
        ["--min-precision", "-1"],
        ["--k", "300", "--limit", "k-anonymity=1"],
        ["--limit", "k-anonymity=300", "--limit", "K_Anonymity=1"],
        ["--t", "nan"],
        ["--t", "inf"],
        ["--k", "2", "--measures", ""],
        ["--limit", "k-map=1"],
    ],
    ids=" ".join,
)
def test_what_every_table_would_keep_is_an_error(
    given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(ROWS, encoding="utf-8")
    assert main(["check", str(path), "--qi", "zip", "--sensitive", "ill", *given]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("limit", [["--t", "1"], ["--l", "1"], ["--k", "1"]])
def test_where_every_row_is_suppressed_nothing_passes(
    limit: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("zip,ill\n*,flu\n*,cold\n", encoding="utf-8")
    given = ["check", str(path), "--qi", "zip", "--sensitive", "ill", "--suppressed", "exclude"]
    assert main([*given, *limit]) == 2
    assert "every row is suppressed: there is no class to measure" in capsys.readouterr().err


FILE = "Evaluator: {x: {method: k-anonymity, limit: 5, roles: {quasi_identifier: zip}}}"


@pytest.mark.parametrize(
    "changes",
    [
        ["Evaluator.x.limit=300", "Evaluator.x.limit=1"],
        ["Evaluator.x.roles.quasi_identifier=zip", "Evaluator.x.roles={}"],
    ],
    ids=" ".join,
)
def test_a_setting_is_changed_once(changes: list[str]) -> None:
    document = parse_yaml(FILE, "audit.yaml")
    with pytest.raises(OptionError, match="duplicate setting"):
        with_overrides(document, changes)
    assert with_overrides(document, changes[:1]).value


@pytest.mark.parametrize(
    "again", ["limit: 5, limit: 1", "limit: 0", "limit: 2, allowed_worsening: .inf"]
)
def test_files_are_as_strict(
    again: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.csv").write_text(ROWS, encoding="utf-8")
    path = tmp_path / "audit.yaml"
    path.write_text(
        "Loader: {t: {filepath: table.csv, roles: {quasi_identifier: zip}}}\n"
        f"Evaluator: {{k: {{method: k-anonymity, {again}}}}}\n",
        encoding="utf-8",
    )
    assert main(["run", str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1

"""The command line in Traditional Chinese: chosen how, said where, and never wider than asked."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from cli import test_bad_input, test_mpuccs_bad_input
from petaudit import datasets
from petaudit.cli.language import translated_argparse
from petaudit.cli.parser import build_parser
from petaudit.i18n.catalogue import CHINESE, ENGLISH, catalogue, language, use_language
from petaudit.i18n.phrases import Phrase, render
from petaudit.i18n.text import folded, width_of
from petaudit.measures import all_measures
from petaudit.reports.terminal import coloured

Run = Callable[..., Any]
Write = Callable[[str, "str | bytes"], Path]

COMMANDS = (
    *("check", "generalize", "mpuccs", "run", "init", "validate", "schema", "measures"),
    *("datasets", "demo"),
)
IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")
ERROR = re.compile(r"petaudit(?: [a-z]+)?: 錯誤：(.*)")
ROLES = ("--qi", "zip,age", "--sensitive", "disease")
PIPELINE = """\
Loader:
  t: {filepath: table.csv, roles: {quasi_identifier: [zip, age], sensitive_attribute: disease}}
Evaluator:
  close: {method: t-closeness, limit: 0.2}
  classes: {method: k-anonymity, limit: 2}
"""


def named(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@pytest.fixture
def chinese(run: Run) -> Run:
    """Run a command in Traditional Chinese."""
    return lambda *arguments: run("--lang", CHINESE, *arguments)


@pytest.fixture
def pipeline(table: Path, write: Write) -> Path:
    return write("audit.yaml", PIPELINE)


@pytest.fixture
def spoken_chinese() -> Iterator[None]:
    use_language(CHINESE)
    yield
    use_language(ENGLISH)


def english_pieces() -> list[str]:
    """What the English texts say between their fields, where that is at least three words."""
    found = set()
    for text in catalogue(CHINESE):
        for literal, *_ in Formatter().parse(text):
            if sum(bool(re.search("[A-Za-z]{2}", word)) for word in literal.split()) >= 3:
                found.add(" ".join(literal.split()))
    return sorted(found)


ENGLISH_PIECES = english_pieces()
BIBLIOGRAPHY = {" ".join(measure.reference.split()) for measure in all_measures().values()}


def left_in_english(text: str) -> list[str]:
    joined = " ".join(text.split())
    for reference in BIBLIOGRAPHY:
        joined = joined.replace(reference, "")
    return [piece for piece in ENGLISH_PIECES if piece in joined]


def outside_tables(text: str) -> list[str]:
    """Lines that are no part of a table, whose first columns are as wide as their cells."""
    lines, is_table = [], False
    for line in text.splitlines():
        if re.fullmatch("-+(  +-+)*", line):
            is_table = True
            lines.pop()
        elif not line:
            is_table = False
        if not is_table:
            lines.append(line)
    return lines


# Which language.


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ENGLISH),
        ({"LANG": "zh_TW.UTF-8"}, CHINESE),
        ({"LANG": "zh_TW"}, CHINESE),
        ({"LANG": "zh_HK.UTF-8"}, CHINESE),
        ({"LANG": "zh_Hant_TW"}, CHINESE),
        ({"LANG": "zh_CN.UTF-8"}, ENGLISH),
        ({"LANG": "de_DE.UTF-8"}, ENGLISH),
        ({"LANG": "C"}, ENGLISH),
        ({"LANG": "C.UTF-8"}, ENGLISH),
        ({"LC_MESSAGES": "zh_TW", "LANG": "en_US"}, CHINESE),
        ({"LC_MESSAGES": "en_US", "LANG": "zh_TW"}, ENGLISH),
        ({"LC_ALL": "C", "LC_MESSAGES": "zh_TW", "LANG": "zh_TW"}, ENGLISH),
        ({"LC_ALL": "zh_TW", "LC_MESSAGES": "C", "LANG": "C"}, CHINESE),
        ({"PETAUDIT_LANG": "en", "LC_ALL": "zh_TW"}, ENGLISH),
        ({"PETAUDIT_LANG": "zh-TW", "LC_ALL": "C"}, CHINESE),
        ({"PETAUDIT_LANG": "zh_tw"}, CHINESE),
        ({"PETAUDIT_LANG": "", "LANG": "zh_TW"}, CHINESE),
    ],
    ids=str,
)
def test_the_environment_chooses(
    environment: dict[str, str], expected: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    result = run("measures")
    assert (result.code, result.err) == (0, "")
    assert bool(IDEOGRAPH.search(result.out)) == (expected == CHINESE)
    for option, is_chinese in ((ENGLISH, False), (CHINESE, True)):
        assert bool(IDEOGRAPH.search(run("measures", "--lang", option).out)) is is_chinese


@pytest.mark.parametrize(
    ("arguments", "is_chinese"),
    [
        (("--lang", "zh-TW", "measures"), True),
        (("measures", "--lang", "zh-TW"), True),
        (("measures", "--lang=zh-TW"), True),
        (("--lang=zh_TW.UTF-8", "measures"), True),
        (("--lang", "en", "measures", "--lang", "zh-TW"), True),
        (("--lang", "zh-TW", "measures", "--lang", "en"), False),
        (("measures", "--lang=zh-TW", "--lang=EN"), False),
        (("measures",), False),
    ],
    ids=named,
)
def test_the_option_stands_anywhere_and_the_later_one_counts(
    arguments: tuple[str, ...], is_chinese: bool, run: Run
) -> None:
    result = run(*arguments)
    assert (result.code, result.err) == (0, "")
    assert bool(IDEOGRAPH.search(result.out)) is is_chinese
    assert bool(IDEOGRAPH.search(run(*arguments, "--help").out)) is is_chinese


@pytest.mark.parametrize(
    "arguments",
    [
        ("--lang", "de", "demo"),
        ("demo", "--lang", "zh-CN"),
        ("demo", "--lang="),
        ("--help", "--lang", "klingon"),
        ("--lang", "zh-TW", "demo", "--lang", "x"),
    ],
    ids=named,
)
def test_a_wrong_option_is_an_error(arguments: tuple[str, ...], run: Run) -> None:
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert re.fullmatch(
        r"petaudit: error: --lang must be one of en, zh-TW, got '[^']*'.*\n", result.err
    )


def test_an_option_without_a_value_is_an_error_of_the_parser(run: Run) -> None:
    for arguments in (("measures", "--lang"), ("measures", "--lang", "--format", "json")):
        result = run(*arguments)
        assert (result.code, result.out) == (2, "")
        assert "argument --lang: expected one argument" in result.err


def test_a_wrong_variable_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PETAUDIT_LANG", "zh-TWW")
    result = run("measures")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "petaudit: error: PETAUDIT_LANG must be one of en, zh-TW, got 'zh-TWW' (did you mean "
        "'zh-TW'?)\n"
    )
    # What nobody looks at may be wrong.
    assert run("measures", "--lang", "en").code == 0


def test_a_wrong_choice_is_said_in_the_language_spoken_without_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "zh_TW.UTF-8")
    assert ERROR.match(run("measures", "--lang", "de").err)
    monkeypatch.setenv("PETAUDIT_LANG", "de")
    assert ERROR.match(run("measures").err)
    monkeypatch.setenv("PETAUDIT_LANG", "en")
    said = run("measures", "--lang", "de").err
    assert said.startswith("petaudit: error: --lang must be one of en, zh-TW, got 'de'")


@pytest.mark.parametrize(
    "arguments",
    [("measures",), ("--help",), ("check", "nofile.csv", "--qi", "a"), ("chekc",), ("--lang", "x")],
    ids=named,
)
def test_the_language_lasts_as_long_as_the_command(
    arguments: tuple[str, ...], chinese: Run
) -> None:
    before = {name: vars(argparse)[name] for name in ("_", "ngettext")}
    chinese(*arguments)
    assert language() == ENGLISH
    assert {name: vars(argparse)[name] for name in before} == before


def test_english_reads_no_catalogue(run: Run, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petaudit.i18n.catalogue.files", pytest.fail)
    catalogue.cache_clear()
    assert run("--help").code == 0
    assert run("check", table, *ROLES, "--t", "0.2").code == 1


def test_english_leaves_argparse_alone() -> None:
    before = vars(argparse)["_"]
    with translated_argparse():
        assert vars(argparse)["_"] is before


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("measures",), marks=pytest.mark.long),
        pytest.param(("--help",), marks=pytest.mark.long),
        ("check", "nofile.csv"),
    ],
)
def test_a_terminal_without_unicode_is_no_reason_to_fail(
    arguments: tuple[str, ...], run_process: Run
) -> None:
    plain = {"PYTHONIOENCODING": "ascii"}
    english = run_process(*arguments)
    # A locale that cannot be shown is not followed; an explicit wish is, in escapes.
    assert run_process(*arguments, env={**plain, "LC_ALL": "zh_TW"}) == english
    asked = run_process(*arguments, env={**plain, "PETAUDIT_LANG": CHINESE})
    assert asked.code == english.code
    assert (asked.out + asked.err).isascii()
    assert "\\u" in asked.out + asked.err
    assert "Traceback" not in asked.err
    spoken = run_process(*arguments, env={"PYTHONIOENCODING": "utf-8", "LC_ALL": "zh_TW"})
    assert IDEOGRAPH.search(spoken.out + spoken.err)


# Help.


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_chinese(command: str, chinese: Run, run: Run) -> None:
    result = chinese(*command.split(), "--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"用法：{' '.join(('petaudit', command)).strip()} [-h]")
    assert left_in_english(result.out) == []
    for word in ("usage", "options:", "positional", "show this", "exit code"):
        assert word not in result.out
    english = run(*command.split(), "--help").out
    options = re.compile(r"^ +(--?[a-z-]+)", re.MULTILINE)
    assert options.findall(result.out.partition("\n\n")[2]) == options.findall(
        english.partition("\n\n")[2]
    )


def texts_of_help(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from (own for own in (action.help,) if own)
        if isinstance(action, argparse._SubParsersAction):
            yield from (choice.help for choice in action._choices_actions if choice.help)
            for own in action.choices.values():
                yield from texts_of_help(own)


def test_every_text_of_the_help_is_in_the_catalogue() -> None:
    with translated_argparse():
        for text in texts_of_help(build_parser()):
            assert isinstance(text, Phrase) or text in catalogue(CHINESE), text
            assert IDEOGRAPH.search(render(text, CHINESE) + catalogue(CHINESE).get(text, "")), text


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_the_terminal(
    command: str, columns: int, chinese: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    usage, _, rest = chinese(*command.split(), "--help").out.partition("\n\n")
    # Names of options and of choices cannot be broken.
    for line in rest.splitlines():
        assert width_of(line) <= columns or line.isascii()
        assert not line.lstrip().startswith(tuple("，。；：、）」"))
    assert usage.startswith("用法：petaudit")
    if columns == 80:
        starts = {len(line) - len(line.lstrip()) for line in usage.splitlines()[1:]}
        # Below what stands behind the name, where an ideograph takes two columns.
        assert starts <= {width_of(f"用法：petaudit {command} ".replace("  ", " "))}


# What the commands print.


def test_check(table: Path, chinese: Run, run: Run) -> None:
    arguments = ("check", table, *ROLES, "--t", "0.2", "--k", "2", "--details")
    found, english = chinese(*arguments), run(*arguments)
    assert (found.code, found.err) == (english.code, english.err) == (1, "")
    lines = found.out.splitlines()
    assert lines[0].endswith("：table.csv、4 列、3 個欄位")
    assert lines[1].startswith("判定：2 項門檻中有 1 項未通過：t-closeness 為 0.25，")
    assert "\n  準識別符：zip、age\n" in found.out
    assert re.search(r"^指標 +數值 +門檻 +判定 +較佳$", found.out, re.MULTILINE)
    assert re.search(r"^t-closeness +0.25 +至多 0.2 +未通過 ", found.out, re.MULTILINE)
    assert re.search(r"^k-anonymity +2 +至少 2 +通過 ", found.out, re.MULTILINE)
    assert left_in_english(found.out) == []


def test_the_table_is_aligned_by_columns_of_the_terminal(table: Path, chinese: Run) -> None:
    header, rule, *rows = (
        chinese("check", table, *ROLES, "--t", "0.2").out.split("\n\n")[1].split("\n")
    )
    ends = [place.end() for place in re.finditer("-+", rule)]
    for line in (header, *(row for row in rows if not row.endswith("："))):
        columns = "".join(mark * width_of(mark) for mark in line).ljust(len(rule))
        for end in ends[:-1]:
            assert columns[end : end + 2] == "  "


def test_verdicts_are_coloured(table: Path, chinese: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        isatty = staticmethod(lambda: True)

    text = chinese("check", table, *ROLES, "--t", "0.2", "--k", "2").out
    monkeypatch.setattr(sys, "stdout", Terminal)
    use_language(CHINESE)
    try:
        shown = coloured(text)
    finally:
        use_language(ENGLISH)
    assert "\033[31;1m未通過\033[0m" in shown
    assert "\033[32m通過\033[0m" in shown
    assert shown.count("\033[0m") == 2


def test_check_writes_what_it_prints(table: Path, chinese: Run) -> None:
    arguments = ("check", table, *ROLES, "--t", "0.2")
    printed = chinese(*arguments)
    written = chinese(*arguments, "--out", "report.txt")
    assert written.out == ""
    assert Path("report.txt").read_text(encoding="utf-8") == printed.out


@pytest.mark.parametrize("details", [(), ("--details",)])
def test_demo(details: tuple[str, ...], chinese: Run) -> None:
    result = chinese("demo", *details)
    assert (result.code, result.err) == (0, "")
    said = "判定：5 項門檻全部通過，但仍有待釐清的問題："
    assert result.out.splitlines()[1].startswith(said)
    assert ("\n未納入\n" if details else "\n未納入：6 個指標，") in result.out
    assert left_in_english(result.out) == []


def test_measures(chinese: Run) -> None:
    result = chinese("measures")
    assert (result.code, result.err) == (0, "")
    assert left_in_english(result.out) == []
    for name in all_measures():
        about = chinese("measures", name)
        assert about.code == 0
        assert about.out.startswith(f"{name}\n  ")
        assert left_in_english(about.out) == []
        question, *_ = about.out.splitlines()[1:]
        assert IDEOGRAPH.search(question)


def test_datasets(chinese: Run) -> None:
    result = chinese("datasets")
    assert result.code == 0
    assert re.match("名稱 +列數 +說明\n", result.out)
    name = datasets.names()[0]
    assert chinese("datasets", name).out == f"{datasets.load(name).path}\n"


def test_generalize(table: Path, hierarchies: Path, chinese: Run) -> None:
    given = ("generalize", table, "--levels", "zip=1", "--hierarchies", hierarchies)
    result = chinese(*given, "--out", "g.csv")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("已寫入 g.csv：4 列，其中 0 列被抑制\n")


def test_mpuccs(write: Write, chinese: Run) -> None:
    write("o.csv", "a;b;c\n1;x;3\n2;y;4\n3;z;5\n3;z;5\n")
    write("s.csv", "a;b;c\n1;x;3\n2;y;9\n7;z;8\n")
    result = chinese("mpuccs", "o.csv", "s.csv", "--limit", "0.1", "--control", "s.csv")
    assert result.code == 1
    assert "\n判定：門檻未通過：mpuccs 為 1，要求至多 0.1（結束碼 1）\n" in result.out
    assert re.search(r"^mpuccs +1 +至多 0.1 +未通過$", result.out, re.MULTILINE)
    assert re.search(r"^已移除的重複列 +原始資料表 1 列$", result.out, re.MULTILINE)
    assert left_in_english(result.out) == []
    quiet = chinese("mpuccs", "o.csv", "s.csv", "--quiet", "--out", "tables")
    assert quiet.out.startswith("判定：沒有設定門檻，因此未作判定（結束碼 0）\n")


def test_run_and_validate(pipeline: Path, chinese: Run) -> None:
    valid = chinese("validate", pipeline)
    assert (valid.code, valid.err) == (0, "")
    assert valid.out.startswith("audit.yaml 有效：2 次執行\n  Loader[t]_")
    result = chinese("run", pipeline, "--out", "out")
    assert (result.code, result.err) == (1, "")
    title, verdict, *_ = result.out.splitlines()
    assert title.endswith("：audit.yaml、2 次執行，1 個資料表")
    assert verdict == (
        "判定：2 項門檻中有 1 項未通過：t-closeness（第 4 行） 為 0.25，要求至多 0.2（結束碼 1）"
    )
    assert left_in_english(result.out) == []
    quiet = chinese("run", pipeline, "--out", "out", "--quiet")
    assert quiet.out == f"{verdict}\n"


def test_results_that_were_kept_are_said_in_chinese(
    pipeline: Path, chinese: Run, run: Run, write: Write
) -> None:
    """Texts come back from the files of the interrupted run."""
    wrong = "  wrong: {method: k-map, population_size: 1}\n"
    write("audit.yaml", PIPELINE + wrong)
    first = run("run", pipeline, "--out", "out")
    assert first.code == 2
    again = chinese("run", pipeline, "--out", "out", "--resume")
    assert again.code == 2
    section = again.out.partition("\nLoader[t]_Evaluator[close]\n")[2].partition("\n\n")[0]
    assert IDEOGRAPH.search(section)
    assert left_in_english(again.out) == []


def test_init(table: Path, chinese: Run) -> None:
    result = chinese("init", table)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("已寫入 audit.yaml，")
    assert re.search("^欄位 +角色 +原因$", result.out, re.MULTILINE)
    assert "\n  petaudit validate audit.yaml\n  petaudit run audit.yaml --report" in result.out
    assert left_in_english(result.out) == []
    assert chinese("validate", "audit.yaml").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "table.csv", *ROLES, "--t", "0.2"),
        ("measures",),
        ("validate", "audit.yaml"),
        ("schema",),
        ("demo",),
    ],
    ids=lambda given: given[0],
)
def test_documents_stay_english(
    arguments: tuple[str, ...], pipeline: Path, chinese: Run, run: Run
) -> None:
    more = () if arguments == ("schema",) else ("--format", "json")
    assert chinese(*arguments, *more) == run(*arguments, *more)


def test_files_of_a_run_stay_english(pipeline: Path, chinese: Run) -> None:
    found = chinese("run", pipeline, "--out", "out", "--format", "json")
    document = json.loads(found.out)
    for text in (own for result in document["results"] for own in result["explanation"]):
        assert not IDEOGRAPH.search(text)
    for path in Path("out").iterdir():
        assert not IDEOGRAPH.search(path.read_text(encoding="utf-8"))


def test_wrong_files_are_documented_in_english(chinese: Run, run: Run, write: Write) -> None:
    write(
        "bad.yaml", "Loader:\n  t: {filepath: nofile.csv}\nEvaluator: {x: {method: k-anonimity}}\n"
    )
    arguments = ("validate", "bad.yaml", "--format", "json")
    assert chinese(*arguments) == run(*arguments)
    result = chinese("validate", "bad.yaml")
    assert result.code == 2
    assert_errors_are_chinese(result.err)


# How wide it is.


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "table.csv", *ROLES, "--t", "0.2"),
        ("check", "table.csv", *ROLES, "--details"),
        ("demo",),
        ("demo", "--details"),
        ("measures",),
        ("measures", "t-closeness", "mpuccs", "k-map", "profitability"),
        ("datasets",),
        ("run", "audit.yaml"),
        ("init", "table.csv", "--out", "new.yaml"),
        ("mpuccs", "table.csv", "table.csv", "--limit", "0.1", "--out", "tables"),
    ],
    ids=named,
)
def test_no_line_is_wider_than_the_terminal(
    arguments: tuple[str, ...],
    columns: int,
    pipeline: Path,
    chinese: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = chinese(*arguments).out
    # The first columns of a table are as wide as their cells, which may be too much for 40.
    for line in out.splitlines() if columns == 80 else outside_tables(out):
        # A command is kept on one line, to be copied.
        is_command = line.lstrip().startswith("petaudit ")
        assert width_of(line) <= columns or is_command or "/" in line, line
        assert not line.lstrip().startswith(tuple("，。；：、）」")), line


@pytest.mark.usefixtures("spoken_chinese")
def test_chinese_breaks_between_ideographs() -> None:
    text = "每個等價類至少須有五列（k-匿名性），否則「未通過」。"
    for room in range(8, 40):
        lines = folded(text, room, room)
        assert "".join(lines) == text
        assert all(width_of(line) <= room for line in lines)
        assert not any(line.startswith(tuple("，。；：、）」")) for line in lines)
        assert not any(line.endswith(("（", "「", "k-")) for line in lines)


@pytest.mark.usefixtures("spoken_chinese")
@pytest.mark.parametrize(
    "text",
    [
        "，" * 60,
        "（" * 60,
        "a" * 100 + "，" + "b" * 100,
        "「" + "x" * 30 + "」，。" * 20,
        "",
        "   ",
        "k-" * 40 + "匿",
        "値\u3000全形空白",
        "年齡 " * 30,
    ],
)
def test_any_text_is_folded_and_nothing_is_lost(text: str) -> None:
    lines = folded(text, 20, 18)
    assert "".join("".join(lines).split(" ")) == "".join(text.split(" "))
    assert all(width_of(line) <= 20 for line in lines)


def test_english_does_not_break_between_ideographs() -> None:
    assert folded("one 年齡郵遞", 8, 8) == ["one", "年齡郵遞"]


# Wrong input.


def assert_errors_are_chinese(err: str) -> None:
    assert err
    for line in err.splitlines():
        if line.startswith("petaudit"):
            found = ERROR.fullmatch(line)
            assert found, line
            assert IDEOGRAPH.search(found[1]), line
        else:
            assert re.fullmatch("請參閱「petaudit(?: [a-z]+)? --help」。", line), line
    assert left_in_english(err) == []


@pytest.mark.parametrize(
    "case", [*test_bad_input.OUTSIDE, *test_bad_input.INSIDE], ids=lambda case: case.name
)
def test_errors_of_check_are_chinese(case: test_bad_input.Case, write: Write, chinese: Run) -> None:
    write("table.csv", test_bad_input.GOOD)
    for name, content in case.files.items():
        write(name, content)
    result = chinese("check", case.table, *case.arguments)
    assert result.code == 2
    assert_errors_are_chinese(result.err)
    assert test_bad_input.CELL not in result.err


@pytest.mark.parametrize("case", test_mpuccs_bad_input.EVERYTHING, ids=lambda case: case.name)
def test_errors_of_mpuccs_are_chinese(
    case: test_mpuccs_bad_input.Case, write: Write, chinese: Run
) -> None:
    for name in test_mpuccs_bad_input.TABLES:
        write(name, test_mpuccs_bad_input.GOOD)
    for name, content in case.files.items():
        write(name, content)
    result = chinese("mpuccs", *case.arguments, "--out", "o")
    assert (result.code, result.out) == (2, "")
    assert_errors_are_chinese(result.err)
    assert test_mpuccs_bad_input.CELL not in result.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("chekc",),
        ("--nonsense",),
        ("check",),
        ("generalize", "t"),
        ("generalize", "table.csv", "--levels", "zip"),
        ("generalize", "table.csv", "--levels", "zip=x"),
        ("init", "table.csv", "--out", ""),
        ("init", "table.csv", "--out", "no/folder.yaml"),
        ("init", "nofile.csv"),
        ("run", "nofile.yaml"),
        ("run", "table.csv", "--out", ""),
        ("validate", "nofile.yaml", "neither.yaml"),
        ("measures", "k-anonimity"),
        ("datasets", "adlt"),
        ("datasets", "adult", "--original"),
    ],
    ids=named,
)
def test_errors_of_other_commands_are_chinese(
    arguments: tuple[str, ...], table: Path, chinese: Run
) -> None:
    result = chinese(*arguments)
    assert (result.code, result.out) == (2, "")
    assert_errors_are_chinese(result.err)


def test_an_unforeseen_error_is_told_in_chinese(
    table: Path, chinese: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("cell")

    monkeypatch.setattr("petaudit.cli.check.audit", fail)
    result = chinese("check", table)
    assert result.code == 2
    assert result.err.startswith("petaudit: 內部錯誤（ZeroDivisionError）")


def test_an_interruption_is_told_in_chinese(
    table: Path, chinese: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("petaudit.cli.check.audit", interrupt)
    assert chinese("check", table).err == "petaudit: 已中斷\n"

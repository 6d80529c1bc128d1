"""Every column is accounted for, and limits that hold are not all that a verdict says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Tree

import pyarrow as pa
import pytest

import petaudit
from petaudit.cli import main
from petaudit.judging.gate import Figure, conclude, open_questions, tables_of
from petaudit.judging.review import ColumnReview

ROWS = 40
TABLE: dict[str, list[Any]] = {
    "zip": [f"10{row % 2}" for row in range(ROWS)],
    "disease": [("flu", "cold")[row // 2 % 2] for row in range(ROWS)],
}
NAMES = [f"Person {row}" for row in range(ROWS)]
NUMBERS = list(range(7000, 7000 + ROWS))
MAILS = [f"p{row}@example.org" for row in range(ROWS)]
ROLES: dict[str, Any] = {"quasi_identifiers": ["zip"], "sensitive": ["disease"]}
K: dict[str, Any] = {"options": {"k-anonymity": {"limit": 5}, "l-diversity": {"limit": 2}}}
NAMING = {"full name": NAMES, "record_no": NUMBERS, "contact": MAILS}


def audited(columns: dict[str, list[Any]] | None = None, **given: Any) -> petaudit.Audit:
    return petaudit.audit(pa.table(TABLE | (columns or {})), **(ROLES | K | given))


def written(folder: Path, columns: dict[str, list[Any]]) -> Path:
    path = folder / "released.csv"
    table = TABLE | columns
    lines = zip(*table.values(), strict=True)
    text = [";".join(table), *(";".join(map(str, row)) for row in lines)]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path


def test_a_table_whose_columns_all_have_a_role_is_green() -> None:
    result = audited()
    assert (result.verdict, result.exit_code, result.open_questions) == ("passed", 0, ())


@pytest.mark.parametrize("column", NAMING)
def test_a_column_that_names_people_breaks_the_release(column: str) -> None:
    result = audited({column: NAMING[column]})
    assert (result.verdict, result.exit_code) == ("failed", 1)
    assert column in result.columns.names_people
    [problem] = result.problems
    assert problem.startswith(f"the table still names people: {column} looks like an identifier")


def test_it_breaks_the_release_without_any_limit() -> None:
    result = audited({"email": MAILS}, options=None)
    assert (result.verdict, result.exit_code) == ("failed", 1)


def test_until_it_is_said_to_be_harmless_or_is_empty() -> None:
    roles = {"zip": "quasi_identifier", "disease": "sensitive_attribute"}
    roles |= dict.fromkeys(NAMING, "insensitive_attribute")
    told = audited(NAMING, quasi_identifiers=None, sensitive=None, roles=roles)
    assert (told.verdict, told.problems) == ("passed", ())
    empty = audited({"email": ["*"] * ROWS})
    assert (empty.verdict, empty.problems) == ("passed", ())
    nothing = pa.array([None] * ROWS, pa.string())
    assert audited({"email": nothing}).problems == ()  # type: ignore[dict-item]


def test_a_declared_identifier_that_is_partly_suppressed_still_names_people() -> None:
    roles = {"zip": "quasi_identifier", "disease": "sensitive_attribute", "who": "identifier"}
    given: dict[str, Any] = {"quasi_identifiers": None, "sensitive": None, "roles": roles}
    result = audited({"who": ["*"] * (ROWS - 1) + ["Ann"]}, **given)
    assert result.exit_code == 1
    assert result.problems == (
        "the table still names people: who is an identifier and still holds values; remove it",
    )
    cells = pa.array([None] * (ROWS - 1) + ["*"], pa.string())
    assert audited({"who": cells}, **given).exit_code == 0  # type: ignore[dict-item]


@pytest.mark.parametrize(("nameless", "is_asked"), [(ROWS // 2 - 1, True), (ROWS // 2, False)])
def test_a_column_that_is_half_empty_tells_nobody_apart(nameless: int, is_asked: bool) -> None:
    people: list[Any] = [f"p{row // 2}@example.org" for row in range(ROWS)]
    result = audited({"email": people[nameless:] + ["*"] * nameless})
    assert (result.columns.people is not None) is is_asked


@pytest.mark.parametrize(
    ("told", "is_idle"),
    [({}, True), ({"strict": True}, False), ({"conditions": ["k at least 5"]}, False)],
)
def test_a_document_says_why_a_limit_at_the_end_of_the_range_is_not_idle(
    told: dict[str, Any], is_idle: bool
) -> None:
    entry = {"measure": "strict-average-risk", "status": "passed", "value": 0.5, "limit": 1.0}
    figure = Figure.of(entry | told)
    assert figure.is_idle is is_idle
    assert any("no table could break" in text for text in open_questions([figure])) is is_idle


def test_numbers_that_only_differ_are_a_question_and_not_a_breach() -> None:
    result = audited({"reading": NUMBERS})
    assert (result.verdict, result.exit_code) == ("passed", 0)
    [question] = result.open_questions
    assert question.endswith("reading (nearly every value differs)")


def test_the_column_that_joins_the_tables_is_there_for_that() -> None:
    table = {"id": NUMBERS}
    original = pa.table(TABLE | table)
    result = audited(table, original=original, key="id", measures=["k-anonymity", "l-diversity"])
    assert (result.verdict, result.open_questions) == ("passed", ())


def test_strict_leaves_columns_without_a_role_undecided() -> None:
    columns = {"town": ["x"] * 20 + ["y"] * 20}
    assert audited(columns).exit_code == 0
    strict = audited(columns, strict=True)
    assert (strict.verdict, strict.exit_code) == ("error", 2)
    assert audited(strict=True).exit_code == 0
    assert audited(columns, strict=True, options=None).exit_code == 2


@pytest.mark.parametrize("command", ["check", "run"])
def test_commands_and_reports_name_them(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = written(tmp_path, {"email": MAILS, "town": ["x"] * 20 + ["y"] * 20})
    files = [tmp_path / f"r.{ending}" for ending in ("html", "md", "xml", "sarif")]
    reports = [part for path in files for part in ("--report", str(path))]
    document = tmp_path / "d.json"
    if command == "check":
        limits = ["--k", "5", "--l", "2"]
        arguments = ["check", str(table), "--qi", "zip", "--sensitive", "disease", *limits]
        assert main([*arguments, "--format", "json", "--out", str(document)]) == 1
    else:
        audit = tmp_path / "audit.yaml"
        audit.write_text(
            "Loader: {t: {filepath: released.csv, roles: {quasi_identifier: zip, "
            "sensitive_attribute: disease}}}\n"
            "Evaluator:\n  k: {method: k-anonymity, limit: 5}\n"
            "  l: {method: l-diversity, limit: 2}\n"
        )
        arguments = ["run", str(audit), "--out", str(tmp_path / "out")]
        document = tmp_path / "out" / "result.json"
    assert main([*arguments, *reports]) == 1
    said = capsys.readouterr().out
    assert "the table still names people: email looks like an identifier" in said
    assert "columns without a role, which no measure looked at: town" in said
    assert "Verdict: the table still names people (exit code 1)" in said
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert "the table still names people" in text
        assert "town (quasi-identifier?)" in text.replace("`", "")
    cases = Tree.fromstring(files[2].read_bytes()).iter("testcase")  # noqa: S314 (our own)
    failed = [item.get("name") for item in cases if item.find("failure") is not None]
    assert failed == ["release 1"]
    results = json.loads(files[3].read_text())["runs"][0]["results"]
    assert [item["level"] for item in results] == ["error", "warning"]
    kept = json.loads(document.read_text())
    assert (kept["verdict"], kept["exit_code"], len(kept["problems"])) == ("failed", 1, 1)
    # A report is made of the document alone, and says the same.
    assert main(["report", str(document), "--out", str(tmp_path / "again.md")]) == 0
    assert "still names people" in (tmp_path / "again.md").read_text()


@pytest.mark.parametrize("key", ["problems", "open_questions", "columns"])
def test_a_document_cannot_keep_silent_about_them(key: str, tmp_path: Path) -> None:
    document = audited({"email": MAILS, "town": ["x"] * 20 + ["y"] * 20}).to_dict()
    document.pop(key)
    forged = tmp_path / "d.json"
    forged.write_text(json.dumps(document | {"verdict": "passed", "exit_code": 0}))
    report = tmp_path / "r.md"
    code = main(["report", str(forged), "--out", str(report)])
    assert code == 2 or "town" in report.read_text()
    if key != "columns":
        assert code == 2


def test_whether_strict_is_set_in_the_file_or_at_the_call(tmp_path: Path) -> None:
    written(tmp_path, {"town": ["x"] * 20 + ["y"] * 20})
    text = (
        "Loader: {t: {filepath: released.csv, roles: {quasi_identifier: zip, "
        "sensitive_attribute: disease}}}\nEvaluator: {l: {method: l-diversity, limit: 2}}\n"
    )
    path = tmp_path / "audit.yaml"
    for given, more, code in (
        (text, [], 0),
        (text, ["--strict"], 2),
        (f"Executor: {{strict: true}}\n{text}", [], 2),
        (f"Executor: {{strict: false}}\n{text}", [], 0),
    ):
        path.write_text(given)
        assert main(["run", str(path), "--quiet", *more]) == code


def test_a_synthetic_table_is_compared_in_all_columns() -> None:
    """mpUCCs look at every column, and rows of a synthetic table name nobody."""
    tables = [pa.table(TABLE | {"email": mails}) for mails in (MAILS, MAILS[::-1])]
    result = petaudit.audit(tables[0], original=tables[1], measures="mpuccs")
    assert (result.problems, result.columns) == ((), ColumnReview())


L_IS_ONE = "in some class everybody has the same sensitive value"


def measured(measure: str, value: float) -> Figure:
    return Figure(measure, "measured", value)


def passed(measure: str, value: float, limit: float) -> Figure:
    return Figure(measure, "passed", value, limit)


@pytest.mark.parametrize(
    ("figures", "sensitive", "words"),
    [
        ([passed("k-anonymity", 5, 5), measured("l-diversity", 1)], ["d"], [L_IS_ONE]),
        ([measured("l-diversity", 1), measured("entropy-l-diversity", 1)], ["d"], [L_IS_ONE]),
        ([measured("l-diversity", 2)], ["d"], []),
        ([measured("t-closeness", 1)], ["d"], ["for t-closeness, which could not be worse"]),
        ([measured("prosecutor-risk", 1)], [], ["no limit was set for prosecutor-risk"]),
        ([measured("prosecutor-risk", 0.99)], [], []),
        ([measured("k-anonymity", 1)], [], ["no limit was set for k-anonymity"]),
        ([passed("k-anonymity", 1, 1)], [], ["could break the limit that was set for k-anonymity"]),
        ([passed("t-closeness", 0.4, 1)], ["d"], ["no table could break the limit"]),
        ([passed("k-anonymity", 5, 5)], ["d"], ["no measure looked at the sensitive attribute d"]),
        ([passed("k-anonymity", 5, 5), Figure("t-closeness", "failed", 0.5, 0.2)], ["d"], []),
        # What is judged and broken is no open question.
        ([Figure("l-diversity", "failed", 1.0, 2.0)], ["d"], []),
        # Utility at its worst is a loss, and no danger.
        ([measured("suppression", 1)], [], []),
    ],
)
def test_what_the_limits_did_not_ask(
    figures: list[Figure], sensitive: list[str], words: list[str]
) -> None:
    result = [*open_questions(figures, sensitive=sensitive)]
    assert len(result) == len(words)
    for question, part in zip(result, words, strict=True):
        assert part in question


def test_the_headline_is_amber_where_l_is_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("zip;disease\n" + "1;flu\n" * 5 + "2;cold\n" * 5)
    page = tmp_path / "r.html"
    arguments = ["check", str(path), "--qi", "zip", "--sensitive", "disease", "--k", "5"]
    assert main([*arguments, "--report", str(page)]) == 0
    assert "the limit holds, with open questions: k-anonymity is 5," in capsys.readouterr().out
    assert 'class="verdict open"' in page.read_text()
    assert "The limit that was set holds, with open questions." in page.read_text()
    assert main([*arguments, "--strict"]) == 2
    assert L_IS_ONE in capsys.readouterr().err


def entry(run: str, **more: Any) -> dict[str, Any]:
    item = {"run": run, "modules": {"Loader": "t", "Evaluator": run}, "measure": "k-anonymity"}
    return {**item, "status": "passed", "value": 5.0, "limit": 5.0, **more}


def test_runs_on_one_table_answer_for_each_other() -> None:
    roles = {"disease": "sensitive_attribute"}
    alone = conclude(tables_of([entry("k", roles=roles)]))
    assert len(alone.open_questions) == 1
    diversity = entry("l", measure="l-diversity", value=2.0, limit=2.0, roles=roles)
    assert conclude(tables_of([entry("k", roles=roles), diversity])).open_questions == ()
    elsewhere = diversity | {"modules": {"Loader": "u", "Evaluator": "l"}}
    [question] = conclude(tables_of([entry("k", roles=roles), elsewhere])).open_questions
    assert question.startswith("Loader[t]: no measure looked at")


@pytest.mark.parametrize(
    ("statuses", "missing", "code", "verdict"),
    [
        (["passed", "measured"], [], 0, "passed"),
        (["measured", "measured"], [], 0, "measured"),
        (["passed", "failed", "measured"], [], 1, "failed"),
        (["failed", "error", "passed"], [], 2, "error"),
        (["passed"], ["k"], 2, "error"),
        ([], [], 0, "measured"),
    ],
)
def test_the_worst_entry_decides(
    statuses: list[str], missing: list[str], code: int, verdict: str
) -> None:
    entries = [entry(str(n), status=item) for n, item in enumerate(statuses)]
    result = conclude(tables_of(entries), is_incomplete=bool(missing))
    assert (result.exit_code, result.verdict) == (code, verdict)

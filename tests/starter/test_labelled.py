"""The guessed roles on public tables that were labelled by hand; half of them chose no word."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from petaudit.roles import Role
from petaudit.starter import guesses_from
from petaudit.starter.subject import about_people
from petaudit.tables.column_facts import ColumnFacts, Kind

LABELLED = Path(__file__).parent / "labelled"
# They stand still while tables and code do.
RECALL = {Role.IDENTIFIER: 0.9, Role.QUASI_IDENTIFIER: 0.8, Role.SENSITIVE: 0.8}
PRECISION = {Role.IDENTIFIER: 0.85, Role.QUASI_IDENTIFIER: 0.85, Role.SENSITIVE: 0.85}


@pytest.fixture
def scoring(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "scripts")
    return importlib.import_module("score_roles")


@pytest.mark.parametrize("role", RECALL)
def test_the_tables_that_chose_no_word(role: Role, scoring: ModuleType) -> None:
    result = scoring.score(role, scoring.tables(scoring.TESTING))
    assert result.recall >= RECALL[role]
    assert result.precision >= PRECISION[role]


def test_nothing_is_wrongly_safe(scoring: ModuleType) -> None:
    assert scoring.wrongly_safe(scoring.tables()) == []
    # Quasi-identifiers that got another role, in a hundred of them.
    everything = scoring.tables()
    labelled = scoring.score(Role.QUASI_IDENTIFIER, everything).labelled
    assert len(scoring.hidden(everything)) * 100 <= 6 * labelled


def test_tables_with_and_without_people(scoring: ModuleType) -> None:
    tables = scoring.tables()
    assert all(table.seems_about_people for table in tables if table.about_people)
    without = [table for table in tables if table.about_people is False]
    assert sum(not table.seems_about_people for table in without) >= 0.75 * len(without)


def test_the_set_is_large_and_holds_no_data(scoring: ModuleType) -> None:
    assert min(len(scoring.tables(half)) for half in scoring.HALVES) >= 25
    for path in LABELLED.glob("*.toml"):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        assert {*content} == {
            *("package", "version", "path", "licence", "people", "rows", "roles", "facts")
        }
        assert [*content["roles"]] == [*content["facts"]]
        for kind, *counts in content["facts"].values():
            assert kind.isupper()
            assert len(counts) == 6
            assert all(isinstance(count, int) for count in counts)


@pytest.mark.parametrize(
    ("names", "letters"),
    [
        ("病歷號 姓名 出生日期 性別 郵遞區號 診斷碼 用藥 住院天數", "IIQQQSSS"),
        ("客戶編號 身分證字號 職業 婚姻狀況 年收入 信用評分 貸款金額 手機", "IIQQSSSI"),
        ("戶號 戶長姓名 鄉鎮市區 教育程度 身障等級 福利身分 聯絡電話", "IIQQSSI"),
        ("測站 氣溫 風速 雨量 懸浮微粒", ""),
        ("品名 型號 庫存 收盤價", ""),
    ],
)
def test_headers_in_chinese(names: str, letters: str, scoring: ModuleType) -> None:
    """Made up here: no package with such tables was found. They count in no score."""
    rows = 500
    facts = [ColumnFacts(name, rows, Kind.TEXT, 0, 300, 200) for name in names.split()]
    assert about_people(facts) == bool(letters)
    if letters:
        expected = [scoring.LETTERS[letter] for letter in letters]
        assert [guess.role for guess in guesses_from(facts)] == expected

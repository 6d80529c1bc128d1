"""A report says where each table came from, and nothing that opens a door."""

from __future__ import annotations

import pytest
from tests.reports.test_reading import check

from petaudit.i18n.voice import Voice
from petaudit.reports.html import as_html
from petaudit.reports.markdown import as_markdown
from petaudit.reports.reading import place_of, title_of, view_of
from petaudit.reports.view import View

POSTGRES = "postgresql://db.example:5432/health?table=released"


def of(name: str, engine: str | None = None, sha256: str | None = None) -> View:
    facts = {"name": name, "rows": 30, "columns": ["zip"], "engine": engine, "sha256": sha256}
    return view_of(check(inputs={"table": facts}))


@pytest.mark.parametrize(
    ("name", "place", "title"),
    [
        (POSTGRES, POSTGRES, "released (health on db.example:5432)"),
        (
            "postgresql://eve@[::1]:5433/health?table=clinic.released",
            "postgresql://[::1]:5433/health?table=clinic.released",
            "clinic.released (health on [::1]:5433)",
        ),
        ("postgresql:///health?table=t", "postgresql:///health?table=t", "t (health)"),
        ("postgresql://db/?table=t", "postgresql://db/?table=t", "t (db)"),
        ("postgresql:///?table=t", "postgresql:///?table=t", "t"),
        ("postgresql://eve:secret@db/x?table=t", "postgresql://…", "postgresql://…"),
        ("duckdb:///home/ann/a.duckdb?table=t", "duckdb://a.duckdb?table=t", "t (a.duckdb)"),
        ("hdfs://eve@name:8020/out/people", "hdfs://name:8020/out/people", "people"),
        ("file:///home/ann/people.parquet", "people.parquet", "people.parquet"),
        ("benchmark://adult-income", "benchmark://adult-income", "adult-income"),
        ("C:\\data\\people.csv", "people.csv", "people.csv"),
        ("", "-", "-"),
    ],
)
def test_places_and_titles(name: str, place: str, title: str) -> None:
    assert (place_of(name), title_of(name)) == (place, title)


def test_odd_and_long_names_stay_readable() -> None:
    odd = title_of("postgresql://db/health?table=%22%E7%97%85%E4%BA%BA%20%3F%22")
    assert odd == "病人 ? (health on db)"
    assert title_of(f"postgresql://db/health?table={'x' * 300}") == f"{'x' * 59}… (health on db)"


@pytest.mark.parametrize(
    ("name", "engine", "sha256", "words", "why"),
    [
        (
            POSTGRES,
            "postgres",
            None,
            "counted in PostgreSQL",
            "none: a table on a server can change at any time",
        ),
        ("duckdb:///d/a.duckdb?table=t", "duckdb", "ab12", "counted by DuckDB", "ab12"),
        ("people.parquet", "pyspark", "ab12", "counted on Spark", "ab12"),
        (
            "hdfs://name/people",
            "pyspark[connect]",
            None,
            "counted on Spark",
            "none: Spark reads it in place, and it can change at any time",
        ),
        ("a table", "pandas", None, "counted by pandas", "none: it was not a file"),
    ],
)
def test_pages_and_comments_say_where_tables_came_from(
    name: str, engine: str, sha256: str | None, words: str, why: str
) -> None:
    view = of(name, engine, sha256)
    page, comment = as_html(view, Voice()), as_markdown(view, Voice())
    assert "File or table" in page
    for text in (page, comment.replace("`", "")):
        assert place_of(name) in text
        assert words in text
        assert why in text


def test_the_title_of_a_page_is_no_address() -> None:
    view = of(POSTGRES, "postgres")
    assert "· released (health on db.example:5432) ·" in as_html(view, Voice())
    assert "Privacy audit of released (health on db.example:5432)" in as_html(view, Voice())
    assert as_markdown(view, Voice()).splitlines()[0].endswith(
        "· released (health on `db.example:5432`)"
    )  # fmt: skip
    chinese = as_html(view, Voice("zh-TW"))
    assert "released（db.example:5432 上的 health）" in chinese
    assert "在 PostgreSQL 中計數" in chinese


def test_a_document_that_names_no_engine_says_nothing_about_one() -> None:
    page = as_html(of("a.csv", None, "ab12"), Voice())
    assert "counted" not in page.partition("What this report is based on")[2]

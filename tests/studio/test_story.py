"""The work of a steward: what is shown, and that it runs again with the same figures."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import yaml
from openpyxl import Workbook
from tests.studio.conftest import Running

from petaudit.cli import main
from petaudit.studio import document

ROLES = ("name", "zip", "age", "disease")


def shown(running: Running) -> dict[str, Any]:
    return dict(yaml.safe_load(running.take("audit.yaml")))


def test_the_columns_are_guessed_and_can_be_decided(running: Running) -> None:
    roles = document.roles(shown(running))
    assert roles["disease"] == "sensitive_attribute"
    assert roles["zip"] == roles["age"] == "quasi_identifier"
    running.do("role", view="columns", column="2", role="insensitive_attribute")
    assert document.roles(shown(running))["age"] == "insensitive_attribute"
    running.do("role", view="columns", column="2", role="quasi_identifier", person="on")
    assert document.loader(shown(running))["person"] == "age"
    running.do("undo")
    running.do("undo")
    assert document.roles(shown(running)) == roles
    running.do("redo")
    assert document.roles(shown(running))["age"] == "insensitive_attribute"
    running.do("undo")


def test_two_tabs_lose_nothing(running: Running) -> None:
    other = running.another()
    running.do("limit", measure="k-anonymity", limit="3")
    other.post("/do/limit", data={"measure": "l-diversity", "limit": "3"})
    limits = document.limits(shown(running))
    assert (limits["k-anonymity"], limits["l-diversity"]) == (3, 3)
    running.do("undo")
    running.do("undo")


def test_wrong_entries_are_said_on_the_page_and_change_nothing(running: Running) -> None:
    before = running.take("audit.yaml")
    assert "must be" in running.do("limit", view="limits", measure="k-anonymity", limit="-1")
    assert 'role="alert"' in running.do("limit", view="limits", measure="t-closeness", limit="1/0")
    assert "no valid entry" in running.do("role", view="columns", column="99", role="sensitive")
    for endless in ("inf", "1e400", "9" * 400, "1" + "0" * 400 + "/7"):
        refused = running.do("limit", view="limits", measure="t-closeness", limit=endless)
        assert 'role="alert"' in refused
    running.client.put("/upload?name=wrong.parquet", content=b"PAR1")
    page = running.page("table")
    assert 'role="alert"' in page
    assert "wrong.parquet: " in page
    assert str(running.temporary) not in page
    running.do("undo")
    assert running.take("audit.yaml") == before


def test_limits_say_what_they_mean_in_this_table(running: Running) -> None:
    running.do("limit", view="limits", measure="k-anonymity", limit="5")
    assert "With 5, 60 rows (100 %) would have to go." in running.page("limits")
    page = running.do("policy", view="limits", policy="cell-11")
    assert "cell-11" in page
    assert shown(running)["Executor"] == {"policy": "cell-11"}
    refused = running.do("limit", view="limits", measure="k-anonymity", limit="5")
    assert "not looser" in refused
    running.do("undo")


def test_one_switch_hides_all_values(running: Running) -> None:
    assert "Wanda7" in running.page("table")
    # The smallest classes are told by their labels.
    assert "<td>11002</td>" in running.page("audit").partition('id="small"')[2]
    running.do("hide", view="table", hide="on")
    for view in ("table", "columns", "limits", "audit", "deidentify", "take"):
        page = running.page(view)
        assert "Wanda" not in page
        assert "asthma" not in page
        assert "11002" not in page
    running.do("hide", view="table")


def test_languages_change_in_place(running: Running) -> None:
    assert '<html lang="zh-TW">' in running.do("language", view="columns", language="zh-TW")
    assert "準識別符" in running.page("columns")
    assert "請勿" in running.page("audit")
    running.do("language", view="columns", language="en")


def test_the_sheets_of_a_workbook_are_offered(running: Running, tmp_path: Path) -> None:
    before = running.take("audit.yaml")
    book = Workbook()
    for title in ("2023", "codes"):
        sheet = book.create_sheet(title)
        for row in (["zip", "sex"], ["100", title], ["106", title]):
            sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    running.open(tmp_path / "book.xlsx")
    page = running.page("table")
    assert re.findall(r'id="sheet-\d"[^>]*>(\w+)<', page) == ["2023", "codes"]
    running.do("sheet", view="table", sheet="2023")
    assert "<td>2023</td>" in running.page("table")
    while running.take("audit.yaml") != before:
        running.do("undo")


def test_a_release_of_which_nothing_is_left_says_so(running: Running) -> None:
    running.do("limit", view="limits", measure="k-anonymity", limit="60")
    running.do("limit", view="limits", measure="t-closeness", limit="0.01")
    running.do("make", view="deidentify")
    for view in ("deidentify", "audit", "take"):
        page = running.page(view)
        assert page.count("Hardly anything is left") == 1, view
        assert "t-closeness 0.01" in page
    for _ in range(3):
        running.do("undo")
    assert "Hardly anything is left" not in running.page("take")


def test_hierarchies_are_shown_edited_and_taken_away(running: Running) -> None:
    assert "proposed" in running.page("hierarchies")
    running.do("keep", view="hierarchies")
    running.page("hierarchies")
    assert set(document.loader(shown(running))["hierarchies"]) == {"zip", "age"}
    running.do("hierarchy", view="hierarchies", column="0", kind="mask", levels="2")
    running.page("hierarchies")
    assert document.loader(shown(running))["hierarchies"]["zip"] == {"mask": "right", "levels": 2}
    grouped = {"kind": "groups", "group-0": "low", "group-1": "low"}
    running.do("hierarchy", view="hierarchies", column="1", **grouped)
    assert "low" in document.loader(shown(running))["hierarchies"]["age"]["tree"]
    before = running.take("hierarchies.yaml")
    refused = running.do("rules", view="hierarchies", rules="age: {cutz: [30]}")
    assert "did you mean" in refused
    assert running.take("hierarchies.yaml") == before
    running.do("rules", view="hierarchies", rules="age: {cuts: [23]}")
    assert yaml.safe_load(running.take("hierarchies.yaml")) == {"age": {"cuts": [23]}}
    for _ in range(4):
        running.do("undo")


def test_a_search_can_be_stopped(running: Running) -> None:
    running.do("open", address="benchmark://adult")
    running.page("columns")
    running.do("compare", view="deidentify")
    running.do("limit", measure="t-closeness", limit="0.3")
    running.do("compare", view="deidentify")
    assert 'id="stop"' in running.do("stop", view="deidentify")
    assert "stopped" in running.page("deidentify")
    running.do("undo")
    assert "other work took its place" in running.page("deidentify")
    running.do("undo")
    running.do("undo")


def test_what_is_taken_away_gives_the_same_again(
    running: Running, people: Path, tmp_path: Path
) -> None:
    running.do("limit", view="limits", measure="k-anonymity", limit="4")
    running.do("limit", view="limits", measure="t-closeness", how="leave")
    page = running.do("make", view="deidentify", recoding="global", max_suppression="10%")
    page = running.page("deidentify")
    assert "What was generalised" in page
    assert "passed" in running.page("take")
    archive = zipfile.ZipFile(io.BytesIO(running.take("petaudit-studio.zip")))
    assert {*archive.namelist()} == {
        *("audit.yaml", "decisions.md", "audit-en.html", "audit-zh-TW.html", "released.csv"),
        "released.transformation.json",
    }
    for report in ("audit-en.html", "audit-zh-TW.html"):
        assert "Wanda" not in archive.read(report).decode()
    assert "release: settings by hand" in archive.read("decisions.md").decode()
    (tmp_path / "audit.yaml").write_bytes(archive.read("audit.yaml"))
    (tmp_path / "people.csv").write_bytes(people.read_bytes())
    out = tmp_path / "results"
    assert main(["run", str(tmp_path / "audit.yaml"), "--out", str(out), "--quiet"]) == 0
    [released] = out.glob("released*.csv")
    assert released.read_bytes() == archive.read("released.csv")
    again = json.loads((out / "result.json").read_text())
    report = tmp_path / "again.html"
    assert main(["report", str(out / "result.json"), "--out", str(report)]) == 0
    assert report.read_text() == archive.read("audit-en.html").decode()
    assert again["verdict"] == "passed"
    (tmp_path / "made.json").write_bytes(archive.read("released.transformation.json"))
    applied = tmp_path / "applied.csv"
    command = ["apply", str(tmp_path / "made.json"), str(people), "--out", str(applied)]
    assert main(command) == 0
    # A pipeline writes semicolons.
    assert applied.read_bytes().replace(b",", b";") == archive.read("released.csv")
    assert b"Wanda" not in archive.read("released.csv")

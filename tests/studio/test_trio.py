"""A synthetic table in the studio: what is tried is what init writes, and it runs again."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from tests.studio.conftest import Running

from petaudit.cli import main
from petaudit.studio import trio

PARTS = ("original", "synthetic", "control")
HEAD = "zip,age,income,disease\n"


def row(i: int, ill: int) -> str:
    disease = ("flu", "asthma", "gout")[ill % 3]
    return f"{11000 + 7 * i % 13},{20 + 11 * i % 50},{1000 * (i * i % 9)},{disease}\n"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three small tables: of the synthetic one every third row was copied."""
    folder = tmp_path_factory.mktemp("trio")
    rows = {
        "original": [row(i, i) for i in range(90)],
        "synthetic": [row(i, i) if i % 3 == 0 else row(i + 500, i // 3) for i in range(90)],
        "control": [row(i, i // 2) for i in range(200, 290)],
    }
    for name, own in rows.items():
        (folder / f"{name}.csv").write_text(HEAD + "".join(own))
    return folder


@pytest.fixture(scope="module", autouse=True)
def _opened(running: Running, tables: Path) -> None:
    """The three tables, which were chosen as files."""
    form = {}
    for part in PARTS:
        content = (tables / f"{part}.csv").read_bytes()
        answer = running.client.put(f"/upload?name={part}.csv&keep", content=content)
        form[part] = answer.text
    running.do("open-trio", view="synthetic", **form)
    running.page("synthetic")


def shown(running: Running) -> dict[str, object]:
    return dict(yaml.safe_load(running.take("audit.yaml")))


def ticked(running: Running, **more: str) -> dict[str, str]:
    """The form as the page has it, with changes."""
    content = shown(running)
    names = HEAD.strip().split(",")
    first, second = trio.links(content)
    lists = {"secret": trio.secrets(content), "first": first, "second": second}
    boxes = {f"{key}-{names.index(name)}": "on" for key, own in lists.items() for name in own}
    return {"view": "synthetic", "profile": "research", "columns": "3"} | boxes | more


def test_it_begins_as_init_writes_it(running: Running, tables: Path) -> None:
    written = tables / "init.yaml"
    named = [str(tables / f"{part}.csv") for part in PARTS]
    assert main(["init", *named, "--out", str(written)]) == 0
    expected = yaml.safe_load(written.read_text())
    del expected["Reporter"]
    assert shown(running) == expected
    assert 'class="verdict' in running.page("synthetic")


@pytest.mark.long
def test_what_is_taken_away_gives_the_same_again(
    running: Running, tables: Path, tmp_path: Path
) -> None:
    form = ticked(running, columns="2", profile="", **{"limit-membership": "0.5"})
    form.pop("secret-3")
    running.do("attacks", **form)
    running.do("attack-policy", view="synthetic", policy="synthetic-9")
    page = running.page("synthetic")
    asked = trio.asked(shown(running))
    assert asked["mpuccs"] == {"method": "mpuccs", "max_baseline_cols": 2}
    assert "limit" not in asked["membership"]
    assert shown(running)["Executor"] == {"policy": "synthetic-9"}
    assert 'class="verdict' in page
    assert page.count("<svg") > 3
    for part in PARTS:
        (tmp_path / f"{part}.csv").write_bytes((tables / f"{part}.csv").read_bytes())
    (tmp_path / "audit.yaml").write_bytes(running.take("audit.yaml"))
    out, report = tmp_path / "results", tmp_path / "again.html"
    assert main(["run", str(tmp_path / "audit.yaml"), "--out", str(out), "--quiet"]) == 2
    assert main(["report", str(out / "result.json"), "--out", str(report)]) == 0
    running.page("take")
    assert report.read_text() == running.take("audit-en.html").decode()
    for _ in range(2):
        running.do("undo")


def test_other_steps_say_that_they_are_not_for_it(running: Running) -> None:
    for view in ("columns", "limits", "audit", "hierarchies", "deidentify"):
        assert "A synthetic table is not audited" in running.page(view)
    assert "about a synthetic table" in running.do("limit", measure="k-anonymity", limit="3")
    running.do("hide", view="table", hide="on")
    for view in ("table", "synthetic", "take"):
        assert "asthma" not in running.page(view)
    running.do("hide", view="table")


def test_wrong_entries_are_said_and_change_nothing(running: Running) -> None:
    before = running.take("audit.yaml")
    one_list = ticked(running)
    for key in [key for key in one_list if key.startswith("second-")]:
        del one_list[key]
    assert "of both sources" in running.do("attacks", **one_list)
    first = next(key for key in ticked(running) if key.startswith("first-"))
    both = ticked(running, **{first.replace("first", "second"): "on"})
    assert "both lists" in running.do("attacks", **both)
    assert "must be" in running.do("attacks", **ticked(running, **{"limit-membership": "2"}))
    assert "name both tables" in running.do("open-trio", original="a.csv", synthetic=" ")
    assert running.take("audit.yaml") == before


@pytest.mark.long
def test_a_file_that_was_taken_away_is_opened_again(running: Running, tables: Path) -> None:
    path = tables / "audit.yaml"
    path.write_bytes(running.take("audit.yaml"))
    running.do("open", view="synthetic", address=str(path))
    assert 'id="try"' in running.page("synthetic")
    assert trio.parts(shown(running)) == {part: str(tables / f"{part}.csv") for part in PARTS}
    running.do("undo")


@pytest.mark.long
def test_without_a_control_rows_are_counted_and_nobody_is_attacked(
    running: Running, tables: Path
) -> None:
    named = {part: str(tables / f"{part}.csv") for part in PARTS[:2]}
    running.do("open-trio", view="synthetic", **named)
    running.page("synthetic")
    page = running.page("synthetic")
    assert [*trio.asked(shown(running))] == ["mpuccs"]
    assert "limit-membership" not in page
    assert 'class="verdict' in page
    running.do("undo")
    running.do("undo")

"""A pipeline file of somebody else writes nothing outside the folder of results."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import InputError, PetauditError
from petaudit.pipelines.folder import STATE
from petaudit.pipelines.names import is_plain

ROWS = "zip;ill\n" + "1;a\n1;b\n" * 3
AUDIT = """
Loader: {t: {filepath: t.csv, roles: {quasi_identifier: zip, sensitive_attribute: ill}}}
Splitter: {s: {num_samples: 2, train_split_ratio: 0.5}}
Synthesizer: {g: {method: independent}}
Evaluator: {close: {method: t-closeness}}
Reporter:
  figures: {method: save_report, granularity: [summary, global, details]}
  tables: {method: save_data, source: [Loader, Splitter, Synthesizer]}
  timing: {method: save_timing}
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a folder to work in, where the pipeline lies in a folder below."""
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    (work / "sub/t.csv").write_text(ROWS)
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def everything(place: Path) -> dict[str, object]:
    """Every file and folder with its content, but those of the results."""
    result: dict[str, object] = {}
    for path in place.rglob("*"):
        if "audit-results" not in path.relative_to(place).parts:
            result[str(path.relative_to(place))] = path.read_bytes() if path.is_file() else None
    return result


def run(settings: object, *options: str, audit: str = AUDIT) -> int:
    """Run with settings of the Executor; the exit code."""
    Path("sub/audit.yaml").write_text(f"Executor: {json.dumps(settings)}\n{audit}", "utf-8")
    return main(["run", "sub/audit.yaml", "--quiet", *options])


FOLDERS = [
    *("/TMP/planted", "..", "../planted", "a/../../planted", "~/planted", "~", "/", "//", ""),
    *("a//b", "./.", "./..", ".ssh", "-rf", "a;b", "$HOME", "a b", "a\nb", "a\\b", "C:\\x", "C:"),
    *("a\0b", "a\u202eb", "CON", "nul", ".petaudit-run", "result.json", "a.csv", "logs/", "`id`"),
]
NAMES = [
    *("/TMP/planted.log", "../planted.log", "a/b.log", "~/a.log", ".a.log", "-a.log", "a..log"),
    *("a;b.log", "$(id).log", "`id`.log", "a b.log", "a\nb.log", "a\\b.log", "con.log", "LPT1.log"),
    *("result.json", "authorized_keys", "petaudit_summary.csv", "a.sh", "a.log.", "", ".log"),
    *("{time}.log", "{timestamp}", "a&b.log", "a|b.log", "<a>.log", "a'b.log", 'a"b.log', "a*.log"),
]


@pytest.mark.parametrize(
    "settings",
    [{"log_dir": own} for own in FOLDERS] + [{"log_filename": own} for own in NAMES],
    ids=repr,
)
def test_no_log_outside_of_the_results(
    place: Path, settings: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {name: own.replace("/TMP", str(place)) for name, own in settings.items()}
    (place / "work/sub/audit.yaml").touch()
    before = everything(place)
    assert run(settings) == 2
    assert next(iter(settings)) in capsys.readouterr().err
    assert {**everything(place), "work/sub/audit.yaml": b""} == before
    assert not Path("audit-results").exists()


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"log_filename": "a.log"}, "a.log"),
        ({"log_dir": ".", "log_filename": "a.log"}, "a.log"),
        ({"log_dir": "./logs", "log_filename": "a.log"}, "logs/a.log"),
        ({"log_dir": "logs/2026", "log_filename": "紀錄-1.2.log"}, "logs/2026/紀錄-1.2.log"),
    ],
)
def test_all_that_a_pipeline_writes_is_in_the_results(
    place: Path, settings: dict[str, str], name: str
) -> None:
    (place / "work/sub/audit.yaml").touch()
    before = everything(place)
    assert run(settings) == 0
    assert {**everything(place), "work/sub/audit.yaml": b""} == before
    assert "finished: measured" in Path("audit-results", name).read_text("utf-8")
    assert len([*Path("audit-results").rglob("*.csv")]) == 11
    assert all(is_plain(path.name.replace("[", "").replace("]", ""))
               for path in Path("audit-results").rglob("*"))  # fmt: skip


def test_the_command_line_may_send_the_log_elsewhere(place: Path) -> None:
    settings = {"log_filename": "a.log"}
    assert run(settings, "--set", f"Executor.log_dir={place}/elsewhere") == 0
    assert (place / "elsewhere/a.log").is_file()
    assert run({**settings, "log_dir": "logs"}, "--set", "Executor.log_dir=~/at-home") == 0
    assert (place / "at-home/a.log").is_file()
    assert run(settings, "--set", "Executor.log_dir=../beside") == 0
    assert Path("beside/a.log").is_file()
    # Without one, it is in the results again.
    assert run({**settings, "log_dir": "/nowhere"}, "--set", "Executor.log_dir=null") == 0
    assert Path("audit-results/a.log").is_file()
    # What the file says elsewhere, and a name, are still the file's.
    assert run({"log_dir": "../x"}, "--set", "Executor.log_filename=a.log") == 2
    assert run({}, "--set", "Executor.log_filename=../a.log") == 2
    assert run({}, "--set", "Executor.log_dir=''") == 2


def test_in_python_the_overrides_are_the_command_line(place: Path) -> None:
    Path("sub/audit.yaml").write_text(AUDIT)
    overrides = [f"Executor.log_dir={place}/elsewhere", "Executor.log_filename=a.log"]
    petaudit.Executor("sub/audit.yaml", overrides=overrides).run()
    assert (place / "elsewhere/a.log").is_file()
    with pytest.raises(PetauditError, match="log_dir"):
        petaudit.Executor(f"Executor: {{log_dir: {place}}}\n{AUDIT}")


def linked_log(place: Path) -> Path:
    Path("audit-results/logs").mkdir(parents=True)
    Path("audit-results/logs/a.log").symlink_to(place / "planted")
    return Path("audit-results/logs/a.log")


def linked_folder(place: Path) -> Path:
    Path("audit-results").mkdir()
    Path("audit-results/logs").symlink_to(place)
    return Path("audit-results/logs")


def linked_by_a_second_name(place: Path) -> Path:
    Path("audit-results/logs").mkdir(parents=True)
    (place / "empty").touch()
    os.link(place / "empty", "audit-results/logs/a.log")
    return Path("audit-results/logs/a.log")


def a_pipe(_: Path) -> Path:
    Path("audit-results/logs").mkdir(parents=True)
    os.mkfifo("audit-results/logs/a.log")
    return Path("audit-results/logs/a.log")


def linked_results(place: Path) -> Path:
    Path("audit-results").symlink_to(place / "planted")
    (place / "planted").mkdir()
    return Path("audit-results")


def linked_state(place: Path) -> Path:
    Path("audit-results").mkdir()
    Path("audit-results", STATE).symlink_to(place)
    return Path("audit-results", STATE)


@pytest.mark.parametrize(
    "plant",
    [linked_log, linked_folder, linked_by_a_second_name, a_pipe, linked_results, linked_state],
)
def test_no_link_leads_out_of_the_results(
    place: Path, plant: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = plant(place)
    (place / "work/sub/audit.yaml").touch()
    before = everything(place)
    assert run({"log_dir": "logs", "log_filename": "a.log"}) == 2
    assert planted.name in capsys.readouterr().err
    assert {**everything(place), "work/sub/audit.yaml": b""} == before


def test_links_in_the_place_of_results_are_replaced_and_not_followed(place: Path) -> None:
    assert run({}) == 0
    names = [path.name for path in Path("audit-results").iterdir()]
    for name in names:
        Path("audit-results", name).unlink()
        Path("audit-results", name).symlink_to(place / "planted" / name)
    assert run({}) == 0
    assert not (place / "planted").exists()
    assert not any(path.is_symlink() for path in Path("audit-results").iterdir())


def test_links_in_the_place_of_kept_results_are_not_followed(place: Path) -> None:
    """Whoever knows the inputs knows the name under which a result will be kept."""
    kept: list[str] = []

    def stop(_: object) -> None:
        kept[:] = [path.name for path in Path("out", STATE).glob("*.kept")]
        if kept:
            raise KeyboardInterrupt

    Path("sub/audit.yaml").write_text(AUDIT)
    with pytest.raises(KeyboardInterrupt):
        petaudit.Executor("sub/audit.yaml", out="out", listener=stop).run()
    for name in (*kept, "staged", "before"):
        Path("out", STATE, name).unlink(missing_ok=True)
        Path("out", STATE, name).symlink_to(place / "planted")
    petaudit.Executor("sub/audit.yaml", out="out", resume=True).run()
    assert not (place / "planted").exists()


@pytest.mark.parametrize("out", ["results", None])
def test_a_folder_of_the_user_may_be_a_link(place: Path, out: str | None) -> None:
    """--out is the word of the person who runs it."""
    (place / "large-disk").mkdir()
    Path("results").symlink_to(place / "large-disk")
    Path("audit-results").symlink_to(place / "large-disk")
    Path("sub/audit.yaml").write_text(AUDIT)
    if out is None:
        with pytest.raises(InputError, match="'audit-results' is a link"):
            petaudit.Executor("sub/audit.yaml", out=out)
    else:
        petaudit.Executor("sub/audit.yaml", out=out).run()
        assert (place / "large-disk/result.json").is_file()


EVIL = [
    *("a;b", "$(id)", "a$b", "`id`", "a|b", "a&b", "a>b", "a<b", "a b", " a", "a'b", 'a"b', "a\\b"),
    *("a/b", "..", ".", ".a", "-a", "a..b", "a.", "a\nb", "a\tb", "a\x1b[2J"),
    *("a*", "a?", "a[b]", "a{b}", "a(b)", "a~", "~a", "a!", "#a", "a=b", "a,b", "a:b", "a%b"),
    *("a^b", "a\u202eb", "a\u200bb"),
    *("CON", "nul.txt", "Com1", "lpt9.log", "\ud800", "\u00a0", "a\u2028b", ""),
]  # fmt: skip


@pytest.mark.parametrize("name", EVIL, ids=ascii)
def test_names_are_plain(name: str) -> None:
    assert not is_plain(name)
    for audit in (
        {"Splitter": {name: {}}},
        {"Reporter": {"r": {"method": "save_timing", "output": name}}},
    ):
        text = json.dumps({"Loader": {"t": {"filepath": "sub/t.csv"}}, **audit})
        with pytest.raises(PetauditError):
            petaudit.Executor(text + "\n", out="out").validate()


@pytest.mark.parametrize(
    "name",
    ["a", "5", "a.b", "a-b_c", "年齡", "Straße", "e\u0301", "काम", "console", "nul-1", "a" * 60],
)
def test_letters_of_all_scripts_are_plain(name: str) -> None:
    text = json.dumps({"Loader": {name: {"filepath": "sub/t.csv"}}}, ensure_ascii=False)
    petaudit.Executor(text + "\n").validate()


def test_the_nearest_plain_name_is_offered() -> None:
    said = r"'my data; \$1' is not a plain name \(.*\) \(did you mean 'my_data_1'\?\)"
    with pytest.raises(PetauditError, match=said):
        petaudit.Executor("Loader:\n  my data; $1: {filepath: sub/t.csv}\n")

"""Other runs, full disks, folders that cannot be written, experiments that fail."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import petaudit
from budget import IS_RANDOM
from petaudit.cli import main
from petaudit.errors import InputError
from petaudit.pipelines import events, folder
from petaudit.pipelines.events import Event
from petaudit.pipelines.folder import STATE, open_folder
from pipelines.killing import SMALL, Place, contents, document, raw

OTHER = SMALL.replace("0.9", "0.8")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A folder with results, and a pipeline that would give others."""
    made = Place.made(tmp_path, OTHER)
    petaudit.Executor(made.pipeline, out=made.out).run()
    made.pipeline.write_text(SMALL, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    made = Place.made(tmp_path_factory.mktemp("expected"), SMALL)
    petaudit.Executor(made.pipeline, out=made.out).run()
    return contents(made.out)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls the plug here, and waiting for the disk takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def said(capsys: pytest.CaptureFixture[str], place: Place, out: Path, *options: str) -> str:
    """What a run says that cannot do its work."""
    code = main(["run", str(place.pipeline), "--out", str(out), "--quiet", *options])
    shown = capsys.readouterr()
    assert (code, shown.out) == (2, "")
    lines = shown.err.splitlines()
    assert [line for line in lines if "kept; continue with --resume" not in line] == lines[-1:]
    assert lines[-1].startswith("petaudit: error: ")
    assert "internal" not in shown.err
    return lines[-1]


def test_a_run_keeps_away_from_a_folder_that_another_holds(
    place: Place, capsys: pytest.CaptureFixture[str], expected: dict[str, object]
) -> None:
    before = raw(place.out)
    with open_folder(place.out, resume=False) as held:
        held.keep("a", {"b": 1})
        there = raw(place.out)
        for option in ("--quiet", "--resume"):
            message = said(capsys, place, place.out, option)
            assert "another run is writing to" in message
            assert "--out" in message
        assert raw(place.out) == there
        held.is_finished = True
    assert raw(place.out) == before
    assert main(["run", str(place.pipeline), "--out", str(place.out), "--quiet"]) == 0
    assert contents(place.out) == expected


def test_many_at_once(tmp_path: Path, expected: dict[str, object]) -> None:
    place = Place.made(tmp_path, SMALL)
    running = [place.started(*(["--resume"] * (i % 2))) for i in range(5)]
    ended = []
    for process in running:
        _, complaint = process.communicate(timeout=120)
        ended.append(process.returncode)
        assert (process.returncode == 0) or "another run is writing to" in complaint
    assert set(ended) <= {0, 2}
    assert 0 in ended
    assert (contents(place.out), place.leftovers()) == (expected, [])


def test_one_at_a_time_however_they_come_and_go(tmp_path: Path) -> None:
    inside, problems, turns = [], [], []
    deadline = time.monotonic() + 60

    def come_and_go(resume: bool) -> None:
        number = 0
        # How often one gets a turn depends on the machine.
        while len(turns) < 60 and time.monotonic() < deadline:
            number += 1
            try:
                with open_folder(tmp_path / "out", resume=resume) as folder:
                    inside.append(folder)
                    if len(inside) > 1:
                        problems.append("two inside")
                    folder.keep(f"key{number % 2}", {"number": number})
                    folder.stage("a", lambda file: file.write(b"a"))
                    if folder.kept(f"key{number % 2}") != {"number": number}:
                        problems.append("lost")
                    folder.publish(["a"])
                    if number % 3:
                        folder.is_finished = True
                    turns.append(number)
                    inside.remove(folder)
            except InputError as problem:
                if "another run" not in str(problem) and "other runs" not in str(problem):
                    problems.append(str(problem))

    threads = [threading.Thread(target=come_and_go, args=(i % 2 == 0,)) for i in range(6)]
    for entry in threads:
        entry.start()
    for entry in threads:
        entry.join()
    with open_folder(tmp_path / "out", resume=False) as folder:
        folder.is_finished = True
    assert problems == []
    assert len(turns) >= 60
    assert [entry.name for entry in (tmp_path / "out").iterdir()] == ["a"]


def test_the_folder_goes_away_just_when_it_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / STATE
    take, mkdir, taken = folder._take, os.mkdir, []

    def too_late(descriptor: int) -> bool:
        taken.append(take(descriptor))
        if len(taken) == 1:
            shutil.rmtree(state)
        return taken[-1]

    def there_for_a_moment(path: str, mode: int = 0o777) -> None:
        monkeypatch.setattr(os, "mkdir", mkdir)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)

    monkeypatch.setattr(folder, "_take", too_late)
    with open_folder(tmp_path, resume=True):
        assert [entry.name for entry in state.iterdir()] == ["lock"]
        assert taken == [True, True]
    monkeypatch.setattr(os, "mkdir", there_for_a_moment)
    with folder.locked(state, tmp_path):
        assert [entry.name for entry in state.iterdir()] == ["lock"]


@pytest.mark.parametrize(
    "name", ["file", "file/below", "/proc/none", "/dev/null", "n" * 300, "nowhere"]
)
def test_no_folder_can_be_there(
    place: Place, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (place.root / "file").write_text("mine", encoding="utf-8")
    (place.root / "nowhere").symlink_to(place.root / "missing")
    before = raw(place.root)
    message = said(capsys, place, place.root / name)
    assert name in message
    assert raw(place.root) == before


@pytest.mark.parametrize("name", ["result.json", "petaudit_summary.csv", STATE, f"{STATE}/lock"])
def test_something_else_is_in_the_way(
    place: Place, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = place.out / name
    path.unlink(missing_ok=True)
    if name == STATE:
        path.write_text("mine", encoding="utf-8")
    else:
        path.mkdir(parents=True)
        (path / "mine").write_text("mine", encoding="utf-8")
    before = raw(place.out)
    assert str(place.out) in said(capsys, place, place.out)
    assert raw(place.out) == before


@pytest.mark.parametrize("option", ["--quiet", "--resume"])
def test_a_link_is_never_followed_to_empty_a_folder(
    place: Place, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    precious = place.root / "precious"
    (precious / "staged").mkdir(parents=True)
    (precious / "staged" / "mine").write_text("mine", encoding="utf-8")
    (place.out / STATE).symlink_to(precious)
    before = raw(place.root)
    assert "is a link" in said(capsys, place, place.out, option)
    assert raw(place.root) == before
    (place.out / STATE).unlink()
    (place.out / STATE).mkdir()
    (place.out / STATE / "lock").symlink_to(place.root / "made elsewhere")
    said(capsys, place, place.out, option)
    assert not (place.root / "made elsewhere").exists()


def test_the_folder_may_be_a_link(place: Place, expected: dict[str, object]) -> None:
    link = place.root / "link"
    link.symlink_to(place.out)
    assert place.run("--out", str(link))[0] == 0
    assert link.is_symlink()
    assert (contents(place.out), place.leftovers()) == (expected, [])


@pytest.mark.parametrize("name", ["table.csv", "audit.yaml"])
def test_an_output_that_is_an_input_is_refused(
    place: Place, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    table = place.root / "table.csv"
    table.write_text("zip;disease\n1;a\n1;b\n", encoding="utf-8")
    roles = "roles: {quasi_identifier: zip, sensitive_attribute: disease}"
    text = SMALL.replace('"benchmark://patient-deidentified"', f"table.csv, {roles}")
    place.pipeline.write_text(text, encoding="utf-8")
    (place.out / "petaudit_summary.csv").unlink()
    (place.out / "petaudit_summary.csv").symlink_to(place.root / name)
    before = raw(place.root)
    assert "one of the inputs" in said(capsys, place, place.out)
    assert raw(place.root) == before


WRITING = ("replace", "mkdir", "fsync", "link", "open", "chmod")


def test_a_full_disk_at_every_single_step(place: Place, expected: dict[str, object]) -> None:
    before, failed, nth = raw(place.out), 0, 0
    while True:
        nth += 1 if IS_RANDOM else 3
        seen = 0

        def full(original: Callable[..., object], limit: int = nth) -> Callable[..., object]:
            def step(*arguments: object, **options: object) -> object:
                nonlocal seen
                seen += 1
                if seen == limit:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return original(*arguments, **options)

            return step

        executor = petaudit.Executor(place.pipeline, out=place.out)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(petaudit.pipelines.executor, "check_targets", lambda *_: None)
            for name in WRITING:
                patch.setattr(os, name, full(getattr(os, name)))
            try:
                executor.run()
            except InputError as problem:
                failed += 1
                assert "No space left on device" in str(problem)  # noqa: PT017
                published = {
                    entry: data for entry, data in raw(place.out).items() if STATE not in entry
                }
                assert published == before, nth
                left = [entry.name for entry in place.out.rglob("*") if entry.suffix != ".kept"]
                assert set(left) <= {Path(entry).name for entry in before} | {STATE, "lock"}
        if seen < nth:
            break
        petaudit.Executor(place.pipeline, out=place.out, resume=True).run()
        assert contents(place.out) == expected, nth
        for path, content in before.items():
            Path(path).write_bytes(content)
    assert failed > (20 if IS_RANDOM else 6)


@pytest.mark.parametrize(
    "most",
    [pytest.param(20, marks=pytest.mark.long), 300, pytest.param(2_000, marks=pytest.mark.long)],
)
def test_files_cannot_grow(place: Place, expected: dict[str, object], most: int) -> None:
    before = raw(place.out)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    code, complaint = place.run(preexec_fn=limited)
    assert code == 2
    assert "File too large" in complaint
    assert "internal" not in complaint
    assert {entry: data for entry, data in raw(place.out).items() if STATE not in entry} == before
    assert place.run("--resume")[0] == 0
    assert (contents(place.out), place.leftovers()) == (expected, [])


FAILING = """
Loader:
  patient: {filepath: "benchmark://patient-deidentified"}
Splitter:
  halves: {train_split_ratio: 0.5}
  nothing: {train_split_ratio: 0.001}
Synthesizer:
  single: {method: independent}
Evaluator:
  one: {method: mpuccs, max_baseline_cols: 1, limit: 1}
  two: {method: mpuccs, max_baseline_cols: 2, limit: 1}
Reporter:
  tables: {method: save_data, source: [Splitter, Synthesizer]}
  figures: {method: save_report, granularity: [summary, details]}
"""


def test_others_are_kept_if_one_fails_and_only_that_is_done_again(tmp_path: Path) -> None:
    place = Place.made(tmp_path, FAILING)
    code, complaint = place.run()
    assert code == 2
    assert "one part would be empty" in complaint
    result = document(place.out / "result.json")
    assert (result["verdict"], result["exit_code"]) == ("error", 2)
    assert [entry["status"] for entry in result["results"]] == [
        "passed",
        "passed",
        "error",
        "error",
    ]
    assert len(result["errors"]) == 2
    assert result["files"] == [entry for entry in result["files"] if (place.out / entry).is_file()]
    again: list[Event] = []
    options = {"out": place.out, "resume": True, "listener": again.append}
    assert petaudit.Executor(place.pipeline, **options).run() == "error"
    kinds = [entry.kind for entry in again if entry.kind in {"kept", "result"}]
    assert kinds == ["kept", "kept", "result", "result"]
    assert document(place.out / "result.json") == result
    place.pipeline.write_text(FAILING.replace("0.001", "0.6"), encoding="utf-8")
    again.clear()
    assert petaudit.Executor(place.pipeline, **options).run() == "passed"
    assert [entry.kind for entry in again if entry.kind in {"kept", "result"}] == kinds
    assert place.leftovers() == []


def test_a_log_on_a_full_disk_is_a_clear_error(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(place.out)
    settings = "Executor: {log_filename: a.log}\n"
    place.pipeline.write_text(settings + SMALL, encoding="utf-8")
    full = Path("/dev/full").open("w")  # noqa: SIM115 (the log closes it)
    monkeypatch.setattr(events._LogFile, "_open", lambda _: full)
    message = said(capsys, place, place.out)
    assert "the log cannot be written to '" in message
    assert "a.log' (No space left on device)" in message
    assert contents(place.out) == before


def test_a_table_that_changes_while_it_is_read_is_an_error(place: Place) -> None:
    table = place.root / "people.csv"
    table.write_text("zip;ill\n1;a\n1;b\n", encoding="utf-8")
    place.pipeline.write_text(
        "Loader: {p: {filepath: people.csv, roles: "
        "{quasi_identifier: zip, sensitive_attribute: ill}}}\n"
        "Evaluator: {a: {method: t-closeness}, b: {method: t-closeness}}\n",
        encoding="utf-8",
    )

    def write(event: Event) -> None:
        if event.kind == "result":
            table.write_text("zip;ill\n1;a\n1;b\n2;c\n", encoding="utf-8")

    before = contents(place.out)
    executor = petaudit.Executor(place.pipeline, out=place.out, listener=write)
    with pytest.raises(InputError, match=r"people\.csv changed while it was being read"):
        executor.run()
    assert document(place.out / "result.json") == json.loads(before["result.json"])

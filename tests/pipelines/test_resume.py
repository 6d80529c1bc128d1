"""Killed at any moment and resumed: the same result, and nothing is left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import petaudit
from petaudit.errors import ManyProblemsError
from petaudit.pipelines import checking
from petaudit.pipelines.events import Event
from petaudit.pipelines.folder import STATE
from pipelines.killing import PIPELINE, SMALL, Place, contents, document, raw

KILLS = int(os.environ.get("PETAUDIT_KILLS", "5"))
# Everything that changes a folder: a process may die before any of them.
STEPS = ("replace", "rename", "unlink", "rmdir", "link", "mkdir", "fsync")


class Killed(BaseException):
    """Nothing in the program may catch this, as nothing can catch SIGKILL."""


@contextmanager
def dying(nth: int) -> Iterator[None]:
    """From the n-th change to a folder on there is no other: what runs afterwards does nothing."""
    seen = 0

    def deadly(original: Callable[..., object]) -> Callable[..., object]:
        def step(*arguments: object, **options: object) -> object:
            nonlocal seen
            seen += 1
            if seen >= nth:
                raise Killed
            return original(*arguments, **options)

        return step

    with pytest.MonkeyPatch.context() as patch:
        for name in STEPS:
            patch.setattr(os, name, deadly(getattr(os, name)))
        yield


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls the plug here, and waiting for the disk takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def executed(place: Place, *, resume: bool = False, text: str | None = None) -> list[Event]:
    """Run in this process; what happened."""
    heard: list[Event] = []
    if text is not None:
        place.pipeline.write_text(text, encoding="utf-8")
    petaudit.Executor(place.pipeline, out=place.out, resume=resume, listener=heard.append).run()
    return heard


def interrupted(place: Place, files: int, *, resume: bool = False) -> bool:
    """Run until so many results are kept; whether it came that far."""

    def stop(event: Event) -> None:
        if event.kind == "result" and len(kept(place)) >= files:
            raise Killed

    try:
        petaudit.Executor(place.pipeline, out=place.out, resume=resume, listener=stop).run()
    except Killed:
        return True
    return False


def kept(place: Place) -> list[Path]:
    return sorted((place.out / STATE).glob("*.kept"))


def kinds(heard: list[Event]) -> list[str]:
    return [own.kind for own in heard if own.kind in {"kept", "result"}]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], float]:
    """What an uninterrupted run leaves, and how long it takes."""
    place = Place.made(tmp_path_factory.mktemp("whole"), PIPELINE)
    before = time.perf_counter()
    assert place.run()[0] == 0
    assert place.leftovers() == []
    return contents(place.out), time.perf_counter() - before


@pytest.mark.parametrize("number", range(KILLS))
def test_killed_at_a_random_moment(
    tmp_path: Path, whole: tuple[dict[str, object], float], number: int
) -> None:
    expected, seconds = whole
    draw = random.Random(number)  # noqa: S311 (moments, no secrets)
    place = Place.made(tmp_path / "killed", PIPELINE)
    # Every third time at the very end, where files are renamed one after the other.
    earliest = 0.85 if number % 3 == 0 else 0.3
    place.killed(seconds * draw.uniform(earliest, 1.0))
    if number % 4 == 1:
        place.killed(seconds * draw.uniform(0.3, 1.0), "--resume")
    code, said = place.run("--resume")
    assert (code, place.leftovers()) == (0, []), said
    assert contents(place.out) == expected


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end(
    tmp_path: Path, whole: tuple[dict[str, object], float], how: signal.Signals
) -> None:
    place = Place.made(tmp_path / "told", PIPELINE)
    process = place.started()
    while not kept(place) and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(how)
    _, said = process.communicate(timeout=120)
    # Python itself may end by the signal, too, which a shell takes for the same.
    assert process.returncode in {128 + how, -how}
    assert said.splitlines() == [
        "petaudit: finished runs were kept; go on with --resume",
        "petaudit: interrupted",
    ]
    left = {own.suffix for own in (place.out / STATE).iterdir()}
    assert (left, list(place.temporary.iterdir())) == ({"", ".kept"}, [])
    assert place.run("--resume")[0] == 0
    assert (contents(place.out), place.leftovers()) == (whole[0], [])


def test_dying_before_every_single_change_to_the_folder(tmp_path: Path) -> None:
    place = Place.made(tmp_path, SMALL.replace("0.9", "0.8"))
    fresh = Place.made(tmp_path / "fresh", SMALL)
    executed(place)
    executed(fresh)
    old, expected = raw(place.out), contents(fresh.out)
    place.pipeline.write_text(SMALL, encoding="utf-8")
    died = 0
    while True:
        try:
            with dying(died + 1):
                executed(place)
        except Killed:
            died += 1
        else:
            break
        for path, before in old.items():
            # Old or new, never a part of either.
            now = Path(path).read_bytes()
            name = Path(path).name
            if now != before and "timing" not in name:
                assert contents(place.out)[name] == expected[name]
        if died % 3 == 0:
            with pytest.raises(Killed), dying(4 + died // 3):
                executed(place, resume=True)
        executed(place, resume=True)
        assert contents(place.out) == expected, died
        for path, before in old.items():
            Path(path).write_bytes(before)
    assert died > 30
    assert contents(place.out) == expected


def test_only_what_is_missing_is_computed(tmp_path: Path) -> None:
    place = Place.made(tmp_path, SMALL)
    assert interrupted(place, 1)
    assert len(kept(place)) == 1
    assert kinds(executed(place, resume=True)) == ["kept", "result"]
    assert interrupted(place, 1)
    place.pipeline.write_text(SMALL.replace("0.9", "0.8"), encoding="utf-8")
    assert interrupted(place, 1)
    assert len(kept(place)) == 1, "what another run kept goes away"
    assert kinds(executed(place)) == ["result", "result"], "kept results are for --resume only"


TABLE = "zip;job;disease\n" + "".join(f"{i % 5};{i % 3};{i % 4}\n" for i in range(60))
SIDE_CAR = """
DATASET:
  ATTRIBUTE_TYPE: {quasi_identifier: [zip, job], sensitive_attribute: [disease]}
  HIERARCHY: {zip: zip.csv, job: {"0": "*", "1": "*", "2": "*"}}
"""
HIERARCHY = "".join(f"{i};{i // 2}x;*\n" for i in range(5))
ON_FILES = """
Loader:
  people: {filepath: people.csv, original: people.csv, population: everybody.csv}
Evaluator:
  precise: {method: precision}
  close: {method: t-closeness, limit: 0.9}
"""


def changed_table(place: Place) -> None:
    # Neither the size nor the time of the file gives it away.
    path = place.root / "people.csv"
    before = path.stat()
    path.write_text(TABLE.replace("0;0;0\n", "0;0;3\n", 1), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def changed_population(place: Place) -> None:
    # Every result may depend on it, whether it does or not.
    (place.root / "everybody.csv").write_text(TABLE + "0;0;0\n", encoding="utf-8")


def no_population(place: Place) -> None:
    text = ON_FILES.replace(", population: everybody.csv", "")
    assert text != ON_FILES
    place.pipeline.write_text(text, encoding="utf-8")


def changed_side_car(place: Place) -> None:
    text = SIDE_CAR.replace("[zip, job]", "[zip]")
    (place.root / "people.yaml").write_text(text, encoding="utf-8")


def changed_rule(place: Place) -> None:
    text = SIDE_CAR.replace('"0": "*"', '"0": [low, "*"]').replace('"1": "*"', '"1": [low, "*"]')
    text = text.replace('"2": "*"', '"2": [high, "*"]')
    (place.root / "people.yaml").write_text(text, encoding="utf-8")


def changed_hierarchy(place: Place) -> None:
    text = HIERARCHY.replace(";*", ";y;*")
    (place.root / "zip.csv").write_text(text, encoding="utf-8")


def changed_option(place: Place) -> None:
    text = ON_FILES.replace("t-closeness,", "t-closeness, suppressed: exclude,")
    place.pipeline.write_text(text.replace("precision}", "precision, unknown: maximal}"))


def changed_version(_: Place) -> None:
    checking.__version__ = "0.0.0"  # type: ignore[attr-defined]


def truncated(place: Place) -> None:
    for path in kept(place):
        path.write_bytes(path.read_bytes()[:-9])


def damaged(place: Place) -> None:
    for path in kept(place):
        path.write_bytes(path.read_bytes().replace(b'"value": ', b'"value": 1'))


def emptied(place: Place) -> None:
    for path, content in zip(kept(place), (b"", b"\xff\x00 [" * 9), strict=True):
        path.write_bytes(content)


@pytest.mark.parametrize(
    "change",
    [changed_table, changed_population, no_population, changed_side_car, changed_rule,
     changed_hierarchy, changed_option, changed_version, truncated, damaged, emptied],
)  # fmt: skip
def test_kept_results_of_something_else_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Place], None]
) -> None:
    monkeypatch.setattr(checking, "__version__", petaudit.__version__)
    place = Place.made(tmp_path, ON_FILES)
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "everybody.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "people.yaml").write_text(SIDE_CAR, encoding="utf-8")
    (tmp_path / "zip.csv").write_text(HIERARCHY, encoding="utf-8")
    assert interrupted(place, 2)
    assert len(kept(place)) == 2
    change(place)
    assert kinds(executed(place, resume=True)) == ["result", "result"]
    resumed = contents(place.out)
    executed(place)
    assert resumed == contents(place.out)
    assert place.leftovers() == []


def test_a_result_is_not_compared_with_the_one_that_it_replaces(tmp_path: Path) -> None:
    """Else what got worse fails once, and passes when it is run again."""
    place = Place.made(tmp_path, SMALL)
    executed(place)
    before = contents(place.out)
    text = "Executor: {compare_to: ./out/../out/result.json}\n" + SMALL
    with pytest.raises(ManyProblemsError, match="name a copy of it"):
        executed(place, text=text)
    assert contents(place.out) == before


def test_another_earlier_result_is_read_again(tmp_path: Path) -> None:
    place = Place.made(tmp_path, SMALL)
    executed(place)
    (place.out / "result.json").rename(tmp_path / "baseline.json")
    place.pipeline.write_text("Executor: {compare_to: baseline.json}\n" + SMALL, encoding="utf-8")
    assert interrupted(place, 1)
    content = json.loads((tmp_path / "baseline.json").read_text(encoding="utf-8"))
    content["results"][0]["value"] = 0.1
    (tmp_path / "baseline.json").write_text(json.dumps(content), encoding="utf-8")
    executed(place, resume=True)
    resumed = contents(place.out)
    executed(place)
    assert resumed == contents(place.out)
    assert document(place.out / "result.json")["verdict"] == "failed"

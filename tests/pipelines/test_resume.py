"""Killed at any moment and resumed: the same result, and nothing is left behind."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import petaudit
from budget import IS_LONG, IS_RANDOM
from petaudit.cli import main
from petaudit.errors import ManyProblemsError
from petaudit.pipelines import checking
from petaudit.pipelines import folder as folders
from petaudit.pipelines.events import Event
from petaudit.pipelines.folder import STATE
from pipelines.killing import PIPELINE, SMALL, Place, contents, document, raw

KILLS = 20 if IS_RANDOM else 2 if IS_LONG else 1
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
    return [entry.kind for entry in heard if entry.kind in {"kept", "result"}]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], float]:
    """What an uninterrupted run leaves, and how long it takes."""
    place = Place.made(tmp_path_factory.mktemp("whole"), PIPELINE)
    before = time.perf_counter()
    assert place.run()[0] == 0
    assert place.leftovers() == []
    return contents(place.out), time.perf_counter() - before


@pytest.mark.long
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


@pytest.mark.long
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
        "petaudit: finished runs were kept; continue with --resume",
        "petaudit: interrupted",
    ]
    left = {path.suffix for path in (place.out / STATE).iterdir()}
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
            died += 1 if IS_RANDOM else 3
        else:
            break
        for path, before in old.items():
            # Old or new, never a part of either.
            now = Path(path).read_bytes()
            name = Path(path).name
            if now != before and "timing" not in name:
                assert contents(place.out)[name] == expected[name]
        if died % 9 == 0:
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


@pytest.mark.filterwarnings("ignore:.*measured again:petaudit.PetauditWarning")
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
    result = document(place.out / "result.json")
    assert result["verdict"] == "failed"
    # Which one it was can be told afterwards.
    content = (tmp_path / "baseline.json").read_bytes()
    assert result["compare_to"]["sha256"] == hashlib.sha256(content).hexdigest()


# A folder of results that others can write to, too.

TWO = """
Loader: {people: {filepath: people.csv, roles: {quasi_identifier: zip, sensitive_attribute: ill}}}
Evaluator:
  classes: {method: k-anonymity, limit: 3}
  values: {method: k-anonymity, limit: 2}
"""
FOREIGN = "holds saved results that this user did not save on this machine, or that were changed"


@pytest.fixture
def stopped(tmp_path: Path) -> Place:
    """A run that was interrupted when both results were kept: k is 2, so the first one fails."""
    place = Place.made(tmp_path, TWO)
    (tmp_path / "people.csv").write_text("zip;ill\n1;a\n1;b\n2;a\n2;b\n", encoding="utf-8")
    assert interrupted(place, 2)
    return place


def resumed(place: Place) -> tuple[list[str], dict[str, Any]]:
    """What became of the kept results, and the document."""
    return kinds(executed(place, resume=True)), document(place.out / "result.json")


def measured_again(place: Place) -> bool:
    """Whether all was measured again, that was said, and the verdict is the true one."""
    with pytest.warns(petaudit.PetauditWarning, match=FOREIGN) as said:
        events, result = resumed(place)
    values = [entry["value"] for entry in result["results"]]
    return (len(said), events, values, result["verdict"]) == (1, ["result"] * 2, [2, 2], "failed")


def test_results_that_nobody_touched_are_taken(stopped: Place) -> None:
    events, result = resumed(stopped)
    assert (events, result["verdict"]) == (["kept", "kept"], "failed")


def with_one_forged(value: Any) -> Iterator[Any]:
    """Plain data again and again, each time with another field as a forger would have it."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            for inner in with_one_forged(value[key]):
                copied = value.copy()
                copied[key] = inner
                yield copied
    match value:
        case bool():
            yield not value
        case "failed":
            yield "passed"
        case int() | float() | None:
            yield 5000
        case dict():
            yield {**value, "more": 5000}
        case _:
            yield [5000] if isinstance(value, list) else f"{value}x"


SIGNERS: dict[str, Callable[[bytes, bytes], bytes]] = {
    "the old signature": lambda old, _: old,
    "a mere checksum, as in 0.7": lambda _, text: hashlib.sha256(text).hexdigest().encode(),
    "a key of his own": lambda _, text: hmac.new(b"k" * 32, text, "sha256").hexdigest().encode(),
    "none": lambda _, __: b"",
}


@pytest.mark.parametrize("signer", SIGNERS)
def test_every_field_is_forged(stopped: Place, signer: str) -> None:
    folder = folders.ResultFolder(stopped.out, folders.user_key(stopped.out))
    forgeries = 0
    for path in kept(stopped):
        signature, _, text = path.read_bytes().partition(b"\n")
        assert folder.kept(path.stem) == json.loads(text)
        for forgery in with_one_forged(json.loads(text)):
            new = json.dumps(forgery).encode()
            path.write_bytes(SIGNERS[signer](signature, new) + b"\n" + new)
            assert (folder.kept(path.stem), new == text) == (None, False)
            forgeries += 1
        new = text.replace(b'"value": 2', b'"value": 5000').replace(b"failed", b"passed")
        path.write_bytes(SIGNERS[signer](signature, new) + b"\n" + new)
    assert forgeries > 200
    assert measured_again(stopped)


def test_the_command_line_says_so_in_one_line(
    stopped: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in kept(stopped):
        path.write_bytes(path.read_bytes().replace(b'"value": 2', b'"value": 5000'))
    command = ["run", str(stopped.pipeline), "--out", str(stopped.out), "--resume", "--quiet"]
    assert main(command) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if "measured again" in line]
    assert len(said) == 1
    assert said[0].startswith("petaudit: warning: ")
    assert FOREIGN in said[0]


def another_key(stopped: Place, folder: Path) -> None:
    """Another machine: a cache of CI, or the folder of a colleague."""


def same_results_swapped(stopped: Place, folder: Path) -> None:
    one, other = kept(stopped)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def of_another_table(stopped: Place, folder: Path) -> None:
    """A genuine result for a better table, put in the place of this table's."""
    names = kept(stopped)
    table = stopped.root / "people.csv"
    bad, good = table.read_bytes(), b"zip;ill\n" + b"1;a\n" * 5000
    table.write_bytes(good)
    assert interrupted(stopped, 2)
    better = {path.name: path.read_bytes() for path in kept(stopped)}
    assert not better.keys() & {path.name for path in names}
    table.write_bytes(bad)
    for path, content in zip(names, better.values(), strict=True):
        path.write_bytes(content)


def key_that_others_can_read(stopped: Place, folder: Path) -> None:
    (folder / "petaudit/resume.key").chmod(0o644)


def key_cut_short(stopped: Place, folder: Path) -> None:
    (folder / "petaudit/resume.key").write_bytes(b"")


def key_behind_a_link(stopped: Place, folder: Path) -> None:
    key = folder / "petaudit/resume.key"
    key.rename(folder / "elsewhere")
    key.symlink_to(folder / "elsewhere")


@pytest.mark.parametrize(
    "how",
    [another_key, same_results_swapped, of_another_table, key_that_others_can_read, key_cut_short,
     key_behind_a_link],
)  # fmt: skip
def test_what_cannot_be_told_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: Callable[[Place, Path], None]
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    place = Place.made(tmp_path / "place", TWO)
    (place.root / "people.csv").write_text("zip;ill\n1;a\n1;b\n2;a\n2;b\n", encoding="utf-8")
    assert interrupted(place, 2)
    key = state / "petaudit/resume.key"
    assert (key.stat().st_mode & 0o777, key.stat().st_size) == (0o600, 32)
    assert key.parent.stat().st_mode & 0o777 == 0o700
    how(place, state)
    if how is another_key:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert measured_again(place)
    # And from then on, it works as ever.
    assert interrupted(place, 2)
    assert resumed(place)[0] == ["kept", "kept"]


@pytest.mark.parametrize("where", ["in the results", "a file", "nowhere"])
def test_without_a_key_of_its_own_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, stopped: Place
) -> None:
    state = {"in the results": stopped.out / "state", "a file": stopped.pipeline}.get(where)
    if state is None:
        monkeypatch.delenv("XDG_STATE_HOME")
        monkeypatch.setattr(Path, "home", nobody)
    else:
        monkeypatch.setenv("XDG_STATE_HOME", str(state))
    assert measured_again(stopped)
    executor = petaudit.Executor(stopped.pipeline, out=stopped.out)
    assert (executor.run(), executor.has_kept_results) == ("failed", False)


def nobody() -> Path:
    raise RuntimeError("no home")


def test_two_processes_have_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both find none and make one; the first one's counts."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    link = os.link

    def late(source: Path, target: Path) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(os, "link", link)
            earlier.append(folders.user_key(tmp_path / "out"))
        link(source, target)

    earlier: list[bytes | None] = []
    monkeypatch.setattr(os, "link", late)
    result = folders.user_key(tmp_path / "out")
    assert result is not None
    assert earlier == [result]
    assert [path.name for path in (tmp_path / "petaudit").iterdir()] == [folders.KEY_FILE]

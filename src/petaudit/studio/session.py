"""What the studio knows: the document with its history, and what came of looking and running."""

from __future__ import annotations

import copy
import getpass
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import yaml

from petaudit.errors import InputError, OptionError, PetauditError, phrase
from petaudit.i18n.catalogue import ENGLISH
from petaudit.i18n.voice import Voice
from petaudit.judging.document import read_document
from petaudit.pipelines.configuration import configuration_text
from petaudit.pipelines.models import EVALUATOR, LOADER
from petaudit.reports.reading import view_of
from petaudit.reports.view import View
from petaudit.roles import Role
from petaudit.starter.starter import K, T
from petaudit.studio import document, trio
from petaudit.studio.document import Content, Version
from petaudit.studio.jobs import Job, Workers
from petaudit.studio.worker_lines import Said, said
from petaudit.system.yaml_files import parse_yaml
from petaudit.tables import is_address, private_folder, shown_table

CONFIG: Final = "audit.yaml"
THEMES: Final = ("auto", "light", "dark")
_SCHEME: Final = "benchmark://"
_MOST_KEPT: Final = 12
"""Results, the oldest of which goes first."""
_MOST_VERSIONS: Final = 1_000
_FILES: Final = ("filepath", "original", "population", "schema", "hierarchies")
"""What of a table is in files."""


@dataclass(frozen=True)
class Finished:
    """What a run left."""

    folder: Path
    content: Content
    view: View
    document: Mapping[str, Any]
    about: Mapping[str, Any]
    """What the worker said of it, as ``made``."""
    was_stopped: bool

    @property
    def may_differ(self) -> bool:
        """Whether another run may make another table, since this search was stopped."""
        return self.was_stopped and self.about["made"] is not None


class Studio:
    """The state of the studio: one, however many tabs show it."""

    def __init__(self, *, language: str = ENGLISH, memory: str | None = None) -> None:
        self.folder = private_folder() / "studio"
        self.folder.mkdir(mode=0o700)
        self.files = self.folder / "files"
        self.files.mkdir()
        self.language = language
        self.hides_values = False
        self._memory = memory
        self._versions = [Version({}, phrase("nothing is open yet"), _now())]
        self._at = 0
        self._looks: dict[str, Job] = {}
        self._runs: dict[str, Finished | Job] = {}
        self._compared: dict[str, Job] = {}
        self._number = 0
        self.notice: Said | None = None
        """What went wrong with the last action; shown once."""
        self.lock = threading.RLock()
        self.theme = THEMES[0]
        self.workers = Workers(self.folder.parent, self.lock)

    # The document and its history.

    @property
    def content(self) -> Content:
        """The document as it is now; it is changed by :meth:`edit` only."""
        return self._versions[self._at].content

    @property
    def text(self) -> str:
        """The document as YAML."""
        return document.text_of(self.content)

    @property
    def history(self) -> list[Version]:
        """Every decision up to now."""
        return self._versions[1 : self._at + 1]

    @property
    def can_undo(self) -> bool:
        """Whether there is a decision to take back."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a decision was taken back."""
        return self._at + 1 < len(self._versions)

    def edit(
        self, note: str, change: Callable[[Content], Content | None], *, keeps_redo: bool = False
    ) -> None:
        """Make a new version of the document; what changes nothing is no version."""
        with self.lock:
            changed = copy.deepcopy(self.content)
            changed = change(changed) or changed
            if changed != self.content:
                kept = self._versions[: self._at + 1][-_MOST_VERSIONS:]
                later = self._versions[self._at + 1 :] if keeps_redo else []
                self._versions = [*kept, Version(changed, note, _now()), *later]
                self._at = len(kept)

    def move(self, steps: int) -> None:
        """Undo (-1) or redo (1)."""
        with self.lock:
            self._at = min(max(self._at + steps, 0), len(self._versions) - 1)
            if not self.can_redo:
                self._propose_again()

    @property
    def voice(self) -> Voice:
        """The language of the page, and whether values and small counts are shown."""
        return Voice(self.language, revealed=not self.hides_values)

    # The table.

    def open(self, address: str) -> None:
        """Take another table, or a pipeline file."""
        given = address.strip()
        if not given:
            raise OptionError("name a table: a path, benchmark://NAME or postgresql://...")
        if given.lower().endswith((".yaml", ".yml")):
            self._open_pipeline(Path(given).expanduser())
            return
        given = self.located(given)
        self.edit(phrase("opened {table}", table=shown_table(given)), lambda _: document.new(given))
        self._propose_again()

    def open_trio(self, original: str, synthetic: str, control: str) -> None:
        """Take a synthetic table, what it was learned from, and what it was not."""
        given = [each.strip() for each in (original, synthetic, control)]
        if not given[0] or not given[1]:
            raise OptionError("name both tables: the original and the synthetic one")
        given = [self.located(each) if each else "" for each in given]
        note = phrase("opened {table}", table=shown_table(given[1]))
        self.edit(note, lambda _: trio.new(*given))
        self._propose_again()

    def located(self, given: str) -> str:
        """A table as the document names it: a file that was dropped without its folder."""
        given = given.strip()
        if is_address(given) or given[: len(_SCHEME)].casefold() == _SCHEME:
            return given
        if "/" not in given and (self.files / given).is_file():
            return given
        path = Path(os.path.expanduser(given)).absolute()  # noqa: PTH111 (never raises)
        return path.name if path.parent == self.files.absolute() else str(path)

    def _open_pipeline(self, path: Path) -> None:
        from petaudit.pipelines.executor import Executor  # noqa: PLC0415 (slow, and seldom)

        text, _ = configuration_text(path)
        # It says what is wrong with the file, line by line, before any page shows it.
        Executor(path)
        content = parse_yaml(text, path.name).value
        if not isinstance(content, dict) or not trio.is_open_to(content):
            raise InputError(
                "the studio opens pipeline files with one Loader, or with one synthetic table and "
                "its original"
            )

        # What is empty counts as left out, and YAML takes the name null for none.
        content = {module: entries for module, entries in content.items() if entries}
        for entry in document.tables(content):
            unnamed: dict[Any, Any] = entry  # type: ignore[assignment]
            if None in unnamed:
                unnamed["null"] = unnamed.pop(None)

        def resolved(given: Any) -> Any:
            if isinstance(given, dict):
                return {key: resolved(own) for key, own in given.items()}
            is_path = isinstance(given, str) and "://" not in given
            return str((path.absolute().parent / given).resolve()) if is_path else given

        for entry in document.tables(content):
            for key in _FILES:
                if key in entry and (key != "hierarchies" or isinstance(entry[key], str)):
                    entry[key] = resolved(entry[key])
        self.edit(phrase("opened {table}", table=path.name), lambda _: content)
        self._propose_again()

    @property
    def look(self) -> Job | None:
        """What is known of the table; begun when it is asked for first."""
        given = self._to_look_at()
        if given is None:
            return None
        key = _key(given)
        with self.lock:
            if key not in self._looks or self._looks[key].was_replaced:
                self._looks[key] = self._begin("look", key, given, self._looked)
            return self._looks[key]

    def _to_look_at(self) -> dict[str, Any] | None:
        entry = document.table(self.content)
        address = entry.get("filepath")
        if not address:
            return None
        reading = {name: entry[name] for name in document.READING if name in entry}
        seen = self._seen([{"filepath": address}])
        return {"address": address, "reading": reading, "folder": str(self.files), "seen": seen}

    def _seen(self, entries: Iterable[Mapping[str, Any]]) -> list[tuple[int, int] | None]:
        """When the files of tables were changed, and their sizes: figures are of what was read."""

        def seen(path: str) -> tuple[int, int] | None:
            try:
                status = (self.files / os.path.expanduser(path)).stat()  # noqa: PTH111
            except (OSError, ValueError):
                return None
            return status.st_mtime_ns, status.st_size

        given = [entry.get(key) for entry in entries for key in _FILES]
        listed = [[*each.values()] if isinstance(each, Mapping) else [each] for each in given]
        return [seen(path) for paths in listed for path in paths if isinstance(path, str)]

    def _propose_again(self) -> None:
        """Propose at once for a table that was looked at before."""
        with self.lock:
            look = self._looks.get(_key(self._to_look_at()))
            if look is not None:
                self._looked(look)

    @property
    def facts(self) -> Mapping[str, Any] | None:
        """What is known of the table, once it was looked at."""
        look = self.look
        return None if look is None else look.done

    def _looked(self, job: Job) -> None:
        """Propose roles and limits for a table that has none yet."""
        facts = job.done
        if job.key != _key(self._to_look_at()):
            # Another table was opened meanwhile, or this one was taken back.
            return
        if facts is None or EVALUATOR in self.content or "roles" in document.loader(self.content):
            return
        if trio.parts(self.content) is not None:
            note = phrase("attacks as proposed")
            self.edit(note, lambda content: trio.proposed(content, facts), keeps_redo=True)
            return
        known = facts["side_car"].get("roles") or {
            column["name"]: column["role"]
            for column in facts["columns"]
            if column["is_sure"] and column["name"].strip()
        }

        def propose(content: Content) -> None:
            document.set_roles(content, known)
            document.set_person(content, facts["side_car"].get("person"))
            document.set_limit(content, "k-anonymity", K)
            if Role.SENSITIVE.value in known.values():
                document.set_limit(content, "l-diversity", 2)
                document.set_limit(content, "t-closeness", float(T))

        self.edit(phrase("roles and limits as proposed"), propose, keeps_redo=True)

    # Runs.

    @property
    def _run_key(self) -> str:
        return _key([self.text, self._seen(document.tables(self.content))])

    @property
    def result(self) -> Finished | Job | None:
        """What came of the document as it is; None where it was not run."""
        found = self._runs.get(self._run_key)
        return None if isinstance(found, Job) and found.was_replaced else found

    @property
    def latest(self) -> Finished | None:
        """The result of the document, or else the one before it, to be shown meanwhile."""
        own = self.result
        if isinstance(own, Finished):
            return own
        finished = [each for each in self._runs.values() if isinstance(each, Finished)]
        return finished[-1] if finished else None

    @property
    def can_run(self) -> bool:
        """Whether there is something to measure, and the table was looked at."""
        has_roles = Role.QUASI_IDENTIFIER.value in document.roles(self.content).values()
        has_roles |= trio.parts(self.content) is not None
        return has_roles and self.facts is not None and document.is_runnable(self.content)

    def ensure_run(self, *, again: bool = False) -> None:
        """Run the document in the background, unless that was done."""
        with self.lock:
            text, key = self.text, self._run_key
            if (self.result is not None and not again) or not self.can_run:
                return
            self._number += 1
            out = self.folder / f"results-{self._number}"
            config = self.files / CONFIG
            config.write_text(text, encoding="utf-8")
            given = {"config": str(config), "out": str(out), "text": text}
            self._runs.pop(key, None)
            self._runs[key] = self._begin("run", key, given, self._ran)

    def _ran(self, job: Job) -> None:
        folder = Path(job.task["out"])
        with self.lock:
            if job.done is None:
                return
            try:
                read = read_document(folder / "result.json")
                self._runs[job.key] = Finished(
                    folder,
                    yaml.safe_load(job.task["text"]),
                    view_of(read),
                    read,
                    job.done,
                    job.was_stopped,
                )
            except PetauditError as problem:
                job.problems = [said(problem.text)]
            self._fix_levels(job)
            for key in [*self._runs][:-_MOST_KEPT]:
                old = self._runs.pop(key)
                if isinstance(old, Finished):
                    shutil.rmtree(old.folder, ignore_errors=True)

    def _fix_levels(self, job: Job) -> None:
        """Write the levels of a search that was stopped into the document.

        Without them ``petaudit run`` would go on searching, and give another table.
        """
        made = (job.done or {}).get("made")
        if not job.was_stopped or made is None or made["levels"] is None:
            return
        if job.key != self._run_key:
            return

        def fix(content: Content) -> None:
            release = dict(document.release(content) or {})
            fixed = {"recoding": "global", "levels": made["levels"]}
            document.set_release(content, release | fixed)

        self.edit(phrase("search stopped: the levels found so far"), fix)
        self.ensure_run()

    @property
    def releases(self) -> list[tuple[int, Content, Finished]]:
        """The releases that were made, each with its document, to be compared."""
        made = [
            (number, own.content, own)
            for number, own in enumerate(self._runs.values())
            if isinstance(own, Finished) and own.about["made"] is not None
        ]
        return [each for each in made if LOADER in each[1]]

    @property
    def proposals(self) -> Job | None:
        """The hierarchies of the quasi-identifiers; begun when they are asked for first."""
        if not self.can_run:
            return None
        given = {"loader": self._loader(), "folder": str(self.files)}
        key = _key(["hierarchies", given, self._seen([self._loader()])])
        with self.lock:
            if key not in self._looks or self._looks[key].was_replaced:
                self._looks[key] = self._begin("hierarchies", key, given, lambda _: None)
            return self._looks[key]

    def compare(self, given: Mapping[str, Any]) -> None:
        """Search for the best release at several limits."""
        with self.lock:
            key = self._compare_key()
            task = {**given, "loader": self._loader(), "folder": str(self.files)}
            self._compared[key] = self._begin("compare", key, task, lambda _: None)

    @property
    def compared(self) -> Job | None:
        """The comparison for the table and the limits as they are."""
        return self._compared.get(self._compare_key())

    def _loader(self) -> dict[str, Any]:
        return dict(document.loader(self.content))

    def _compare_key(self) -> str:
        # Of the limits, k is what is varied.
        limits = document.all_limits(self.content) | {"k-anonymity": None}
        return _key([self._loader(), limits, self._seen([self._loader()])])

    def _begin(
        self, task: str, key: str, given: Mapping[str, Any], then: Callable[[Job], None]
    ) -> Job:
        job = Job({"task": task, "memory": self._memory, **given}, key)
        self.workers.begin(job, then)
        return job

    @property
    def job(self) -> Job | None:
        """The job that is on."""
        job = self.workers.job
        return None if job is None or job.is_over else job

    def stop(self) -> None:
        """Stop the job that is on."""
        self.workers.stop()

    def close(self) -> None:
        """End what is on and remove every file."""
        self.workers.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def decisions(self) -> str:
        """Who decided what and when, as text."""
        voice = self.voice
        lines = [f"- {each.when} {voice.say(each.note)}" for each in self.history]
        by = voice.say(phrase("Decided by {name} on this machine", name=_user()))
        digest = hashlib.sha256(self.text.encode()).hexdigest()
        return "\n".join(
            ["# petaudit studio", "", by, f"{CONFIG}: SHA-256 {digest}", "", *lines, ""]
        )


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "?"


def _now() -> str:
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


def _key(given: object) -> str:
    return repr(given)

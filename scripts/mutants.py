"""Measure the strength of the tests: change the source in one place, and see which test fails.

    make mutants                                             # 300 mutants: hours
    python scripts/mutants.py --only singling --count 600    # those of one package among 600
    python scripts/mutants.py --resume mutants.json          # go on after an interruption

Mutants (``mutations.py``) are drawn by seed and by the content of ``src`` alone. Each lives in a
copy of the tree with an environment of its own, so that programs which tests start see it as well.

The first run records which test executes which line, in such programs too, and keeps that in the
file of ``--coverage``. The tests that execute the statement try a mutant, cheapest file first.
Where execution says too little, more tests do:

- A line that runs in the setup of a test counts for all tests of that file, which may share it.
- What runs once per process (at import, in a cached function, while tests are collected) is
  executed by the first test only. It counts for all tests that execute any function of the file,
  those in the folder or file named after it, and the golden tests.
- Compiled kernels are not traced. They count for all tests that execute a call of one of the
  kernels of their file. Their mutants start with an empty cache of numba.

A mutant is killed if a test fails twice, or takes far longer than recorded. Tests that fail without
mutants are left out. With ``--budget`` a mutant that survives that many seconds of tests is given
up: ``skipped`` says how many tests it did not see. Resuming with another budget tries it again.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import math
import os
import queue
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final

from mutations import Module, Mutant, draw_mutants, read_modules

SCRIPTS: Final = Path(__file__).resolve().parent
WAVES: Final = (15.0, 120.0, math.inf)
"""Seconds of tests that one run of pytest gets: few files at first, because collecting costs."""
PATIENCE: Final = 300.0
"""Seconds beyond which a test hangs that took none: kernels may compile on a busy machine."""
PASSED: Final = (0, 5)
"""Exit codes of pytest without a failure; 5 is said if there is no test."""

Timed = tuple[str, float]
"""A test and the seconds that it takes."""

_TABLES: Final = """
CREATE TABLE source (digest TEXT);
CREATE TABLE test (name TEXT PRIMARY KEY, seconds REAL, outcome TEXT);
CREATE TABLE context (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE line (file TEXT, context INTEGER, lines BLOB);
CREATE INDEX by_file ON line (file);
"""
_ADD_CONTEXTS: Final = "INSERT OR IGNORE INTO context (name) SELECT context FROM part.context"
_ADD_LINES: Final = """
INSERT INTO line SELECT substr(path, ?), main.context.id, numbits FROM part.line_bits
JOIN part.file ON part.file.id = file_id JOIN part.context ON part.context.id = context_id
JOIN main.context ON main.context.name = part.context.context
"""


class Copy:
    """A copy of the tree with an environment of its own, where mutants live one after the other."""

    def __init__(self, tree: Path, folder: Path, stop: threading.Event) -> None:
        self.folder, self.tree, self.stop = folder, folder / "tree", stop
        self.plan, self.now, self.output = (folder / name for name in ("plan", "now.txt", "output"))
        ignored = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", "site")
        shutil.copytree(tree, self.tree, symlinks=True, ignore=ignored)
        if (tree.parent / "shared").exists():
            (folder / "shared").symlink_to((tree.parent / "shared").resolve())
        venv.create(self.tree / ".venv", symlinks=True)
        self.python = self.tree / ".venv" / "bin" / "python"
        [packages] = self.tree.glob(".venv/lib/*/site-packages")
        [installed] = tree.glob(".venv/lib/*/site-packages")
        self.startup = packages / "mutants.pth"
        self.startup.write_text(
            f"{self.tree / 'src'}\n{SCRIPTS}\nimport site; site.addsitedir({str(installed)!r})\n"
        )
        command = self.python.with_name("petaudit")
        command.write_text(f"#!{self.python}\nfrom petaudit.cli import main\nexit(main())\n")
        command.chmod(0o755)

    def _start(self, *arguments: object) -> subprocess.Popen[bytes]:
        """Start the tests as a group of processes that can be ended together."""
        temporary = self.folder / "tmp"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        options = ["-m", "pytest", "-p", "mutants_plugin", "-p", "no:cacheprovider"]
        with self.output.open("wb") as output:
            return subprocess.Popen(
                [self.python, *options, *map(str, arguments)],
                cwd=self.tree,
                env=os.environ | {"TMPDIR": str(temporary)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def record(self, suite: str, jobs: int, target: Path, digest: str) -> None:
        """Run the suite, and keep which test executes which lines."""
        data, settings = self.folder / "data", self.folder / "coveragerc"
        data.mkdir()
        settings.write_text(
            f"[run]\nparallel = true\ndata_file = {data}/lines\ninclude = {self.tree}/src/*\n"
            "context = ${PYTEST_CURRENT_TEST-}\n"
            "disable_warnings = no-data-collected, couldnt-parse\n"
        )
        startup = self.startup.read_text()
        self.startup.write_text(
            f"{startup}import os; os.environ['COVERAGE_PROCESS_START'] = {str(settings)!r}; "
            "import coverage; coverage.process_startup()\n"
        )
        tests: dict[str, Sequence[object]] = {}
        arguments: list[object] = ["-n", jobs, *shlex.split(suite)]
        for _ in range(2):  # on a busy machine a test may miss a deadline once
            running = self._start(f"--mutants-record={data}", *arguments)
            try:
                running.wait()
            finally:
                _end(running)
            shutil.copy(self.output, f"{target}.log")
            tests |= {test[0]: test for test in json.loads((data / "tests.json").read_text())}
            failed = [name for name, _, outcome in tests.values() if outcome == "failed"]
            if not failed:
                break
            self.plan.write_text(json.dumps(failed))
            arguments = [f"--mutants-plan={self.plan}", *{_file(str(name)) for name in failed}]
        self.startup.write_text(startup)
        draft = self.folder / "coverage"
        with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as database:
            database.executescript(_TABLES)
            database.execute("INSERT INTO source VALUES (?)", [digest])
            database.executemany("INSERT INTO test VALUES (?, ?, ?)", tests.values())
            for part in data.glob("lines.*"):
                # Tests kill processes: one that was writing leaves a file that cannot be read.
                with contextlib.suppress(sqlite3.DatabaseError):
                    database.execute("ATTACH ? AS part", [str(part)])
                    try:
                        database.execute(_ADD_CONTEXTS)
                        database.execute(_ADD_LINES, [len(f"{self.tree}/") + 1])
                    finally:
                        database.execute("DETACH part")
        shutil.move(draft, target)

    def write(self, file: str, source: bytes) -> None:
        """Change a file, and leave nothing that was compiled from another version of it."""
        path = self.tree / file
        path.write_bytes(source)
        for pattern in (f"{path.stem}.*.pyc", "*.nb?"):  # numba does not see a change elsewhere
            for compiled in path.parent.glob(f"__pycache__/{pattern}"):
                compiled.unlink()

    def judge(self, tests: Sequence[Timed]) -> tuple[str, str | None]:
        """Run tests until one fails twice; return what becomes of the mutant, and that test."""
        for wave in split_into_waves(tests):
            left = wave
            while left:
                status, index = self._run(left)
                if status == "passed":
                    break
                suspects = left if index is None else [left[index]]
                if status == "timeout" or self._run(suspects)[0] != "passed":
                    return status, "collection" if index is None else suspects[0][0]
                left = [] if index is None else left[index + 1 :]
        return "survived", None

    def _run(self, tests: Sequence[Timed]) -> tuple[str, int | None]:
        """Run tests until one fails; return what happened, and which began last, if any did."""
        self.plan.write_text(json.dumps([name for name, _ in tests]))
        self.now.unlink(missing_ok=True)
        files = dict.fromkeys(_file(name) for name, _ in tests)
        running = self._start("-x", f"--mutants-plan={self.plan}", *files)
        since, index, limit = time.monotonic(), self._current(), PATIENCE
        while running.poll() is None and time.monotonic() - since < limit:
            if self.stop.wait(0.2):
                _end(running)
                raise InterruptedError
            if self._current() != index:
                since, index = time.monotonic(), self._current()
                limit = PATIENCE + 10 * tests[index or 0][1]
        code = _end(running)
        if code is None:
            return "timeout", self._current()
        return "passed" if code in PASSED else "killed", self._current()

    def _current(self) -> int | None:
        """Return the index of the test that began last."""
        with contextlib.suppress(OSError, ValueError):
            return int(self.now.read_text())
        return None


def _end(process: subprocess.Popen[bytes]) -> int | None:
    """End a process and those that it left behind; return its exit code, if it had one."""
    code = process.poll()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return code


def _file(test: str) -> str:
    return test.partition("::")[0]


def split_into_waves(tests: Sequence[Timed]) -> Iterator[Sequence[Timed]]:
    """Split tests after the first seconds, and after the first minutes."""
    sums = list(accumulate(seconds for _, seconds in tests))
    starts = [0, *(sum(so_far <= limit for so_far in sums) for limit in WAVES)]
    for start, stop in pairwise(starts):
        if start < stop:
            yield tests[start:stop]


class Selection:
    """Which tests can notice a mutant."""

    def __init__(self, modules: Sequence[Module], path: Path) -> None:
        self.modules = {module.file: module for module in modules}
        self.database = sqlite3.connect(path, check_same_thread=False)
        [[self.digest]] = self.database.execute("SELECT digest FROM source")
        query = "SELECT name, seconds FROM test WHERE outcome = 'passed' ORDER BY rowid"
        self.seconds: dict[str, float] = dict(self.database.execute(query).fetchall())
        self.by_file: dict[str, set[str]] = defaultdict(set)
        for name in self.seconds:
            self.by_file[_file(name)].add(name)

    def tests(self, mutant: Mutant) -> list[Timed]:
        """Return the tests of a mutant, cheapest file first."""
        module = self.modules[mutant.file]
        tests, in_collection = self._executing(mutant.file, mutant.span)
        if mutant.function in module.kernels:
            for caller in self.modules.values():
                lines = {line for kernel in module.kernels for line in caller.calls[kernel]}
                tests |= self._executing(caller.file, lines)[0]
        elif mutant.once or in_collection:
            lines = {line for other in module.mutants if not other.once for line in other.span}
            tests |= self._executing(mutant.file, lines)[0]
            named_after = rf"{mutant.package.lower()}/|.*\btest_{Path(mutant.file).stem}\.py"
            tests |= {
                test for test in self.seconds if re.match(f"tests/(goldens/|{named_after})", test)
            }
        costs: dict[str, float] = defaultdict(float)
        for test in tests:
            costs[_file(test)] += self.seconds[test]
        ordered = [test for test in self.seconds if test in tests]
        ordered.sort(key=lambda test: (costs[_file(test)], _file(test)))
        return [(test, self.seconds[test]) for test in ordered]

    def _executing(self, file: str, lines: Iterable[int]) -> tuple[set[str], bool]:
        """Return the tests that execute one of the lines, and whether collecting them did so."""
        wanted = sum(1 << line for line in set(lines))
        tests: set[str] = set()
        in_collection = False
        query = "SELECT name, lines FROM line JOIN context ON id = context WHERE file = ?"
        for context, bits in self.database.execute(query, [file]):
            if int.from_bytes(bits, "little") & wanted:
                test, _, phase = context.rpartition(" ")
                in_collection |= phase in ("", "(collect)")
                tests |= {test} if phase == "(call)" else self.by_file[_file(test)]
        return tests & self.seconds.keys(), in_collection


class Report:
    """What became of each mutant, in a file that is complete at any time."""

    def __init__(self, path: Path, head: dict[str, Any], resume: Path | None) -> None:
        self.path, self.head = path, head
        self.mutants: dict[str, dict[str, Any]] = {}
        if resume:
            earlier = json.loads(resume.read_text())
            if earlier["source"] != head["source"]:
                sys.exit(f"{resume} is about another source: remove it")
            self.mutants = {entry["key"]: entry for entry in earlier["mutants"]}

    def has(self, mutant: Mutant) -> bool:
        """Whether the mutant need not be tried again."""
        entry = self.mutants.get(mutant.key, {"skipped": True, "budget": None})
        return not entry["skipped"] or entry["budget"] == self.head["budget"]

    def add(self, mutant: Mutant, source: bytes, outcome: dict[str, Any]) -> None:
        """Add a mutant, and write the report."""
        self.mutants[mutant.key] = {
            "key": mutant.key,
            "package": mutant.package,
            "file": mutant.file,
            "line": mutant.line,
            "operator": mutant.operator,
            "old": source[mutant.start : mutant.stop].decode(),
            "new": mutant.new,
            **outcome,
        }
        mutants = sorted(self.mutants.values(), key=lambda entry: (entry["file"], entry["line"]))
        statuses: dict[str, Counter[str]] = defaultdict(Counter)
        for entry in mutants:
            statuses[entry["package"]][entry["status"]] += 1
            statuses["all"][entry["status"]] += 1
        shares = {
            package: (counts["killed"] + counts["timeout"]) / counts.total()
            for package, counts in statuses.items()
        }
        summary = {
            package: {"share killed": round(shares[package], 3), **statuses[package]}
            for package in sorted(statuses)
        }
        text = json.dumps(self.head | {"summary": summary, "mutants": mutants}, indent=1)
        draft = self.path.with_suffix(".part")
        draft.write_text(f"{text}\n")
        draft.replace(self.path)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=300, help="at least so many mutants")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--only", metavar="PACKAGE", help="of these mutants those of a package")
    parser.add_argument("--tree", type=Path, default=SCRIPTS.parent, help="a repository with .venv")
    parser.add_argument(
        "--tests", default="", help="the suite, as arguments of pytest; default: that of make test"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--budget", type=float, default=0, help="seconds of tests (0: no limit)")
    parser.add_argument("--coverage", type=Path, required=True, help="made if it does not exist")
    parser.add_argument("--report", type=Path, help="the file to write (mutants.json)")
    parser.add_argument("--resume", type=Path, help="an earlier report to go on with")
    return parser.parse_args()


def main() -> None:
    """Draw mutants, try them, and write the report."""
    arguments = parse_arguments()
    tree, budget = arguments.tree.resolve(), arguments.budget or math.inf
    modules = read_modules(tree)
    sources = {module.file: module.source for module in modules}
    digest = hashlib.sha256(b"\0".join(sources.values())).hexdigest()[:16]
    head = {"source": digest, "seed": arguments.seed, "tests": arguments.tests}
    head["budget"] = arguments.budget
    path = arguments.report or arguments.resume or Path("mutants.json")
    report = Report(path, head, arguments.resume)
    stop, lock = threading.Event(), threading.Lock()
    copies: queue.Queue[Copy] = queue.Queue()

    def attempt(mutant: Mutant) -> None:
        copy, began = copies.get(), time.monotonic()
        source = sources[mutant.file]
        with lock:
            tests = selection.tests(mutant)
        sums = accumulate(seconds for _, seconds in tests)
        few = [test for test, so_far in zip(tests, sums, strict=True) if so_far <= budget]
        copy.write(mutant.file, mutant.apply(source))
        status, killer = copy.judge(few) if tests else ("not covered", None)
        copy.write(mutant.file, source)
        copies.put(copy)
        outcome = {
            "status": status,
            "killer": killer,
            "tests": len(tests),
            "skipped": 0 if killer else len(tests) - len(few),
            "budget": arguments.budget,
            "seconds": round(time.monotonic() - began, 1),
        }
        with lock:
            report.add(mutant, source, outcome)
            print(len(report.mutants), mutant.key, status, killer or "", flush=True)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as temporary:
        for job in range(arguments.jobs):
            copies.put(Copy(tree, Path(temporary, str(job)), stop))
        if not arguments.coverage.exists():
            copies.queue[0].record(arguments.tests, arguments.jobs, arguments.coverage, digest)
        selection = Selection(modules, arguments.coverage)
        if selection.digest != digest:
            sys.exit(f"{arguments.coverage} is about another source: remove it")
        mutants = draw_mutants(modules, arguments.count, arguments.seed)
        with ThreadPoolExecutor(arguments.jobs) as pool:
            try:
                attempts = [
                    pool.submit(attempt, mutant)
                    for mutant in mutants
                    if arguments.only in (None, mutant.package) and not report.has(mutant)
                ]
                for done in attempts:
                    done.result()
            finally:
                stop.set()
                pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    main()

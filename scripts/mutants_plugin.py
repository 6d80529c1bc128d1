"""What ``mutants.py`` needs to know from pytest: which test executes a line, which test fails."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import coverage
import pytest
from hypothesis import Phase, settings


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the folder to record in, and the tests to run."""
    parser.addoption("--mutants-record", type=Path)
    parser.addoption("--mutants-plan", type=Path)


def pytest_configure(config: pytest.Config) -> None:
    """Record the tests, follow a plan, or both."""
    if folder := config.getoption("--mutants-record"):
        config.pluginmanager.register(Recorder(folder))
    if plan := config.getoption("--mutants-plan"):
        config.pluginmanager.register(Plan(plan))


class Recorder:
    """Tells coverage which test is running, and notes how long tests take and how they end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seconds: dict[str, float] = defaultdict(float)
        self.outcomes: dict[str, str] = {}
        _hand_on_the_name_of_the_test()

    @staticmethod
    def _switch(context: str) -> None:
        if measured := coverage.Coverage.current():
            measured.switch_context(context)

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Begin to import a file."""
        self._switch(f"{collector.nodeid.split('::')[0]} (collect)")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin the fixtures of a test."""
        self._switch(f"{item.nodeid} (setup)")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Begin a test."""
        self._switch(f"{item.nodeid} (call)")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a phase of a test ended."""
        self.seconds[report.nodeid] += report.duration
        if self.outcomes.get(report.nodeid, "passed") == "passed":
            self.outcomes[report.nodeid] = report.outcome

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Save the lines, which a worker of pytest-xdist would lose, and the outcomes."""
        if measured := coverage.Coverage.current():
            measured.stop()
            measured.save()
        if not hasattr(session.config, "workerinput"):
            tests = [(test, self.seconds[test], end) for test, end in self.outcomes.items()]
            (self.folder / "tests.json").write_text(json.dumps(tests))


def _hand_on_the_name_of_the_test() -> None:
    """Let programs know which test started them, even if it gives them a fresh environment."""
    start: Any = subprocess.Popen.__init__

    def start_with_name(process: Any, *arguments: Any, env: Any = None, **options: Any) -> None:
        if env is not None:
            env = {**env, "PYTEST_CURRENT_TEST": os.environ.get("PYTEST_CURRENT_TEST", "")}
        start(process, *arguments, env=env, **options)

    setattr(subprocess.Popen, "__init__", start_with_name)  # noqa: B010 (mypy forbids the plain way)


class Plan:
    """Runs the tests of a list in its order, and writes down how far it is."""

    def __init__(self, path: Path) -> None:
        self.order = {name: index for index, name in enumerate(json.loads(path.read_text()))}
        self.now = path.with_name("now.txt")
        with contextlib.suppress(OSError):  # a mutant that eats all memory goes before others do
            Path("/proc/self/oom_score_adj").write_text("1000")

    def pytest_collectstart(self) -> None:
        """Leave failing examples as they are, whatever profile a conftest has loaded."""
        phases = (Phase.explicit, Phase.generate, Phase.target)
        if settings.default and settings.default.phases != phases:
            settings.register_profile("mutants", settings.default, phases=phases)
            settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests of the plan."""
        items[:] = [item for item in items if item.nodeid in self.order]
        items.sort(key=lambda item: self.order[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Write down which test begins."""
        self.now.write_text(str(self.order[nodeid]))

"""Tasks in a process of their own: progress while they last, a stop, and what came of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from petaudit.errors import phrase
from petaudit.studio.worker_lines import Said, said

_END: Final = 5.0


@dataclass
class Job:
    """One task of the worker."""

    task: Mapping[str, Any]
    key: str
    """What it is about: the same key needs no second job."""
    stage: Said = field(default_factory=dict)
    parts: tuple[int, int] | None = None
    done: dict[str, Any] | None = None
    problems: list[Said] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
    """What could be given instead of what was wrong."""
    is_over: bool = False
    was_stopped: bool = False
    was_replaced: bool = False
    """Whether another job took its place, so that it may be begun again."""
    began: float = field(default_factory=time.monotonic)

    @property
    def kind(self) -> str:
        """What is done: ``look``, ``run`` or ``compare``."""
        return str(self.task["task"])

    @property
    def seconds(self) -> int:
        """How long it has lasted."""
        return int(time.monotonic() - self.began)


class Workers:
    """One process at work at most, and one that waits with everything loaded."""

    def __init__(self, folder: Path, lock: threading.RLock) -> None:
        self._folder = folder
        self._temporary = folder / "studio" / "tmp"
        self._temporary.mkdir()
        self._dropped = json.dumps(str(folder / "studio" / "files" / "_"))[1:-2]
        self._lock = lock
        self._waiting = self._start()
        self._working: subprocess.Popen[str] | None = None
        self.job: Job | None = None

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603 (this very Python)
            [sys.executable, "-m", "petaudit.studio.worker", str(self._folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A library may write a cell into an error: nobody reads it.
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            # Ctrl-C on the terminal is for the studio, which ends its workers itself.
            start_new_session=True,
            # What engines write on their way goes with the folder, however it ends.
            env={**os.environ, "TMPDIR": str(self._temporary)},
        )

    def begin(self, job: Job, then: Callable[[Job], None]) -> None:
        """Start a job in place of the one that is on; ``then`` is called when it is over."""
        with self._lock:
            if self.job is not None and not self.job.is_over:
                self.job.was_replaced = True
            self._kill()
            worker, self._waiting = self._waiting, self._start()
            if worker.poll() is not None:
                worker = self._start()
            self._working, self.job = worker, job
            threading.Thread(target=self._follow, args=(worker, job, then), daemon=True).start()

    def _follow(self, worker: subprocess.Popen[str], job: Job, then: Callable[[Job], None]) -> None:
        assert worker.stdin is not None  # noqa: S101 (both are pipes)
        assert worker.stdout is not None  # noqa: S101
        try:
            worker.stdin.write(json.dumps(job.task, default=str) + "\n")
            worker.stdin.flush()
            for line in worker.stdout:
                # What was dropped into the page has no folder that anybody knows.
                told = json.loads(line.replace(self._dropped, ""))
                if "stage" in told:
                    done, total = told["done_parts"], told["total_parts"]
                    job.parts = None if done is None or not total else (done, total)
                    job.stage = told["stage"]
                else:
                    job.done, job.problems = told.get("done"), told.get("problems", [])
                    job.choices = told.get("choices", [])
        except (OSError, ValueError, TypeError):
            job.done = None
        if job.done is None and not job.problems:
            text = phrase("the work ended unexpectedly")
            if job.was_stopped:
                text = phrase("stopped")
            elif job.was_replaced:
                text = phrase("other work took its place; begin it again")
            job.problems = [said(text)]
        # In this order: a worker whose input ends takes the studio for gone.
        worker.wait()
        worker.stdin.close()
        with self._lock:
            if self.job is job:
                then(job)
            job.is_over = True

    def stop(self) -> None:
        """Tell the job to end with the best so far; told twice, it ends at once."""
        with self._lock:
            if self.job is None or self.job.is_over or self._working is None:
                return
            if self.job.was_stopped or os.name == "nt":
                self._kill()
            else:
                self.job.was_stopped = True
                self._working.send_signal(signal.SIGINT)

    def _kill(self) -> None:
        if self._working is not None and self._working.poll() is None:
            self._working.kill()
            self._working.wait(_END)

    def close(self) -> None:
        """End both processes."""
        with self._lock:
            self._kill()
            self._waiting.kill()
            self._waiting.wait(_END)

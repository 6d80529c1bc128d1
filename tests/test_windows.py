"""Windows by construction: nobody tried petaudit there, so what it lacks is taken away here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from petaudit.errors import InputError
from petaudit.tables import is_address, open_source

GOLDENS = Path(__file__).parent / "goldens" / "expected" / "en"
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
REFUSED = re.compile(r'[<>:"|?*\\\x00-\x1f]')
MASKED = """
import builtins, importlib, os, pkgutil, signal, sys, types
from pathlib import Path

MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "curses", "posix"}
NAMES = {
    "os": {
        *("fork", "forkpty", "getuid", "geteuid", "getgid", "getegid", "getpgid", "setsid", "nice"),
        *("killpg", "register_at_fork", "sched_getaffinity", "sysconf", "statvfs", "mkfifo"),
        *("chown", "fchown", "fchmod", "uname", "getloadavg", "posix_spawn", "WNOHANG", "ttyname"),
        *("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "pread", "pwrite", "fdatasync"),
    },
    "signal": {"SIGHUP", "SIGALRM", "SIGKILL", "SIGUSR1", "alarm", "setitimer", "pthread_sigmask"},
}
import fcntl as real_locks


class Masked(types.ModuleType):
    def __init__(self, real, names):
        super().__init__(real.__name__)
        self.__dict__.update(real=real, names=names)

    def __getattr__(self, name):
        if name == "name" and self.real is os:
            return "nt"
        if name in self.names:
            raise AttributeError(f"Windows has no {self.real.__name__}.{name}")
        return getattr(self.real, name)

    def __setattr__(self, name, value):
        setattr(self.real, name, value)


def locking(descriptor, mode, number):
    assert (mode, number) == (2, 1)
    real_locks.flock(descriptor, real_locks.LOCK_EX | real_locks.LOCK_NB)


locks = types.ModuleType("msvcrt")
locks.LK_NBLCK, locks.locking = 2, locking
masks = {name: Masked(sys.modules[name], names) for name, names in NAMES.items()}
# The standard library takes it for a sign of Windows.
masks["msvcrt"] = locks
imported = builtins.__import__


def masked_import(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__") or ""
    if level == 0 and importer.partition(".")[0] in ("petaudit", "PETWorks"):
        if name.partition(".")[0] in MODULES:
            raise ModuleNotFoundError(f"Windows has no {name}")
        if name in masks:
            return masks[name]
        if name == "os.path" and not fromlist:
            return masks["os"]
    return imported(name, globals, locals, fromlist, level)


builtins.__import__ = masked_import
import petaudit, PETWorks

for package in (petaudit, PETWorks):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as missing:
            assert (missing.name or "").partition(".")[0] in ("pyspark", "py4j"), missing

from petaudit.cli import main

Path("t.csv").write_text("zip;age;ill\\n1;20;a\\n1;20;b\\n2;30;a\\n2;30;a\\n")
Path("h.yaml").write_text("zip: {mask: right}\\nage: {ranges: [10, 20]}\\n")
Path("a.yaml").write_text(
    "Loader: {t: {filepath: t.csv, roles: {quasi_identifier: zip, sensitive_attribute: ill}}}\\n"
    "Evaluator: {k: {method: k-anonymity, limit: 2}}\\n"
    "Reporter: {r: {method: save_report, granularity: global}}\\n"
)
columns = ["t.csv", "--qi", "zip,age", "--sensitive", "ill"]
for code, command in (
    (0, ["check", *columns, "--k", "2", "--report", "r.html", "--report", "r.xml"]),
    (0, ["check", *columns, "--format", "json", "--out", "r.json"]),
    (0, ["run", "a.yaml", "--report", "run.md"]),
    (0, ["run", "a.yaml", "--resume"]),
    (0, ["generalize", *columns, "--levels", "age=1", "--hierarchies", "h.yaml", "--out", "g.csv"]),
    (0, ["report", "r.json", "--format", "sarif", "--out", "r.sarif"]),
    (0, ["init", "t.csv", "--out", "init.yaml"]),
    (0, ["doctor"]),
    (2, ["check", "C:\\\\data\\\\t.csv", "--qi", "zip"]),
):
    assert main(command) == code, command
"""


def test_nothing_that_windows_lacks_is_needed(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MASKED],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    [error] = done.stderr.splitlines()
    assert error == "petaudit: error: file 'C:\\\\data\\\\t.csv' does not exist"
    for path in tmp_path.rglob("*"):
        assert is_name_of_windows(path.name)


@pytest.mark.parametrize("path", [r"C:\data\t.csv", "D:/x.csv", "d://x.csv"])
def test_a_drive_is_no_scheme(path: str) -> None:
    assert not is_address(path)
    with pytest.raises(InputError, match="does not exist"):
        open_source(path)


def is_name_of_windows(name: str) -> bool:
    return not (REFUSED.search(name) or RESERVED.fullmatch(name) or name.endswith((".", " ")))


def test_names_of_files_that_are_written_can_be_written_on_windows() -> None:
    written = {
        name
        for path in GOLDENS.glob("*.txt")
        for name in re.findall(r"^\[([\w./ -]+\.\w+)\]$", path.read_text("utf-8"), re.MULTILINE)
    }
    assert len(written) > 20
    assert all(is_name_of_windows(part) for name in written for part in Path(name).parts)

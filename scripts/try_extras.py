"""Install petaudit into fresh environments, without and with each extra alone, and use it once.

What petaudit needs must come with it: the environment that the tests run in has packages of many
others, so a missing declaration is not seen there. What petaudit needs without an extra is
installed once, and each extra sees that beside its own packages.

    python scripts/try_extras.py            # all
    python scripts/try_extras.py postgres   # none and one
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
NOTHING: Final = ""
DEVELOPMENT: Final = {"test", "dev"}

_K_OF_TABLE: Final = (
    "import petaudit\n"
    "result = petaudit.k_anonymity(table, quasi_identifiers='age')\n"
    "assert result.value == 2, result.value\n"
)
_COLUMNS: Final = "{'age': ['20', '20', '30', '30']}"
USES: Final = {
    NOTHING: "from petaudit.cli import main\nassert main(['demo', '--report', 'demo.html']) == 0\n",
    "learn": (
        "from petaudit.cli import main\n"
        "assert main(['check', 'benchmark://adult-deidentified', '--original', 'benchmark://adult',\n"
        "    '--sensitive', 'salary-class', '--measures', 'model-utility']) == 0\n"
    ),
    "pandas": f"import pandas\ntable = pandas.DataFrame({_COLUMNS})\n{_K_OF_TABLE}",
    "polars": f"import polars\ntable = polars.DataFrame({_COLUMNS})\n{_K_OF_TABLE}",
    "postgres": f"import os\ntable = os.environ['TABLE']\n{_K_OF_TABLE}",
    "spark": (
        "from petaudit.cli import main\n"
        "assert main(['check', 'table.csv', '--qi', 'age', '--engine', 'spark',\n"
        "    '--spark-master', 'local[1]', '--k', '2', '--measures', 'k-anonymity']) == 0\n"
    ),
    # A table of SPSS with these four rows: there is no frame here that pyreadstat could write.
    "stat": (
        "import base64, pathlib, zlib\n"
        "packed = (\n"
        "    'eNpTcfMxctBQ1lQIDggOVnBxDHFUcPP0cVXQVcgoKSkottLXT88syShN0kvOz9UPz6xKLErxTUzWD0pN'\n"
        "    'TAkuSSxRYGJgYGBkQAAWOCvSwdBCwS+/TMHIzMDYytjMysRCgUIANJUJiuGAiRGMHd1dwUrYgULMUHdw'\n"
        "    'ALEIktL/QMAIdS/IjJd/GRjYkdQyQ9X8///+P5Su/wfls0PNAullBeLQEDddC5AgN9QAZqglHFAaJMcL'\n"
        "    '1QBiAx1om5ieCmIKQJUhhx0s3J5DzTEygHgZRhuj0QABo0in'\n"
        ")\n"
        "table = pathlib.Path('table.sav')\n"
        "table.write_bytes(zlib.decompress(base64.b64decode(packed)))\n"
        f"{_K_OF_TABLE}"
    ),
    "studio": (
        "import subprocess, sys\n"
        "command = [sys.executable, '-m', 'petaudit', 'studio', 'table.csv', '--no-browser']\n"
        "started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)\n"
        "assert '/?token=' in started.stdout.readline()\n"
        "started.terminate()\n"
        "assert started.wait() == 0\n"
    ),
}
"""What is done with each; an extra that is not here is an error."""


def extras() -> list[str]:
    """The extras that users install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [name for name in project["optional-dependencies"] if name not in DEVELOPMENT]


def main(names: list[str]) -> None:
    """Try none, then the extras of these names, or all."""
    if forgotten := set(extras()) - set(USES):
        sys.exit(f"try_extras: USES does not say how to use {', '.join(sorted(forgotten))}")
    with tempfile.TemporaryDirectory(prefix="petaudit-extras-") as name:
        folder = Path(name)
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", name, str(ROOT)], check=True)
        (wheel,) = folder.glob("*.whl")
        plain = folder / "plain"
        _try(NOTHING, wheel, plain)
        for extra in names or extras():
            _try(extra, wheel, folder / f"with-{extra}", plain)


def _try(extra: str, wheel: Path, folder: Path, beside: Path | None = None) -> None:
    what = f"petaudit[{extra}]" if extra else "petaudit"
    folder.mkdir()
    (folder / "table.csv").write_text("age\n20\n20\n30\n30\n", encoding="utf-8")
    python = folder / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    if beside is not None:
        [packages], [others] = (
            [*place.glob("venv/lib/*/site-packages")] for place in (folder, beside)
        )
        (packages / "beside.pth").write_text(f"{others}\n", encoding="utf-8")
    install = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    constraint = ["--constraint", str(ROOT / "requirements-dev.txt")]
    subprocess.run([*install, *constraint, wanted], check=True)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    server = None
    if extra == "postgres":
        sys.path.insert(0, str(ROOT / "tests"))
        tests, tables = map(importlib.import_module, ("databases.server", "tables.engines"))
        server = tests.Server.start()
        server.add_user(tests.AUDITOR, tests.MARKER)
        environment |= server.environment(folder / "pgpass")
        environment["TABLE"] = server.put("people", {"age": tables.text("20", "20", "30", "30")})
    try:
        used = [str(python), "-I", "-c", USES[extra]]
        done = subprocess.run(
            used, cwd=folder, env=environment, check=False, capture_output=True, text=True
        )
    finally:
        if server is not None:
            server.stop()
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}{what} does not work in a fresh environment")
    print(f"{what} works in a fresh environment")


if __name__ == "__main__":
    main(sys.argv[1:])

"""The image: what it is made of is there, nobody is root in it, and an engine builds it."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
LINES = [line.split(" ", 1) for line in TEXT.splitlines() if line and not line.startswith("#")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def values(instruction: str) -> list[str]:
    return [value for name, value in LINES if name == instruction]


def test_what_is_copied_is_there_and_not_left_out() -> None:
    sources = [
        path
        for value in values("COPY")
        if not value.startswith("--from=")
        for path in value.split()[:-1]
    ]
    taken = (ROOT / ".dockerignore").read_text().splitlines()
    assert taken[1] == "*"
    assert {f"!{path}" for path in sources} == {line for line in taken if line.startswith("!")}
    assert [path for path in sources if not (ROOT / path).exists()] == []
    # What the build of the package reads is among them.
    assert {PROJECT["readme"], *PROJECT["license-files"], "src", "pyproject.toml"} <= {*sources}


def test_nobody_is_root_and_petaudit_starts() -> None:
    *_, user = values("USER")
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    assert f"--uid {user.split(':')[0]} " in TEXT
    # After it nothing is installed or copied.
    names = [name for name, _ in LINES]
    assert {*names[names.index("USER") + 1 :]} == {"WORKDIR", "ENTRYPOINT", "CMD"}
    assert values("ENTRYPOINT") == ['["petaudit"]']
    assert "petaudit" in PROJECT["scripts"]
    assert all(variable.split("=")[0] in ("HOME", "PATH", "PYTHONDONTWRITEBYTECODE")
               for value in values("ENV") for variable in value.split())  # fmt: skip


def test_it_has_every_extra_in_the_versions_of_the_tests() -> None:
    extras = [value.removeprefix("EXTRAS=") for value in values("ARG") if "EXTRAS" in value]
    # The studio answers its own machine only, which in a container nobody sits at.
    left_out = {"test", "dev", "studio"}
    assert extras == [",".join(sorted({*PROJECT["optional-dependencies"]} - left_out))] * 2
    [install] = [value for value in values("RUN") if " install " in value]
    assert "--constraint requirements-dev.txt" in install
    # Debian 12 is the last one that has the Java that the script installs.
    assert values("ARG")[0].endswith("-slim-bookworm")
    assert "openjdk-17" in (ROOT / "scripts/install_spark.sh").read_text()
    assert "://" not in TEXT.replace("://HOST", "")


def engine() -> str | None:
    """Docker or Podman, where there is something behind the command."""
    for name in ("docker", "podman"):
        if (
            shutil.which(name)
            and subprocess.run([name, "info"], capture_output=True, check=False).returncode == 0
        ):
            return name
    return None


@pytest.mark.long
def test_it_is_built_and_runs(tmp_path: Path) -> None:
    container = engine()
    if container is None:
        pytest.skip("there is neither Docker nor Podman with an engine")
    tag = "petaudit-of-the-tests"
    subprocess.run([container, "build", "--quiet", "--tag", tag, ROOT], check=True)
    table = tmp_path / "table.csv"
    table.write_text("zip\n" + "1\n" * 5)
    tmp_path.chmod(0o755)
    run = [container, "run", "--rm", "--network", "none", "--read-only", "--tmpfs", "/tmp"]  # noqa: S108
    run += ["--volume", f"{tmp_path}:/data:ro"]
    check = ["check", "table.csv", "--qi", "zip", "--measures", "k-anonymity", "--k"]
    try:
        who = subprocess.run(
            [*run, "--entrypoint", "id", tag, "-u"], capture_output=True, text=True, check=False
        )
        assert who.stdout.strip() == "10001"
        for more, code in ((["5"], 0), (["6"], 1), (["5", "--engine", "spark"], 0)):
            assert subprocess.run([*run, tag, *check, *more], check=False).returncode == code
    finally:
        subprocess.run([container, "rmi", "--force", tag], check=True, capture_output=True)

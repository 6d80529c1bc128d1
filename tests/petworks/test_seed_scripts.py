"""The scripts of the PETWorks documents run unchanged and print what the documents print."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from petaudit import datasets

# The four scripts as the documents have them; a test below compares them letter by letter.
T_CLOSENESS = """\
from PETWorks import PETValidation, report
from PETWorks.attributetypes import (
    SENSITIVE_ATTRIBUTE,
    QUASI_IDENTIFIER,
)

anonymized = "data/patient_anonymized.csv"
dataHierarchy = "data/patient_hierarchy"

attributeTypes = {
    "ZIPCode": QUASI_IDENTIFIER,
    "Age": QUASI_IDENTIFIER,
    "Disease": SENSITIVE_ATTRIBUTE,
}

result = PETValidation(
    None,
    anonymized,
    "t-closeness",
    dataHierarchy=dataHierarchy,
    attributeTypes=attributeTypes,
    tLimit=0.376,
)
report(result, "json")
"""
NON_UNIFORM_ENTROPY = """\
from PETWorks import PETValidation, report

originalData = "data/adult.csv"
anonymizedData = "data/adult_anonymized.csv"
dataHierarchy = "data/adult_hierarchy"

result = PETValidation(
    originalData, anonymizedData, "Non-Uniform Entropy", dataHierarchy=dataHierarchy
)
report(result, "json")
"""
PROFITABILITY = """\
from PETWorks import PETValidation, report
from PETWorks.attributetypes import QUASI_IDENTIFIER, INSENSITIVE_ATTRIBUTE

origin = "data/delta.csv"
anonymized = "data/delta_anonymized.csv"
dataHierarchy = "data/delta_hierarchy"

attributeTypes = {
    "zip": QUASI_IDENTIFIER,
    "age": QUASI_IDENTIFIER,
    "nationality": QUASI_IDENTIFIER,
    "salary-class": INSENSITIVE_ATTRIBUTE
}

result = PETValidation(
    origin,
    anonymized,
    "profitability",
    dataHierarchy=dataHierarchy,
    attributeTypes=attributeTypes,
    allowAttack=True,
    adversaryCost=4,
    adversaryGain=300,
    publisherLost=300,
    publisherBenefit=1200
)
report(result, "json")
"""
PRECISION = NON_UNIFORM_ENTROPY.replace(
    'anonymizedData, "Non-Uniform Entropy"', 'anonymizedData, "Precision"'
)
# Seed by number: its script and what it prints.
SCRIPTS: dict[str, tuple[str, dict[str, Any]]] = {
    "000": (T_CLOSENESS, {"t": 0.376, "fulfill t-closeness": True}),
    "001": (NON_UNIFORM_ENTROPY, {"Non-Uniform Entropy": 0.6691909578638351}),
    "002": (
        PROFITABILITY,
        {
            "allow attack": True,
            "adversary's cost": 4,
            "adversary's gain": 300,
            "publisher's loss": 300,
            "publisher's benefit": 1200,
            "profitability": True,
        },
    ),
    "003": (PRECISION, {"precision": 0.7271401100722763}),
}
every_seed = pytest.mark.parametrize("number", SCRIPTS)


def seed_text(shared_data: Path, number: str) -> str:
    [path] = (shared_data.parent / "seeds").glob(f"{number}_*.txt")
    return path.read_text(encoding="utf-8")


def code_blocks(text: str, language: str) -> list[str]:
    """The indented blocks after a code-block directive, without their indentation."""
    pattern = rf"^\.\. code-block:: (?:{language})[ ]*\n(?:[ ]*\n)+((?:[ ]+.*\n|[ ]*\n)+)"
    blocks = []
    for block in re.findall(pattern, text, flags=re.MULTILINE):
        # In one document the first line of the script is indented by a blank less than the rest.
        first, _, rest = block.partition("\n")
        blocks.append(f"{first.strip()}\n{textwrap.dedent(rest)}".rstrip() + "\n")
    return blocks


def seed_script(shared_data: Path, number: str) -> str:
    [script] = code_blocks(seed_text(shared_data, number), "python")
    return script


def seed_output(shared_data: Path, number: str) -> str:
    """What the document shows below the call."""
    [shown] = code_blocks(seed_text(shared_data, number), "text|bash")
    call, _, output = shown.partition("\n")
    assert call.startswith("$ python")
    return textwrap.dedent(output)


def run_script(script: str, folder: Path) -> str:
    """Run a script as its reader would, and return what it prints."""
    path = folder / "script.py"
    path.write_text(script, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, path.name],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    # DuckDB 2.0 would tell of leaks here; nothing but our own warnings may stand there.
    complaints = [line for line in ran.stderr.splitlines() if line and not line.startswith(" ")]
    assert all("PetauditWarning: " in line for line in complaints), ran.stderr
    return ran.stdout


def assert_printed(output: str, expected: dict[str, Any]) -> None:
    printed = json.loads(output)
    assert output == json.dumps(printed, indent=4) + "\n"
    # The document's key of profitability is followed by the one that the code of PETWorks has.
    also = {"isProfitable": expected["profitability"]} if "profitability" in expected else {}
    expected = expected | also
    assert list(printed) == list(expected)
    for key, value in expected.items():
        if isinstance(value, float):
            assert printed[key] == pytest.approx(value, abs=1e-12)
        else:
            assert printed[key] == value
            assert type(printed[key]) is type(value)


@pytest.fixture
def reference_folder(shared_data: Path, tmp_path: Path) -> Path:
    """A folder as the scripts expect it: all reference tables, side-cars included, in data/."""
    data = tmp_path / "data"
    data.mkdir()
    for entry in shared_data.glob("*/*"):
        (data / entry.name).symlink_to(entry)
    assert (data / "adult_anonymized.yaml").is_file()
    return tmp_path


@pytest.fixture
def bundled_folder(tmp_path: Path) -> Path:
    """The same with the tables that come with petaudit, under the names of the scripts."""
    data = tmp_path / "data"
    data.mkdir()
    for group in ("patient", "delta", "adult"):
        released = datasets.load(f"{group}-deidentified")
        (data / f"{group}.csv").symlink_to(datasets.load(group).path)
        (data / f"{group}_anonymized.csv").symlink_to(released.path)
        assert released.hierarchies is not None
        (data / f"{group}_hierarchy").symlink_to(released.hierarchies)
    return tmp_path


@every_seed
def test_the_seeds_script_prints_the_seeds_output(
    shared_data: Path, reference_folder: Path, number: str
) -> None:
    output = run_script(seed_script(shared_data, number), reference_folder)
    assert_printed(output, json.loads(seed_output(shared_data, number)))


@every_seed
def test_script_and_output_here_are_those_of_the_seed(shared_data: Path, number: str) -> None:
    script, expected = SCRIPTS[number]
    assert seed_script(shared_data, number) == script
    shown = seed_output(shared_data, number)
    assert shown == json.dumps(expected, indent=4) + "\n"


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("000", SCRIPTS["000"][1]),
        ("002", SCRIPTS["002"][1]),
        # Of Adult, petaudit bundles a release of its own; these are the twins' figures for it.
        ("001", {"Non-Uniform Entropy": 0.5339371430393363}),
        ("003", {"precision": 0.6824702163870654}),
    ],
)
def test_the_scripts_run_on_the_bundled_tables(
    bundled_folder: Path, number: str, expected: dict[str, Any]
) -> None:
    assert_printed(run_script(SCRIPTS[number][0], bundled_folder), expected)

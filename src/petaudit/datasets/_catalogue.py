"""What is bundled, and everything that is known about it: the one place that says so.

The files themselves are made by ``scripts/build_datasets.py``; ``docs/data.md`` tells their story.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from petaudit.errors import phrase

if TYPE_CHECKING:
    import pyarrow as pa

DATA: Final = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A bundled table: where its files are, what its columns mean, and whom to credit."""

    name: str
    title: str
    path: Path
    """The table."""
    original: Path | None = None
    """The table before de-identification, row by row; for a synthetic table what it was made from,
    where rows do not belong together; None where there is none."""
    control: Path | None = None
    """Rows of the same source that the synthetic table was not made from."""
    population: Path | None = None
    """The people whom the released ones were drawn from; more rows than the table."""
    hierarchies: Path | None = None
    """The folder with a hierarchy per column."""
    schema: Path | None = None
    """The file with the type of each column, for pipelines."""
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    rows: int
    source: str
    licence: str

    def __fspath__(self) -> str:
        """The path of the table: a dataset can be given wherever a table is expected."""
        return str(self.path)

    def read(self) -> pa.Table:
        """The table itself, as PyArrow."""
        from petaudit.tables import open_source  # noqa: PLC0415 (engines load when they are used)

        return open_source(self.path).to_arrow()


_PAPER: Final = phrase("facts retyped from a publication, with credit")

_UCI: Final = "Becker and Kohavi (1996), Adult, UCI Machine Learning Repository, 10.24432/C5XW20"
_T_CLOSENESS: Final = (
    "Li, Li and Venkatasubramanian (2007), t-Closeness, ICDE, 10.1109/ICDE.2007.367856"
)
_DELTA_PRESENCE: Final = (
    "Nergiz, Atzori and Clifton (2007), Hiding the Presence of Individuals from Shared Databases, "
    "SIGMOD, 10.1145/1247480.1247554"
)
_PETWORKS: Final = "PETWorks-framework documents (Traditional Chinese), page on {}"

_ADULT_QUASI_IDENTIFIERS: Final = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "occupation",
    "salary-class",
)

CATALOGUE: Final[tuple[Dataset, ...]] = (
    Dataset(
        name="adult",
        title=phrase("UCI Adult: 30,162 complete rows of the 1994 US census extract"),
        path=DATA / "adult.parquet",
        hierarchies=DATA / "adult_hierarchies",
        quasi_identifiers=_ADULT_QUASI_IDENTIFIERS,
        sensitive=("workclass",),
        rows=30_162,
        source=_UCI,
        licence="CC BY 4.0",
    ),
    Dataset(
        name="adult-deidentified",
        title=phrase("UCI Adult, generalised and with classes below 5 rows suppressed"),
        path=DATA / "adult-deidentified.parquet",
        original=DATA / "adult.parquet",
        hierarchies=DATA / "adult_hierarchies",
        quasi_identifiers=_ADULT_QUASI_IDENTIFIERS,
        sensitive=("workclass",),
        rows=30_162,
        source=phrase("{source}; de-identified by petaudit", source=_UCI),
        licence="CC BY 4.0",
    ),
    Dataset(
        name="adult-income_ori",
        title=phrase("UCI Adult with all columns: 80 % of the rows"),
        path=DATA / "adult-income_ori.parquet",
        control=DATA / "adult-income_control.parquet",
        schema=DATA / "adult-income_schema.yaml",
        rows=39_074,
        source=_UCI,
        licence="CC BY 4.0",
    ),
    Dataset(
        name="adult-income_control",
        title=phrase("UCI Adult with all columns: the other 20 % of the rows"),
        path=DATA / "adult-income_control.parquet",
        schema=DATA / "adult-income_schema.yaml",
        rows=9_768,
        source=_UCI,
        licence="CC BY 4.0",
    ),
    Dataset(
        name="adult-income_syn",
        title=phrase("A synthetic table from a Gaussian copula of adult-income_ori"),
        path=DATA / "adult-income_syn.parquet",
        original=DATA / "adult-income_ori.parquet",
        control=DATA / "adult-income_control.parquet",
        schema=DATA / "adult-income_schema.yaml",
        rows=39_074,
        source=phrase("{source}; synthetic table by petaudit", source=_UCI),
        licence="CC BY 4.0",
    ),
    Dataset(
        name="patient",
        title=phrase("Nine patients of the t-closeness paper"),
        path=DATA / "patient.csv",
        hierarchies=DATA / "patient_hierarchies",
        quasi_identifiers=("ZIPCode", "Age"),
        sensitive=("Salary", "Disease"),
        rows=9,
        source=_T_CLOSENESS,
        licence=_PAPER,
    ),
    Dataset(
        name="patient-deidentified",
        title=phrase("The release of the t-closeness paper: three classes of three patients"),
        path=DATA / "patient-deidentified.csv",
        original=DATA / "patient.csv",
        hierarchies=DATA / "patient_hierarchies",
        quasi_identifiers=("ZIPCode", "Age"),
        sensitive=("Salary", "Disease"),
        rows=9,
        source=_T_CLOSENESS,
        licence=_PAPER,
    ),
    Dataset(
        name="delta",
        title=phrase("The population of the delta-presence paper, with a salary class"),
        path=DATA / "delta.csv",
        hierarchies=DATA / "delta_hierarchies",
        quasi_identifiers=("zip", "age", "nationality"),
        rows=9,
        source=_DELTA_PRESENCE,
        licence=_PAPER,
    ),
    Dataset(
        name="delta-deidentified",
        title=phrase("Five people of the delta-presence paper, released"),
        path=DATA / "delta-deidentified.csv",
        population=DATA / "delta.csv",
        hierarchies=DATA / "delta_hierarchies",
        quasi_identifiers=("zip", "age", "nationality"),
        rows=5,
        source=_DELTA_PRESENCE,
        licence=_PAPER,
    ),
    Dataset(
        name="example-t-closeness",
        title=phrase("Worked example of t-closeness: two birth decades"),
        path=DATA / "example-t-closeness.csv",
        hierarchies=DATA / "example-t-closeness_hierarchies",
        quasi_identifiers=("birth_year",),
        sensitive=("salary", "disease"),
        rows=5,
        source=_PETWORKS.format("t-closeness"),
        licence=_PAPER,
    ),
    Dataset(
        name="example-non-uniform-entropy",
        title=phrase("Worked example of Non-Uniform Entropy: years and decades"),
        path=DATA / "example-non-uniform-entropy.csv",
        original=DATA / "example-non-uniform-entropy-original.csv",
        hierarchies=DATA / "example-non-uniform-entropy_hierarchies",
        quasi_identifiers=("birth_year",),
        rows=4,
        source=_PETWORKS.format("Non-Uniform Entropy"),
        licence=_PAPER,
    ),
    Dataset(
        name="example-precision",
        title=phrase("Worked example of Precision: places and years"),
        path=DATA / "example-precision.csv",
        original=DATA / "example-precision-original.csv",
        hierarchies=DATA / "example-precision_hierarchies",
        quasi_identifiers=("birthplace", "birth_year"),
        rows=4,
        source=_PETWORKS.format("Precision"),
        licence=_PAPER,
    ),
    Dataset(
        name="example-profitability",
        title=phrase("Worked example of Profitability: classes of one and of two rows"),
        path=DATA / "example-profitability.csv",
        quasi_identifiers=("birth_year",),
        rows=3,
        source=_PETWORKS.format("Profitability"),
        licence=_PAPER,
    ),
)

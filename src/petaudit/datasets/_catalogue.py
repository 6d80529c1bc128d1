"""The bundled tables, as ``catalogue.toml`` describes them."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import Phrase, term

if TYPE_CHECKING:
    import pyarrow as pa

DATA: Final = Path(__file__).parent / "data"
_PATHS: Final = ("path", "original", "control", "population", "hierarchies", "schema")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A bundled table: where its files are, what its columns mean, and whom to credit.

    >>> import petaudit
    >>> patient = petaudit.datasets.load("patient-deidentified")
    >>> patient.rows, patient.sensitive
    (9, ('Salary', 'Disease'))
    >>> petaudit.k_anonymity(patient).value
    3.0
    """

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
    """The population that the released people were drawn from; more rows than the table."""
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
        """Return the path of the table: a dataset can be given wherever a table is expected."""
        return str(self.path)

    def read(self) -> pa.Table:
        """Return the table itself, as PyArrow; a CSV file holds text."""
        import pyarrow as pa  # noqa: PLC0415 (loaded when it is used)
        from pyarrow import parquet  # noqa: PLC0415

        if self.path.suffix == ".parquet":
            return parquet.read_table(self.path)
        with self.path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file, delimiter=";")
        columns = zip(*rows, strict=True)
        return pa.table({name: list(cells) for name, cells in zip(header, columns, strict=True)})


def _read_catalogue() -> tuple[Dataset, ...]:
    text = (Path(__file__).parent / "catalogue.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    return tuple(_dataset(table, content) for table in content["tables"])


def _dataset(table: dict[str, Any], content: dict[str, Any]) -> Dataset:
    source = content["sources"].get(table["source"], table["source"])
    if "made" in table:
        source = Phrase.filled(table.pop("made"), {"source": source})
    listed = {name: tuple(value) for name, value in table.items() if isinstance(value, list)}
    paths = {name: DATA / table[name] for name in _PATHS if name in table}
    given = {"licence": term(content["licence"])} | table | listed | paths
    return Dataset(**given | {"title": term(table["title"]), "source": source})


CATALOGUE: Final = _read_catalogue()

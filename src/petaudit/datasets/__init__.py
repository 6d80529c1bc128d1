"""The tables that come with petaudit, for trying it out and for checking it."""

from __future__ import annotations

from pathlib import Path

from petaudit.datasets._benchmarks import locate
from petaudit.datasets._catalogue import CATALOGUE, Dataset
from petaudit.errors import InputError, joined, suggestion

__all__ = ["Dataset", "catalogue", "load", "locate", "names", "schemas"]


def catalogue() -> tuple[Dataset, ...]:
    """Return every bundled table with its files, roles, source and licence.

    >>> sum(dataset.original is not None for dataset in catalogue())
    5
    """
    return CATALOGUE


def names() -> tuple[str, ...]:
    """Return the names that :func:`load` knows.

    >>> "adult-deidentified" in names()
    True
    """
    return tuple(dataset.name for dataset in CATALOGUE)


def schemas() -> dict[str, Path]:
    """Return the bundled schemas, which are not tables, by name.

    >>> schemas()["adult-income_schema"] == load("adult-income_syn").schema
    True
    """
    return {dataset.schema.stem: dataset.schema for dataset in CATALOGUE if dataset.schema}


def load(name: str) -> Dataset:
    """Return the bundled table of that name, in any case.

    It stands for its file wherever a table is expected, and ``read()`` gives its rows.

    >>> patient = load("Patient-Deidentified")
    >>> patient.path.name, patient.rows, patient.quasi_identifiers
    ('patient-deidentified.csv', 9, ('ZIPCode', 'Age'))
    >>> patient.read().column("Disease").to_pylist()[0]
    'gastric ulcer'
    """
    wanted = name.strip().casefold()
    for dataset in CATALOGUE:
        if dataset.name == wanted:
            return dataset
    if schema := schemas().get(wanted):
        raise InputError("{name!r} is not a table but a schema: {path}", name=name, path=schema)
    raise InputError(
        "unknown dataset {name!r}{near}; the bundled ones are {names}",
        name=name,
        near=suggestion(name, names()),
        names=joined(names()),
    )

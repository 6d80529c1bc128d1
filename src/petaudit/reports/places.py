"""Where a table came from: what a report shows of an address, and what it calls the table."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from petaudit.errors import InputError, phrase
from petaudit.tables import is_address, parse_address, shown_table

LONGEST: Final = 60
_URI: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://.*", re.DOTALL)
_OF_THIS_MACHINE: Final = "file"


def file_name(given: str | None) -> str:
    """Return the name of a file: where it lies is nobody's business who reads a report."""
    path = given or "-"
    return PurePosixPath(path.replace("\\", "/")).name or path


def place_of(name: str | None) -> str:
    """Return the whole address of a table, without users; of a file only its name.

    >>> place_of("postgresql://eve@db:5432/health?table=t"), place_of("/home/ann/t.csv")
    ('postgresql://db:5432/health?table=t', 't.csv')
    >>> place_of("s3a://eve@store/out/t.parquet"), place_of("duckdb:///home/ann/a.db?table=t")
    ('s3a://store/out/t.parquet', 'duckdb://a.db?table=t')
    """
    given = name or "-"
    uri = _URI.fullmatch(given)
    if uri is None or uri[1].casefold() == _OF_THIS_MACHINE:
        return file_name(given)
    try:
        return shown_table(given)
    except InputError:
        # petaudit writes no such address, so it may hold anything.
        return f"{uri[1]}://…"


def title_of(name: str | None) -> str:
    """Return what a table is called where there is no room for its address.

    >>> title_of("postgresql://db:5432/health?table=released"), title_of("/home/ann/t.csv")
    ('released (health on db:5432)', 't.csv')
    >>> title_of("duckdb:///home/ann/a.duckdb?table=clinic.t")
    'clinic.t (a.duckdb)'
    """
    given = name or "-"
    if not is_address(given):
        return file_name(given)
    try:
        address = parse_address(given)
    except InputError:
        return place_of(given)
    table = _short(address.table if address.schema is None else f"{address.schema}.{address.table}")
    if address.path is not None:
        return phrase("{table} ({place})", table=table, place=_short(address.path.name))
    database, server = _short(address.server.get("dbname", "")), _short(address.place)
    if database and server:
        return phrase(
            "{table} ({database} on {server})", table=table, database=database, server=server
        )
    if database or server:
        return phrase("{table} ({place})", table=table, place=database or server)
    return table


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"

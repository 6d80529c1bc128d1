"""Attacks that compare equal rows are counted in PostgreSQL as they are here."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from attacks.elsewhere import Put, check_figures, check_measure
from databases.server import Server
from tables.engines import Column

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


KINDS = {"int32": "integer", "double": "float", "string": "text", "date32[day]": "date"}


@pytest.mark.parametrize("check", [check_figures, check_measure])
def test_figures_are_those_of_this_process(check: Callable[[Put], None], server: Server) -> None:
    def put(name: str, table: pa.Table) -> str:
        columns = {
            field.name: Column(KINDS[str(field.type)], table.column(field.name).to_pylist())
            for field in table.schema
        }
        return server.put(f"attack {name}", columns)

    check(put)

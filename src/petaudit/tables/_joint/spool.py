"""Many distinct values: on disk, and read from there when one of them is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa

from petaudit.tables._joint.column import JointColumn
from petaudit.tables._private_folder import private_folder, temporary_room
from petaudit.tables.engines.duckdb import fresh_name

_LARGE: Final = 4 << 20


@temporary_room()
def spooled(column: JointColumn) -> JointColumn:
    """The same column with its keys in a file of the private folder, if there are many."""
    keys = column.keys
    if isinstance(keys, np.ndarray) and keys.dtype != object and keys.nbytes > _LARGE:
        path = private_folder() / fresh_name()
        np.save(path, keys)
        # NumPy adds the ending of its own.
        saved = path.with_name(f"{path.name}.npy")
        mapped = np.load(saved, mmap_mode="r")
        saved.unlink()
        return replace(column, keys=mapped)
    if isinstance(keys, pa.Array) and keys.nbytes > _LARGE:
        path = private_folder() / fresh_name()
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, _schema(keys)) as writer:
            writer.write_batch(pa.record_batch([keys], names=["v"]))
        with pa.memory_map(str(path)) as mapped_file:
            keys = pa.ipc.open_file(mapped_file).get_batch(0).column(0)
        path.unlink()
        return replace(column, keys=keys)
    return column


def _schema(keys: pa.Array) -> pa.Schema:
    return pa.schema([("v", keys.type)])

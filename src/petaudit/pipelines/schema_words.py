"""What other tools write into schemas, and what to write here instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from petaudit.errors import phrase

_NOTHING: Final = phrase("leave it away")
PETSARD_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "enable_null": phrase("write nullable for each attribute"),
        "logical_type": phrase("write type for each attribute"),
        "type_attr": phrase("write nullable, category and precision beside type"),
        "enable_optimize_type": phrase("the type is the one that is declared"),
        "enable_stats": _NOTHING,
        "stats": _NOTHING,
        "na_values": phrase("an empty cell is a null; replace other marks in the table first"),
        "cast_errors": phrase("a cell that breaks its type is an error"),
        "null_strategy": phrase("nulls are kept; write nullable: false to refuse them"),
        "default_value": phrase("nulls are kept; fill them in the table first"),
        "is_constant": _NOTHING,
        "constraints": phrase("write nullable, precision and format instead"),
        "primary_key": phrase("write nullable: false; uniqueness is not checked"),
        "foreign_keys": phrase("a schema is about one table"),
        "indexes": _NOTHING,
        "sample_size": phrase("all rows are checked"),
        "stage": _NOTHING,
        "parent_schema_id": _NOTHING,
        "created_at": _NOTHING,
        "updated_at": _NOTHING,
    }
)
"""Keys of PETsARD's schemas that are not built here, with what to do."""
OTHER_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(
        ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "integer"), "int"
    )
    | dict.fromkeys(("float16", "float32", "float64", "double", "decimal", "number"), "float")
    | dict.fromkeys(("string", "object", "text", "varchar"), "str")
    | dict.fromkeys(("boolean",), "bool")
    | dict.fromkeys(("datetime64", "datetime64[ns]", "datetime64[us]", "timestamp"), "datetime")
)
"""What other tools call the types."""

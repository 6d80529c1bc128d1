"""The columns of a PySpark frame under names of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BY_CHARACTERS: Final = "UTF8_BINARY"


def numbered_columns(frame: DataFrame) -> DataFrame:
    """The frame with columns c0, c1, ..., whose text is told apart by its characters alone.

    A collation can take texts for equal that are not, and classes would look larger than they are.
    """
    from pyspark.sql import functions as sql  # noqa: PLC0415 (large)

    names = [f"c{index}" for index in range(len(frame.columns))]
    # Spark reads dots and backticks in names as its own syntax, but it renames by position.
    renamed = frame.toDF(*names)
    kinds = [getattr(field.dataType, "collation", None) for field in renamed.schema.fields]
    if set(kinds) <= {None, _BY_CHARACTERS}:
        return renamed
    return renamed.select(
        *(
            sql.col(name)
            if kind in (None, _BY_CHARACTERS)
            else sql.collate(sql.col(name), _BY_CHARACTERS).alias(name)
            for name, kind in zip(names, kinds, strict=True)
        )
    )

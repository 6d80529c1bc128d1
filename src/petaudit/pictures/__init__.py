"""What there is to see in a result: small plain data that a report draws.

A picture holds numbers of rows and shares, never a table; however large the table is, a picture is
small. Labels of the data are in it only where values were revealed. A measure names the function
that makes its pictures; these are in one file each with the picture that they make.
"""

from __future__ import annotations

from petaudit.pictures.base import Picture
from petaudit.pictures.class_sizes import ClassSizes
from petaudit.pictures.column_exposure import ColumnExposure
from petaudit.pictures.column_shares import ColumnShares
from petaudit.pictures.control_comparison import ControlComparison
from petaudit.pictures.distributions import Distributions
from petaudit.pictures.identified_by_size import IdentifiedBySize
from petaudit.pictures.reading import picture_from
from petaudit.pictures.rows_at_risk import RowsAtRisk
from petaudit.pictures.search_tree import SearchTree

__all__ = [
    "ClassSizes",
    "ColumnExposure",
    "ColumnShares",
    "ControlComparison",
    "Distributions",
    "IdentifiedBySize",
    "Picture",
    "RowsAtRisk",
    "SearchTree",
    "picture_from",
]

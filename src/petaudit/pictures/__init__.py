"""What there is to see in a result: small plain data that a report draws.

A picture holds numbers of rows and shares, never a table; however large the table is, a picture is
small. Labels of the data are in it only where values were revealed.
"""

from __future__ import annotations

from petaudit.pictures.base import Picture

__all__ = ["Picture"]

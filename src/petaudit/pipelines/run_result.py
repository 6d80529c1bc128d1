"""What Python gets of one run of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from petaudit.measures import Result
from petaudit.pipelines.entries import Entry
from petaudit.pipelines.plain_data import figure_of
from petaudit.tables.result_frames import ResultColumn, result_frame


class RunResult(Mapping[str, Any]):
    """What one run gave: its tables by granularity, and the figure with its verdict."""

    def __init__(self, entry: Entry, data: Mapping[str, Any], frame: str) -> None:
        self._entry = entry
        self._frame = frame
        self.data = data
        """The entry in result.json."""

    @property
    def result(self) -> Result | None:
        """The measure's own result; none after an error, or if it was kept from before."""
        return self._entry.result

    @property
    def status(self) -> str:
        """``passed``, ``failed``, ``measured`` or ``error``."""
        return str(self.data["status"])

    @property
    def value(self) -> Any:
        """The figure."""
        return figure_of(self.data["value"])

    def __getitem__(self, granularity: str) -> Any:
        if granularity not in self._names:
            raise KeyError(granularity)
        result = self._entry.result
        columns: Mapping[str, ResultColumn]
        if result is not None:
            columns = result.table(granularity, with_values=True)
        else:
            columns = self._entry.tables[granularity]
        return result_frame(self._frame, columns)

    @property
    def _names(self) -> tuple[str, ...]:
        experiment = self._entry.run.evaluator
        if self._entry.result is None or experiment is None or experiment.measure is None:
            return tuple(self._entry.tables)
        return experiment.measure.granularities

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"RunResult({self.status}, value={self.value}, tables={list(self._names)})"

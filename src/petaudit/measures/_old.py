"""Measures that are not classes yet; this module goes when the last of them is converted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from petaudit.inputs import Inputs
from petaudit.measures.base import GLOBAL, Better, Family, Measure, Need, Option, Result
from petaudit.measures.kinds import Kind, Limit
from petaudit.measures.limits import breakable
from petaudit.pictures import Picture


@dataclass(frozen=True, kw_only=True)
class OldMeasure(Measure):
    """A measure declared by an instance."""

    name: str
    title: str
    question: str
    better: Better
    range: tuple[float, float]
    needs: tuple[Need, ...]
    formula: str
    reference: str
    compute: Callable[..., Result]
    limit_help: str | None = None
    options: tuple[Option, ...] = ()
    family: Family = Family.OTHER
    only_by_name: str | None = None
    when_left_out: Callable[[Inputs], str | None] = lambda inputs: None  # type: ignore[assignment]
    granularities: tuple[str, ...] = (GLOBAL,)
    limit_kind: Kind = None  # type: ignore[assignment]
    has_same_columns: bool = False
    check: Callable[[Mapping[str, Any]], object] = lambda options: None  # type: ignore[assignment]
    either: tuple[tuple[Need, tuple[str, ...]], ...] = ()
    meaning: str = ""
    does_not_say: str = ""
    meaning_of_people: str = ""
    does_not_say_of_people: str = ""
    pictures: Callable[[Inputs | None, Any], tuple[Picture, ...]] = lambda inputs, result: ()  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Let the kind of the limit know the range."""
        if self.limit_kind is None:
            kind = Limit(*breakable(self.better.value, self.range))
            object.__setattr__(self, "limit_kind", kind)

    def _computed(self, inputs: Inputs, options: Mapping[str, Any]) -> Result:
        return self.compute(inputs, **options)

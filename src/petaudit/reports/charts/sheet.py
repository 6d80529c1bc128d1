"""A drawing as numbers: what Vega is given, and how its shapes look afterwards.

No text is ever given to Vega, so no name can be taken for an expression, and no font has to be
measured, which would take ten times as long as all the rest. Shapes and places of texts go there
with a number each; looks and words are put in when the drawing comes back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

WIDTH: Final = 640

INK: Final = "var(--ink,#18222f)"
MUTED: Final = "var(--muted,#4d5968)"
LINE: Final = "var(--line,#d5dbe2)"
PAPER: Final = "var(--card,#ffffff)"
MAIN: Final = "var(--c1,var(--accent,#0072b2))"
BREACH: Final = "var(--c2,var(--bad,#d55e00))"
OTHER: Final = "var(--c3,var(--good,#009e73))"
HATCH: Final = "hatch"
"""The fill of what is hidden; stripes, so that it is told apart without colours."""

Anchor = Literal["start", "middle", "end"]
Shape = Literal["rect", "rule", "symbol"]


@dataclass(frozen=True)
class Look:
    """How a shape is shown; ``label`` makes it a datum with a tooltip that can be focused."""

    fill: str | None = None
    stroke: str | None = None
    stroke_width: float | None = None
    dash: str | None = None
    opacity: float | None = None
    label: str | None = None
    text: str | None = None
    size: float = 12
    anchor: Anchor = "start"
    weight: str | None = None
    has_halo: bool = False
    """Whether a text has paper around it, where a line may cross it."""


@dataclass
class Sheet:
    """Shapes in the order in which they are painted; all places are in units of its scales."""

    height: float
    width: float = WIDTH
    looks: list[Look] = field(default_factory=list)
    scales: dict[str, dict[str, Any]] = field(default_factory=dict)
    marks: list[dict[str, Any]] = field(default_factory=list)
    data: list[dict[str, Any]] = field(default_factory=list)

    def scale(self, name: str, domain: tuple[float, float], onto: tuple[float, float]) -> None:
        """Let numbers of a domain be places on the sheet."""
        low, high = domain
        self.scales[name] = {
            "name": name,
            "type": "linear",
            "zero": False,
            "domain": [low, high if high > low else low + 1],
            "range": list(onto),
        }

    def rects(
        self,
        shapes: Sequence[tuple[float, float, float, float, Look]],
        x: str | None = None,
        y: str | None = None,
    ) -> None:
        """From x to x2 and from y to y2."""
        self._add("rect", ("x", "x2", "y", "y2"), shapes, x, y)

    def rules(
        self,
        shapes: Sequence[tuple[float, float, float, float, Look]],
        x: str | None = None,
        y: str | None = None,
    ) -> None:
        """Lines from x to x2 and from y to y2."""
        self._add("rule", ("x", "x2", "y", "y2"), shapes, x, y)

    def symbols(
        self,
        shapes: Sequence[tuple[float, float, Look]],
        x: str | None = None,
        y: str | None = None,
        *,
        shape: str = "circle",
        area: float = 100,
    ) -> None:
        """Points."""
        more = {"shape": {"value": shape}, "size": {"value": area}}
        self._add("symbol", ("x", "y"), shapes, x, y, more)

    def texts(
        self,
        shapes: Sequence[tuple[float, float, Look]],
        x: str | None = None,
        y: str | None = None,
    ) -> None:
        """Texts; to Vega they are points."""
        self._add("symbol", ("x", "y"), shapes, x, y, {"size": {"value": 1}})

    def spec(self) -> dict[str, Any]:
        """What Vega is given: numbers only."""
        return {
            "width": self.width,
            "height": self.height,
            "padding": 0,
            "autosize": "none",
            "data": self.data,
            "scales": list(self.scales.values()),
            "marks": self.marks,
        }

    def _add(
        self,
        shape: Shape,
        names: Sequence[str],
        shapes: Sequence[Sequence[Any]],
        x: str | None,
        y: str | None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        values = []
        for *places, look in shapes:
            number = {name: float(place) for name, place in zip(names, places, strict=True)}
            values.append(number | {"k": len(self.looks)})
            self.looks.append(look)
        if not values:
            return
        name = f"d{len(self.data)}"
        self.data.append({"name": name, "values": values})
        own = {"x": x, "x2": x, "y": y, "y2": y}
        encode: dict[str, Any] = {
            field: {"field": field} if own[field] is None else {"field": field, "scale": own[field]}
            for field in names
        }
        encode |= {"description": {"field": "k"}, "fill": {"value": "red"}, **(more or {})}
        if shape == "rule":
            encode["stroke"] = {"value": "red"}
        self.marks.append({"type": shape, "from": {"data": name}, "encode": {"enter": encode}})

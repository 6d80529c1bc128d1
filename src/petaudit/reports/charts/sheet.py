"""A drawing while it is made: shapes at their places on the sheet, and how each looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    """Shapes in the order in which they are painted; all places are in units of its scales.

    >>> sheet = Sheet(height=20)
    >>> sheet.scale("x", (0, 1), (100, 300))
    >>> sheet.rects([(0, 0.5, 4, 16, Look(fill=MAIN))], "x")
    >>> [(tag, attributes) for tag, attributes, _ in sheet.shapes]
    [('path', {'d': 'M100,4h100v12h-100Z'})]
    """

    height: float
    width: float = WIDTH
    shapes: list[tuple[str, dict[str, str], Look]] = field(default_factory=list)
    scales: dict[str | None, Callable[[float], float]] = field(
        default_factory=lambda: {None: float}
    )

    def scale(self, name: str, domain: tuple[float, float], onto: tuple[float, float]) -> None:
        """Let numbers of a domain be places on the sheet."""
        (low, high), (start, end) = domain, onto
        wide = high - low if high > low else 1
        self.scales[name] = lambda number: start + (number - low) / wide * (end - start)

    def rects(
        self,
        shapes: Iterable[tuple[float, float, float, float, Look]],
        x: str | None = None,
        y: str | None = None,
    ) -> None:
        """From x to x2 and from y to y2."""
        for (left, right, top, bottom), look in self._placed(shapes, (x, x, y, y)):
            corner = f"M{short(min(left, right))},{short(min(top, bottom))}"
            wide, high = abs(right - left), abs(bottom - top)
            outline = f"{corner}h{short(wide)}v{short(high)}h{short(-wide)}Z"
            self.shapes.append(("path", {"d": outline}, look))

    def rules(
        self,
        shapes: Iterable[tuple[float, float, float, float, Look]],
        x: str | None = None,
        y: str | None = None,
    ) -> None:
        """Lines from x to x2 and from y to y2."""
        for (left, right, top, bottom), look in self._placed(shapes, (x, x, y, y)):
            ends = {"x2": short(right - left), "y2": short(bottom - top)}
            self.shapes.append(("line", _moved(left, top) | ends, look))

    def symbols(
        self,
        shapes: Iterable[tuple[float, float, Look]],
        x: str | None = None,
        y: str | None = None,
        *,
        shape: str = "circle",
        area: float = 100,
    ) -> None:
        """Points."""
        outline = _outline(shape, math.sqrt(area) / 2)
        for place, look in self._placed(shapes, (x, y)):
            self.shapes.append(("path", {"d": outline} | _moved(*place), look))

    def texts(
        self,
        shapes: Iterable[tuple[float, float, Look]],
        x: str | None = None,
        y: str | None = None,
    ) -> None:
        """Texts; the place is the middle of their height."""
        for (left, middle), look in self._placed(shapes, (x, y)):
            self.shapes.append(("text", {"x": short(left), "y": short(middle)}, look))

    def _placed(
        self, shapes: Iterable[Sequence[Any]], scales: Sequence[str | None]
    ) -> Iterator[tuple[list[float], Look]]:
        for *numbers, look in shapes:
            places = zip(scales, numbers, strict=True)
            yield [self.scales[scale](number) for scale, number in places], look


def _moved(x: float, y: float) -> dict[str, str]:
    return {"transform": f"translate({short(x)},{short(y)})"}


def _outline(shape: str, reach: float) -> str:
    r = short(reach)
    match shape:
        case "circle":
            return f"M{r},0A{r},{r},0,1,1,-{r},0A{r},{r},0,1,1,{r},0"
        case "diamond":
            return f"M-{r},0L0,-{r}L{r},0L0,{r}Z"
        case "square":
            side = short(2 * reach)
            return f"M-{r},-{r}h{side}v{side}h-{side}Z"
        case "triangle-up":
            h = short(math.sqrt(3) / 2 * reach)
            return f"M0,-{h}L-{r},{h}L{r},{h}Z"
    raise ValueError(f"no shape is called {shape}")


def short(number: float) -> str:
    """A number with as many digits as anybody sees.

    >>> short(12.0), short(1 / 3), short(-0.001)
    ('12', '0.33', '0')
    """
    if not math.isfinite(number):
        raise ValueError("there is no such place on a sheet")
    return f"{round(number, 2) + 0.0:.10g}"

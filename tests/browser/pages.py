"""Reports as a person has them: opened in a browser, with whatever the page complains about."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Dialog, Page, Request, Route, ViewportSize

NAMES = ("demo", "mpuccs", "compare")
LANGUAGES = ("en", "zh-TW")
WIDE: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
Scheme = Literal["light", "dark"]

_LISTEN = """
window.broken = [];
document.addEventListener("securitypolicyviolation", own => window.broken.push(
    `${own.violatedDirective}: ${own.blockedURI} ${own.sample}`));
"""
# Far from the background: neither the watermark nor the edges of letters count.
_COUNT = """async ([picture, places, nearest]) => {
    const blob = await (await fetch("data:image/png;base64," + picture)).blob();
    const image = await createImageBitmap(blob);
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    return (places ?? [[0, 0, image.width, image.height]]).map(place => {
        const data = canvas.getImageData(...place.map(Math.round)).data;
        const seen = new Map();
        for (let i = 0; i < data.length; i += 4) {
            const colour = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
            seen.set(colour, (seen.get(colour) ?? 0) + 1);
        }
        const parts = colour => [colour >> 16, (colour >> 8) & 255, colour & 255];
        const [ground] = [...seen].sort((a, b) => b[1] - a[1])[0];
        const far = ([own]) =>
            Math.hypot(...parts(own).map((part, i) => part - parts(ground)[i])) > nearest;
        const drawn = [...seen].filter(far);
        return {
            ground: parts(ground), colours: drawn.length,
            drawn: drawn.reduce((sum, [, count]) => sum + count, 0),
            commonest: parts(drawn.sort((a, b) => b[1] - a[1])[0]?.[0] ?? ground),
        };
    });
}"""


@dataclass
class Opened:
    """A page, and what happened while it was open."""

    page: Page
    address: str = ""
    requests: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def complaints(self) -> list[str]:
        """Errors, messages, dialogs, and what the page's own policy forbade."""
        broken: list[str] = self.page.evaluate("window.broken")
        return [*self.said, *self.refused, *broken]

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        width: int = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return max(width, 0)

    def open_everything(self) -> None:
        """Open all that can be opened."""
        self.page.evaluate("document.querySelectorAll('details').forEach(own => own.open = true)")


@dataclass(frozen=True)
class Drawn:
    """What is to be seen in a part of a picture."""

    ground: list[int]
    """The colour of the background."""
    colours: int
    """How many others, far from it, there are."""
    drawn: int
    """The pixels of those colours."""
    commonest: list[int]


class Window:
    """A browser that reads one file at a time, and nothing else.

    To start a page takes longer than to read a report, so pages are used again.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._pages: dict[tuple[bool, float], Opened] = {}
        self._counter: Page | None = None

    def open(
        self,
        path: Path,
        *,
        size: ViewportSize = WIDE,
        scheme: Scheme = "light",
        motion: Literal["reduce", "no-preference"] = "reduce",
        bypass: bool = False,
        scale: float = 1,
    ) -> Opened:
        """Open a file; everything else that the page asks for is refused and noted.

        ``bypass`` is without the page's own policy, and ``scale`` how large pictures of it are.
        """
        if (bypass, scale) not in self._pages:
            self._pages[bypass, scale] = self._new_page(bypass, scale)
        opened = self._pages[bypass, scale]
        page = opened.page
        page.goto("about:blank")
        page.set_viewport_size(size)
        page.emulate_media(media="null", color_scheme=scheme, reduced_motion=motion)
        page.mouse.move(0, 0)
        opened.address = path.resolve().as_uri()
        opened.requests.clear()
        opened.refused.clear()
        opened.said.clear()
        page.goto(opened.address)
        return opened

    def _new_page(self, bypass: bool, scale: float) -> Opened:
        context = self.browser.new_context(bypass_csp=bypass, device_scale_factor=scale)
        context.set_default_timeout(10_000)
        context.add_init_script(_LISTEN)
        page = context.new_page()
        opened = Opened(page)

        def answer(route: Route, request: Request) -> None:
            if request.url.partition("#")[0] == opened.address:
                route.continue_()
                return
            opened.refused.append(f"request: {request.url[:200]}")
            route.abort()

        def dismiss(dialog: Dialog) -> None:
            opened.said.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        context.route("**/*", answer)
        context.set_offline(True)
        page.on("request", lambda own: opened.requests.append(own.url))
        page.on("console", lambda own: opened.said.append(f"console: {own.text}"))
        page.on("pageerror", lambda own: opened.said.append(f"error: {own}"))
        page.on("crash", lambda _: opened.said.append("the page crashed"))
        page.on("dialog", dismiss)
        context.on("page", lambda own: opened.said.append(f"window: {own.url}"))
        return opened

    def counted(
        self, picture: bytes, places: Sequence[Sequence[float]] | None = None, nearest: float = 60
    ) -> list[Drawn]:
        """Count the pixels of a picture, in all of it or in places (left, top, width, height)."""
        if self._counter is None:
            self._counter = self.browser.new_page()
        given = [base64.b64encode(picture).decode(), places, nearest]
        return [Drawn(**own) for own in self._counter.evaluate(_COUNT, given)]

"""The page of benchmarks in one language, section by section, and its plots."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final, TypeAlias

import plots
from comparison import ratio_of
from generated import BARE
from growth_fit import Exponent, exponents
from measuring import Ratio
from page_comparisons import COMPARISONS, GROWTH, LEFT_OUT
from page_words import CHINESE, CONTENDERS, HEADINGS, INTRODUCTION, KINDS, TABLE, TEXTS

Runs: TypeAlias = Mapping[str, Mapping[str, Sequence[float]]]
"""The figures of a contender by size."""

_WIDTH: Final = 118
_BETWEEN_HAN: Final = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")
_BARE: Final = ("generated-", "audit-")
_LARGE: Final = ("large-", "mpuccs-large")


@dataclass
class Page:
    """A page in the making."""

    results: Mapping[str, Any]
    language: str
    blocks: list[str] = field(default_factory=list)
    pictures: dict[str, str] = field(default_factory=dict)

    def say(self, text: str, **facts: Any) -> str:
        """A sentence of this language."""
        return apart(TEXTS[self.language][text].format(**facts))

    def head(self, name: str) -> str:
        """The head of a column."""
        return TABLE[self.language][name]

    def contender(self, name: str) -> str:
        """What a contender is called."""
        return CONTENDERS.get(name, name) if self.language == CHINESE else name

    def paragraph(self, text: str) -> None:
        """A paragraph; only English has places to break it."""
        lines = textwrap.fill(text, _WIDTH, break_on_hyphens=False, break_long_words=False)
        self.blocks.append(text if self.language == CHINESE else lines)

    def heading(self, name: str) -> None:
        """The heading of a section."""
        self.blocks.append(f"## {HEADINGS[self.language][name]}")

    def table(self, header: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> None:
        """A table; the first columns are text, the others are numbers."""
        lines = [*["---"] * texts, *["---:"] * (len(header) - texts)]
        self.blocks.append(
            "\n".join(f"| {' | '.join(own)} |" for own in (list(header), lines, *rows))
        )

    def picture(self, name: str, draw: Callable[[str, str], str], title: str, items: str) -> None:
        """A plot with the same in words."""
        words = self.say("plot", title=title, items=items)
        self.pictures[f"benchmarks-{name}.svg"] = draw(title, words)
        self.blocks.append(f"![{words}](images/benchmarks-{name}.svg)")

    def joined(self, items: Sequence[str]) -> str:
        """Items of a sentence."""
        return ("；" if self.language == CHINESE else "; ").join(items)


def page_of(results: Mapping[str, Any], language: str) -> tuple[str, dict[str, str]]:
    """The text of the page, and its plots by name."""
    page = Page(results, language)
    kind = KINDS[language][results["kind"]]
    facts = {"date": results["date"], "kind": kind, "repetitions": results["repetitions"]}
    page.blocks.append(INTRODUCTION[language].format(**facts).rstrip())
    _busy(page)
    bare = [own for own in results["comparisons"] if own["key"].startswith(_BARE)]
    _bare(page, bare)
    others = (*_BARE, *_LARGE)
    peers = [own for own in results["comparisons"] if not own["key"].startswith(others)]
    _compared(page, "peers", peers, "cpu_seconds")
    _growth(page)
    large = [own for own in results["comparisons"] if own["key"].startswith(_LARGE)]
    _compared(page, "large", large, "seconds")
    _targets(page)
    _left_out(page)
    _machine(page)
    page.heading("again")
    page.paragraph(page.say("again"))
    page.blocks.append(_COMMANDS)
    return "\n\n".join(page.blocks) + "\n", page.pictures


_COMMANDS: Final = """\
    make bench
    make bench-full
    python benchmarks/page.py benchmarks/results/full.json"""


def _busy(page: Page) -> None:
    own = page.results["machine"]
    loads = [own[name] for name in ("load_before", "load_after")]
    if None not in loads and max(loads) > 1.5 * own["cores"]:
        page.paragraph(page.say("busy", before=loads[0], after=loads[1], cores=own["cores"]))


def _bare(page: Page, found: Sequence[Any]) -> None:
    """A row per table, a column per contender: how many times as long as the bare query."""
    if not found:
        return
    page.heading("bare")
    page.paragraph(page.say("bare"))
    _dots(page, "bare", found, "seconds")
    names = list(dict.fromkeys(name for own in found for name in _drawn(own)))
    rows: dict[str, dict[str, str]] = {}
    titles = {}
    for own in found:
        shape = own["key"].partition("-")[2]
        cells = rows.setdefault(shape, {})
        if not own["key"].startswith("audit-"):
            title, said = _words(page, own)
            titles[shape] = page.say("titled", title=title, said=said)
        for name in _drawn(own):
            cells[name] = spread(ratio_of(own["contenders"], name, own["base"], "seconds"))
    header = [page.head("table"), *map(page.contender, names)]
    page.table(
        header,
        [[titles.get(own, own), *(rows[own].get(name, "") for name in names)] for own in rows],
    )
    page.paragraph(page.say("elsewhere"))


def _compared(page: Page, section: str, found: Sequence[Any], figure: str) -> None:
    """A row per contender and comparison, with what each side computes."""
    if not found:
        return
    page.heading(section)
    page.paragraph(page.say(section))
    _dots(page, section, found, figure)
    rows, items = [], []
    for own in found:
        title, said = _words(page, own)
        same = own["facts"].get("same_figure")
        after = "" if same is None else page.say("same" if same else "other")
        between = "" if page.language == CHINESE or not after else " "
        told = page.say("titled", title=f"**{title}**", said=said + between + after)
        items.append(f"- {told}")
        others = [name for name in own["contenders"] if name != own["base"]]
        for name in others:
            # Of several contenders, each is named.
            named = [title] if len(others) == 1 else [title, page.contender(name)]
            rows.append([page.joined(named), *_row(own, name)])
    page.table(_header(page), rows)
    page.blocks.append("\n".join(items))


def _dots(page: Page, section: str, found: Sequence[Any], figure: str) -> None:
    base = _name(found[0]["base"])
    alike = [own for own in found if _name(own["base"]) == base]
    shown = [_dot(page, own, name, figure) for own in alike for name in _drawn(own)]
    across = page.say("ratio_time" if figure == "seconds" else "ratio", base=page.contender(base))
    items = page.joined([f"{own.name} {own.note}" for own in shown])
    page.picture(section, lambda t, words: plots.dots(shown, across, t, words), across, items)


def _drawn(own: Mapping[str, Any]) -> list[str]:
    """The contenders of the plot: for peers the other package alone."""
    others = [name for name in own["contenders"] if name != own["base"]]
    return others if own["base"] == BARE else others[:1]


def _name(base: str) -> str:
    """Who it is, without what it did."""
    return base.partition(",")[0]


def _words(page: Page, own: Mapping[str, Any]) -> tuple[str, str]:
    """What a comparison is called, and what each side computes."""
    # A program of its own may bring a comparison that has no words here yet.
    title, said = COMPARISONS[page.language].get(own["key"], (own["key"], ""))
    return title.format(**own["facts"]), said.format(**own["facts"])


def _dot(page: Page, own: Mapping[str, Any], name: str, figure: str) -> plots.Dot:
    ratio = ratio_of(own["contenders"], name, own["base"], figure)
    if own["base"] == BARE:
        # The audit of a table has its own line, beside the measures on that table.
        about = own["key"].partition("-")[2]
        brackets = "（{}）" if page.language == CHINESE else " ({})"
        title = page.contender(name) + brackets.format(about)
    else:
        title, _ = _words(page, own)
    return plots.Dot(title, ratio.value, ratio.low, ratio.high, times(ratio))


def _header(page: Page) -> list[str]:
    names = ("comparison", "seconds", "base", "time_ratio", "cpu_ratio", "peak_ratio")
    return [page.head(name) for name in names]


def _row(own: Mapping[str, Any], name: str) -> list[str]:
    """A contender beside the base of its comparison."""
    runs, base = own["contenders"][name], own["contenders"][own["base"]]
    cells = [number(median(side["seconds"])) if side["seconds"] else "" for side in (runs, base)]
    for key in _FIGURES:
        known = runs[key] and base[key]
        cells.append(spread(ratio_of(own["contenders"], name, own["base"], key)) if known else "")
    return cells


_FIGURES: Final = ("seconds", "cpu_seconds", "peak_mib")


def _growth(page: Page) -> None:
    found = page.results["growth"]
    if not found:
        return
    page.heading("growth")
    page.paragraph(page.say("growth"))
    items, rows = [], []
    for own in found:
        title, across, said = GROWTH[page.language][own["key"]]
        _growth_plot(page, own, title, across)
        items.append(page.say("titled", title=f"**{title}**", said=said.format(**own["facts"])))
        for name, runs in own["contenders"].items():
            sizes = sorted(map(int, runs))
            cpu, _ = exponents(_points(runs, "cpu_seconds"))
            fits = [*exponents(_points(runs, "seconds")), cpu]
            ends = [
                f"{sizes[0]:,}–{sizes[-1]:,}",
                *(_seconds(runs, sizes[place]) for place in (0, -1)),
            ]
            rows.append([title, page.contender(name), *ends, *map(spread, fits)])
    header = (
        "growth",
        "contender",
        "sizes",
        "smallest",
        "largest",
        "exponent",
        "end",
        "cpu_exponent",
    )
    # Plots are narrow and stand beside each other.
    page.blocks[-len(found) :] = [" ".join(page.blocks[-len(found) :])]
    page.table([page.head(name) for name in header], rows, texts=2)
    page.paragraph(("" if page.language == CHINESE else " ").join(items))


def _growth_plot(page: Page, own: Mapping[str, Any], title: str, across: str) -> None:
    series = []
    for name, runs in own["contenders"].items():
        points = _points(runs, "seconds")
        note = f"{exponents(points)[0].value:.2f}"
        medians = {float(size): median(seconds) for size, seconds in points.items()}
        series.append(plots.Series(page.contender(name), note, medians))
    axes, notes = (across, page.say("seconds")), page.head("exponent")
    items = page.joined(
        [f"{line.name} {page.say('exponents', value=line.note)}" for line in series]
    )
    page.picture(
        own["key"], lambda t, words: plots.lines(series, axes, notes, t, words), title, items
    )


def _points(runs: Runs, figure: str) -> dict[int, list[float]]:
    return {int(size): list(own[figure]) for size, own in runs.items()}


def _seconds(runs: Runs, size: int) -> str:
    return number(median(runs[str(size)]["seconds"])) if str(size) in runs else ""


def _targets(page: Page) -> None:
    """How many targets are met, and which are not; the results have all of them."""
    checks = page.results["checks"]
    if page.results["kind"] != "full" or not checks:
        return
    page.heading("targets")
    gates = [own for own in checks if own["is_gate"]]
    met = sum(own["passed"] for own in gates)
    missed = [own for own in checks if not own["passed"]]
    page.paragraph(page.say("targets", gates=len(gates), met=met, shown=len(checks) - len(gates)))
    if not missed:
        return
    items = []
    for own in missed:
        limit = page.head("at_most" if own["at_most"] else "at_least")
        ratio = spread(Ratio(own["ratio"], own["low"], own["high"]))
        target = limit.format(target=f"{own['target']:.3g}")
        gate = f", {page.head('gate')}" if own["is_gate"] else ""
        items.append(f"{own['where']}, {own['what']} {ratio} ({target}{gate})")
    page.paragraph(page.joined(items))


def _left_out(page: Page) -> None:
    page.heading("left_out")
    items = [
        "- "
        + page.say(own["why"], what=LEFT_OUT[page.language][own["what"]], said=own["said"]).rstrip()
        for own in page.results["left_out"]
    ]
    page.blocks.append("\n".join(items) or page.say("nothing"))


def _machine(page: Page) -> None:
    page.heading("machine")
    own = page.results["machine"]
    facts = {"cpu": own["cpu"], "cores": own["cores"], "memory": own["memory_gib"]}
    facts |= {"system": own["system"], "before": own["load_before"], "after": own["load_after"]}
    page.paragraph(page.say("machine", **facts))
    listed = {"petaudit": page.results["versions"], **page.results["peers"]}
    page.table(
        [page.head("environment"), page.head("versions")],
        [
            [name, ", ".join(f"{package} {version}" for package, version in versions.items())]
            for name, versions in listed.items()
        ],
        texts=2,
    )


def apart(text: str) -> str:
    """Without blanks between Chinese words, which a name in a sentence may bring.

    >>> apart("時間是 單純的 DuckDB 的幾倍")
    '時間是單純的 DuckDB 的幾倍'
    """
    return _BETWEEN_HAN.sub("", text)


def number(value: float) -> str:
    """A number with three digits.

    >>> number(0.012345), number(12.345), number(1234.5)
    ('0.0123', '12.3', '1,234')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def spread(own: Ratio | Exponent) -> str:
    """A value with its spread, if it has any.

    >>> spread(Ratio(1.234, 1.2, 1.3)), spread(Ratio(123.4, 100.0, 200.0)), spread(Ratio(2, 2, 2))
    ('1.23 [1.20..1.30]', '123 [100..200]', '2.00')
    """
    return _with_spread(own, lambda value: f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}")


def times(own: Ratio) -> str:
    """The same, as short as a plot needs it.

    >>> times(Ratio(1.234, 1.2, 1.3)), times(Ratio(123.4, 100.0, 200.0))
    ('1.2 [1.2..1.3]', '123 [100..200]')
    """
    return _with_spread(own, lambda value: f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}")


def _with_spread(own: Ratio | Exponent, shown: Callable[[float], str]) -> str:
    if own.low == own.value == own.high:
        return shown(own.value)
    return f"{shown(own.value)} [{shown(own.low)}..{shown(own.high)}]"

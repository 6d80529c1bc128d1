"""The best levels by trying all of them, written from the definitions alone, for small tables."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Cell = str | None
Row = dict[str, Cell]


@dataclass
class Case:
    """A small table, its hierarchies and what is asked for."""

    rows: list[Row]
    hierarchies: dict[str, dict[Cell, list[str]]]
    """For each quasi-identifier and leaf, the labels above it."""
    settings: dict[str, dict[str, Any]]
    objective: str = "loss"
    max_suppressed: int = 0
    suppressed: str = "class"
    sensitive: tuple[str, ...] = ()
    person: str | None = None
    population: list[Row] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return list(self.hierarchies)

    def label(self, name: str, leaf: Cell, level: int) -> Cell:
        # What is suppressed to begin with stays so.
        return leaf if level == 0 or leaf == "*" else self.hierarchies[name][leaf][level - 1]

    def levels(self, name: str) -> int:
        return 1 + len(next(iter(self.hierarchies[name].values())))

    def under(self, name: str, label: Cell, level: int) -> int:
        if label == "*":
            return len(self.hierarchies[name])
        return sum(self.label(name, leaf, level) == label for leaf in self.hierarchies[name])


Class = list[int]
ILLNESSES = [["1", "mild", "*"], ["2", "mild", "*"], ["3", "bad", "*"], ["7", "bad", "*"]]
"""The hierarchy of sensitive values."""


def best(case: Case) -> tuple[float, tuple[int, ...], set[int]] | None:
    """The least loss, its levels and the rows suppressed; None where nothing keeps the limits."""
    found = None
    ranges = [
        range(
            case.bounds.get(name, (0, 0))[0],
            case.bounds.get(name, (0, case.levels(name) - 1))[1] + 1,
        )
        for name in case.names
    ]
    for levels in itertools.product(*ranges):
        gone = suppressed_at(case, levels)
        if gone is None:
            continue
        value = loss(case, levels, gone)
        if found is None or value < found[0] - 1e-12:
            found = value, levels, gone
    return found


def classes_at(
    case: Case, rows: list[Row], levels: tuple[int, ...]
) -> dict[tuple[Cell, ...], Class]:
    classes: dict[tuple[Cell, ...], Class] = defaultdict(list)
    for place, row in enumerate(rows):
        key = tuple(
            case.label(name, row[name], level)
            for name, level in zip(case.names, levels, strict=True)
        )
        classes[key].append(place)
    return classes


def suppressed_at(case: Case, levels: tuple[int, ...]) -> set[int] | None:
    """The rows that are suppressed at some levels; None where the limits do not hold."""
    classes = classes_at(case, case.rows, levels)
    people_of = population_of(case, levels, classes)
    everything = list(range(len(case.rows)))
    if needs_everyone(case) and any(set(key) == {"*"} for key in classes):
        return None
    if len(classes) == 1 and set(next(iter(classes))) == {"*"} and case.suppressed != "drop":
        holds = table_holds(case, [everything], [people_of.get(next(iter(classes)))], 0)
        keeps = not breaks(case, everything, everything, next(iter(people_of.values()), None))
        return set() if holds and keeps and not lacking(case, levels, classes) else None
    gone = {
        key
        for key, members in classes.items()
        if breaks(case, members, everything, people_of.get(key))
    }
    if case.suppressed == "drop" and case.max_suppressed > 0:
        gone |= dropped(case, classes, gone)
    if needs_everyone(case) and (gone or lacking(case, levels, classes)):
        return None
    # Rows that say nothing to begin with are suppressed already, and nobody counts them as lost.
    marked = {key for key in classes if set(key) == {"*"}} if case.suppressed != "drop" else set()
    gone |= marked
    order = {name: [*tree, "*"] for name, tree in case.hierarchies.items()}

    def rank(key: tuple[Cell, ...]) -> Any:
        members = classes[key]
        first = min(tuple(order[n].index(case.rows[m][n]) for n in case.names) for m in members)
        return size(case, members), len(members), first

    others = sorted((key for key in classes if key not in gone), key=rank)
    for more in range(len(others) + 1):
        away = gone | set(others[:more])
        lost = [row for key in away for row in classes[key]]
        if len(lost) - sum(len(classes[key]) for key in marked) > case.max_suppressed:
            return None
        if (
            more
            and case.suppressed == "drop"
            and case.max_suppressed
            and dropped(case, classes, away)
        ):
            continue
        kept = {key: members for key, members in classes.items() if key not in away}
        if all_hold(case, kept, lost, people_of):
            return set(lost)
        if needs_everyone(case) or not has_more_to_try(case, lost):
            return None
    return None


def silent(case: Case, levels: tuple[int, ...] | None) -> int:
    """The rows that say nothing at some levels, which are suppressed at no price."""
    if case.suppressed == "drop":
        return 0
    classes = classes_at(case, case.rows, levels or (0,) * len(case.names))
    return sum(len(members) for key, members in classes.items() if set(key) == {"*"})


def has_more_to_try(case: Case, lost: list[int]) -> bool:
    of_table = any(name in _OF_TABLE and _is_of_table(name, case) for name in case.settings)
    return of_table or (case.suppressed == "class" and bool(lost))


def all_hold(
    case: Case, kept: dict[Any, Class], lost: list[int], people_of: dict[Any, int]
) -> bool:
    if case.suppressed != "class" and not kept:
        return False
    everything = list(range(len(case.rows)))
    if case.suppressed == "drop":
        everything = [row for members in kept.values() for row in members]
    classes, people = list(kept.values()), [people_of.get(key) for key in kept]
    if case.suppressed == "class" and lost:
        fit = None
        if case.population:
            inside = sum(p for p in people if p is not None)
            fit = len(case.population) - inside
            if fit < size(case, lost):
                fit += sum(
                    p for p, c in zip(people, classes, strict=True) if p and p > size(case, c)
                )
        blank = (
            case.sensitive
            and len(lost) < len(case.rows)
            and all(case.rows[row][name] is None for row in lost for name in case.sensitive)
        )
        if breaks(case, lost, everything, fit, is_blank=bool(blank)):
            return False
        classes, people = [*classes, lost], [*people, fit]
    return table_holds(case, classes, people, 0)


def dropped(case: Case, classes: dict[Any, Class], gone: set[Any]) -> set[Any]:
    """What more goes because classes are compared with what is left."""
    more: set[Any] = set()
    while True:
        left = {key: c for key, c in classes.items() if key not in gone | more}
        rows = [row for members in left.values() for row in members]
        further = {
            key
            for key, members in left.items()
            if any(
                _breaks(case, name, members, rows, None)
                for name in case.settings
                if name in _COMPARING
            )
        }
        if not further:
            return more
        more |= further


def size(case: Case, members: Class) -> int:
    if case.person is None:
        return len(members)
    return len({case.rows[row][case.person] for row in members})


def population_of(case: Case, levels: tuple[int, ...], classes: dict[Any, Class]) -> dict[Any, int]:
    if not case.population:
        return {}
    everybody = classes_at(case, case.population, levels)
    return {key: len(everybody.get(key, [])) for key in classes}


def lacking(case: Case, levels: tuple[int, ...], classes: dict[Any, Class]) -> bool:
    if not needs_everyone(case):
        return False
    return bool(set(classes_at(case, case.population, levels)) - set(classes))


def needs_everyone(case: Case) -> bool:
    return bool(case.settings.get("delta-presence", {}).get("least"))


_COMPARING = ("t-closeness", "beta-likeness", "enhanced-beta-likeness", "delta-disclosure")
_OF_TABLE = ("marketer-risk", "sample-uniques", "strict-average-risk", "prosecutor-risk")


def _is_of_table(name: str, case: Case) -> bool:
    return name != "prosecutor-risk" or case.settings[name].get("figure", "highest") != "highest"


def breaks(
    case: Case, members: Class, everything: list[int], people: int | None, *, is_blank: bool = False
) -> bool:
    """Whether a class breaks any limit."""
    sensitive = (
        *("l-diversity", "entropy-l-diversity", "recursive-l-diversity", "alpha-k-anonymity"),
        *_COMPARING,
    )
    return any(
        _breaks(case, name, members, everything, people)
        for name in case.settings
        if not (is_blank and name in sensitive)
    )


def _breaks(
    case: Case, name: str, members: Class, everything: list[int], people: int | None
) -> bool:
    options = case.settings[name]
    limit = Fraction(str(options["limit"])) if "limit" in options else None
    number = size(case, members)
    match name:
        case "k-anonymity":
            return number < limit
        case "prosecutor-risk":
            return options.get("figure", "highest") == "highest" and Fraction(1, number) > limit
        case "profitability":
            cost, gain, loss_, benefit = (
                Fraction(options[n]) for n in ("cost", "gain", "loss", "benefit")
            )
            risk = 0 if gain / number < cost else loss_ / number
            fine = benefit > risk and (options.get("allow_attack", True) or cost > gain / number)
            return not fine
        case "k-map":
            return people < limit or people < number
        case "strict-average-risk":
            if people is not None:
                return people < number or people < (options.get("k") or 0)
            return options.get("k") is not None and number < options["k"]
        case "delta-presence":
            low = Fraction(str(options.get("least") or 0))
            return (
                people < number
                or Fraction(number, people) > limit
                or Fraction(number, people) < low
            )
        case "marketer-risk" if case.population:
            return people < number
    return any(
        _breaks_values(case, name, attribute, members, everything) for attribute in case.sensitive
    ) or (name == "alpha-k-anonymity" and number < (options.get("k") or 0))


def _breaks_values(
    case: Case, name: str, attribute: str, members: Class, everything: list[int]
) -> bool:
    options = case.settings.get(name, {})
    if "limit" not in options:
        return False
    limit = Fraction(str(options["limit"]))
    inside = Counter(case.rows[row][attribute] for row in members)
    whole = Counter(case.rows[row][attribute] for row in everything)
    n, total = len(members), len(everything)
    merged = inside.copy()
    if None in merged and len(merged) > 1:
        nulls = merged.pop(None)
        merged[max(merged, key=lambda v: merged[v])] += nulls
    counts = sorted(merged.values(), reverse=True)
    match name:
        case "l-diversity":
            return len(merged) < limit
        case "entropy-l-diversity":
            if len(set(counts)) == 1:
                return len(counts) < limit
            return math.exp(-sum(c / n * math.log(c / n) for c in counts)) < limit
        case "recursive-l-diversity":
            rare = sum(counts[options["l"] - 1 :])
            return not rare or not counts[0] < limit * rare
        case "alpha-k-anonymity":
            if case.person is None:
                return Fraction(counts[0], n) > limit
            having = defaultdict(set)
            for row in members:
                having[case.rows[row][attribute]].add(case.rows[row][case.person])
            nulls = len(having.pop(None, ()))
            most = max(map(len, having.values()), default=0)
            people = size(case, members)
            return Fraction(min(most + nulls, people), people) > limit
        case "t-closeness":
            return distance(inside, whole, n, total, options["distance"]) > limit
        case "beta-likeness" | "enhanced-beta-likeness":
            for value, count in inside.items():
                gain = Fraction(count * total, n * whole[value]) - 1
                if gain > limit:
                    return True
                share = whole[value] / total
                if name.startswith("enhanced") and share < 1 and gain > -math.log(share):
                    return True
            return False
        case "delta-disclosure":
            if options.get("absent") == "infinite" and set(whole) - set(inside):
                return True
            ratios = [count * total / (n * whole[value]) for value, count in inside.items()]
            return any(abs(math.log(ratio)) >= limit for ratio in ratios)
    return False


def distance(
    inside: Counter[Cell], whole: Counter[Cell], n: int, total: int, kind: str
) -> Fraction:
    difference = {v: Fraction(inside[v], n) - Fraction(whole[v], total) for v in whole}
    if kind == "equal":
        return sum(map(abs, difference.values()), Fraction(0)) / 2
    if kind == "hierarchical":
        groups = [[{row[0]} for row in ILLNESSES], [{"1", "2"}, {"3", "7"}]]
        moved = (
            abs(sum((difference.get(v, Fraction(0)) for v in group), Fraction(0)))
            for level in groups
            for group in level
        )
        return sum(moved, Fraction(0)) / 4
    numbers = sorted(whole, key=lambda v: int(v or 0))
    if len(numbers) == 1:
        return Fraction(0)
    sums = itertools.accumulate(difference[v] for v in numbers)
    return sum(map(abs, sums), Fraction(0)) / (len(numbers) - 1)


def table_holds(case: Case, classes: list[Class], people: list[int | None], _: int) -> bool:
    """Whether limits of all classes together hold."""
    for name, options in case.settings.items():
        if name not in _OF_TABLE or not _is_of_table(name, case):
            continue
        limit = Fraction(str(options["limit"]))
        sizes = [size(case, members) for members in classes]
        rows = sum(sizes)
        if name == "sample-uniques":
            figure = Fraction(sum(c for c in sizes if c == 1), rows)
        elif options.get("figure") == "at-risk":
            threshold = Fraction(str(options.get("threshold", "0.2")))
            figure = Fraction(sum(c for c in sizes if Fraction(1, c) > threshold), rows)
        elif name != "prosecutor-risk" and case.population:
            pairs = zip(sizes, people, strict=True)
            figure = sum((Fraction(c, p or 1) for c, p in pairs), Fraction(0)) / rows
        else:
            figure = Fraction(len(sizes), rows)
        if figure > limit:
            return False
    return True


def loss(case: Case, levels: tuple[int, ...], gone: set[int]) -> float:
    """What is lost, from 0 to 1."""
    n = len(case.rows)
    classes = [
        [row for row in members if row not in gone]
        for members in classes_at(case, case.rows, levels).values()
    ]
    sizes = [len(members) for members in classes if members]
    raw = [len(members) for members in classes_at(case, case.rows, (0,) * len(levels)).values()]
    if case.objective == "discernibility":
        low = sum(c * c for c in raw)
        penalty = sum(c * c for c in sizes) + len(gone) * n
        return (penalty - low) / (n * n - low) if n * n > low else 0.0
    if case.objective == "class-size":
        before = n / len(raw)
        mean = sum(sizes) / len(sizes) if sizes else n
        return min(max((mean - before) / (n - before), 0), 1) if n > before else 0.0
    parts, weights = [], []
    for name, level in zip(case.names, levels, strict=True):
        domain = len(case.hierarchies[name])
        weight = case.weights.get(name, 1.0)
        if case.objective == "entropy":
            lost, most = bits(case, name, level, gone)
            parts.append(lost)
            weights.append((weight, most))
            continue
        cells = []
        for place, row in enumerate(case.rows):
            if place in gone or row[name] == "*":
                cells.append(1.0)
            elif case.objective == "precision":
                cells.append(level / max(case.levels(name) - 1, 1))
            else:
                label = case.label(name, row[name], level)
                cells.append((case.under(name, label, level) - 1) / max(domain - 1, 1))
        if domain == 1 and case.objective != "precision":
            weight = 0.0
        if case.objective == "granularity":
            weight *= 1 - 1 / domain
        parts.append(sum(cells) / n)
        weights.append(weight)
    if case.objective == "entropy":
        most = sum(w * m for w, m in weights)
        return sum(w * p for (w, _), p in zip(weights, parts, strict=True)) / most if most else 0.0
    total = sum(weights)
    if not total:
        return 0.0
    if case.objective == "loss-geometric":
        return math.prod((1 + p) ** (w / total) for p, w in zip(parts, weights, strict=True)) - 1
    return sum(p * w for p, w in zip(parts, weights, strict=True)) / total


def bits(case: Case, name: str, level: int, gone: set[int]) -> tuple[float, float]:
    """The bits that a column lost, and all that it could."""
    n = len(case.rows)
    raw = Counter(row[name] for row in case.rows)
    now = Counter(case.label(name, row[name], level) for row in case.rows)
    lost = sum(
        math.log2(now[case.label(name, row[name], level)]) - math.log2(raw[row[name]])
        for row in case.rows
    )
    if level < case.levels(name) - 1:
        left = Counter(case.label(name, case.rows[row][name], level) for row in gone)
        lost += sum(c * (math.log2(len(gone)) - math.log2(c)) for c in left.values())
    return lost, sum(math.log2(n) - math.log2(raw[row[name]]) for row in case.rows)

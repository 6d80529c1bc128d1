"""The attacks: for every person of the original and of the control, how probably each succeeds.

Equally near rows are drawn from at random, and samples of equal size are averaged over all of them:
everything here is an expected value, so no figure depends on a seed or on the order of rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from petaudit.attacks.counted import CountedTables
from petaudit.attacks.mixed_rows import Weights
from petaudit.attacks.nearest import Secret
from petaudit.attacks.people import Attack, alone_among
from petaudit.attacks.tables import AttackTables
from petaudit.errors import NotMeasurableError
from petaudit.exact.excess import Successes
from petaudit.singling.control import CONTROL, ORIGINAL, SYNTHETIC
from petaudit.singling.kernels import Indices


def _of_people(tables: AttackTables, of_rows: Weights) -> tuple[Weights, Weights | None]:
    """The part of the original and of the control of what belongs to rows of all tables."""
    control = of_rows[tables.part(CONTROL)] if tables.has_control else None
    return of_rows[tables.part(ORIGINAL)], control


def copied(tables: AttackTables | CountedTables, columns: Sequence[str]) -> Attack:
    """The whole row occurs in the synthetic table."""
    if isinstance(tables, CountedTables):
        return tables.copied(columns)
    groups = tables.groups(columns)
    is_there = (groups.sizes[SYNTHETIC] > 0).astype(np.float64)
    return Attack("", *_of_people(tables, is_there[groups.group]))


def guessed(
    tables: AttackTables, secret: str, known: Sequence[str], tolerance: float = 0.0
) -> Attack:
    """The nearest synthetic rows by the known columns have the person's secret."""
    guess = Secret(secret, tolerance)

    def of(table: int) -> Weights:
        near = tables.nearest(table, known, secret=guess)
        return near.hits / near.ties

    control = of(CONTROL) if tables.has_control else None
    people = CONTROL if tables.has_control else ORIGINAL
    return Attack(secret, of(ORIGINAL), control, _base_rate(tables, secret, people))


def _base_rate(tables: AttackTables, secret: str, people: int) -> float:
    """How many have the most frequent value of the synthetic table."""
    groups = tables.groups((secret,))
    sizes = groups.sizes[SYNTHETIC]
    is_usual = (sizes == sizes.max()).astype(np.float64) / np.count_nonzero(sizes == sizes.max())
    return tables.successes(people, is_usual[groups.group[tables.part(people)]]).share


def linked(
    tables: AttackTables, first: Sequence[str], second: Sequence[str], neighbours: int = 1
) -> Attack:
    """One of the nearest rows by one list of columns is one of those by the other.

    No row is nearer by both lists together than the nearest by one and the nearest by the other are
    in sum, and rows that are as near as that are the nearest by both.
    """
    name = f"{'+'.join(first)}:{'+'.join(second)}"
    lists = (first, second)
    if neighbours > 1:
        from petaudit.attacks.linking import linked_among  # noqa: PLC0415 (few ask for it)

        control = linked_among(tables, CONTROL, lists, neighbours) if tables.has_control else None
        return Attack(name, linked_among(tables, ORIGINAL, lists, neighbours), control)

    def of(table: int) -> Weights:
        one, other = (tables.nearest(table, names) for names in lists)
        both = tables.nearest(table, [*first, *second])
        is_same = both.distance == one.distance + other.distance
        return np.where(is_same, both.ties, 0) / one.ties / other.ties

    return Attack(name, of(ORIGINAL), of(CONTROL) if tables.has_control else None)


def replicated(tables: AttackTables | CountedTables, keys: Sequence[str]) -> Attack:
    """Unique by the keys among as many people as the smaller table has, and in the synthetic."""
    if isinstance(tables, CountedTables):
        return tables.replicated(keys)
    groups = tables.groups(keys)
    is_single = (groups.sizes[SYNTHETIC] == 1).astype(np.float64)
    people = [tables.joint.rows[ORIGINAL]]
    if tables.has_control:
        people.append(tables.joint.rows[CONTROL])
    smaller = min(people)
    replicas = []
    for table, many in enumerate(people, ORIGINAL):
        alone = alone_among(groups.sizes[table], many, smaller) * is_single
        replicas.append(alone[groups.group[tables.part(table)]])
    return Attack("", replicas[0], replicas[1] if tables.has_control else None)


def disclosed(tables: AttackTables | CountedTables, target: str, keys: Sequence[str]) -> Attack:
    """The keys occur in the synthetic table, and always with the person's target."""
    if isinstance(tables, CountedTables):
        return tables.disclosed(target, keys)
    return Attack(target, *_of_people(tables, _always(tables, target, keys, SYNTHETIC)))


def disclosed_in_original(
    tables: AttackTables | CountedTables, target: str, keys: Sequence[str]
) -> float:
    """The share of people whose keys have one value of the target in the original itself."""
    if isinstance(tables, CountedTables):
        return tables.disclosed_in_original(target, keys)
    people, _ = _of_people(tables, _always(tables, target, keys, ORIGINAL))
    return tables.successes(ORIGINAL, people).share


def _always(tables: AttackTables, target: str, keys: Sequence[str], among: int) -> Weights:
    by_keys, with_target = tables.groups(keys), tables.groups([*keys, target])
    rows = by_keys.sizes[among][by_keys.group]
    of_target = with_target.sizes[among][with_target.group]
    is_always: Weights = ((rows > 0) & (rows == of_target)).astype(np.float64)
    return is_always


@dataclass(frozen=True)
class MembershipCurve:
    """How many members are recognised at which rate of false alarms."""

    training: Weights
    """The distances of people to the nearest synthetic row, sorted."""
    control: Weights
    fpr: float
    """The rate that was used: the wanted one, or the least that the control allows."""

    def true_rates(self, false_rates: Sequence[float]) -> list[float]:
        """The share of people nearer than so many of the control, equally near ones in part."""
        rates = []
        for rate in false_rates:
            wanted = rate * len(self.control)
            place = min(math.ceil(wanted), len(self.control)) - 1
            threshold = self.control[max(place, 0)]
            low, high = (np.searchsorted(self.control, threshold, s) for s in ("left", "right"))
            own_low, own_high = (
                np.searchsorted(self.training, threshold, s) for s in ("left", "right")
            )
            part = (wanted - low) / max(high - low, 1)
            share = (own_low + min(max(part, 0.0), 1.0) * (own_high - own_low)) / len(self.training)
            rates.append(float(share))
        return rates

    @property
    def auc(self) -> float:
        """The probability that a member is nearer than a stranger."""
        below, upto = (
            np.searchsorted(self.control, self.training, side) for side in ("left", "right")
        )
        nearer = len(self.control) * len(self.training) - int(below.sum() + upto.sum()) / 2
        return nearer / len(self.control) / len(self.training)


def members(
    tables: AttackTables, columns: Sequence[str], fpr: float
) -> tuple[Attack, MembershipCurve]:
    """A person is taken for a member who is nearer than few of one half of the control.

    A share ``fpr`` of strangers is, on average over all halves: the false positive rate on the
    other half is what it should be, and what is left to chance is the threshold.
    """
    training = tables.nearest(ORIGINAL, columns).distance
    control = tables.nearest(CONTROL, columns).distance
    # A person is as near as the nearest of their rows.
    people = np.sort(-tables.by_person(CONTROL, -control))
    many = len(people)
    if many < 2:
        raise NotMeasurableError("membership needs a control of two people at least")
    half = many // 2
    # Of fewer people no threshold has so few below it: who is copied would mostly be missed.
    fpr = max(fpr, 1 / (half + 1))
    attack = Attack(
        "",
        _recognised(training, people, half, fpr, is_stranger=False),
        _recognised(control, people, half, fpr, is_stranger=True),
        judged=Successes(many - half, fpr * (many - half)),
    )
    return attack, MembershipCurve(np.sort(-tables.by_person(ORIGINAL, -training)), people, fpr)


def _recognised(
    distances: Weights, control: Weights, half: int, fpr: float, *, is_stranger: bool
) -> Weights:
    """The probability to be nearer than the threshold; a stranger is not in the half."""
    others = len(control) - is_stranger
    rank = fpr * (half + 1)
    low = math.floor(rank)
    nearer = (1 - rank + low) * _below_rank(low, half, others)
    nearer += (rank - low) * _below_rank(low + 1, half, others)
    # Equally near people are in any order: the mean over the places among them.
    sums = np.concatenate([[0.0], np.cumsum(nearer)])
    below = np.searchsorted(control, distances, "left")
    upto = np.searchsorted(control, distances, "right") - is_stranger
    mean: Weights = (sums[upto + 1] - sums[below]) / (upto - below + 1)
    return mean


def _below_rank(rank: int, half: int, others: int) -> Weights:
    """By how many of the others are nearer: the probability that ``rank`` of a half are not.

    >>> _below_rank(1, half=1, others=2).round(9).tolist()
    [1.0, 0.5, 0.0]
    """
    if rank == 0:
        return np.zeros(others + 1)
    # The probability that the rank-th nearest of the half is the i-th nearest of all.
    places = np.arange(1, others + 1)
    log = [
        _log_choose(i - 1, rank - 1) + _log_choose(others - i, half - rank) for i in places.tolist()
    ]
    at = np.exp(np.array(log) - _log_choose(others, half))
    after: Weights = np.append(np.cumsum(at[::-1])[::-1], 0.0)
    return np.minimum(after, 1.0)


def _log_choose(many: int, some: int) -> float:
    if not 0 <= some <= many:
        return -math.inf
    return math.lgamma(many + 1) - math.lgamma(some + 1) - math.lgamma(many - some + 1)


def nearer_to_training(tables: AttackTables, columns: Sequence[str]) -> float:
    """The mean probability that a synthetic row is nearer to training people than to others."""
    sizes = [tables.joint.rows[table] for table in (ORIGINAL, CONTROL)]
    # Of the larger table, as many are drawn as the smaller has.
    larger, smaller = (ORIGINAL, CONTROL) if sizes[0] >= sizes[1] else (CONTROL, ORIGINAL)
    radii = tables.nearest(SYNTHETIC, columns, among=smaller).distance
    nearer, level = tables.within(larger, columns, SYNTHETIC, radii)
    many, drawn = max(sizes), min(sizes)
    strictly, at_most = (_any_drawn(each, many, drawn) for each in (nearer, nearer + level))
    share = math.fsum(((strictly + at_most) / 2).tolist()) / len(radii)
    return share if larger == ORIGINAL else 1 - share


def _any_drawn(some: Indices, many: int, drawn: int) -> Weights:
    """The probability that one of some people is among those drawn.

    >>> _any_drawn(np.array([0, 1, 3]), many=4, drawn=2).tolist()
    [0.0, 0.5, 1.0]
    """
    missed = [1.0]
    # C(N - j, m) / C(N, m), from one j to the next.
    while len(missed) <= int(some.max(initial=0)) and missed[-1] > 0:
        taken = len(missed) - 1
        missed.append(missed[-1] * max(many - drawn - taken, 0) / (many - taken))
    known = np.array([*missed, 0.0])
    drawn_any: Weights = 1 - known[np.minimum(some, len(known) - 1)]
    return drawn_any

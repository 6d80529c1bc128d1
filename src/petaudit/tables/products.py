"""The sum over rows of a product of whole numbers, one for the label of each column."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import narwhals.stable.v2 as nw
import numpy as np

from petaudit.tables.engines.remote import join_numbers
from petaudit.tables.results import Integers
from petaudit.tables.table_counts import TableCounts

_LARGEST_MODULUS: Final = 1 << 31
_LARGEST_SUM: Final = 1 << 62
"""Products of two remainders, and sums of those of all rows, stay within 64 bits."""
_MODULI_AT_ONCE: Final = 16


def sum_of_products(table: TableCounts, factors: Mapping[str, Integers]) -> int:
    """Add up the product of each row's numbers; each column has one per label, above zero.

    >>> import pyarrow as pa
    >>> from petaudit.tables import open_source
    >>> counts = open_source(pa.table({"a": ["x", "y", "y"], "b": ["u", "u", None]})).counts
    >>> sum_of_products(counts, {"a": np.array([2, 3]), "b": np.array([10, 1])})
    53
    """
    if table.is_remote:
        return _sum_in_engine(table, factors)
    classes = table.coded_classes(tuple(factors))
    by_class = [own[codes] for own, codes in zip(factors.values(), classes.codes, strict=True)]
    return sum_over_classes(by_class, classes.sizes)


def sum_over_classes(factors: Sequence[Integers], sizes: Integers) -> int:
    """Add up the product of each class, as often as it has rows.

    Products outgrow 64 bits, so classes with equal products are counted together and only their
    few different products are whole numbers of Python.

    >>> sum_over_classes([np.array([2, 3]), np.array([10, 1])], np.array([1, 5]))
    35
    """
    products = [1]
    place = np.zeros(len(sizes), dtype=np.int64)
    for own in factors:
        distinct, code = np.unique(own, return_inverse=True)
        pairs, place = np.unique(place * len(distinct) + code, return_inverse=True)
        made = [
            products[pair // len(distinct)] * int(distinct[pair % len(distinct)])
            for pair in pairs.tolist()
        ]
        products = sorted(set(made))
        position = {product: index for index, product in enumerate(products)}
        place = np.array([position[product] for product in made], dtype=np.int64)[place]
    rows = np.zeros(len(products), dtype=np.int64)
    np.add.at(rows, place, sizes)
    return sum(map(int.__mul__, products, rows.tolist()))


def _sum_in_engine(table: TableCounts, factors: Mapping[str, Integers]) -> int:
    """The same from an engine that has 64 bits only, and from which no class is fetched.

    It adds up the remainders of the products by some primes. They tell a whole number that is
    smaller than the product of the primes (Chinese remainder theorem).
    """
    rows: nw.LazyFrame[Any] = table.frame.select(
        *(nw.col(table.position(name)).alias(f"x{place}") for place, name in enumerate(factors))
    )
    for place, (name, own) in enumerate(factors.items()):
        rows = join_numbers(table, rows, name, f"x{place}", {f"f{place}": own})
    most = table.rows * math.prod(int(own.max(initial=1)) for own in factors.values())
    moduli = list(_moduli(most, min(_LARGEST_MODULUS, _LARGEST_SUM // max(table.rows, 1))))
    found: list[int] = []
    for start in range(0, len(moduli), _MODULI_AT_ONCE):
        block = moduli[start : start + _MODULI_AT_ONCE]
        sums = [_remainder(len(factors), own).sum().alias(f"m{own}") for own in block]
        [row] = table.collected(rows.select(*sums)).to_pylist()
        found += [int(row[f"m{own}"]) % own for own in block]
    return _number_of(found, moduli)


def _remainder(factors: int, modulus: int) -> nw.Expr:
    found: nw.Expr = nw.lit(1).cast(nw.Int64)
    for place in range(factors):
        found = (found * (nw.col(f"f{place}").cast(nw.Int64) % modulus)) % modulus
    return found


def _moduli(most: int, below: int) -> Iterator[int]:
    """Odd primes from the largest down, until their product is above a number.

    >>> list(_moduli(100, 12))
    [11, 7, 5]
    """
    product, candidate = 1, below - 1 - below % 2
    while product <= most:
        if all(candidate % divisor for divisor in range(3, math.isqrt(candidate) + 1, 2)):
            product *= candidate
            yield candidate
        candidate -= 2


def _number_of(remainders: Sequence[int], moduli: Sequence[int]) -> int:
    """The smallest number that leaves these remainders.

    >>> _number_of([2, 3], [3, 5])
    8
    """
    found, product = 0, 1
    for remainder, modulus in zip(remainders, moduli, strict=True):
        step = (remainder - found) * pow(product, -1, modulus) % modulus
        found += product * step
        product *= modulus
    return found

"""The inner loops that find minimal sample uniques, compiled by numba.

See :mod:`petaudit.singling._kernels` for partitions; here all rows are of one table.
"""

from __future__ import annotations

from petaudit.singling._arrays import Codes, Floats, Indices, Places, Rows, Words
from petaudit.singling._kernels import kernel
from petaudit.singling._leaf_kernels import SMALL_GROUP


@kernel
def note_minimal(
    rows: Rows,
    starts: Places,
    column: Codes,
    origin: Rows,
    columns: Words,
    known: Words,
    number: int,
    latest: Indices,
    sets: Indices,
    before: Indices,
    many: int,
    score: float,
    scores: Floats,
    scratch: Places,
    found: Rows,
) -> int:
    """Note the rows that one more column makes unique and that no smaller set of columns does.

    ``columns`` is the set that is looked at, as bits, and ``number`` what it will be called. The
    sets of a row are a chain: ``latest[row]`` is its last link, ``sets[link]`` the number of the
    set, whose bits are ``known[number]``, and ``before[link]`` the link before. Returns how many
    links there are.
    """
    seen, last, touched = scratch[0], scratch[3], scratch[5]
    alone = 0
    for group in range(len(starts) - 1):
        start, stop = starts[group], starts[group + 1]
        if stop - start <= SMALL_GROUP:
            for i in range(start, stop):
                code = column[rows[i]]
                is_alone = True
                for j in range(start, stop):
                    if j != i and column[rows[j]] == code:
                        is_alone = False
                        break
                if is_alone:
                    found[alone] = rows[i]
                    alone += 1
            continue
        codes = 0
        for i in range(start, stop):
            code = column[rows[i]]
            if seen[code] == 0:
                touched[codes] = code
                codes += 1
                last[code] = rows[i]
            seen[code] += 1
        for t in range(codes):
            code = touched[t]
            if seen[code] == 1:
                found[alone] = last[code]
                alone += 1
            seen[code] = 0
    words = len(columns)
    for i in range(alone):
        row = origin[found[i]]
        link = latest[row]
        while link >= 0:
            own = known[sets[link]]
            is_inside = True
            for w in range(words):
                if own[w] & ~columns[w] != 0:
                    is_inside = False
                    break
            if is_inside:
                break
            link = before[link]
        if link < 0:
            sets[many] = number
            before[many] = latest[row]
            latest[row] = many
            scores[row] += score
            many += 1
    return many

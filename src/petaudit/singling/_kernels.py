"""The inner loops that build partitions, compiled by numba.

A partition holds the rows that can still matter, group by group: group ``g`` is
``rows[starts[g]:starts[g + 1]]``, its synthetic rows come first, and ``mids[g]`` is where its
target rows begin. Loops take plain arrays only and let go of Python's lock, so that threads run
side by side. Of the working memory, ``scratch``, the first three rows are zero between calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from petaudit.singling._arrays import Bytes, Codes, Indices, Places, Rows

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile on first use, and keep the machine code on disk where a folder can be written."""
    try:
        return cast(Function, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # there is no folder that numba could write to
        return cast(Function, numba.njit(nogil=True)(function))


@kernel
def split_groups(  # noqa: PLR0915 (parts of it would have to hand ten arrays around)
    rows: Rows,
    starts: Places,
    mids: Places,
    codes: Codes,
    settled: Bytes,
    count_all: bool,
    keep_matches: bool,
    scratch: Places,
    new_rows: Rows,
    new_starts: Places,
    new_mids: Places,
) -> int:
    """Refine a partition by one more column, and return how many groups are left.

    A group leaves when it can no longer matter: a single synthetic row that is settled, or without
    a target row, or with one (identified already, unless ``keep_matches`` says that nobody looked).
    With ``count_all`` every other group of synthetic rows stays, because its rows may still become
    unique, without it only those that may still be identified.
    """
    seen, matched, waiting, place, touched = (
        scratch[0], scratch[1], scratch[2], scratch[3], scratch[5],
    )  # fmt: skip
    groups = 0
    end = 0
    new_starts[0] = 0
    for group in range(len(mids)):
        start, mid, stop = starts[group], mids[group], starts[group + 1]
        if mid == stop and mid - start == 2:
            # By far the most frequent kind of group in a long search.
            if codes[rows[start]] == codes[rows[start + 1]]:
                new_rows[end] = rows[start]
                new_rows[end + 1] = rows[start + 1]
                end += 2
                new_mids[groups] = end
                groups += 1
                new_starts[groups] = end
            continue
        found = 0
        for i in range(start, mid):
            row = rows[i]
            code = codes[row]
            if seen[code] == 0:
                touched[found] = code
                found += 1
            seen[code] += 1
            waiting[code] += 1 - settled[row]
        for i in range(mid, stop):
            code = codes[rows[i]]
            if waiting[code] > 0:
                matched[code] += 1
        for t in range(found):
            code = touched[t]
            is_alone = seen[code] == 1
            enough = 2 if is_alone and not keep_matches else 1
            is_useful = waiting[code] > 0 and matched[code] >= enough
            if is_useful or (count_all and not is_alone):
                # From here on: where the next synthetic row goes, and the next target row.
                targets = matched[code] if is_useful else 0
                place[code] = end
                matched[code] = end + seen[code] if is_useful else -1
                new_mids[groups] = end + seen[code]
                end += seen[code] + targets
                groups += 1
                new_starts[groups] = end
            else:
                place[code] = -1
                matched[code] = -1
        for i in range(start, mid):
            row = rows[i]
            code = codes[row]
            if place[code] >= 0:
                new_rows[place[code]] = row
                place[code] += 1
        for i in range(mid, stop):
            row = rows[i]
            code = codes[row]
            if waiting[code] > 0 and matched[code] >= 0:
                new_rows[matched[code]] = row
                matched[code] += 1
        for t in range(found):
            code = touched[t]
            seen[code] = 0
            waiting[code] = 0
            matched[code] = 0
    return groups


@kernel
def gather(codes: Codes, rows: Rows, gathered: Codes) -> None:
    """Copy the codes of some rows, so that rows of one group lie side by side."""
    for column in range(len(codes)):
        for i in range(len(rows)):
            gathered[column, i] = codes[column, rows[i]]


@kernel
def repeated_group_sizes(
    rows: Rows, starts: Places, mids: Places, column: Codes, scratch: Places, sizes: Indices
) -> int:
    """Write the sizes of a child's groups of two or more synthetic rows; return their number."""
    seen, touched = scratch[0], scratch[5]
    written = 0
    for group in range(len(mids)):
        found = 0
        for i in range(starts[group], mids[group]):
            code = column[rows[i]]
            if seen[code] == 0:
                touched[found] = code
                found += 1
            seen[code] += 1
        for t in range(found):
            code = touched[t]
            if seen[code] > 1:
                sizes[written] = seen[code]
                written += 1
            seen[code] = 0
    return written


@kernel
def recode(column: Codes, codes: Codes, recoded: Codes) -> None:
    """Replace each code of a column by another one."""
    for row in range(len(column)):
        recoded[row] = codes[column[row]]

"""The inner loops of the searches, compiled by numba, and the arrays that they work on.

A partition holds the rows that can still matter, group by group: group ``g`` is
``rows[starts[g]:starts[g + 1]]``, its synthetic rows come first, and ``mids[g]`` is where its
target rows begin. Loops take plain arrays only and let go of Python's lock, so that threads run
side by side. Of the working memory, ``scratch``, the first three rows are zero between calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

Codes: TypeAlias = npt.NDArray[np.uint32]
"""A code per row and column. What is used as an index has no sign: compiled loops would look at it,
and that takes a fifth of the time."""
Rows: TypeAlias = npt.NDArray[np.uint32]
"""Row numbers."""
Places: TypeAlias = npt.NDArray[np.int32]
"""Places in an array of row numbers, and counts."""
Indices: TypeAlias = npt.NDArray[np.int64]
"""Numbers of columns or of combinations."""
Bytes: TypeAlias = npt.NDArray[np.uint8]
"""Flags."""
Words: TypeAlias = npt.NDArray[np.uint64]
"""Sets of columns as bits, 64 to a word."""
Floats: TypeAlias = npt.NDArray[np.float64]
"""Figures."""

SMALL_GROUP = 10
"""Up to this size, comparing rows with each other is faster than counting codes."""

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
        distinct = 0
        for i in range(start, mid):
            row = rows[i]
            code = codes[row]
            if seen[code] == 0:
                touched[distinct] = code
                distinct += 1
            seen[code] += 1
            waiting[code] += 1 - settled[row]
        for i in range(mid, stop):
            code = codes[rows[i]]
            if waiting[code] > 0:
                matched[code] += 1
        for t in range(distinct):
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
        for t in range(distinct):
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
        distinct = 0
        for i in range(starts[group], mids[group]):
            code = column[rows[i]]
            if seen[code] == 0:
                touched[distinct] = code
                distinct += 1
            seen[code] += 1
        for t in range(distinct):
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


@kernel
def count_children(
    rows: Rows,
    starts: Places,
    mids: Places,
    codes: Codes,
    children: Indices,
    persons: Rows,
    settled: Bytes,
    origin: Rows,
    numbers: Indices,
    first: Indices,
    target: Rows,
    repeated: Indices,
    pairs: Indices,
    scratch: Places,
    matches: Rows,
    stop_flag: Bytes,
) -> None:
    """Look at each child column of a partition without building its groups.

    ``repeated`` gets the number of synthetic rows that are not unique in the child, ``pairs`` that
    of pairs of different synthetic rows in one group, each in both orders. A row that is
    not settled and that the child identifies becomes settled; the combination's number and the
    target row are noted in ``first`` and ``target`` under the row's own number, ``origin[row]``.
    """
    for c in range(len(children)):
        column = codes[children[c]]
        many, repeated[c], pairs[c] = _identified(
            rows, starts, mids, column, persons, settled, scratch, matches, stop_flag
        )
        for i in range(many):
            row = matches[0, i]
            settled[row] = 1
            first[origin[row]] = numbers[c]
            target[origin[row]] = origin[matches[1, i]]


@kernel
def expose_children(
    rows: Rows,
    starts: Places,
    mids: Places,
    codes: Codes,
    children: Indices,
    inside: Words,
    step: int,
    persons: Rows,
    settled: Bytes,
    origin: Rows,
    identified: Bytes,
    essential: Words,
    after_step: Bytes,
    scratch: Places,
    matches: Rows,
    stop_flag: Bytes,
) -> None:
    """Note for each row that a child identifies which columns it could not do without.

    ``inside[c]`` are the columns of the child's combination, as bits; ``essential`` keeps what all
    identifying combinations of a row have in common, and a row is settled when that is nothing. A
    ``step`` that is not negative says that the one child is a coarser copy of a column: rows that
    it identifies are noted in ``after_step``.
    """
    words = inside.shape[1]
    for c in range(len(children)):
        column = codes[children[c]]
        many, _, _ = _identified(
            rows, starts, mids, column, persons, settled, scratch, matches, stop_flag
        )
        for i in range(many):
            row = matches[0, i]
            given = origin[row]
            if step >= 0:
                after_step[given, step] = 1
                continue
            left = np.uint64(0)
            for w in range(words):
                if identified[given] == 0:
                    essential[given, w] = inside[c, w]
                else:
                    essential[given, w] &= inside[c, w]
                left |= essential[given, w]
            identified[given] = 1
            if left == 0:
                settled[row] = 1


@kernel
def _identified(
    rows: Rows,
    starts: Places,
    mids: Places,
    column: Codes,
    persons: Rows,
    settled: Bytes,
    scratch: Places,
    matches: Rows,
    stop_flag: Bytes,
) -> tuple[int, int, int]:
    """Write the unsettled rows that one more column identifies and their matches to ``matches``.

    Returns how many there are, how many synthetic rows are still not unique, and how many pairs of
    synthetic rows agree.
    """
    many = 0
    repeated = 0
    pairs = 0
    for group in range(len(mids)):
        if stop_flag[0] != 0:
            break
        start, mid, stop = starts[group], mids[group], starts[group + 1]
        if mid == stop and mid - start == 2:
            first, second = rows[start], rows[start + 1]
            if column[first] == column[second]:
                pairs += 2
                if persons[first] != persons[second]:
                    repeated += 2
        elif mid - start == 1 or stop - start <= SMALL_GROUP:
            for i in range(start, mid):
                row = rows[i]
                code = column[row]
                is_alone = True
                for j in range(start, mid):
                    if column[rows[j]] == code:
                        pairs += i != j
                        if persons[rows[j]] != persons[row]:
                            is_alone = False
                if not is_alone:
                    repeated += 1
                elif settled[row] == 0:
                    match = _only_match(rows, mid, stop, column, code, persons)
                    if match >= 0:
                        matches[0, many] = row
                        matches[1, many] = match
                        many += 1
        else:
            more, again, alike = _identified_in_large(
                rows, start, mid, stop, column, persons, settled, scratch, matches, many
            )
            many += more
            repeated += again
            pairs += alike
    return many, repeated, pairs


@kernel
def _only_match(rows: Rows, start: int, stop: int, column: Codes, code: int, persons: Rows) -> int:
    """The first row with that code, or -1 if there is none, or one of another person, too."""
    match = -1
    for i in range(start, stop):
        if column[rows[i]] == code:
            if match >= 0 and persons[rows[i]] != persons[match]:
                return -1
            if match < 0:
                match = rows[i]
    return match


@kernel
def _identified_in_large(
    rows: Rows,
    start: int,
    mid: int,
    stop: int,
    column: Codes,
    persons: Rows,
    settled: Bytes,
    scratch: Places,
    matches: Rows,
    many: int,
) -> tuple[int, int, int]:
    """The same for one group that has too many rows to compare each with each."""
    seen, matched, shared, first, first_match, touched = (
        scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5],
    )  # fmt: skip
    codes = 0
    is_waiting = False
    for i in range(start, mid):
        row = rows[i]
        code = column[row]
        if seen[code] == 0:
            touched[codes] = code
            codes += 1
            first[code] = row
        elif shared[code] == 0 and persons[row] != persons[first[code]]:
            shared[code] = 1
        seen[code] += 1
        if settled[row] == 0:
            is_waiting = True
    if is_waiting:
        for i in range(mid, stop):
            row = rows[i]
            code = column[row]
            if seen[code] > 0 and shared[code] == 0:
                if matched[code] == 0:
                    matched[code] = 1
                    first_match[code] = row
                elif matched[code] == 1 and persons[row] != persons[first_match[code]]:
                    matched[code] = 2
    more = 0
    repeated = 0
    pairs = 0
    has_several_rows = False
    for t in range(codes):
        code = touched[t]
        pairs += np.int64(seen[code]) * (seen[code] - 1)
        if shared[code] != 0:
            repeated += seen[code]
        elif matched[code] == 1:
            if seen[code] > 1:
                has_several_rows = True
            elif settled[first[code]] == 0:
                matches[0, many + more] = first[code]
                matches[1, many + more] = first_match[code]
                more += 1
    if has_several_rows:
        for i in range(start, mid):
            row = rows[i]
            code = column[row]
            if seen[code] > 1 and matched[code] == 1 and settled[row] == 0:
                matches[0, many + more] = row
                matches[1, many + more] = first_match[code]
                more += 1
    for t in range(codes):
        code = touched[t]
        seen[code] = 0
        matched[code] = 0
        shared[code] = 0
    return more, repeated, pairs


@kernel
def expose_people(
    rows: Rows,
    starts: Places,
    mids: Places,
    codes: Codes,
    children: Indices,
    persons: Rows,
    first_control: int,
    exposed: Bytes,
    scratch: Places,
    stop_flag: Bytes,
) -> None:
    """Note whom each child of a partition exposes: who alone matches a unique synthetic row.

    ``persons[row]`` is the number of a row's person. Persons from ``first_control`` on are those of
    the control, each of whom is looked at as if they alone were there beside the others.
    ``exposed`` gets 1 for who is exposed, 2 for who would be if one other person were not there.
    """
    # Per code: 0 nobody, 1 one person, 2 two, 3 more; and the first two of them.
    seen, matched, second_match, first, first_match, touched = (
        scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5],
    )  # fmt: skip
    for c in range(len(children)):
        column = codes[children[c]]
        for group in range(len(mids)):
            if stop_flag[0] != 0:
                return
            start, mid, stop = starts[group], mids[group], starts[group + 1]
            if mid == stop:
                continue
            many = 0
            for i in range(start, mid):
                row = rows[i]
                code = column[row]
                if seen[code] == 0:
                    touched[many] = code
                    many += 1
                    first[code] = persons[row]
                    seen[code] = 1
                elif first[code] != persons[row]:
                    seen[code] = 2
            has_control = False
            for i in range(mid, stop):
                row = rows[i]
                person = persons[row]
                if person >= first_control:
                    has_control = True
                    continue
                code = column[row]
                if seen[code] == 1:
                    if matched[code] == 0:
                        first_match[code] = person
                        matched[code] = 1
                    elif first_match[code] != person:
                        if matched[code] == 1:
                            second_match[code] = person
                            matched[code] = 2
                        elif second_match[code] != person:
                            matched[code] = 3
            if has_control:
                for i in range(mid, stop):
                    row = rows[i]
                    code = column[row]
                    if persons[row] >= first_control and seen[code] == 1 and matched[code] < 2:
                        exposed[persons[row]] |= 1 + matched[code]
            for t in range(many):
                code = touched[t]
                if matched[code] == 1:
                    exposed[first_match[code]] |= 1
                elif matched[code] == 2:
                    exposed[first_match[code]] |= 2
                    exposed[second_match[code]] |= 2
                # Others expect zeros where they count.
                seen[code], matched[code], second_match[code] = 0, 0, 0

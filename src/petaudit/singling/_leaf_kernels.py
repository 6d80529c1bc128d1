"""The inner loops that look at one more column, compiled by numba.

They see who is unique and who is identified without building the groups that the column would
make; see :mod:`petaudit.singling._kernels` for the arrays.
"""

from __future__ import annotations

import numpy as np

from petaudit.singling._arrays import Bytes, Codes, Indices, Places, Rows, Words
from petaudit.singling._kernels import kernel

SMALL_GROUP = 10
"""Up to this size, comparing rows with each other is faster than counting codes."""


@kernel
def count_children(
    rows: Rows,
    starts: Places,
    mids: Places,
    codes: Codes,
    children: Indices,
    who: Rows,
    settled: Bytes,
    origin: Rows,
    numbers: Indices,
    first: Indices,
    target: Rows,
    repeated: Indices,
    pairs: Indices,
    scratch: Places,
    found: Rows,
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
            rows, starts, mids, column, who, settled, scratch, found, stop_flag
        )
        for i in range(many):
            row = found[0, i]
            settled[row] = 1
            first[origin[row]] = numbers[c]
            target[origin[row]] = origin[found[1, i]]


@kernel
def expose_children(
    rows: Rows,
    starts: Places,
    mids: Places,
    codes: Codes,
    children: Indices,
    inside: Words,
    step: int,
    who: Rows,
    settled: Bytes,
    origin: Rows,
    identified: Bytes,
    essential: Words,
    after_step: Bytes,
    scratch: Places,
    found: Rows,
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
            rows, starts, mids, column, who, settled, scratch, found, stop_flag
        )
        for i in range(many):
            row = found[0, i]
            own = origin[row]
            if step >= 0:
                after_step[own, step] = 1
                continue
            left = np.uint64(0)
            for w in range(words):
                if identified[own] == 0:
                    essential[own, w] = inside[c, w]
                else:
                    essential[own, w] &= inside[c, w]
                left |= essential[own, w]
            identified[own] = 1
            if left == 0:
                settled[row] = 1


@kernel
def _identified(
    rows: Rows,
    starts: Places,
    mids: Places,
    column: Codes,
    who: Rows,
    settled: Bytes,
    scratch: Places,
    found: Rows,
    stop_flag: Bytes,
) -> tuple[int, int, int]:
    """Write the unsettled rows that one more column identifies and their matches to ``found``.

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
        if mid - start == 1:
            row = rows[start]
            if settled[row] == 0:
                match = _only_match(rows, mid, stop, column, column[row], who)
                if match >= 0:
                    found[0, many] = row
                    found[1, many] = match
                    many += 1
        elif mid == stop and mid - start == 2:
            first, second = rows[start], rows[start + 1]
            if column[first] == column[second]:
                pairs += 2
                if who[first] != who[second]:
                    repeated += 2
        elif stop - start <= SMALL_GROUP:
            for i in range(start, mid):
                row = rows[i]
                code = column[row]
                is_alone = True
                for j in range(start, mid):
                    if column[rows[j]] == code:
                        pairs += i != j
                        if who[rows[j]] != who[row]:
                            is_alone = False
                if not is_alone:
                    repeated += 1
                elif settled[row] == 0:
                    match = _only_match(rows, mid, stop, column, code, who)
                    if match >= 0:
                        found[0, many] = row
                        found[1, many] = match
                        many += 1
        else:
            more, again, alike = _identified_in_large(
                rows, start, mid, stop, column, who, settled, scratch, found, many
            )
            many += more
            repeated += again
            pairs += alike
    return many, repeated, pairs


@kernel
def _only_match(rows: Rows, start: int, stop: int, column: Codes, code: int, who: Rows) -> int:
    """The first row with that code, or -1 if there is none, or one of another person, too."""
    match = -1
    for i in range(start, stop):
        if column[rows[i]] == code:
            if match >= 0 and who[rows[i]] != who[match]:
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
    who: Rows,
    settled: Bytes,
    scratch: Places,
    found: Rows,
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
        elif shared[code] == 0 and who[row] != who[first[code]]:
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
                elif matched[code] == 1 and who[row] != who[first_match[code]]:
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
                found[0, many + more] = first[code]
                found[1, many + more] = first_match[code]
                more += 1
    if has_several_rows:
        for i in range(start, mid):
            row = rows[i]
            code = column[row]
            if seen[code] > 1 and matched[code] == 1 and settled[row] == 0:
                found[0, many + more] = row
                found[1, many + more] = first_match[code]
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
    who: Rows,
    first_stranger: int,
    exposed: Bytes,
    scratch: Places,
    stop_flag: Bytes,
) -> None:
    """Note whom each child of a partition exposes: who alone matches a unique synthetic row.

    ``who[row]`` is the number of a row's person. Persons from ``first_stranger`` on are strangers,
    each of whom is looked at as if nobody but the others of the target were there beside them.
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
                    first[code] = who[row]
                    seen[code] = 1
                elif first[code] != who[row]:
                    seen[code] = 2
            has_strangers = False
            for i in range(mid, stop):
                row = rows[i]
                person = who[row]
                if person >= first_stranger:
                    has_strangers = True
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
            if has_strangers:
                for i in range(mid, stop):
                    row = rows[i]
                    code = column[row]
                    if who[row] >= first_stranger and seen[code] == 1 and matched[code] < 2:
                        exposed[who[row]] |= 1 + matched[code]
            for t in range(many):
                code = touched[t]
                if matched[code] == 1:
                    exposed[first_match[code]] |= 1
                elif matched[code] == 2:
                    exposed[first_match[code]] |= 2
                    exposed[second_match[code]] |= 2
                # Others expect zeros where they count.
                seen[code], matched[code], second_match[code] = 0, 0, 0

"""What a report costs after the measures are done, on a small and on a large table.

    python benchmarks/report_cost.py [ROWS]

Prints, for 5,000 rows and for ROWS (5,000,000 if not given): CPU seconds of the audit, of the
document with its pictures, and of the page in both languages, and the size of the page.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow as pa

import petaudit

SMALL, LARGE = 5_000, 5_000_000


def table(rows: int) -> pa.Table:
    chance = np.random.default_rng(1)
    return pa.table(
        {
            "zip": chance.integers(0, 300, rows),
            "age": chance.integers(18, 90, rows),
            "sex": chance.integers(0, 2, rows),
            "pay": chance.integers(0, 40, rows),
            "disease": chance.integers(0, 12, rows).astype(str),
        }
    )


def measured(rows: int) -> tuple[float, float, list[tuple[float, int]]]:
    own = table(rows)
    start = time.process_time()
    found = petaudit.audit(
        own,
        quasi_identifiers=["zip", "age", "sex"],
        sensitive=["pay", "disease"],
        original=own,
        options={"k-anonymity": {"limit": 5}, "t-closeness": {"limit": 0.4}},
    )
    audited = time.process_time()
    document = found.to_dict()
    told = time.process_time()
    pages = []
    for language in ("en", "zh-TW"):
        begun = time.process_time()
        page = petaudit.report(document, lang=language)
        pages.append((time.process_time() - begun, len(page.encode())))
    return audited - start, told - audited, pages


def main() -> None:
    large = int(sys.argv[1]) if len(sys.argv) > 1 else LARGE
    sizes = {}
    for rows in (SMALL, large):
        audit, document, pages = measured(rows)
        sizes[rows] = pages[0][1]
        shown = ", ".join(f"page {cpu:.2f} s, {size:,} bytes" for cpu, size in pages)
        print(f"{rows:,} rows: audit {audit:.2f} s, document {document:.2f} s, {shown}")
    print(f"size of the page, large / small: {sizes[large] / sizes[SMALL]:.2f}")


if __name__ == "__main__":
    main()

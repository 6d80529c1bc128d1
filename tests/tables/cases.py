"""The tables that every engine must count alike."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from tables.checks import Case
from tables.engines import Column, text

NAN = float("nan")


def _case(quasi_identifiers: list[str], value: str, **columns: Column) -> Case:
    return Case(columns, quasi_identifiers, value)


def _typed(kind: str, *cells: object) -> Case:
    """One typed column, counted as a class, as a value and beside a column of text."""
    return _case(
        ["typed", "text"],
        "typed",
        typed=Column(kind, list(cells)),
        text=text(*(["a", "b"] * len(cells))[: len(cells)]),
    )


def _names(*names: str) -> Case:
    """A table whose columns have these names, each with other counts than the next."""
    columns = {
        name: text(*(str(row * (place + 2) // 5) for row in range(9)))
        for place, name in enumerate(names)
    }
    trimmed = [name.strip() for name in names]
    return Case(columns, trimmed[:-1], trimmed[-1])


CASES: dict[str, Case] = {
    "plain": _case(
        ["zip", "age"],
        "disease",
        zip=text("476**", "476**", "476**", "479**", "479**", "*"),
        age=text("2*", "2*", "[20,30[", ">=40", ">=40", "3*"),
        disease=text("flu", "flu", "ulcer", "flu", "HIV", "HIV"),
    ),
    "nulls": _case(
        ["a", "b"],
        "v",
        a=text("x", None, None, "x", None, "y", None),
        b=text(None, "x", None, None, None, "x", None),
        v=text("p", None, None, None, "p", None, "q"),
    ),
    "nan and nulls": _case(
        ["a", "t"],
        "v",
        a=Column("float", [1.5, NAN, None, NAN, 1.5, None, -2.25]),
        t=text("x", "x", "x", "x", None, "x", "x"),
        v=Column("float", [NAN, NAN, None, 0.5, NAN, 0.5, None]),
    ),
    # DuckDB 2.0 takes a NaN for a number where Parquet's statistics tell of no null.
    "nan without nulls": _typed("float", 1.5, NAN, 2.5, NAN, 2.5),
    "minus zero": _typed("float", 0.0, -0.0, -0.0, None, 1.0, NAN, 0.0),
    "a column of nulls": _case(
        ["a", "none"], "none", a=text("x", "y", "x"), none=Column("null", [None, None, None])
    ),
    "a text column of nulls": _case(
        ["a", "none"], "none", a=text("x", "y", "x"), none=text(None, None, None)
    ),
    "no rows": _case(["a", "b"], "v", a=text(), b=text(), v=text()),
    "no rows, typed": _case(
        ["a", "b"], "v", a=Column("integer", []), b=Column("boolean", []), v=Column("float", [])
    ),
    "one row": _case(["a", "b"], "v", a=text("x"), b=text(None), v=text("p")),
    "one column": Case({"a": text("x", "y", "x", None)}, ["a"], "a"),
    "one class": _case(
        ["a", "b"], "v", a=text(*["x"] * 5), b=text(*["y"] * 5), v=text("p", "q", "p", "p", "q")
    ),
    "every row its own class": _case(
        ["a", "b"], "v", a=text(*"pqrst"), b=text(*"vwxyz"), v=text(*"11223")
    ),
    "all rows suppressed": _case(
        ["a", "b"], "v", a=text(*"****"), b=text(*"****"), v=text("p", "q", "p", None)
    ),
    "some rows suppressed": _case(
        ["a", "b"],
        "v",
        a=text("*", "*", "x", "*", None, "*"),
        b=text("*", " * ", "*", "y", "*", None),
        v=text("p", "q", "p", None, "p", "p"),
    ),
    "a star beside numbers": _case(
        ["a", "n"],
        "v",
        a=text("*", "*", "x"),
        n=Column("integer", [1, 1, 2]),
        v=text("p", "q", "p"),
    ),
    "unicode": _case(
        ["城市", "e\u0301"],
        "😀",
        # A composed and a decomposed e-acute look alike and are two labels.
        **{
            "城市": text("臺北", "臺北", "台北", "高雄市", "臺北", "\U00020bb7野家"),
            "e\u0301": text("\u00e9", "e\u0301", "\u00e9", "\u00e9", "\u00e9", "\u0130stanbul"),
            "😀": text("👩\u200d👩\u200d👧", "👩", "👩", "ß", "ss", "\u202eright to left"),
        },
    ),
    "case matters": _case(
        ["a"], "v", a=text("x", "X", "x", "ß", "SS"), v=text("p", "P", "p", "p", "p")
    ),
    "blanks around cells": _case(
        ["a", "b"],
        "v",
        a=text(" x", "x ", "\u3000x\u3000", "\u00a0x", "x", "\tx\t"),
        b=text("臺 北", "臺 北\u3000", "\u3000臺 北", "臺\u3000北", "臺 北", "\ufeff臺 北"),
        v=text("p", " p", "p\u00a0", "q", "\u3000q\u00a0 ", "p"),
    ),
    "blank cells": _case(
        ["a", "b"],
        "v",
        a=text("", " ", None, "x", "\u3000"),
        b=text("x", "x", "x", "", "x"),
        v=text(None, "", "p", "p", "\u00a0 "),
    ),
    # Not in BLANKS: trimming exactly the same characters is what makes engines agree.
    "odd spaces that stay": _case(
        ["a"], "v", a=text("x\u2003", "x", "x\u200b"), v=text("\u2009p", "p", "p")
    ),
    "line breaks around cells": _case(["a"], "v", a=text("x\n", "x", "\r\nx"), v=text(*"ppq")),
    "cells with quotes and delimiters": _case(
        ["a", "b"],
        "v",
        a=text('say "x"', "it's", 'say "x"', '"', "'", "a;b"),
        b=text("a,b", "a|b", "a,b", "a\tb", "\\", "%_"),
        v=text("--", "'; DROP TABLE t; --", "--", "$1", "{x}", "NULL"),
    ),
    "words that look like nothing": _case(
        ["a"],
        "v",
        a=text("NA", "nan", "None", "null", "NaN", "N/A", "-"),
        v=text("NULL", "#N/A", "<NA>", "NaT", "n/a", "inf", "-inf"),
    ),
    "text that looks like numbers": _case(
        ["a"], "v", a=text("007", "7", "7.0", "1e3", "1000"), v=text("+1", "1", "01", "1.", "1")
    ),
    "names with blanks": _names("post code", " age ", "x  y", "値 段"),
    "names with quotes": _names('say "x"', "it's", "`tick`", '"', "''"),
    "names with brackets": _names("a[0]", "(b)", "{c}", "d]", "<e>"),
    "names with delimiters": _names("a,b", "c;d", "e|f", "g\th", "i.j"),
    "names like patterns": _names("*", "^a$", "a", ".*", "%"),
    "names like our own": _names("n", "c0", "w0", "count", "s", "v"),
    "names in the other order": _names("c2", "c1", "c0", "c3"),
    "names that are words of SQL": _names("select", "from", "rowid", "all"),
    "names in two cases": _names("Zip", "zip", "ZIP"),
    "integers": _typed("integer", 1, 2, 1, -5, 0, 2**62),
    "integers with gaps": _typed("integer", 1, None, 1, -5, None, 0),
    "integers beyond floats": _typed("integer", 2**53, 2**53 + 1, 2**53 + 1, 2**53 - 1, 2**53),
    "integers beyond floats with gaps": _typed("integer", 2**53, None, 2**53 + 1, 2**53 + 1, None),
    "floats": _typed("float", 0.1, 0.2, 0.1 + 0.2, 0.3, 39.0, 1e-7),
    # The shortest decimals; DuckDB writes the third with more digits, Java before 19 the next two.
    "floats of 32 bits": _typed(
        "float32",
        *(0.1, 0.1, 343126.12, 33554450.0, 1.1754944e-38, 0.3, 39.0, -0.0, 0.0, NAN, None, 1e-7),
    ),
    "booleans": _typed("boolean", True, False, True, True),
    "booleans with gaps": _typed("boolean", True, None, False, None, True),
    "dates": _typed("date", date(1977, 3, 9), None, date(1977, 3, 9), date(1904, 2, 29)),
    "datetimes": _typed(
        "datetime", datetime(1977, 3, 9), datetime(1977, 3, 9, 10, 30), None, datetime(1977, 3, 9)
    ),
    "decimals": _typed(
        "decimal", Decimal("1.50"), Decimal("1.5"), None, Decimal("2.0000"), Decimal("-0.0001")
    ),
    "categories": _typed("category", "b", "a", None, "b ", " a", "b"),
    "enums": _typed("enum", "b", "a", None, "b", "臺北", "b"),
    "stars in a category": _case(
        ["a", "b"], "b", a=Column("category", ["*", "*", "x"]), b=Column("enum", ["*", None, "*"])
    ),
}

MANY_CLASSES = _case(
    ["a"],
    "v",
    a=text(*(f"class {row % 100_000}" for row in range(110_000))),
    v=text(*("pqr"[row % 3] for row in range(110_000))),
)

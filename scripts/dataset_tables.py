"""The small tables that are typed in; `build_datasets.py` writes them as CSV files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

Rows: TypeAlias = "list[tuple[str, ...]]"


def table(text: str) -> Rows:
    """Split a typed table into cells: one row per line, the header first, cells apart by `;`.

    >>> table("zip;age\\n 47906;35")
    [('zip', 'age'), ('47906', '35')]
    """
    return [tuple(line.strip().split(";")) for line in text.strip().splitlines()]


# The patients of the t-closeness paper and its release by ZIP codes 4767*, 4760* and 4790*, both in
# the order of the original rows. Salaries are in thousands.
PATIENT: Final = table(
    """
    ZIPCode;Age;Salary;Disease
    47677;29;3;gastric ulcer
    47602;22;4;gastritis
    47678;27;5;stomach cancer
    47905;43;6;gastritis
    47909;52;11;flu
    47906;47;8;bronchitis
    47605;30;7;bronchitis
    47673;36;9;pneumonia
    47607;32;10;stomach cancer
    """
)

PATIENT_DEIDENTIFIED: Final = table(
    """
    ZIPCode;Age;Salary;Disease
    4767*;<=40;3;gastric ulcer
    4760*;<=40;4;gastritis
    4767*;<=40;5;stomach cancer
    4790*;>40;6;gastritis
    4790*;>40;11;flu
    4790*;>40;8;bronchitis
    4760*;<=40;7;bronchitis
    4767*;<=40;9;pneumonia
    4760*;<=40;10;stomach cancer
    """
)

# The delta-presence example: nine people, five of whom (rows 2, 3, 6, 8 and 9) are released.
DELTA: Final = table(
    """
    zip;age;nationality;salary-class
    47906;35;USA;<=50
    47903;59;Canada;<=50
    47906;42;USA;<=50
    47630;18;Brazil;>50
    47630;22;Brazil;<=50
    47633;63;Peru;<=50
    48973;33;Spain;>50
    48972;47;Bulgaria;>50
    48970;52;France;<=50
    """
)

DELTA_DEIDENTIFIED: Final = table(
    """
    zip;age;nationality;salary-class
    47*;*;America;*
    47*;*;America;*
    47*;*;America;*
    48*;*;Europe;*
    48*;*;Europe;*
    """
)

# The worked examples of the PETWorks documents: column names in English, diseases as printed.
EXAMPLE_T_CLOSENESS: Final = table(
    """
    birth_year;salary;disease
    197*;3;胃癌
    197*;4;流感
    198*;5;流感
    198*;6;胃炎
    198*;8;胃癌
    """
)

EXAMPLE_PRECISION_ORIGINAL: Final = table(
    """
    birthplace;birth_year
    Germany;1970
    France;1977
    France;1983
    France;1988
    """
)

EXAMPLE_PRECISION: Final = table(
    """
    birthplace;birth_year
    Europe;197*
    Europe;197*
    Europe;198*
    Europe;198*
    """
)

TABLES: Final[Mapping[str, Rows]] = {
    "patient": PATIENT,
    "patient-deidentified": PATIENT_DEIDENTIFIED,
    "delta": DELTA,
    "delta-deidentified": DELTA_DEIDENTIFIED,
    "example-t-closeness": EXAMPLE_T_CLOSENESS,
    "example-non-uniform-entropy": table("birth_year\n197*\n198*\n198*\n198*"),
    "example-non-uniform-entropy-original": table("birth_year\n1970\n1981\n1983\n1988"),
    "example-precision": EXAMPLE_PRECISION,
    "example-precision-original": EXAMPLE_PRECISION_ORIGINAL,
    "example-profitability": table("birth_year\n197*\n198*\n198*"),
}

"""Two spellings of a sensitive value are one value, for every model and on every engine."""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petaudit
import strategies
from budget import examples
from measures.sensitive_twin import meant
from petaudit.errors import HierarchyError, NotMeasurableError, PetauditWarning
from petaudit.inputs import gather
from petaudit.labels.cells import label_of
from petaudit.measures import find_measure
from petaudit.tables import open_source
from petaudit.tables.classes import keys as _keys
from petaudit.tables.classes import packed as _packed
from petaudit.tables.column_values import value_keys
from strategies import Release

GIVEN: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s"}
MODELS: dict[str, dict[str, Any]] = {
    "l-diversity": {},
    "entropy-l-diversity": {},
    "recursive-l-diversity": {"l": 2},
    "alpha-k-anonymity": {},
    "t-closeness": {},
    "beta-likeness": {},
    "enhanced-beta-likeness": {},
    "delta-disclosure": {"absent": "infinite"},
}
DIVERSITY = ("l-diversity", "entropy-l-diversity", "recursive-l-diversity", "alpha-k-anonymity")
every_model = pytest.mark.parametrize("measure", MODELS)
pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")


def measured(measure: str, table: Any, **given: Any) -> Any:
    return find_measure(measure).run(gather(table, **GIVEN | given), MODELS[measure])


def figures(result: Any) -> Any:
    """What a result says beside its warnings."""
    said = result.to_dict()
    return {name: said[name] for name in said if name != "warnings"}


SAME = [
    *(["5", "5.0", "05", "5e0", "+5", "0.5e1", "\uff15", "\u0665", "5\u200b"],),
    *(["100", "1e2", "1E+2", "100.", "0100.00"],),
    *(["0", "-0", "0.0", "-0e7", ".0"],),
    *(["-5", "\u22125", "-5.0"],),
    *(
        [
            "flu",
            "Flu",
            "FLU",
            "\uff26\uff2c\uff35",
            "\ufb02u",
            "f\u00adlu",
            "f\u200blu",
            "\u200eflu",
        ],
    ),
    *(["stomach flu", "stomach  flu", "stomach\u00a0flu", "Stomach\tflu", "stomach\u3000flu"],),
    *(["\u00e9", "e\u0301", "\u00c9", "e\u200b\u0301", "\ufeff\u00e9"],),
    *(["Stra\u00dfe", "STRASSE", "strasse"],),
    *(["\u80c3\u764c", "\u80c3\u2060\u764c", "\u80c3\ufe00\u764c"],),
    *(["nan", "NaN"],),
    *(["0x10", "0X10"],),
    *(["1e400", "10e399"],),
]
DIFFERENT = [
    *("5", "6", "5.0000000000000001", "-5", "5%", "5 kg", "1_0", "10", "9007199254740992"),
    *("9007199254740993", "1e400", "1e401", "0x10", "16", "1,5", "15", "nan", "inf", "-inf"),
    *("flu", "influenza", "e", "\u00e9", "2020-01-01", "2020-01-02", "*", "[20,30[", "true", "1"),
]


@pytest.mark.parametrize("spellings", SAME, ids=lambda own: own[0])
def test_spellings_of_a_value_have_one_key(spellings: list[str]) -> None:
    assert len(set(value_keys(spellings))) == 1


def test_different_values_have_different_keys() -> None:
    assert len(set(value_keys(DIFFERENT))) == len(DIFFERENT)


@pytest.mark.parametrize("nothing", ["\u200b", "\u2060\u00ad", "\ufeff", "\u3164", "\u2800", None])
def test_what_shows_nothing_is_no_value(nothing: str | None) -> None:
    assert value_keys([nothing, "a"])[0] is None


@given(
    st.lists(
        st.text(st.sampled_from("05.e+-aA\u00e9e\u0301 \u200b\u00ad\uff15\ufb02")), max_size=12
    )
)
def test_the_twin_takes_the_same_labels_for_one_value(cells: list[str]) -> None:
    labels = [label_of(cell) for cell in cells]
    keys, said = value_keys(labels), [meant(label) for label in labels]
    for one in range(len(labels)):
        for other in range(one):
            assert (keys[one] == keys[other]) is (said[one] == said[other])


# --- the models -----------------------------------------------------------------------------


@every_model
@pytest.mark.parametrize(
    "spellings", [own for own in SAME if None not in own], ids=lambda own: own[0]
)
def test_spellings_are_no_diversity(measure: str, spellings: list[str]) -> None:
    rows = [*spellings, *spellings, "another"]
    classes = ["a"] * len(spellings) + ["b"] * (len(spellings) + 1)
    plain = [spellings[0]] * (2 * len(spellings)) + ["another"]
    with_spellings = measured(measure, pa.table({"q": classes, "s": rows}))
    assert figures(with_spellings) == figures(
        measured(measure, pa.table({"q": classes, "s": plain}))
    )
    if measure == "l-diversity":
        assert with_spellings.value == 1


def test_the_warning_counts_spellings_and_holds_no_value() -> None:
    table = pa.table({"q": list("aaaaaa"), "s": ["flu", "Flu", "FLU", "5", "5.0", "secret"]})
    [said] = measured("l-diversity", table).warnings
    assert said.startswith("column 's' writes 2 values in 5 spellings that differ only in case")
    assert not any(word in said for word in ("flu", "Flu", "FLU", "5.0", "secret"))
    assert not measured("l-diversity", pa.table({"q": ["a", "a"], "s": ["flu", "cold"]})).warnings
    with pytest.warns(PetauditWarning, match="2 values in 5 spellings"):
        petaudit.t_closeness(table, **GIVEN)


def test_an_audit_says_it_once() -> None:
    table = pa.table({"q": list("aa"), "s": ["flu", "Flu"]})
    said = [text for text in petaudit.audit(table, **GIVEN).warnings if "spellings" in text]
    assert len(said) == 1


def test_quasi_identifiers_are_told_apart_by_their_spelling() -> None:
    table = pa.table({"q": ["x", "X", "5", "5.0"], "s": list("abcd")})
    assert petaudit.k_anonymity(table, quasi_identifiers="q").value == 1
    assert measured("l-diversity", table).attributes[0].classes == 4


@every_model
@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.decimal128(20, 1), pa.string()])
def test_a_kind_of_numbers_has_no_spellings(measure: str, kind: pa.DataType) -> None:
    values = pa.array([1, 2, 2**53, 2**53 + 1 if kind != pa.float64() else 3, 1, 2]).cast(kind)
    table = pa.table({"q": list("aaabbb"), "s": values})
    result = measured(measure, table)
    assert not result.warnings
    assert gather(table, **GIVEN).sensitive_values("s").spellings is None
    if measure == "l-diversity":
        assert result.value == 3


@every_model
@pytest.mark.parametrize("engine", strategies.TABLE_ENGINES)
def test_every_engine_merges_spellings(measure: str, engine: str, tmp_path: Path) -> None:
    columns = {
        "q": list("aaaabbbbcc"),
        "s": ["flu", "Flu", "\ufb02u", "x", "5", "5.0", "05", None, "\u200b", "x"],
    }
    plain = columns | {"s": ["flu", "flu", "flu", "x", "5", "5", "5", None, None, "x"]}
    table = strategies.on_engine(columns, engine, tmp_path / "table")
    expected = figures(measured(measure, pa.table(plain)))
    assert figures(measured(measure, table)) == expected
    revealed = strategies.on_engine(columns, engine, tmp_path / "again")
    assert figures(measured(measure, revealed, reveal_values=True))["value"] == expected["value"]


@settings(max_examples=examples(30))
@given(release=strategies.releases(), ways=st.lists(st.integers(0, 6), min_size=1, max_size=9))
def test_spelling_values_otherwise_changes_no_figure(release: Release, ways: list[int]) -> None:
    release = strategies.told_apart(release)
    other = release.with_rows(
        lambda rows: [
            row
            | {name: respelled(row[name], ways[place % len(ways)]) for name in release.sensitive}
            for place, row in enumerate(rows)
        ]
    )
    both = [
        gather(
            strategies.arrow(entry.released),
            quasi_identifiers=entry.quasi_identifiers,
            sensitive=entry.sensitive,
            suppressed=entry.suppressed,
        )
        for entry in (release, other)
    ]
    for measure, options in MODELS.items():
        said = []
        for inputs in both:
            try:
                said.append(figures(find_measure(measure).run(inputs, options)))
            except NotMeasurableError as problem:
                said.append(str(problem))
        assert said[0] == said[1], measure


def respelled(label: str | None, way: int) -> str | None:
    """The same value in another spelling."""
    if label in (None, strategies.NULL):
        return "\u200b" if way == 1 else label
    text = str(label)
    is_number = text in strategies.NUMBERS
    return (
        text,
        f"{text}\u200b",
        unicodedata.normalize("NFD", text),
        text.upper(),
        f"\u00ad{text} ",
        f"{text}e0" if is_number else f"\u2060{text}",
        "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    )[way]


@pytest.mark.parametrize("distinct", [40, 700])
@pytest.mark.parametrize("in_codes", [False, True])
@pytest.mark.parametrize("file", ["csv", "parquet"])
def test_however_classes_are_counted(
    distinct: int, in_codes: bool, file: str, tmp_path: Path
) -> None:
    """Packed counters, grouped pairs, and sorted codes of files."""
    size = 4 * distinct
    numbers = [row * 7919 % distinct for row in range(size)]
    spelled = {
        "q": [f"class {row * 31 % 400}" for row in range(size)],
        "s": [
            (f"{entry}", f"{entry}.0", f"0{entry}", f"{entry}e0")[row % 4]
            for row, entry in enumerate(numbers)
        ],
    }
    plain = spelled | {"s": [str(entry) for entry in numbers]}
    large = 0 if in_codes else 10**9
    with patch.object(_keys, "_LARGE_TABLE", large):
        tables = [
            strategies.on_engine(entry, file, tmp_path / name)
            for name, entry in (("spelled", spelled), ("plain", plain))
        ]
        for measure in ("l-diversity", "t-closeness", "delta-disclosure"):
            one, other = (figures(measured(measure, table)) for table in tables)
            assert one == other
        assert (distinct > _packed.MOST_VALUES) is (distinct == 700)


# --- distances ------------------------------------------------------------------------------


def test_the_ordered_distance_counts_merged_values() -> None:
    plain = {"q": list("aabbb"), "s": ["3", "4", "5", "6", "8"]}
    spelled = {"q": list("aaabbbb"), "s": ["3", "3.0", "4", "5", "05", "6", "8"]}
    assert petaudit.t_closeness(pa.table(plain), **GIVEN).exact_value == Fraction(3, 8)
    result = petaudit.t_closeness(pa.table(spelled), **GIVEN)
    doubled = {"q": list("aaabbbb"), "s": [3, 3, 4, 5, 5, 6, 8]}
    assert result.attributes[0].distance == "ordered"
    assert result.exact_value == petaudit.t_closeness(pa.table(doubled), **GIVEN).exact_value


def test_one_number_with_an_invisible_character_leaves_numbers_in_their_order() -> None:
    table = pa.table({"q": list("aabbb"), "s": ["3", "4", "5\u200b", "6", "8"]})
    result = petaudit.t_closeness(table, **GIVEN)
    assert (result.attributes[0].distance, result.exact_value) == ("ordered", Fraction(3, 8))


PATHS = {"flu": ["cold", "*"], "cough": ["cold", "*"], "ulcer": ["stomach", "*"]}


def test_a_spelling_goes_by_the_leaf_that_the_hierarchy_has() -> None:
    for spelling in ("FLU", "flu\u200b", "\uff46lu", "Flu"):
        table = {"q": list("aabb"), "s": ["flu", spelling, "ulcer", "cough"]}
        result = petaudit.t_closeness(pa.table(table), hierarchies={"s": PATHS}, **GIVEN)
        same = petaudit.t_closeness(
            pa.table(table | {"s": ["flu", "flu", "ulcer", "cough"]}),
            hierarchies={"s": PATHS},
            **GIVEN,
        )
        assert result.attributes[0].distance == "hierarchical"
        assert result.exact_value == same.exact_value


def test_a_hierarchy_that_tells_two_spellings_apart_is_an_error() -> None:
    table = pa.table({"q": list("aab"), "s": ["flu", "Flu", "ulcer"]})
    paths = PATHS | {"Flu": ["stomach", "*"]}
    with pytest.raises(HierarchyError, match="2 spellings of one value that are in different") as e:
        petaudit.t_closeness(table, hierarchies={"s": paths}, **GIVEN)
    assert "Flu" not in str(e.value)
    assert "in 2 rows of the frame (data rows 1, 2)" in str(e.value)
    together = PATHS | {"Flu": ["cold", "*"]}
    assert petaudit.t_closeness(table, hierarchies={"s": together}, **GIVEN).value < 1
    unknown = pa.table({"q": list("aab"), "s": ["Fluu", "FLUU", "ulcer"]})
    with pytest.raises(HierarchyError, match="1 label not found in its hierarchy"):
        petaudit.t_closeness(unknown, hierarchies={"s": PATHS}, **GIVEN)


# --- nulls ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "distinct", "entropy", "alpha", "recursive"),
    [
        (["flu", None], 1, 1.0, Fraction(1), float("inf")),
        ([None, None], 1, 1.0, Fraction(1), float("inf")),
        (["flu", "cold", None, None], 2, 4 / 27**0.25, Fraction(3, 4), 3),
        (["flu", "flu", "cold", "cold", None], 2, None, Fraction(3, 5), Fraction(3, 2)),
        (["flu", "cold"], 2, 2.0, Fraction(1, 2), 1),
    ],
)
def test_a_null_is_no_diversity(
    cells: list[str | None], distinct: int, entropy: float | None, alpha: Fraction, recursive: Any
) -> None:
    table = strategies.arrow_columns({"q": ["a"] * len(cells), "s": cells})
    assert measured("l-diversity", table).value == distinct
    assert measured("alpha-k-anonymity", table).exact_value == alpha
    assert measured("recursive-l-diversity", table).exact_value == recursive
    if entropy is not None:
        assert measured("entropy-l-diversity", table).value == pytest.approx(entropy, abs=1e-12)


@every_model
@pytest.mark.parametrize("engine", strategies.TABLE_ENGINES)
def test_suppressed_rows_without_a_sensitive_value_are_no_class(
    measure: str, engine: str, tmp_path: Path
) -> None:
    columns = {"q": list("aabb**"), "s": ["x", "y", "y", "x", None, None]}
    table = strategies.on_engine(columns, engine, tmp_path / "table")
    blanked = measured(measure, table, suppressed="class")
    excluded = measured(measure, pa.table(columns), suppressed="exclude")
    assert blanked.attributes[0].classes == 2
    assert blanked.value == excluded.value
    # A single value that is left makes them a class.
    told = strategies.on_engine(
        columns | {"s": ["x", "y", "y", "x", None, "y"]}, engine, tmp_path / "told"
    )
    assert measured(measure, told, suppressed="class").attributes[0].classes == 3


def test_suppressed_rows_are_a_class_while_any_attribute_is_told() -> None:
    table = {"q": ["a", "a", "*"], "s": ["x", "y", None], "t": ["x", "y", "x"]}
    given = {"quasi_identifiers": "q", "sensitive": ["s", "t"], "suppressed": "class"}
    result = petaudit.l_diversity(pa.table(table), **given)
    assert [entry.value for entry in result.attributes] == [1, 1]
    blank = strategies.arrow_columns(table | {"t": ["x", "y", "\u200b"]})
    assert petaudit.l_diversity(blank, **given).value == 2


def test_a_column_of_categories_is_merged_too() -> None:
    table = pl.DataFrame(
        {"q": ["a", "a"], "s": ["flu", "Flu"]}, schema={"q": str, "s": pl.Categorical}
    )
    assert measured("l-diversity", table).value == 1


def test_labels_are_merged_once_per_column() -> None:
    counts = open_source(pa.table({"s": ["flu", "Flu"]})).counts
    assert counts.sensitive_values("s") is counts.sensitive_values("s")
    same = open_source(pa.table({"s": ["flu", "cold"]})).counts
    assert same.sensitive_values("s") is same.values("s")


@every_model
@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("blank", [" ", "\xad\u200b"])
def test_a_cell_that_shows_nothing_is_no_value(
    measure: str, person: str | None, blank: str
) -> None:
    """Neither is one of invisible characters, though no cell of the column is a null."""
    said = [
        figures(
            petaudit.audit(
                pa.table({"zip": ["a"] * 4, "ill": ["x", "x", cell, cell], "who": [*"1234"]}),
                quasi_identifiers="zip",
                sensitive="ill",
                person=person,
                measures=measure,
                options={measure: MODELS[measure]},
            ).results[0]
        )
        for cell in (None, blank)
    ]
    assert said[0] == said[1]

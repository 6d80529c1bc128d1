"""Schemas are read with all their problems at once, and tables that break them are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import petaudit
from petaudit.errors import ColumnError, InputError
from petaudit.measures.mpuccs import find
from petaudit.pipelines.table_schema import Schema, read_schema, typed
from petaudit.singling.options import Options
from petaudit.tables import open_source
from petaudit.tables.typed import ColumnType

DATA = Path(petaudit.__file__).parent / "datasets" / "data"
ADULT = DATA / "adult-income_schema.yaml"


def written(folder: Path, content: str) -> Path:
    path = folder / "schema.yaml"
    path.write_text(content, encoding="utf-8")
    return path


def refusal(folder: Path, content: str) -> str:
    path = written(folder, content)
    with pytest.raises(InputError) as caught:
        read_schema(path)
    return str(caught.value).removeprefix(f"{path}, ")


def schema_of(**attributes: ColumnType) -> Schema:
    return Schema(Path("schema.yaml"), attributes)


def test_all_that_a_schema_can_say(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
id: people
name: People
description: who they are
attributes:
  年齡: {type: int, nullable: false, description: in years}
  pay: {type: float, precision: 2}
  born: {type: date, format: "%d/%m/%Y"}
  seen: {type: datetime}
  city: {type: str, category: true}
  ok: {type: bool}
  rest:
""",
    )
    schema = read_schema(path)
    assert schema.path == path
    assert dict(schema.attributes) == {
        "年齡": ColumnType("int", nullable=False),
        "pay": ColumnType("float", precision=2),
        "born": ColumnType("date", format="%d/%m/%Y"),
        "seen": ColumnType("datetime"),
        "city": ColumnType("str"),
        "ok": ColumnType("bool"),
        "rest": ColumnType(),
    }


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("{tipe: int}", "unknown key 'tipe' (did you mean 'type'?); keys are type, nullable"),
        ("{type: flaot}", "unknown type 'flaot' (did you mean 'float'?); types are int, float"),
        ("{type: int64}", "unknown type 'int64'; it is called 'int' here"),
        ("{type: string}", "unknown type 'string'; it is called 'str' here"),
        ("{type: boolean}", "it is called 'bool' here"),
        ("{type: 'datetime64[ns]'}", "it is called 'datetime' here"),
        ("{type: category}", "unknown type 'category'; write category: true beside a type"),
        ("{type: null}", "unknown type None"),
        ("{type: [int]}", "unknown type ['int']"),
        ("{nullable: maybe}", "nullable must be true or false, got 'maybe'"),
        ("{category: 1}", "category must be true or false, got 1"),
        (
            "{type: float, precision: 1.5}",
            "line 3: column 'age': precision must be a number of decimals from 0 to 30, got 1.5",
        ),
        (
            "{type: float, precision: true}",
            "line 3: column 'age': precision must be a number of decimals from 0 to 30, got true",
        ),
        (
            "{type: float, precision: -1}",
            "line 3: column 'age': precision must be a number of decimals from 0 to 30, got -1",
        ),
        ("{type: str, precision: 2}", "precision is only for the type float, not for type 'str'"),
        ("{precision: 2}", "precision is only for the type float, not for no type"),
        ("{type: int, format: '%d'}", "format is only for the type date or datetime"),
        ("{type: date, format: 5}", "format must be text, got 5"),
        ("{type: date, format: '%Q'}", "invalid format '%Q': strptime does not know it"),
        (
            "{type: date, format: 'day'}",
            "line 3: column 'age': invalid format 'day': it parses nothing; use %Y, %m and %d, for "
            "example",
        ),
        ("{description: 5}", "description must be text, got 5"),
        ("int", "expected options, as in {type: int}"),
        ("{enable_null: true}", "PETsARD's enable_null is not supported; write nullable"),
        ("{type_attr: {}}", "PETsARD's type_attr is not supported; write nullable, category and"),
        ("{na_values: ['?']}", "PETsARD's na_values is not supported; an empty cell is a null"),
    ],
)
def test_what_is_wrong_with_a_column(options: str, problem: str, tmp_path: Path) -> None:
    said = refusal(tmp_path, f"attributes:\n  ok: {{type: int}}\n  age: {options}\n")
    assert said.startswith("line 3: column 'age': ")
    assert problem in said
    assert "; line" not in said


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "line 1: a schema has the key 'attributes'"),
        ("- a\n", "line 1: a schema has the key 'attributes'"),
        ("id: a\n", "line 1: the key 'attributes' is missing"),
        ("id: a\nattributes: {}\n", "line 2: attributes lists no column"),
        ("id: a\nattributes: [x]\n", "line 2: attributes lists no column"),
        ("id: 5\nattributes: {a: }\n", "line 1: id must be text, got 5"),
        ("attributes: {a: }\natributes: {}\n", "line 2: unknown key 'atributes' (did you mean"),
        (
            "attributes: {a: }\nprimary_key: [a]\n",
            "line 2: PETsARD's primary_key is not supported; write nullable: false; uniqueness is "
            "not checked",
        ),
        ("attributes:\n  a:\n  no: {type: int}\n", "line 3: the column name False is not text"),
        ("attributes:\n  2024: {type: int}\n", "line 2: the column name 2024 is not text"),
        ("attributes:\n  a:\n  'a ':\n", "line 3: duplicate column 'a'"),
        ("attributes:\n  ' ':\n", "line 2: a column name is empty"),
    ],
)
def test_what_is_wrong_with_a_file(content: str, problem: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, content).startswith(problem)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path, "attributes:\n  a: {type: itn}\n  b:\n    nullable: 1\nid: 5\n")
    assert [part.split(":")[0] for part in said.split("; line ")] == ["line 2", "4", "5"]
    many = "".join(f"  c{i}: {{type: x}}\n" for i in range(13))
    assert refusal(tmp_path, f"attributes:\n{many}").endswith("; and 3 more")


def test_every_break_is_told_at_once_without_a_value(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age;city;pay\n39;;1.25\nold;Bonn;1\nage;;2\n", encoding="utf-8")
    schema = schema_of(
        age=ColumnType("int"),
        city=ColumnType("str", nullable=False),
        pay=ColumnType("float", precision=1),
    )
    with pytest.raises(InputError) as caught:
        typed(open_source(path), schema)
    assert str(caught.value) == (
        f"{path} violates schema.yaml: column 'age' has 2 cells that are not int, column 'city' "
        "has 2 nulls and is not nullable, column 'pay' has 1 cell with more than 1 decimal"
    )


@pytest.mark.parametrize("is_text", [False, True])
def test_people_are_not_merged_by_a_float(is_text: bool, tmp_path: Path) -> None:
    rows = pa.table({"id": [10**17 + i for i in range(16)]})
    path = tmp_path / "people.csv"
    pa_csv.write_csv(rows, path)
    source = open_source(path if is_text else rows)
    with pytest.raises(InputError) as caught:
        typed(source, schema_of(id=ColumnType("float")))
    assert str(caught.value) == (
        f"{source.name} violates schema.yaml: column 'id' has 15 cells that lose digits as float "
        "(use int or str)"
    )
    whole = typed(source, schema_of(id=ColumnType("int")))
    assert whole.counts.class_histogram(["id"]).classes.tolist() == [16]


def test_the_columns_must_be_those_of_the_schema() -> None:
    table = open_source(pa.table({"agee": [1], "zip": ["x"], "pay": [1.5]}))
    with pytest.raises(ColumnError) as caught:
        typed(table, schema_of(pay=ColumnType(), age=ColumnType("int"), born=ColumnType()))
    assert str(caught.value) == (
        "the frame violates schema.yaml: the frame lacks columns 'age' (did you mean 'agee'?), "
        "'born'; the schema does not describe columns 'agee', 'zip'"
    )


def test_the_order_of_the_table_is_kept() -> None:
    table = open_source(pa.table({"b": ["1"], "a": ["2"]}))
    result = typed(table, schema_of(a=ColumnType("int"), b=ColumnType("str")))
    assert result.columns == ("b", "a")
    assert result.to_arrow().to_pydict() == {"b": ["1"], "a": [2]}


@pytest.mark.parametrize("part", ["ori", "control", "syn"])
def test_the_bundled_tables_fit_their_schema(part: str) -> None:
    source = open_source(DATA / f"adult-income_{part}.parquet")
    assert typed(source, read_schema(ADULT)) is source


def test_a_csv_file_with_its_schema_is_the_table_it_was_made_from(tmp_path: Path) -> None:
    schema = read_schema(ADULT)
    kept: list[Any] = []
    for part in ("ori", "syn"):
        source = open_source(DATA / f"adult-income_{part}.parquet")
        names = ["age", "educational-num", "hours-per-week", "gender"]
        rows = source.to_arrow().select(names).slice(0, 2_000)
        path = tmp_path / f"{part}.csv"
        pa_csv.write_csv(rows, path)
        few = Schema(schema.path, {name: schema.attributes[name] for name in names})
        entry = typed(open_source(path), few)
        assert not entry.is_untyped
        assert entry.to_arrow().to_pydict() == rows.to_pydict()
        kept.append((open_source(rows), entry))
    (original, typed_original), (synthetic, typed_synthetic) = kept
    options = Options.checked()
    expected = find(original, synthetic, None, options)
    result = find(typed_original, typed_synthetic, None, options)
    assert result.value == expected.value
    assert result.details.to_pydict() == expected.details.to_pydict()
    assert result.precision == expected.precision
    assert result.details.num_rows > 0


def test_measures_take_a_typed_table(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("zip;pay\n01;1\n01;2.0\n02;1\n02;2\n", encoding="utf-8")
    table = typed(open_source(path), schema_of(zip=ColumnType("str"), pay=ColumnType("int")))
    result = petaudit.t_closeness(table, quasi_identifiers=["zip"], sensitive="pay")
    assert result.value == 0.0
    assert table.counts.value_counts("zip").labels == ("01", "02")
    made = petaudit.synthesize(table.to_arrow(), rows=10)
    assert made.schema.types == [pa.string(), pa.int64()]

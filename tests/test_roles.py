"""Roles of columns, and the side-car file that holds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from petaudit.errors import ColumnError, HierarchyError, InputError, RoleError
from petaudit.pipelines.models import Loader, settings_of
from petaudit.roles import LOADER_KEYS, Role, Roles, parse_role, read_side_car, side_car_path
from petaudit.tables.headers import check_column

# Roles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelled", "role"),
    [
        ("identifier", Role.IDENTIFIER),
        ("quasi_identifier", Role.QUASI_IDENTIFIER),
        ("sensitive_attribute", Role.SENSITIVE),
        ("insensitive_attribute", Role.INSENSITIVE),
        ("QUASI_IDENTIFIER", Role.QUASI_IDENTIFIER),
        ("Sensitive", Role.SENSITIVE),
        (" insensitive ", Role.INSENSITIVE),
        (Role.SENSITIVE, Role.SENSITIVE),
    ],
)
def test_every_spelling_of_a_role(spelled: Role | str, role: Role) -> None:
    assert parse_role(spelled) is role


@pytest.mark.parametrize("spelled", ["", "secret", "qi", None, 5])
def test_an_unknown_role_is_refused_with_the_known_ones(spelled: Any) -> None:
    with pytest.raises(RoleError) as caught:
        parse_role(spelled)
    assert f"unknown role {str(spelled)!r}" in str(caught.value)
    assert (
        "roles are identifier, quasi_identifier, sensitive_attribute, insensitive_attribute"
        in str(caught.value)
    )


def test_the_nearest_role_is_suggested() -> None:
    with pytest.raises(RoleError, match=r"did you mean 'quasi_identifier'\?"):
        parse_role("quasi identifier")


def test_columns_by_role_keep_their_order() -> None:
    roles = Roles(
        {
            "zip": "quasi_identifier",
            "name": "identifier",
            " age ": Role.QUASI_IDENTIFIER,
            "disease": "sensitive",
            "note": "insensitive",
        }
    )
    assert roles.quasi_identifiers == ("zip", "age")
    assert roles.sensitive == ("disease",)
    assert roles.columns(Role.IDENTIFIER) == ("name",)
    assert roles.columns(Role.INSENSITIVE) == ("note",)


def test_roles_from_lists() -> None:
    roles = Roles.of(["zip", "age"], ["disease"], identifiers="name", insensitive=["note"])
    assert roles.by_column == {
        "zip": Role.QUASI_IDENTIFIER,
        "age": Role.QUASI_IDENTIFIER,
        "disease": Role.SENSITIVE,
        "name": Role.IDENTIFIER,
        "note": Role.INSENSITIVE,
    }


def test_one_name_is_one_column_not_letters() -> None:
    assert Roles.of("zip").quasi_identifiers == ("zip",)


@pytest.mark.parametrize(
    ("lists", "complaint"),
    [
        ((["zip"], ["zip"]), "'zip' is named as quasi_identifier and as sensitive_attribute"),
        ((["zip", "zip"],), "'zip' is named twice as quasi_identifier"),
        ((["zip", " zip"],), "'zip' is named twice as quasi_identifier"),
        (([], ["a"], ["a"]), "'a' is named as sensitive_attribute and as identifier"),
    ],
)
def test_a_column_named_twice_is_refused(lists: tuple[list[str], ...], complaint: str) -> None:
    with pytest.raises(RoleError, match=complaint):
        Roles.of(*lists)


def test_a_column_named_twice_but_for_blanks_is_refused_in_a_mapping_too() -> None:
    with pytest.raises(RoleError, match="'zip'"):
        Roles({"zip": "quasi_identifier", "zip ": "sensitive_attribute"})


def test_a_number_is_no_list_of_columns() -> None:
    columns: Any = 5
    with pytest.raises(RoleError, match="must be a list of names"):
        Roles.of(columns)


def test_columns_are_checked_against_the_table() -> None:
    roles = Roles.of(["zip"], ["disease"])
    assert roles.checked_against(["zip", "age", "disease"], "t.csv") is roles
    with pytest.raises(ColumnError) as caught:
        Roles.of(["zipp"]).checked_against(["zip", "age"], "t.csv")
    assert str(caught.value) == (
        "unknown column 'zipp' (did you mean 'zip'?) in t.csv; columns are zip, age"
    )


def test_the_case_of_a_name_matters_and_is_suggested() -> None:
    with pytest.raises(ColumnError, match=r"'ZIP' \(did you mean 'zip'\?\)"):
        check_column("ZIP", ["zip", "age"], "t.csv")


# Where the side-car is ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "side_car"),
    [
        ("adult.csv", "adult.yaml"),
        ("adult.csv", "adult.csv.yaml"),
        ("adult.csv.gz", "adult.yaml"),
        ("adult.parquet", "adult.yaml"),
        ("adult", "adult.yaml"),
        ("adult.v2.csv", "adult.v2.yaml"),
        (".hidden.csv", ".hidden.yaml"),
    ],
)
def test_the_side_car_stands_beside_the_table(table: str, side_car: str, tmp_path: Path) -> None:
    (tmp_path / side_car).write_text("{}", encoding="utf-8")
    assert side_car_path(tmp_path / table) == tmp_path / side_car


def test_the_longest_name_wins(tmp_path: Path) -> None:
    for name in ("adult.yaml", "adult.csv.yaml"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    assert side_car_path(tmp_path / "adult.csv") == tmp_path / "adult.csv.yaml"


@pytest.mark.parametrize("other", ["adults.yaml", "adult.yml", "yaml", ".yaml"])
def test_other_files_are_no_side_car(other: str, tmp_path: Path) -> None:
    (tmp_path / other).write_text("{}", encoding="utf-8")
    assert side_car_path(tmp_path / "adult.csv") is None


def test_a_folder_is_no_side_car(tmp_path: Path) -> None:
    (tmp_path / "adult.yaml").mkdir()
    assert side_car_path(tmp_path / "adult.csv") is None


def test_a_file_is_not_its_own_side_car(tmp_path: Path) -> None:
    (tmp_path / "adult.yaml").write_text("{}", encoding="utf-8")
    assert side_car_path(tmp_path / "adult.yaml") is None


# What it says ------------------------------------------------------------------------------------


def written(folder: Path, content: str) -> Path:
    path = folder / "adult.yaml"
    path.write_text(content, encoding="utf-8")
    return path


def test_roles_and_hierarchies_of_a_side_car(tmp_path: Path) -> None:
    folder = tmp_path / "adult_hierarchy"
    folder.mkdir()
    (folder / "adult_hierarchy_age.csv").write_text("23;2*;*\n", encoding="utf-8")
    found = read_side_car(
        written(
            tmp_path,
            """
            DATASET:
              ATTRIBUTE_TYPE:
                QUASI_IDENTIFIER: [age, " zip "]
                SENSITIVE_ATTRIBUTE: disease
                IDENTIFIER:
              HIERARCHY: adult_hierarchy
            """,
        )
    )
    assert found.roles.quasi_identifiers == ("age", "zip")
    assert found.roles.sensitive == ("disease",)
    assert found.hierarchies().attributes == ("age",)


def test_hierarchies_of_a_side_car_may_be_rules(tmp_path: Path) -> None:
    path = written(tmp_path, "DATASET: {HIERARCHY: {age: {ranges: [5, 10]}}}")
    assert read_side_car(path).hierarchies().attributes == ("age",)


@pytest.mark.parametrize(
    "content", ["DATASET: {}", "DATASET: {ATTRIBUTE_TYPE: }", "DATASET: {HIERARCHY: }"]
)
def test_a_side_car_may_leave_things_out(content: str, tmp_path: Path) -> None:
    found = read_side_car(written(tmp_path, content))
    assert found.roles.by_column == {}
    assert not found.hierarchies()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "the key DATASET is missing"),
        ("[]", "the key DATASET is missing"),
        ("dataset: {}", "the key DATASET is missing"),
        ("DATASET: {ATTRIBUTE_TYPES: {}}", r"unknown key 'ATTRIBUTE_TYPES' \(did you mean"),
        ("DATASET: {5: {}}", "unknown key '5'"),
        ("DATASET: {ATTRIBUTE_TYPE: [age]}", "ATTRIBUTE_TYPE lists columns under each role"),
        ("DATASET: {ATTRIBUTE_TYPE: {SECRET: [age]}}", "unknown role 'SECRET'"),
        ("DATASET: {ATTRIBUTE_TYPE: {SENSITIVE: 5}}", "must be a list of names"),
        (
            "DATASET: {ATTRIBUTE_TYPE: {SENSITIVE: [a], IDENTIFIER: [a]}}",
            "'a' is named as sensitive_attribute and as identifier",
        ),
        (
            "DATASET: {ATTRIBUTE_TYPE: {SENSITIVE: [a, a]}}",
            "'a' is named twice as sensitive_attribute",
        ),
        (
            "DATASET: {ATTRIBUTE_TYPE: {SENSITIVE: [a], SENSITIVE_ATTRIBUTE: [a]}}",
            "'a' is named twice as sensitive_attribute",
        ),
    ],
)
def test_a_malformed_side_car_is_refused_by_name(
    content: str, complaint: str, tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(RoleError, match=complaint) as caught:
        read_side_car(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("DATASET: {}\nDATASET: {}\n", "line 2: duplicate key: 'DATASET'"),
        ("A: &a [age]\nDATASET: {ATTRIBUTE_TYPE: {SENSITIVE: *a}}\n", "line 2: aliases"),
        ("DATASET: [\n", "line 2"),
    ],
)
def test_yaml_that_cannot_be_trusted_is_refused(
    content: str, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=complaint):
        read_side_car(written(tmp_path, content))


@pytest.mark.parametrize("entry", ["none_there", "[a]", "5", "''"])
def test_hierarchies_that_are_not_there(entry: str, tmp_path: Path) -> None:
    side_car = read_side_car(written(tmp_path, f"DATASET: {{HIERARCHY: {entry}}}"))
    with pytest.raises(HierarchyError):
        side_car.hierarchies()


def test_a_key_beside_dataset_is_refused(tmp_path: Path) -> None:
    """A slip in the indentation must not silently drop the roles."""
    path = written(tmp_path, "DATASET: {}\nATTRIBUTE_TYPE: {SENSITIVE: [a]}\n")
    with pytest.raises(RoleError, match="unknown key 'ATTRIBUTE_TYPE'"):
        read_side_car(path)


def test_the_side_cars_of_the_reference_tables(shared_data: Path) -> None:
    found = read_side_car(shared_data / "adult" / "adult.yaml")
    assert len(found.roles.quasi_identifiers) == 8
    assert found.roles.sensitive == ("workclass",)
    assert len(found.hierarchies().attributes) == 9


# Pipeline files --------------------------------------------------------------------------------

AUDIT = """
Loader:
  people:
    filepath: data/people.csv
    delimiter: tab
    encoding: big5
    person: pid
    person_is_pseudonym: true
    hierarchies: {age: {ranges: [5, 10]}}
    roles:
      quasi_identifier: [age, zip]
      sensitive_attribute: disease
Evaluator: {}
"""


def test_a_loader_says_what_a_side_car_says(tmp_path: Path) -> None:
    found = read_side_car(written(tmp_path, AUDIT), "people.csv")
    assert found.roles.by_column == Roles.of(["age", "zip"], ["disease"]).by_column
    assert (found.person, found.person_is_pseudonym) == ("pid", True)
    assert found.hierarchies().attributes == ("age",)
    assert found.reading == {"delimiter": "\t", "encoding": "big5"}


def test_hierarchies_of_a_loader_lie_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("age: {ranges: [5]}\n", encoding="utf-8")
    path = written(tmp_path, "Loader: {a: {filepath: a.csv, hierarchies: rules.yaml}}")
    assert read_side_car(path).hierarchies().attributes == ("age",)


TWO = "{a: {filepath: x/a.csv, roles: {identifier: i}}, b: {filepath: b.csv}, c: {filepath: a.csv}}"


@pytest.mark.parametrize(
    ("loaders", "table", "meant"),
    [
        ("{a: {filepath: a.csv, roles: {identifier: i}}}", "other.csv", True),
        ("{a: {filepath: a.csv, roles: {identifier: i}}}", None, True),
        (TWO, "x/a.csv", True),
        (TWO, "b.csv", False),
        ("{a: {filepath: 'benchmark://adult', roles: {identifier: i}}, b: {filepath: b.csv}}",
         "benchmark://adult", True),
    ],
)  # fmt: skip
def test_which_loader_is_meant(
    loaders: str, table: str | None, meant: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = read_side_car(written(tmp_path, f"Loader: {loaders}"), table)
    assert bool(found.roles.by_column) == meant


@pytest.mark.parametrize(
    ("content", "table", "complaint"),
    [
        (f"Loader: {TWO}", "z.csv", r"3 Loaders may be meant: a \(x/a.csv\), b \(b.csv\)"),
        (f"Loader: {TWO}", None, "3 Loaders may be meant"),
        ("Evaluator: {}", "a.csv", "the file has no Loader"),
        ("Loader: {a: {filepath: a.csv, persn: pid}}", "a.csv", r"unknown key 'persn' \(did you"),
        ("Loader: {a: {filepath: a.csv, person: }}", "a.csv", "person must be the name of a col"),
        ("Loader: {a: {filepath: a.csv, roles: [b]}}", "a.csv", "roles lists columns under each"),
        ("Loader: {a: {filepath: a.csv, roles: {secret: b}}}", "a.csv", "unknown role 'secret'"),
    ],
)
def test_a_pipeline_file_that_does_not_say_whose_roles_is_refused(
    content: str, table: str | None, complaint: str, tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(RoleError, match=complaint) as caught:
        read_side_car(path, table)
    assert str(path) in str(caught.value)


def test_the_keys_of_a_loader_are_those_of_the_model() -> None:
    assert {*LOADER_KEYS} == {*settings_of(Loader)}


@pytest.mark.parametrize(
    ("loaders", "is_one"),
    [
        ("{a: {filepath: adult.csv}}", True),
        ("{a: {filepath: ./adult.csv}, b: {filepath: c.csv}}", True),
        ("{a: {filepath: other.csv}}", False),
        ("{a: {filepath: adult.csv}, b: {filepath: adult.csv, nrows: 5}}", False),
    ],
)
def test_a_pipeline_named_after_its_table_is_its_side_car(
    loaders: str, is_one: bool, tmp_path: Path
) -> None:
    path = written(tmp_path, f"Loader: {loaders}\nEvaluator: {{}}\n")
    assert side_car_path(tmp_path / "adult.csv") == (path if is_one else None)


def test_a_key_of_neither_is_no_reason_to_overlook_a_side_car(tmp_path: Path) -> None:
    path = written(tmp_path, "Loader: {}\nDATASET: {}\n")
    assert side_car_path(tmp_path / "adult.csv") == path

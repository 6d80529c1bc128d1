"""The hierarchies of a table: from folders, mappings, rules and YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from petaudit.errors import HierarchyError, InputError, PetauditError
from petaudit.labels.hierarchies import Hierarchies
from petaudit.labels.hierarchy import Hierarchy
from petaudit.labels.rules import ranges


def written(folder: Path, name: str, content: str | bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def refusal(spec: Any) -> str:
    with pytest.raises(HierarchyError) as caught:
        Hierarchies.of(spec)
    return str(caught.value)


# Folders -----------------------------------------------------------------------------------------


def test_a_folder_has_one_file_per_attribute(tmp_path: Path) -> None:
    written(tmp_path, "adult_hierarchy_age.csv", "23;2*;*\n24;2*;*\n")
    written(tmp_path, "hierarchy_marital-status.csv", "single;*\n")
    written(tmp_path, "Hierarchy_城市.CSV", "臺北;北部\n高雄;南部\n")
    written(tmp_path, "README.md", "not a hierarchy")
    found = Hierarchies.of(tmp_path)
    assert set(found.attributes) == {"age", "marital-status", "城市"}
    assert found.get("age", None).path_of("24") == ("24", "2*", "*")
    assert found.get("城市", None).path_of("臺北") == ("臺北", "北部", "*")


def test_a_folder_may_be_given_as_text(tmp_path: Path) -> None:
    written(tmp_path, "hierarchy_x.csv", "a;*\n")
    assert Hierarchies.of(str(tmp_path)).attributes == ("x",)


def test_attribute_names_may_hold_anything_a_file_name_may(tmp_path: Path) -> None:
    for name in ("a b", "x.y", "hierarchy_z", "[q]"):
        written(tmp_path, f"my hierarchy_{name}.csv", "a;*\n")
    assert set(Hierarchies.of(tmp_path).attributes) == {"a b", "x.y", "z", "[q]"}


@pytest.mark.parametrize(
    "content",
    [
        "a;p;*\nb;q;*\n",
        "\ufeffa;p;*\nb;q;*\n",
        "a;p;*\r\nb;q;*\r\n",
        " a ;p\u3000; *\nb;q;*\n",
        '"a";"p";*\nb;q;*\n',
        "a;p;*\n\n;;\nb;q;*",
        "a;p;*\nb;q;*\na;p;*\n",
    ],
    ids=["plain", "BOM", "CRLF", "blanks", "quotes", "blank lines", "a line twice"],
)
def test_forms_of_a_file(content: str, tmp_path: Path) -> None:
    written(tmp_path, "hierarchy_x.csv", content)
    hierarchy = Hierarchies.of(tmp_path).get("x", None)
    assert {leaf: hierarchy.path_of(leaf) for leaf in hierarchy.leaves} == {
        "a": ("a", "p", "*"),
        "b": ("b", "q", "*"),
    }


def test_labels_may_hold_commas_and_quoted_semicolons(tmp_path: Path) -> None:
    written(tmp_path, "hierarchy_x.csv", '"a;b";[20,30[;*\n')
    assert Hierarchies.of(tmp_path).get("x", None).path_of("a;b") == ("a;b", "[20,30[", "*")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"\n \n;;\n", "is empty"),
        (b"a;p;*\nb;*\n", "line 2: the leaf has 2 levels where the rows before have 3"),
        (b"a;p;*\n\n\nb;*\n", "line 4: the leaf has 2 levels"),
        (b"a;p;*\nb;p;*\na;q;*\n", "line 3: the leaf is in an earlier line with another path"),
        (b"a;;*\n", "line 1: the leaf has an empty label above it"),
        (b"a;p;\n", "line 1: the leaf has an empty label above it"),
        (b"a;p\n\xe9;p\n", "not UTF-8"),
        (b'a;p\n"b;p\n', "not a ';' separated file"),
    ],
)
def test_a_malformed_file_is_refused_by_name_and_line(
    content: bytes, complaint: str, tmp_path: Path
) -> None:
    path = written(tmp_path, "hierarchy_x.csv", content)
    message = refusal(tmp_path)
    assert complaint in message
    assert str(path) in message


def test_two_files_for_one_attribute_are_refused(tmp_path: Path) -> None:
    written(tmp_path, "hierarchy_age.csv", "23;*\n")
    written(tmp_path, "old_hierarchy_age.csv", "23;2*;*\n")
    message = refusal(tmp_path)
    assert "two hierarchies for 'age'" in message
    assert "hierarchy_age.csv and old_hierarchy_age.csv" in message


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "table.csv", "a;b\n1;2\n")
    expected = f"folder {str(tmp_path)!r} has no file named <anything>hierarchy_<attribute>.csv"
    assert refusal(tmp_path) == f"{expected}; it has: table.csv"
    (tmp_path / "empty").mkdir()
    assert refusal(tmp_path / "empty").endswith("hierarchy_<attribute>.csv; it has: nothing")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("1,low,*\n2,low,*\n", "every line has 2 ','"),
        ("1\tlow\n2\tlow\n", "every line has 1 tab"),
        ("1；low\n", "every line has 1 '；'"),
    ],
)
def test_another_separator_is_named(content: str, says: str, tmp_path: Path) -> None:
    path = written(tmp_path, "hierarchy_x.csv", content)
    message = refusal(tmp_path)
    assert f"{path}: no line has a ';' and {says}: separate the labels by ';'" in message
    assert "low" not in message


@pytest.mark.parametrize(
    "content", ["a, b\nc, d\n", "[20,30[\n[30,40[\n", "a,b;*\nc,d;*\n", "a\nb,c"]
)
def test_leaves_may_hold_commas(content: str, tmp_path: Path) -> None:
    written(tmp_path, "hierarchy_x.csv", content)
    assert len(Hierarchies.of(tmp_path).get("x", None).leaves) == 2


def test_a_file_can_have_a_level_for_other_values(tmp_path: Path) -> None:
    written(tmp_path, "city.csv", "Paris;France;Europe\nRome;Italy;Europe\n")
    rules = written(tmp_path, "rules.yaml", "city: {file: city.csv, other: elsewhere}\n")
    hierarchies = Hierarchies.of(rules)
    assert tmp_path / "city.csv" in hierarchies.files
    values = ["Paris", "Pariss", None, "*"]
    built = hierarchies.get("city", lambda _: values)
    assert built.path_of("Pariss") == ("Pariss", "elsewhere", "elsewhere", "*")
    assert built.path_of("Paris") == ("Paris", "France", "Europe", "*")
    assert built.others == ("Pariss",)
    # A null is told apart from other values, and a suppressed cell is of the highest level.
    assert not built.is_leaf(None)
    assert built.level_of("*") == built.levels - 1
    assert not hierarchies.get("city", None).is_leaf("Pariss")
    written(tmp_path, "rules.yaml", "city: {file: city.csv, other: Italy}\n")
    with pytest.raises(HierarchyError, match="label 'Italy' of other values is one of its own"):
        Hierarchies.of(rules).get("city", lambda _: values)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"range": [5, 10], "top": 80}, "unknown rule 'range' for 'x' (did you mean 'ranges'?)"),
        ({"Ranges": 5}, "(did you mean 'ranges'?)"),
        ({"rnages": 5, "other": True}, "(did you mean 'ranges'?)"),
        ({"mask_right": True}, "(did you mean 'mask'?)"),
        ({"date": ["month"]}, "(did you mean 'dates'?)"),
        ("ranges", "'ranges' does not exist; a rule is written as {ranges: [5, 10]}"),
        ({"order": ["a", "b"], "groups": 2}, "(did you mean 'ordered'?)"),
        ({"ranges": 5, "tops": 80}, "unknown option 'tops' (did you mean 'top'?)"),
        ({"ranges": 5, "written": "comma"}, "written must be decimal-point or decimal-comma, got"),
        ({"dates": "year", "written": "rok"}, "got 'rok' (did you mean 'roc'?)"),
        ({"dates": "year", "other": "*"}, "other must be true or a label, got '*'"),
        ({"dates": "year", "other": 5}, "other must be true or a label, got 5"),
        ({"ranges": 5, "closed": "yes"}, "closed must be true or false, got 'yes'"),
        ({"ranges": 1, "closed": True}, "closed ranges are of integers: widths from 2"),
        ({"ranges": 2.5, "closed": True}, "closed ranges are of integers"),
        ({"ranges": 5, "origin": 0.5, "closed": True}, "closed ranges are of integers"),
    ],
)
def test_a_mistyped_rule_is_no_mapping(entry: Any, says: str) -> None:
    assert says in refusal({"x": entry})


def test_leaves_may_be_called_nearly_like_rules() -> None:
    mapping = {"date": "*", "range": "*", "time": "*"}
    assert Hierarchies.of({"x": mapping}).get("x", None).leaves == tuple(mapping)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none") == (
        f"hierarchy folder {str(tmp_path / 'none')!r} does not exist"
    )


def test_a_file_where_a_folder_belongs_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "hierarchy_x.csv", "a;*\n")
    assert refusal(path) == f"{str(path)!r} is a file; expected a folder of hierarchies"


def test_a_folder_named_like_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hierarchy_x.csv").mkdir()
    assert "hierarchy_x.csv: cannot be read" in refusal(tmp_path)


# Mappings ----------------------------------------------------------------------------------------


def test_every_form_of_an_entry(tmp_path: Path) -> None:
    path = written(tmp_path, "anything.csv", "a;*\n")
    made = Hierarchy("made", [["m", "*"]])
    found = Hierarchies.of(
        {
            "mapping": {"F": "*", "M": ["*"]},
            "rows": [["x", "p", "*"], ["y", "p", "*"]],
            "file": path,
            "text": str(path),
            "rule": ranges(10),
            "words": {"ranges": [5, 10]},
            "made": made,
        }
    )
    assert len(found.attributes) == 7
    assert "rows" in found
    assert "other" not in found
    assert found.get("mapping", None).leaves == ("F", "M")
    assert found.get("rows", None).levels == 3
    assert found.get("file", None).leaves == found.get("text", None).leaves == ("a",)
    assert found.get("made", None) is made
    assert found.get("rule", lambda _: ["7"]).path_of("7") == ("7", "[0,10[", "*")
    assert found.get("words", lambda _: ["7"]).levels == 4


def test_nothing_is_no_hierarchy() -> None:
    assert not Hierarchies.of(None)
    assert Hierarchies.of(None).attributes == ()
    assert Hierarchies.of({"x": {"a": "*"}})


def test_hierarchies_pass_through() -> None:
    given = Hierarchies.of({"x": {"a": "*"}})
    assert Hierarchies.of(given) is given


@pytest.mark.parametrize("entry", [5, None, object(), True])
def test_an_entry_of_another_kind_is_refused(entry: Any) -> None:
    message = refusal({"age": entry})
    assert "'age'" in message
    assert message.endswith(f" a file or a rule, got {type(entry).__name__}")


@pytest.mark.parametrize("spec", [5, ["folder"], 1.5, True])
def test_a_specification_of_another_kind_is_refused(spec: Any) -> None:
    with pytest.raises(PetauditError):
        Hierarchies.of(spec)


@pytest.mark.parametrize(("entry", "complaint"), [({}, "is empty"), ([], "is empty")])
def test_an_empty_entry_is_refused(entry: Any, complaint: str) -> None:
    assert complaint in refusal({"age": entry})


def test_rows_that_are_texts_are_not_read_letter_by_letter() -> None:
    assert "'x'" in refusal({"x": ["ab", "cd"]})


def test_names_of_attributes_are_trimmed_like_those_of_columns() -> None:
    assert Hierarchies.of({" age ": {"23": "*"}}).attributes == ("age",)


def test_an_attribute_named_twice_but_for_blanks_is_refused() -> None:
    assert "'age'" in refusal({"age": {"23": "*"}, " age ": {"23": "2*"}})


def test_leaves_may_have_the_names_of_rules() -> None:
    found = Hierarchies.of({"x": {"mask": ["cover", "*"], "gloves": ["cover", "*"]}})
    assert found.get("x", None).path_of("mask") == ("mask", "cover", "*")


def test_the_files_that_were_read_are_known(tmp_path: Path) -> None:
    csv = written(tmp_path, "hierarchy_x.csv", "a;*\n")
    rules = written(tmp_path, "rules.yaml", "x: hierarchy_x.csv\ny: {ranges: 5}\n")
    assert Hierarchies.of(tmp_path).files == (csv,)
    assert Hierarchies.of(rules).files == (rules, csv)
    assert Hierarchies.of({"x": csv, "y": {"a": "*"}}).files == (csv,)
    assert "sha256" not in Hierarchies.of({"y": {"a": "*"}}).fingerprint()


# Asking for one ----------------------------------------------------------------------------------


def test_a_hierarchy_that_is_not_there_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(HierarchyError) as caught:
        Hierarchies.of({"zip": {"a": "*"}, "age": {"a": "*"}}).get("zipp", None)
    assert str(caught.value) == (
        "there is no hierarchy for column 'zipp' (did you mean 'zip'?); there are hierarchies for: "
        "zip, age"
    )


def test_no_hierarchies_at_all() -> None:
    with pytest.raises(HierarchyError, match="there are hierarchies for: no column"):
        Hierarchies.of(None).get("zip", None)


def test_a_rule_needs_the_values() -> None:
    with pytest.raises(HierarchyError, match="'age' is a rule: it needs the original table"):
        Hierarchies.of({"age": ranges(10)}).get("age", None)


def test_a_rule_is_built_once() -> None:
    asked: list[str] = []

    def values_of(column: str) -> list[str]:
        asked.append(column)
        return ["7"]

    found = Hierarchies.of({"age": ranges(10)})
    assert found.get("age", values_of) is found.get("age", values_of)
    assert asked == ["age"]


# Rules in words ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "leaf", "path"),
    [
        ({"ranges": [5, 10]}, "7", ("7", "[5,10[", "[0,10[", "*")),
        ({"ranges": 5}, "7", ("7", "[5,10[", "*")),
        ({"ranges": [10], "origin": 18, "top": 80}, "90", ("90", ">=80", "*")),
        ({"ranges": [10], "bottom": 10}, "7", ("7", "<10", "*")),
        ({"mask": "right"}, "47", ("47", "4*", "**")),
        ({"mask": "right", "mark": "#", "levels": 1}, "47", ("47", "4#")),
        ({"dates": ["month", "year"]}, "1977-03-09", ("1977-03-09", "1977-03", "1977", "*")),
        ({"dates": "year"}, "1977-03-09", ("1977-03-09", "1977", "*")),
        ({"ordered": ["low", "high"], "groups": [2]}, "low", ("low", "low..high", "*")),
        ({"ordered": ["low", "high"], "groups": 2}, "low", ("low", "low..high", "*")),
        ({"ordered": ["low", "high"]}, "low", ("low", "*")),
    ],
)
def test_a_rule_in_words(entry: dict[str, Any], leaf: str, path: tuple[str, ...]) -> None:
    assert Hierarchies.of({"x": entry}).get("x", lambda _: [leaf]).path_of(leaf) == path


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({"ranges": []}, "at least one width"),
        ({"ranges": None}, "a range width must be a finite number, got None"),
        ({"ranges": [5, 7]}, "7 is not a larger multiple of 5"),
        ({"mask": "left"}, "mask must be 'right', got 'left'"),
        ({"mask": "right", "levels": 0}, "hides nothing"),
        ({"mask": "right", "levels": "3"}, "levels"),
        ({"mask": "right", "mark": 7}, "mask"),
        ({"dates": ["week"]}, "unknown date step 'week'"),
        ({"ordered": ["low", "low"]}, "each value once"),
        ({"ordered": ["low", "high"], "groups": [1]}, "must be integers >= 2"),
    ],
)
def test_a_rule_in_words_that_makes_no_sense(entry: dict[str, Any], complaint: str) -> None:
    message = refusal({"age": entry})
    assert message.startswith(f"rule {next(iter(entry))} for 'age': ")
    assert complaint in message
    assert "not supported between" not in message, "Python's own words help nobody"


@pytest.mark.parametrize(
    "entry",
    [{"ranges": [5], "tpo": 80}, {"mask": "right", "level": 2}, {"dates": "year", "top": 1}],
)
def test_an_unknown_option_of_a_rule_is_refused(entry: dict[str, Any]) -> None:
    """Else a slip makes a hierarchy with the leaves 'ranges' and 'tpo'."""
    assert list(entry)[1] in refusal({"age": entry})


# YAML --------------------------------------------------------------------------------------------


def test_a_yaml_file_of_every_form(tmp_path: Path) -> None:
    written(tmp_path / "own", "zip.csv", "476;47*;*\n")
    path = written(
        tmp_path,
        "rules.yaml",
        """
        age: {ranges: [5, 10], top: 80}
        zip: own/zip.csv
        birth: {dates: [month, year]}
        sex: {F: "*", M: "*"}
        code: {mask: right}
        grade:
          - [1, low, "*"]
          - [2, low, "*"]
        """,
    )
    found = Hierarchies.of(path)
    assert found.attributes == ("age", "zip", "birth", "sex", "code", "grade")
    assert found.get("zip", None).path_of("476") == ("476", "47*", "*")
    assert found.get("grade", None).path_of("2") == ("2", "low", "*")
    assert found.get("age", lambda _: ["91"]).path_of("91") == ("91", ">=80", ">=80", "*")


def test_a_yaml_file_may_name_a_folder_beside_it(tmp_path: Path) -> None:
    written(tmp_path / "folder", "hierarchy_x.csv", "a;*\n")
    path = written(tmp_path, "hierarchies.yml", "folder\n")
    assert Hierarchies.of(path).attributes == ("x",)


@pytest.mark.parametrize("content", ["", "- a\n- b\n", "5\n"])
def test_a_yaml_file_of_another_form_is_refused(content: str, tmp_path: Path) -> None:
    path = written(tmp_path, "h.yaml", content)
    message = refusal(path)
    assert message == f"{path}: hierarchies must be a folder or one entry per attribute"


def test_a_file_that_yaml_names_and_is_not_there(tmp_path: Path) -> None:
    path = written(tmp_path, "h.yaml", "age: none.csv\n")
    assert str(tmp_path / "none.csv") in refusal(path)


def test_a_yaml_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"h\.yaml' does not exist"):
        Hierarchies.of(tmp_path / "h.yaml")


def test_the_hierarchies_of_the_reference_tables(shared_data: Path) -> None:
    adult = Hierarchies.of(shared_data / "adult" / "adult_hierarchy")
    age = adult.get("age", None)
    assert age.level_of("50") == 0
    assert "50" in age.ambiguous_labels
    assert len(adult.attributes) == 9

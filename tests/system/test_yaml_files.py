"""YAML is plain data: nothing in it is resolved, run or quietly overwritten."""

from __future__ import annotations

import random
import re
from pathlib import Path
from time import perf_counter

import pytest
import yaml

from petaudit.errors import InputError
from petaudit.system.yaml_files import LARGEST_FILE, explained, parse_yaml, read_yaml


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "file.yaml"
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_yaml(path)
    return str(caught.value)


def test_plain_data(tmp_path: Path) -> None:
    content = "城市: [臺北, 2]\nb: {c: true, d: null, e: 1.5}\n"
    assert read_yaml(written(tmp_path, content)) == {
        "城市": ["臺北", 2],
        "b": {"c": True, "d": None, "e": 1.5},
    }


def test_a_byte_order_mark(tmp_path: Path) -> None:
    assert read_yaml(written(tmp_path, "\ufeffa: 1\n")) == {"a": 1}


def test_an_empty_file_is_nothing(tmp_path: Path) -> None:
    assert read_yaml(written(tmp_path, "")) is None


@pytest.mark.parametrize(
    ("content", "line", "complaint"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "duplicate key: 'a'"),
        ("x:\n  a: 1\n  a: 2\n", 3, "duplicate key: 'a'"),
        ("x: [{a: 1, a: 2}]\n", 1, "duplicate key: 'a'"),
        ("1: a\n1: b\n", 2, "duplicate key: 1"),
        ("a: &x [1]\nb: *x\n", 2, "aliases are not accepted"),
        ("a: &x {k: 1}\nb:\n  <<: *x\n", 3, "aliases are not accepted"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, "could not determine a constructor"),
        ("a: !own x\n", 1, "could not determine a constructor"),
        ("a: [1\n", 2, "a comma is missing, or the [ of line 1 is open"),
        ("a: {b: 1\nc: 2\n", 2, "a comma is missing, or the { of line 1 is open"),
        ("a: [1}\n", 1, "a comma is missing, or the [ of line 1 is open"),
        ("null: 1\n~: 2\n", 2, "duplicate key: null"),
        ("2020-01-01: 1\n2020-01-01: 2\n", 2, "duplicate key: 2020-01-01"),
        ("no: 1\nNo: 2\n", 2, "duplicate key: No, first as no"),
        ("a: &x 1\nb: &x 2\n", 2, "duplicate anchor (&)"),
        ("a: 1\n---\nb: 2\n", 2, "another document"),
        ("? [a]\n: 1\n", 1, "unhashable key"),
    ],
)
def test_what_is_refused_is_named_with_its_line(
    content: str, line: int, complaint: str, tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    message = refusal(path)
    assert message.startswith(f"{path}, line {line}: ")
    assert complaint in message


@pytest.mark.parametrize(
    "content",
    [
        "a: 2020-13-45\n",
        "a: !!int x\n",
        "a: !!float x\n",
        "a: !!bool x\n",
        "a: !!timestamp x\n",
        "a: " + "9" * 5000 + "\n",
        'a: "\\UFFFFFFFF"\n',
        "a: \x07\n",
        "[" * 50_000,
        "- " * 5_000,
    ],
    ids=[
        "date",
        "int",
        "float",
        "bool",
        "timestamp",
        "long",
        "escape",
        "control",
        "deep",
        "deep list",
    ],
)
def test_values_that_cannot_be_made_are_refused_too(content: str, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    assert refusal(path).startswith(str(path))


# Thirty lines, so that a line of the slip and a line of the complaint of YAML are told apart.
ABOVE = "".join(f"key{number}: {number}\n" for number in range(1, 29)) + "top:\n  x: 1\n"
COLON = "a full-width ：; write ': '"
IDEOGRAPHIC = "an ideographic space; indent with ordinary spaces"
BACKSLASH = "a backslash in double quotes; use single quotes or /"
AFTER_QUOTE = "text follows a closing quote; put all of it in quotes of the other kind"
DEEPER = "the key is indented deeper than its neighbours, or the line above lacks ': '"


@pytest.mark.parametrize(
    ("below", "line", "message"),
    [
        ("\tlimit: 0.2\n", 31, "a tab; indent with spaces"),
        (" \tlimit: 0.2\n", 31, "a tab; indent with spaces"),
        ("   \tlimit: 0.2\n", 31, "a tab; indent with spaces"),
        ("  limit:\t0.2\n", 31, "a tab; use spaces"),
        ("  limit：0.2\n\n  y: 2\n", 31, COLON),
        ("  # 註：a\n  limit：0.2\n\n  # c:d\n  y: 2\n", 32, COLON),
        ("  limit：0.2", 31, COLON),
        ("  'limit'：0.2\n  y: 2\n", 31, COLON),
        ("  closeness：\n    limit: 0.2\n", 31, COLON),
        ("  closeness：\n    - limit: 0.2\n", 31, COLON),
        ("  y:\n    a：1\n    b：2\n    c: 3\n", 32, COLON),
        ("  limit﹕0.2\n  y: 2\n", 31, "a full-width ﹕; write ': '"),
        ("  limit:0.2\n\n  y: 2\n", 31, "missing space after the colon"),
        ("  y:\n    limit:0.2\n    z: 2\n", 32, "missing space after the colon"),
        ("  'limit':0.2\n", 31, "missing space after the colon"),
        ("  y:\n    -a\n    -b: 1\n", 32, "missing space after the dash"),
        ("  y:\n    - a\n    － b\n    - c\n", 33, "－ does not start a list item; write '- '"),
        ("   \u3000limit: 0.2\n", 31, IDEOGRAPHIC),
        ("  \u3000\n  limit: 0.2\n", 31, IDEOGRAPHIC),
        ("   \u00a0limit: 0.2\n", 31,
         "a space of another kind (U+00A0); indent with ordinary spaces"),
        ("  limit:\u30000.2\n  y: 2\n", 31,
         "an ideographic space; write an ordinary space after the colon"),
        ("  y: 'a\n  z: 1\n\n  k: 2\n", 31, "a quote is opened and never closed"),
        ('  y: "a\n  z: 1\n\n  k: 2\n', 31, "a quote is opened and never closed"),
        ("  y: 'a\n---\n", 31, "a quote is opened and never closed"),
        ('  y: "C:\\temp\\"\n', 31, "a quote is opened and never closed; a backslash is before the "
                                    "closing one; use single quotes or /"),
        ("  y: 'a\n  z: 1\n  k: 'b'\n", 31, "a quote is opened here and closed only in line 33"),
        ("  y: 'it's'\n  z: 1\n", 31, AFTER_QUOTE),
        ("  y: “a: b”\n", 31, '“ is not a YAML quote; write " or \''),
        ('  y: "C:\\Users\\a"\n', 31, BACKSLASH),
        ('  y: "C:\\data"\n', 31, BACKSLASH),
        ('  y: "a\n  z: \'C:\\data\'\n', 32,
         "a backslash in double quotes that were opened in line 31; use single quotes or /"),
        ("  y:\n    - a\n    b\n    - c\n", 33,
         "a line is neither a key with ': ' nor a list item with '- '"),
        ("  y:\n    - a\n    b: 1\n", 33,
         "a key among list items; '- ' is missing, or the indentation is wrong"),
        ("  - y\n", 31,
         "a list item among keys; its indentation is wrong, or that of the keys"),
        (" - y\n", 31, "the indentation of this list item fits no line above it"),
        (" y: 1\n", 31, "the indentation of this key fits no key above it"),
        ("   y: 1\n", 31, DEEPER),
        ("  y:\n    closeness\n      limit: 1\n", 33, DEEPER),
        ("  y: |\n    註：a\n   z: 1\n", 33, "the indentation of this key fits no key above it"),
        ("  y: a: b\n", 31,
         "mapping values are not allowed here; put a text that holds ': ' in quotes"),
        ("  y: - a\n", 31, "a list item cannot start here; give it a line of its own"),
        ("  y: [1，2］\n  z: 1\n", 31, "a full-width ］; write ']'"),
        ("  y: {a: 1｝\n  z: 1\n", 31, "a full-width ｝; write '}'"),
        ("  y: @a\n", 31, "a text that starts with @ must be quoted"),
        ("  y: *.csv\n", 31, "a text that starts with * must be quoted"),
        ("%a: 1\n", 31, "a text that starts with % must be quoted"),
        ("  y: |a\n", 31, "a text that starts with | or > must be quoted"),
        ("  y: ]\n", 31, "expected the node content, but found ']'"),
        ("  : :\n", 31, "wrong indentation, or a text that must be quoted"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_slips_of_those_who_write_by_hand(
    below: str, line: int, message: str, end: str, tmp_path: Path
) -> None:
    path = written(tmp_path, (ABOVE + below).replace("\n", end))
    assert refusal(path) == f"{path}, line {line}: {message}"


def test_less_indentation_than_at_the_start(tmp_path: Path) -> None:
    path = written(tmp_path, "  a: 1\nb: 2\n")
    said = "the indentation differs from that of the first line"
    assert refusal(path) == f"{path}, line 2: {said}"


@pytest.mark.parametrize(
    "content",
    [
        "a: !wang 1\n",
        "a: !wang!x 1\n",
        "%TAG !wang! a\n%TAG !wang! b\n---\na: 1\n",
        "a: !<wang> 1\n",
        "a: !it's-wang 1\n",
        "a: !!binary wang=王\n",
        "a: !!binary wangx\n",
        "a: &wang 1\nb: &wang 2\n",
        "a: *wang\n",
        "name,wang\nwang: 5, wang: 6\n",
        "wang：wang\nb: 1\n",
        "'wang' wang: 1\n",
        "[wang: wang\nwang: 1\n",
        "wang:\n  - wang\n wang: 2\n",
        "{wang: wang, wang} wang\n",
    ],
)
def test_nobody_in_a_file_given_by_mistake_is_named(content: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_yaml(content, "x")
    assert "wang" not in str(caught.value)
    assert "\\u738b" not in str(caught.value)


def test_a_problem_that_has_no_place() -> None:
    assert explained("", yaml.MarkedYAMLError()) == (None, "not valid YAML")


def test_lines_of_any_text_can_be_explained() -> None:
    """Whatever stands in a file: one message, of a line that the file has, without its words."""
    chance = random.Random(5)  # noqa: S311
    pieces = [
        *"\n\n\n  :-?'\"[]{},#&*!|>%@\\\t：，\u3000\u2028\r“",
        ": ",
        "- ",
        "  ",
        "wang",
        "\n  ",
    ]
    for _ in range(3_000):
        text = "".join(chance.choices(pieces, k=chance.randrange(1, 30)))
        message = complaint(text)
        if message:
            result = re.match(r"x, line (\d+): .", message)
            assert result, text
            assert int(result[1]) <= len(re.split("\r\n|[\n\r\u2028]", text)), text
            assert "wang" not in message or "duplicate" in message, text


def complaint(text: str) -> str | None:
    try:
        parse_yaml(text, "x")
    except InputError as problem:
        return str(problem)
    return None


@pytest.mark.parametrize("piece", ["- ", "x ", "a.", "-", "“ ", "］ "])
def test_a_long_line_is_looked_at_quickly(piece: str) -> None:
    start = perf_counter()
    for text in (f"a: 1\n{piece * 50_000}\nb: 2\n", f"a: 1\n  {piece * 50_000}: 2\n"):
        assert complaint(text)
    assert perf_counter() - start < 20


def test_bytes_that_are_no_utf_8(tmp_path: Path) -> None:
    said = "of the line is not UTF-8 text; save the file as UTF-8"
    path = written(tmp_path, b"a: \xe9\n")
    assert refusal(path) == f"{path}, line 1: byte 4 {said}"
    big5 = "# x\r\n" * 9_000 + "a: 1\rb: 臺北\n"
    assert refusal(written(tmp_path, big5.encode("big5"))) == f"{path}, line 9002: byte 4 {said}"
    assert refusal(written(tmp_path, "a: 1\n".encode("utf-16"))) == f"{path}, line 1: byte 1 {said}"


def test_utf_16_without_a_mark_at_its_start(tmp_path: Path) -> None:
    path = written(tmp_path, "a: 1\n".encode("utf-16-le"))
    assert refusal(path).endswith(
        "line 1: contains a character that YAML does not allow; save the file as UTF-8"
    )


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.yaml") == f"file {str(tmp_path / 'none.yaml')!r} does not exist"


def test_a_folder(tmp_path: Path) -> None:
    assert f"{tmp_path}: cannot be read" in refusal(tmp_path)


def test_a_file_beyond_all_reason(tmp_path: Path) -> None:
    path = written(tmp_path, b"#" * (LARGEST_FILE + 1))
    assert refusal(path) == f"{path}: larger than 1,000,000 bytes; not read"
    assert read_yaml(written(tmp_path, b"#" * LARGEST_FILE)) is None

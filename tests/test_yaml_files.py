"""YAML is plain data: nothing in it is resolved, run or quietly overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from petaudit.errors import InputError
from petaudit.yaml_files import LARGEST_FILE, read_yaml


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
        ("a: 1\nb: 2\na: 3\n", 3, "'a' stands here twice"),
        ("x:\n  a: 1\n  a: 2\n", 3, "'a' stands here twice"),
        ("x: [{a: 1, a: 2}]\n", 1, "'a' stands here twice"),
        ("1: a\n1: b\n", 2, "1 stands here twice"),
        ("a: &x [1]\nb: *x\n", 2, "aliases are not accepted"),
        ("a: &x {k: 1}\nb:\n  <<: *x\n", 3, "aliases are not accepted"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, "could not determine a constructor"),
        ("a: !own x\n", 1, "could not determine a constructor"),
        ("a: [1\n", 2, "expected"),
        ("a: 'x\n", 2, "unexpected end of stream"),
        ("a:\n\t- 1\n", 2, "cannot start any token"),
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
        "a: \x07\n",
        "[" * 50_000,
        "- " * 5_000,
    ],
    ids=["date", "int", "float", "bool", "timestamp", "long", "control", "deep", "deep list"],
)
def test_values_that_cannot_be_made_are_refused_too(content: str, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    assert refusal(path).startswith(str(path))


def test_bytes_that_are_no_utf_8(tmp_path: Path) -> None:
    path = written(tmp_path, b"a: \xe9\n")
    assert refusal(path) == f"{path}: byte 3 is not UTF-8 text"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.yaml") == f"file {str(tmp_path / 'none.yaml')!r} does not exist"


def test_a_folder(tmp_path: Path) -> None:
    assert f"{tmp_path}: cannot be read" in refusal(tmp_path)


def test_a_file_beyond_all_reason(tmp_path: Path) -> None:
    path = written(tmp_path, b"#" * (LARGEST_FILE + 1))
    assert refusal(path) == f"{path}: larger than 1,000,000 bytes; not read"
    assert read_yaml(written(tmp_path, b"#" * LARGEST_FILE)) is None

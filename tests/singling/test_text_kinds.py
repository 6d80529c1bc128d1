"""Columns of files without types: read as what they are, or refused, never silently different."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import ColumnError


def identified(folder: Path, original: list[str], synthetic: list[str]) -> int:
    paths = [folder / "original.csv", folder / "synthetic.csv"]
    for path, cells in zip(paths, (original, synthetic), strict=True):
        path.write_text("\n".join(["a", *cells]) + "\n", encoding="utf-8")
    result = petaudit.mpuccs(*paths).figures["total_identified"]
    assert isinstance(result, int)
    return result


@pytest.mark.parametrize(
    ("original", "synthetic", "expected"),
    [
        (["5", "6"], ["5.0", "7"], 1),
        (["+5", "6"], ["5", "7"], 1),
        (["1e2", "6"], ["100", "7"], 1),
        (["007", "7"], ["007", "7"], 2),
        (["2024-01-01 10:00", "?"], ["2024-01-01", "2024-01-02"], 0),
        (["12", "?"], ["13.5", "14"], 0),
        (["007", "8"], ["007", "9"], 1),
        (["9007199254740993", "0.5"], ["9007199254740992", "0.25"], 0),
        (["9007199254740993", "1"], ["9007199254740993", "2"], 1),
        (["123456789012345678901234567890", "1"], ["123456789012345678901234567890", "2"], 1),
        (["true", "x"], ["true", "x"], 2),
        (["true", "false"], ["True", "TRUE"], 1),
        (["true", "false"], ["True", "False"], 2),
        (["true", "false", "?"], ["true", "false"], 2),
        (["12", "?"], ["12", "13"], 1),
        (["2024-01-01", "?"], ["2024-01-01", "2024-01-02"], 1),
        (["2024-01-01", "2024-01-02"], ["2024-01-01 00:00:00", "2024-03-01T00:00"], 1),
        (["2024-01-01T00:00Z", "x"], ["2024-01-01T00:00Z", "y"], 1),
        (["2024-01-01T00:00Z", "2024-01-02T00:00Z"], ["2024-01-01 02:00+02:00", ""], 1),
        (["2024-02-30", "x"], ["2024-02-30", "y"], 1),
        (["low", "high"], ["low", "medium"], 1),
    ],
)  # fmt: skip
def test_equal_values_are_equal_however_they_are_written(
    tmp_path: Path, original: list[str], synthetic: list[str], expected: int
) -> None:
    assert identified(tmp_path, original, synthetic) == expected


@pytest.mark.parametrize(
    ("original", "synthetic"),
    [
        (["12", "?"], ["12.0", "13.0"]),
        (["12.0", "?"], ["12", "13"]),
        (["low", "high"], ["1", "2"]),
        (["2024-01-01", "2024-01-02"], ["01/01/2024", "02/01/2024"]),
        (["12", "?", "13"], ["12.0", "?", "13.0"]),
        (["2024-01-01", "?"], ["2024-01-01 00:00:00", "?"]),
        (["True", "?"], ["true", "?"]),
        (["01234", "02345"], ["1234", "2345"]),
        (["01234", "92345"], ["1234.0", "92345.0"]),
        (["2024-01-01", "2024-01-02"], ["20240101", "20240102"]),
        (["2024-01-01T00:00Z", "2024-01-02T00:00Z"], ["2024-01-01T00:00", "2024-01-02T00:00"]),
        (["true", "false"], ["1", "yes"]),
        (["true", "false", "?"], ["True", "False"]),
    ],
)
def test_values_that_may_be_equal_in_other_words_are_not_compared(
    tmp_path: Path, original: list[str], synthetic: list[str]
) -> None:
    with pytest.raises(ColumnError, match=r"column 'a' (holds|writes) .* cannot be compared"):
        identified(tmp_path, original, synthetic)


def test_typed_text_beside_a_file_without_types(tmp_path: Path) -> None:
    synthetic = tmp_path / "synthetic.csv"
    synthetic.write_text("a\n1.0\n2.0\n")
    text = pa.table({"a": ["1", "2"]})
    with pytest.raises(ColumnError, match="writes the same values in different ways"):
        petaudit.mpuccs(text, synthetic)
    synthetic.write_text("a\n1\n7\n")
    assert petaudit.mpuccs(text, synthetic).figures["total_identified"] == 1

"""A figure next to its limit is shown with the digits that tell them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from petaudit.cli import main


@pytest.mark.parametrize(
    ("limit", "shown"),
    [
        ("0.26666666666666666", ["4/15", "at most 0.266667", "FAIL"]),
        ("0.2666667", ["0.26666667", "at most 0.2666667", "pass"]),
        ("0.3", ["0.267 ", "at most 0.3", "pass"]),
    ],
)
def test_digits(
    limit: str, shown: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "merit.csv"
    table.write_text("Name;Merit\nE;1\nE;4\nE;2\nU;3\nG;3\nG;4\nG;3\nG;1\nR;4\nR;3\n")
    main(["check", str(table), "--qi", "Name", "--sensitive", "Merit", "--t", limit])
    [row] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("t-clo")][:1]
    for text in shown:
        assert text in row

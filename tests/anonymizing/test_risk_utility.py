"""The points of a frontier are what the search gives for each limit alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import OptionError

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")

RANDOM = np.random.default_rng(3)
TABLE = pa.table(
    {
        "who": RANDOM.integers(0, 150, 300),
        "age": RANDOM.integers(18, 80, 300).astype(str).tolist(),
        "sex": RANDOM.choice(["f", "m"], 300).tolist(),
        "illness": RANDOM.choice(["flu", "cold", "ache"], 300).tolist(),
    }
)
GIVEN: dict[str, Any] = {
    "quasi_identifiers": ["age", "sex"],
    "sensitive": "illness",
    "hierarchies": {"age": petaudit.ranges(5, 10, 20)},
}


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("recoding", ["global", "local"])
def test_every_point_is_that_of_its_limits(recoding: Any, person: str | None) -> None:
    given = GIVEN | {"recoding": recoding, "person": person}
    limits = {"k-anonymity": [2, 8], "l-diversity": [1, 3]}
    found = petaudit.frontier(TABLE, limits=limits, max_suppression=[0, "10%"], **given)
    assert len(found.points) == 8
    for point in found.points:
        made = petaudit.anonymize(
            TABLE, limits=point.limits, max_suppression=point.max_suppression, **given
        )
        assert point.loss == pytest.approx(made.loss)
        assert point.rows_suppressed == made.rows_suppressed
        audit = petaudit.audit(
            made.with_people,
            quasi_identifiers=["age", "sex"],
            person=person,
            measures="k-anonymity",
        )
        assert point.highest_risk == 1 / audit["k-anonymity"].value


def test_a_limit_that_no_release_keeps_is_a_point_without_one(tmp_path: Path) -> None:
    found = petaudit.frontier(TABLE, limits={"k-anonymity": [2, 500]}, **GIVEN)
    assert [point.loss is None for point in found.points] == [False, True]
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Risk against utility" in page
    assert "No release keeps the limits: 1 point." in page
    assert "<script" not in page
    assert found.to_dict()["points"][1]["highest_risk"] is None


def test_too_many_points_are_refused() -> None:
    with pytest.raises(OptionError, match="1,001 points"):
        petaudit.frontier(TABLE, limits={"k-anonymity": range(2, 1003)}, **GIVEN)

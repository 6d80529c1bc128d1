"""Attacks that compare equal rows are counted on Spark as they are here."""

from __future__ import annotations

from typing import Any

import pytest

from attacks.elsewhere import check_figures

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning"),
]


def test_figures_are_those_of_this_process(spark: Any) -> None:
    check_figures(lambda name, table: spark.createDataFrame(table))

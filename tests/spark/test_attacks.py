"""Attacks that compare equal rows are counted on Spark as they are here."""

from __future__ import annotations

from typing import Any

import pytest

from attacks.elsewhere import check_figures, check_measure

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning"),
]


def test_figures_are_those_of_this_process(spark: Any) -> None:
    check_figures(lambda name, table: spark.createDataFrame(table))


def test_a_measure_has_the_same_result(spark: Any) -> None:
    check_measure(lambda name, table: spark.createDataFrame(table))

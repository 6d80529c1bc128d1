"""Codes of whole columns are positions in the value counts, whatever holds the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings

import strategies
from petaudit.tables import open_source
from petaudit.tables.column_codes import column_codes
from strategies import Release, arrow, cells


@settings(max_examples=50)
@given(release=strategies.releases())
def test_codes_lead_back_to_the_labels(release: Release) -> None:
    source = open_source(arrow(release.released))
    found = column_codes(source, source.columns)
    for name in source.columns:
        counts = source.counts.value_counts(name)
        assert [counts.labels[code] for code in found[name]] == cells(release.released, name)
        assert np.bincount(found[name]).tolist() == counts.counts.tolist()
        assert found[name].dtype == np.int32


@pytest.mark.parametrize("engine", [*strategies.TABLE_ENGINES, "polars-lazy"])
def test_every_engine_gives_the_same_codes(engine: str, tmp_path: Path) -> None:
    columns = {"x": [" b", "a", None, "b "], "n": [10.0, 9.0, None, 10.0]}
    source = open_source(strategies.on_engine(columns, engine, tmp_path / "table"))
    found = column_codes(source, ["n", "x"])
    assert list(found) == ["n", "x"]
    assert found["x"].tolist() == [1, 0, 2, 1]
    assert found["n"].tolist() == [1, 0, 2, 1]


def test_dictionaries_and_nan() -> None:
    frame = pd.DataFrame({"g": pd.Categorical(["z", None, "a"]), "n": [1.0, float("nan"), 0.5]})
    found = column_codes(open_source(frame), ["g", "n"])
    assert found["g"].tolist() == [1, 2, 0]
    assert found["n"].tolist() == [1, 2, 0]
    encoded = pa.table({"g": pa.array(["z", None, "a"]).dictionary_encode()})
    assert column_codes(open_source(encoded), ["g"])["g"].tolist() == [1, 2, 0]

"""Who is singled out, counted in people, against an independently written twin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petaudit
from budget import examples
from petaudit.cli import main
from petaudit.exact.excess import Excess, Successes
from petaudit.singling import running
from petaudit.singling.control import samples_of
from singling.people_twin import Row, nearly_singled_out, singled_out, strangers_singled_out

pytestmark = pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
ways = pytest.mark.parametrize("way", ["memory", "engine"])


@pytest.fixture(autouse=True, scope="module")
def _any_control() -> Iterator[None]:
    """Random tables of few rows are equal by chance, which is refused elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "checked_control", lambda overlap: ())
        yield


def table(rows: list[Row]) -> pa.Table:
    return pa.table(
        {f"c{place}": list(column) for place, column in enumerate(zip(*rows, strict=True))}
    )


def random_rows(chance: np.random.Generator, rows: int, values: list[int]) -> list[Row]:
    return list(zip(*(chance.integers(0, most, rows).tolist() for most in values), strict=True))


def distinct(rows: list[Row]) -> list[Row]:
    return list(dict.fromkeys(rows))


@ways
@settings(max_examples=examples(40), deadline=None)
@given(
    seed=st.integers(0, 1 << 30),
    many=st.tuples(*[st.integers(1, 30)] * 3),
    values=st.lists(st.sampled_from([1, 2, 3, 8, 40]), min_size=1, max_size=4),
    sizes=st.sampled_from([[1], [2], [1, 2], [1, 3], [1, 2, 3], [1, 2, 3, 4], [3]]),
    deduplicate=st.booleans(),
)
def test_both_shares(
    way: str,
    seed: int,
    many: tuple[int, int, int],
    values: list[int],
    sizes: list[int],
    deduplicate: bool,
) -> None:
    chance = np.random.default_rng(seed)
    original, synthetic, control = (random_rows(chance, rows, values) for rows in many)
    result = petaudit.mpuccs(
        *map(table, (original, synthetic, control)),
        n_cols=sizes,
        deduplicate=deduplicate,
        search=way,
        seed=seed,
    ).findings.excess
    if not (original and control and synthetic):
        assert result is None
        return
    assert result is not None
    if deduplicate:
        synthetic = distinct(synthetic)
    check_shares(result, synthetic, [original, control], sizes, seed, equal_is_same=deduplicate)


def check_shares(
    result: Excess,
    synthetic: list[Row],
    tables: list[list[Row]],
    sizes: list[int],
    seed: int,
    who: list[list[int]] | None = None,
    *,
    equal_is_same: bool = False,
) -> None:
    """The original's people among those of a sample, the control's one by one beside them."""
    names = who or [list(range(len(rows))) for rows in tables]
    people = [len(set(entry)) for entry in names]
    samples = samples_of(*people, seed)
    exposed, nearly, outside, nearly_outside = 0, 0, 0, 0
    for sample in samples:
        places = [at for at, entry in enumerate(names[0]) if entry in sample]
        target = [tables[0][at] for at in places]
        owners = [names[0][at] for at in places]
        if equal_is_same:
            owners = [target.index(row) for row in target]
        inside, _ = singled_out(synthetic, target, sizes, None, owners)
        almost = nearly_singled_out(synthetic, target, owners, sizes)
        # Where equal rows are one person, each of them still counts.
        everybody = owners if equal_is_same else sorted(set(owners))
        exposed += sum(entry in inside for entry in everybody)
        nearly += sum(entry in almost for entry in everybody)
        others, almost = strangers_singled_out(
            synthetic, target, tables[1], sizes, owners, names[1], equal_is_same=equal_is_same
        )
        outside += len(others)
        nearly_outside += len(almost)
    drawn = sum(map(len, samples))
    competing = max(nearly / drawn, nearly_outside / (people[1] * len(samples)))
    competing = min(1.5 * competing, 1 - exposed / drawn)
    assert result.original == Successes(drawn, exposed, pytest.approx(competing))
    assert result.control == Successes(people[1], pytest.approx(outside / len(samples)))


def test_a_person_counts_once_however_many_rows_point_at_them() -> None:
    """The first person is pointed at by one row in a, by another in b; the second by one row."""
    target = [(1, 1), (2, 2), (3, 3)]
    synthetic = [(1, 9), (8, 1), (2, 7)]
    assert singled_out(synthetic, target, [1])[0] == {0, 1}
    result = petaudit.mpuccs(
        table(target), table(synthetic), table([(5, 5), (6, 6), (2, 2)]), n_cols=1
    )
    assert result.findings.excess is not None
    assert result.findings.excess.original.exposed == 2
    assert result.findings.excess.control.exposed == 1
    assert result.figures["total_identified"] == 3


def test_a_row_may_point_at_several_people() -> None:
    """With a at the first, with b at the second; as a row it counts once, for a."""
    result = petaudit.mpuccs(
        table([(1, 5), (6, 2), (7, 7)]), table([(1, 2)]), table([(8, 8), (9, 9), (3, 3)]), n_cols=1
    )
    assert result.findings.excess is not None
    assert result.findings.excess.original.exposed == 2
    assert result.figures["total_identified"] == 1


def test_samples_have_nobody_in_common() -> None:
    for people, most, number in ((100, 50, 2), (100, 3, 5), (7, 3, 2), (3, 9, 1), (1, 1, 1)):
        samples = samples_of(people, most, seed=people)
        assert [len(entry) for entry in samples] == [min(people, most)] * number
        assert len(set(np.concatenate(samples).tolist())) == min(people, most) * number


def test_options_of_the_search_hold_for_people_as_well() -> None:
    """What is pruned exposes nobody, in memory and by the engine."""
    chance = np.random.default_rng(3)
    tables = [table(random_rows(chance, rows, [30, 4, 3])) for rows in (200, 150, 60)]
    answers: list[Any] = [
        petaudit.mpuccs(*tables, min_entropy_delta=0.2, search=way).findings.excess
        for way in ("memory", "engine")
    ]
    assert answers[0] == answers[1]
    complete = petaudit.mpuccs(*tables).findings.excess
    assert complete is not None
    assert answers[0].original.exposed < complete.original.exposed


# --- rows of one person ---------------------------------------------------------------------


def with_person(rows: list[Row], who: list[int] | None) -> pa.Table:
    made = table(rows)
    return made if who is None else made.add_column(1, "who", [[f"p{person}" for person in who]])


@settings(max_examples=examples(80), deadline=None)
@given(
    seed=st.integers(0, 1 << 30),
    many=st.tuples(*[st.integers(1, 70)] * 2),
    values=st.lists(st.sampled_from([2, 3, 8, 30]), min_size=1, max_size=4),
    sizes=st.sampled_from([[1], [1, 2], [2], [1, 2, 3], [1, 3]]),
    options=st.sampled_from([{}, {"deduplicate": False}, {"renyi_alpha": 1.0}]),
    is_known=st.booleans(),
)
def test_rows_of_one_person_do_not_compete(
    seed: int,
    many: tuple[int, int],
    values: list[int],
    sizes: list[int],
    options: dict[str, Any],
    is_known: bool,
) -> None:
    chance = np.random.default_rng(seed)
    original, synthetic = (random_rows(chance, rows, values) for rows in many)
    who = chance.integers(0, 1 + many[0] // 2, many[0]).tolist()
    made_by = chance.integers(0, 1 + many[1] // 2, many[1]).tolist() if is_known else None
    result = petaudit.mpuccs(
        with_person(original, who),
        with_person(synthetic, made_by),
        person="who",
        n_cols=sizes,
        threads=1 + seed % 2,
        **options,
    )
    if options.get("deduplicate", True):
        labels = range(len(synthetic)) if made_by is None else made_by
        kept = {
            (row, made_by and label): None for row, label in zip(synthetic, labels, strict=True)
        }
        synthetic = [row for row, _ in kept]
        made_by = None if made_by is None else [label for _, label in kept]  # type: ignore[misc]
    _, rows = singled_out(synthetic, original, sizes, made_by, who)
    assert result.figures["total_syn_records"] == len(synthetic)
    assert result.figures["total_identified"] == len(rows)
    assert sorted(result.details.column("syn_idx").to_pylist()) == sorted(rows)
    assert "who" not in result.columns
    people = len(set(who))
    assert f"rows belong to {people:,} p" in result.explanation[1]


@settings(max_examples=examples(40), deadline=None)
@given(seed=st.integers(0, 1 << 30), many=st.tuples(*[st.integers(1, 30)] * 3))
def test_people_are_compared_with_the_control(seed: int, many: tuple[int, int, int]) -> None:
    chance = np.random.default_rng(seed)
    values = [30, 8, 3]
    original, synthetic, control = (random_rows(chance, rows, values) for rows in many)
    who, others = (chance.integers(0, 1 + rows // 2, rows).tolist() for rows in (many[0], many[2]))
    result = petaudit.mpuccs(
        with_person(original, who),
        table(synthetic),
        with_person(control, others),
        person="who",
        max_baseline_cols=2,
        seed=seed,
    ).findings.excess
    assert result is not None
    # People are numbered in the order in which they come.
    numbered = [
        [list(dict.fromkeys(names)).index(name) for name in names] for names in (who, others)
    ]
    check_shares(result, distinct(synthetic), [original, control], [1, 2], seed, numbered)


def test_three_visits_of_one_person_by_hand() -> None:
    """Ann came three times: who is from Oslo is she. Without the column three rows compete."""
    original = pa.table(
        {"who": ["ann"] * 3 + ["bob"], "city": ["Oslo"] * 3 + ["Rome"], "n": [1, 2, 3, 4]}
    )
    synthetic = pa.table({"city": ["Oslo", "Bern"], "n": [8, 9]})
    assert petaudit.mpuccs(original.drop(["who"]), synthetic).figures["total_identified"] == 0
    result = petaudit.mpuccs(original, synthetic, person="who")
    assert result.figures["total_identified"] == 1
    assert result.details.column("field_combo").to_pylist() == [["city"]]
    assert result.columns == ("n", "city") or result.columns == ("city", "n")


def test_what_is_wrong_about_a_person() -> None:
    original = pa.table({"who": ["ann", None], "city": ["Oslo", "Rome"]})
    synthetic = pa.table({"city": ["Oslo"]})
    with pytest.raises(petaudit.errors.ColumnError, match="names no person in 1 row"):
        petaudit.mpuccs(original, synthetic, person="who")
    with pytest.raises(petaudit.errors.ColumnError, match="unknown column 'whom'"):
        petaudit.mpuccs(original, synthetic, person="whom")
    with pytest.raises(petaudit.errors.OptionError, match="person must be a column, got 3"):
        petaudit.mpuccs(original, synthetic, person=3)  # type: ignore[arg-type]
    with pytest.raises(petaudit.errors.NotMeasurableError, match="grouped in memory only"):
        petaudit.mpuccs(original, synthetic, person="who", search="engine")
    with pytest.raises(petaudit.errors.ColumnError, match="unknown column 'who'"):
        petaudit.mpuccs(original, synthetic, synthetic, person="who")


def test_the_command_and_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("o.csv").write_text("who;city;n\nann;Oslo;1\nann;Oslo;2\nann;Oslo;3\nbob;Rome;4\n")
    Path("s.csv").write_text("city;n\nOslo;8\nBern;9\n")
    Path("plain.csv").write_text("city;n\nOslo;1\nOslo;2\nOslo;3\nRome;4\n")
    assert main(["mpuccs", "plain.csv", "s.csv", "--limit", "0.1", "--quiet"]) == 0
    assert main(["mpuccs", "o.csv", "s.csv", "--limit", "0.1", "--person", "who", "--quiet"]) == 1
    executor = petaudit.Executor(
        "Loader: {t: {filepath: o.csv}}\n"
        "Synthesizer: {s: {method: custom_data, filepath: s.csv}}\n"
        "Evaluator: {risk: {method: mpuccs, person: who, limit: 0.1}}\n"
    )
    executor.run()
    [entry] = executor.document["results"]
    assert (entry["status"], entry["details"]["figures"]["total_identified"]) == ("failed", 1)

"""The models of population uniques: their equations, the truth in simulations, and failures."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from budget import examples
from measures import uniqueness_twin as twin
from petaudit.errors import NotMeasurableError
from petaudit.exact import uniqueness
from petaudit.exact.uniqueness import Sample, all_estimates, believed, uniques_by

Counts = npt.NDArray[np.int64]


def sample_of(sizes: dict[int, int], population: int) -> Sample:
    ordered = sorted(sizes)
    return Sample(np.array(ordered), np.array([sizes[size] for size in ordered]), population)


def drawn(people: Counts, fraction: float, seed: int) -> Sample:
    """A sample without replacement from a population of classes of these sizes."""
    everybody = np.repeat(np.arange(len(people)), people)
    rng = np.random.default_rng(seed)
    rows = rng.choice(everybody, int(fraction * len(everybody)), replace=False)
    sizes, classes = np.unique(np.unique(rows, return_counts=True)[1], return_counts=True)
    return Sample(sizes, classes, len(everybody))


def chinese_restaurant(theta: float, alpha: float, people: int, seed: int) -> Counts:
    """A population by Pitman's model: who comes next opens a class or joins one by its size."""
    rng = np.random.default_rng(seed)
    counts, seats = [1], [0]
    for present in range(1, people):
        if rng.random() < (theta + len(counts) * alpha) / (theta + present):
            seats.append(len(counts))
            counts.append(1)
            continue
        while True:
            entry = seats[rng.integers(present)]
            if rng.random() >= alpha / counts[entry]:
                break
        seats.append(entry)
        counts[entry] += 1
    return np.array(counts)


histograms = st.dictionaries(st.integers(1, 30), st.integers(1, 60), min_size=1, max_size=8)
with_uniques = st.builds(lambda sizes, ones: sizes | {1: ones}, histograms, st.integers(1, 200))
times = st.sampled_from([1.01, 1.5, 3.0, 20.0, 500.0])


# --- Zayatz ---------------------------------------------------------------------------------


def test_zayatz_by_hand() -> None:
    # n = 4 of P = 8: H(1) = 1/2, H(2) = 2 C(6,3) / C(8,4) = 40/70. Of the two uniques
    # 2 (1/2) / (2 (1/2) + 4/7) = 7/11 are population uniques, and 1 / f = 2 times as many exist.
    assert uniques_by("zayatz", sample_of({1: 2, 2: 1}, 8)) == pytest.approx(
        2 * 7 / 11 * 2, rel=1e-14
    )


@settings(max_examples=examples(40))
@given(sizes=with_uniques, times=times)
def test_zayatz_is_the_twins(sizes: dict[int, int], times: float) -> None:
    population = int(twin.rows_of(sizes) * times) + 1
    expected = twin.zayatz(sizes, population)
    assert uniques_by("zayatz", sample_of(sizes, population)) == pytest.approx(
        float(expected), rel=1e-11
    )
    assert 0 <= expected <= population


def test_zayatz_with_huge_classes_and_populations() -> None:
    # P so large that rows are drawn independently: H(i) / H(1) is i (1 - f)^(i - 1).
    result = uniques_by("zayatz", sample_of({1: 10, 500_000: 1}, 10**15))
    f = 500_010 / 10**15
    chance = 10 / (10 + 500_000 * (1 - f) ** 499_999)
    assert result == pytest.approx(10 * chance / f, rel=1e-7)
    # So few others that a large class cannot have been drawn only once.
    assert uniques_by("zayatz", sample_of({1: 3, 50: 1}, 60)) == pytest.approx(
        3 / (53 / 60), rel=1e-14
    )


# --- Pitman ---------------------------------------------------------------------------------


@settings(max_examples=examples(20))
@given(sizes=with_uniques, times=times)
def test_the_equations_of_pitman_hold_or_have_no_solution(
    sizes: dict[int, int], times: float
) -> None:
    population = int(twin.rows_of(sizes) * times) + 1
    sample = sample_of(sizes, population)
    try:
        result = uniqueness.fitted_pitman(sample)
    except NotMeasurableError:
        assume(sample.groups < sample.rows)
        # With the likeliest theta for each of them, the likelihood falls from the lowest alpha on.
        curve = [_best_likelihood(sizes, alpha) for alpha in (1e-6, 0.2, 0.4, 0.6, 0.8, 0.95)]
        assert curve == sorted(curve, reverse=True)
        return
    assert 0 < result.alpha < 1
    assert result.theta > -result.alpha
    left, right, lower, upper = twin.pitman_equations(sizes, result.theta, result.alpha)
    assert left == pytest.approx(right, rel=1e-7)
    assert lower == pytest.approx(upper, rel=1e-7)
    best = twin.pitman_likelihood(sizes, result.theta, result.alpha)
    for alpha in (0.05, 0.3, 0.5, 0.7, 0.95):
        assert _best_likelihood(sizes, alpha) <= best + 1e-9 * abs(best)
    assert 0 <= result.uniques(population) <= population


def _best_likelihood(sizes: dict[int, int], alpha: float) -> float:
    def loss(log_distance: float) -> float:
        return -twin.pitman_likelihood(sizes, np.exp(log_distance) - alpha, alpha)

    options: Any = {"xatol": 1e-9}
    return -float(minimize_scalar(loss, bounds=(-12, 16), method="bounded", options=options).fun)


@given(theta=st.floats(0.001, 500), alpha=st.floats(0.001, 0.999), people=st.integers(1, 400))
def test_the_expected_uniques_of_pitman_are_exact(theta: float, alpha: float, people: int) -> None:
    expected = twin.pitman_uniques(theta, alpha, people)
    assert uniqueness.Pitman(theta, alpha).uniques(people) == pytest.approx(expected, rel=1e-9)


def test_for_many_people_hoshinos_formula_is_what_remains() -> None:
    from scipy.special import gamma  # noqa: PLC0415

    asymptotic = gamma(3.5 + 1) / gamma(3.5 + 0.4) * (10**9) ** 0.4
    assert uniqueness.Pitman(3.5, 0.4).uniques(10**9) == pytest.approx(asymptotic, rel=1e-7)
    # For few it promises more uniques than there are people.
    assert gamma(90 + 1) / gamma(90 + 0.4) * 10**0.4 > 10 > uniqueness.Pitman(90, 0.4).uniques(10)


def test_small_alphas_lose_no_digits() -> None:
    sizes = {1: 40, 2: 20, 3: 12, 5: 6, 9: 3}
    sample = sample_of(sizes, 1_000)
    for theta in (1.0, 30.0, 1e5):
        for alpha in (1e-12, 1e-7, 1e-4, 0.01, 0.3):
            first, _ = uniqueness._alpha_terms(sample, theta + alpha, alpha)
            assert first == pytest.approx(twin.pitman_equations(sizes, theta, alpha)[2], rel=1e-9)


# One sample may be far off, so simulations look at the mean error over SEEDS. The tolerances are
# about four standard errors, plus the bias, of 20 other runs (single runs: sd 0.16 and 0.12).
SEEDS = range(200, 208)


@pytest.mark.parametrize(
    ("theta", "alpha", "fraction", "tolerance"), [(10, 0.5, 0.1, 0.25), (500, 0.8, 0.05, 0.2)]
)
def test_pitman_finds_the_truth_in_its_own_populations(
    theta: float, alpha: float, fraction: float, tolerance: float
) -> None:
    errors, alphas = [], []
    for seed in SEEDS:
        people = chinese_restaurant(theta, alpha, 20_000, seed)
        sample = drawn(people, fraction, seed + 1_000)
        errors.append(uniques_by("pitman", sample) / np.count_nonzero(people == 1) - 1)
        alphas.append(uniqueness.fitted_pitman(sample).alpha)
    assert abs(np.mean(errors)) < tolerance
    assert np.mean(alphas) == pytest.approx(alpha, abs=0.09)


def test_pitman_often_has_no_estimate_where_alpha_is_all_but_zero() -> None:
    """The likeliest alpha is then often not above 0: to be told, not to be hidden by a number."""
    outcomes = set()
    for seed in range(20):
        sample = drawn(chinese_restaurant(3_000, 0.05, 20_000, seed), 0.1, seed + 100)
        outcomes.add(all_estimates(sample)["pitman"].uniques is None)
    assert outcomes == {True, False}


# --- slide negative binomial ----------------------------------------------------------------


@settings(max_examples=examples(40))
@given(sizes=with_uniques, times=times)
def test_the_equations_of_snb_hold(sizes: dict[int, int], times: float) -> None:
    population = int(twin.rows_of(sizes) * times) + 1
    sample = sample_of(sizes, population)
    exact = twin.shlosser(sizes, Fraction(sample.rows, population))
    assert uniqueness.population_groups(sample) == pytest.approx(float(exact), rel=1e-9)
    try:
        result = uniqueness.fitted_slid(sample)
    except NotMeasurableError:
        return
    assert result.alpha > 0
    assert 0 < result.beta < 1
    assert 0 <= result.uniques <= population
    assume(result.beta > 0.02)  # else the plain sum has too many terms
    parts = (result.groups, result.alpha, result.beta, sample.fraction)
    assert twin.snb_expected(*parts, 1) == pytest.approx(sample.uniques, rel=1e-6)
    assert twin.snb_expected(*parts, 2) == pytest.approx(sample.pairs, rel=1e-6)


@pytest.mark.parametrize(
    ("alpha", "beta", "fraction", "tolerance"),
    # Single runs: sd 0.02, 0.086 with a bias of 0.05, and 0.022.
    [(0.5, 0.1, 0.5, 0.03), (2.0, 0.3, 0.4, 0.17), (0.1, 0.01, 0.3, 0.035)],
)
def test_snb_finds_the_truth_in_its_own_populations(
    alpha: float, beta: float, fraction: float, tolerance: float
) -> None:
    errors, groups = [], []
    for seed in SEEDS:
        people = 1 + np.random.default_rng(seed).negative_binomial(alpha, beta, 20_000)
        sample = drawn(people, fraction, seed + 1_000)
        errors.append(uniques_by("snb", sample) / np.count_nonzero(people == 1) - 1)
        groups.append(uniqueness.population_groups(sample))
    assert abs(np.mean(errors)) < tolerance
    assert np.mean(groups) == pytest.approx(20_000, rel=0.04)


def test_zayatz_finds_the_truth_where_most_people_are_in_the_sample() -> None:
    errors = []
    for seed in SEEDS:
        people = 1 + np.random.default_rng(seed).negative_binomial(0.5, 0.1, 20_000)
        sample = drawn(people, 0.9, seed + 1_000)
        errors.append(uniques_by("zayatz", sample) / np.count_nonzero(people == 1) - 1)
    assert abs(np.mean(errors)) < 0.01


# --- failures and edges ---------------------------------------------------------------------


@pytest.mark.parametrize("model", uniqueness.MODELS)
def test_nobody_is_unique_who_is_not_in_the_sample(model: str) -> None:
    assert uniques_by(model, sample_of({2: 5, 3: 1}, 1_000)) == 0


@pytest.mark.parametrize("model", uniqueness.MODELS)
def test_a_sample_of_everybody_needs_no_model(model: str) -> None:
    assert uniques_by(model, sample_of({1: 3, 9: 1}, 12)) == 3


def test_pitman_says_why_it_fails() -> None:
    with pytest.raises(
        NotMeasurableError, match=r"Pitman's model has no estimate: every class has"
    ):
        uniques_by("pitman", sample_of({1: 9}, 100))
    with pytest.raises(NotMeasurableError, match=r"no solution with alpha between 0 and 1.*zayatz"):
        uniques_by("pitman", sample_of({1: 1, 5: 40}, 1_000))
    with pytest.raises(NotMeasurableError, match=r"Pitman's model has no estimate"):
        uniques_by("pitman", sample_of({1: 1}, 1_000))


def test_snb_says_why_it_fails() -> None:
    with pytest.raises(NotMeasurableError, match=r"no class of two rows; model=zayatz"):
        uniques_by("snb", sample_of({1: 9, 3: 1}, 100))
    with pytest.raises(NotMeasurableError, match=r"no solution with alpha > 0 and 0 < beta < 1"):
        uniques_by("snb", sample_of({1: 1, 2: 60, 3: 60}, 310))


# --- Dankar's rule --------------------------------------------------------------------------

SKEWED = {1: 900, 2: 300, 3: 150, 4: 80, 5: 20, 50: 5}  # 2,620 rows


def test_a_small_sample_is_pitmans() -> None:
    sample = sample_of(SKEWED, 26_200)  # exactly a tenth
    estimates = all_estimates(sample)
    assert believed(sample, estimates) == (estimates["pitman"], None)


def test_a_larger_sample_has_the_smaller_of_two() -> None:
    seen = set()
    for population in (26_199, 5_000, 2_700):
        sample = sample_of(SKEWED, population)
        estimates = all_estimates(sample)
        result, wanted = believed(sample, estimates)
        assert wanted is None
        assert result.uniques == min(estimates[name].uniques or 0 for name in ("zayatz", "snb"))
        seen.add(result.model)
    assert seen <= {"zayatz", "snb"}


def test_zayatz_stands_in_where_a_model_fails() -> None:
    even = sample_of({1: 1, 5: 40}, 10_000)
    result, wanted = believed(even, all_estimates(even))
    assert (result.model, wanted) == ("zayatz", "pitman")
    no_pairs = sample_of({1: 9, 3: 1}, 24)
    result, wanted = believed(no_pairs, all_estimates(no_pairs))
    assert (result.model, wanted) == ("zayatz", "snb")


def test_every_model_says_something() -> None:
    result = all_estimates(sample_of({1: 9, 3: 1}, 24))
    assert list(result) == list(uniqueness.MODELS)
    assert result["zayatz"].share == pytest.approx((result["zayatz"].uniques or 0) / 24)
    assert result["snb"].uniques is None
    assert "no class of two rows" in (result["snb"].reason or "")


def test_millions_of_classes_take_no_time() -> None:
    sizes = dict.fromkeys(range(1, 3_000), 1_000)
    sizes[1] = 5_000_000
    result = all_estimates(sample_of(sizes, 10**12))
    assert result["zayatz"].uniques is not None


def test_a_class_may_have_as_many_others_as_are_left() -> None:
    """Of 4 people 3 were drawn: 2 * 1/3 of what a class of one has, by hand."""
    chances = uniqueness.drawn_once(Sample(np.array([1, 2]), np.array([1, 1]), 4))
    assert chances.tolist() == pytest.approx([1, 2 / 3])

"""A task on the bundled pair in a process of its own: `python peers_worker.py '<job as JSON>'`.

Runs in three environments: petaudit's, and those that hold Anonymeter and SDMetrics. All read the
same CSV files into pandas frames, run once on a few rows to warm up, and are timed on the frames.
"""

# ruff: noqa: PLC0415 (each environment has only one of the packages)
from __future__ import annotations

import itertools
import json
import logging
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final, TypeAlias

import pandas as pd
import worker

Figures: TypeAlias = dict[str, Any]
Task: TypeAlias = Callable[[pd.DataFrame, pd.DataFrame, Mapping[str, Any]], Figures]

_HEAD: Final = 200
_SEED: Final = 20240607
_SECRET: Final = "income"


def sdmetrics_mix(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """1 - total variation of each column."""
    from sdmetrics.single_column import TVComplement

    return {
        name: float(TVComplement.compute(original[name], synthetic[name]))
        for name in job["columns"]
    }


def petaudit_mix(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """The same, from the distances of distribution-distance."""
    import petaudit

    found = petaudit.distribution_distance(original, synthetic, columns=job["columns"])
    return {own.column: 1 - own.total_variation for own in found.columns}


def sdmetrics_spread(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """1 - the largest gap between the cumulative distributions of each column of numbers."""
    from sdmetrics.single_column import KSComplement

    return {
        name: float(KSComplement.compute(original[name], synthetic[name]))
        for name in job["columns"]
    }


def petaudit_spread(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """The same, with total variation, Hellinger and the area between them on the way."""
    import petaudit

    found = petaudit.distribution_distance(original, synthetic, columns=job["columns"])
    return {own.column: 1 - (own.kolmogorov_smirnov or 0.0) for own in found.columns}


def sdmetrics_correlations(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """1 - half the change of Pearson's correlation of each pair of columns of numbers."""
    from sdmetrics.column_pairs import CorrelationSimilarity

    return _of_pairs(CorrelationSimilarity.compute, original, synthetic, job["columns"])


def sdmetrics_tables(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """1 - total variation of the two-way table of each pair of columns of labels."""
    from sdmetrics.column_pairs import ContingencySimilarity

    return _of_pairs(ContingencySimilarity.compute, original, synthetic, job["columns"])


def _of_pairs(
    compute: Callable[..., float],
    original: pd.DataFrame,
    synthetic: pd.DataFrame,
    columns: Sequence[str],
) -> Figures:
    return {
        " + ".join(pair): float(compute(original[list(pair)], synthetic[list(pair)]))
        for pair in itertools.combinations(columns, 2)
    }


def petaudit_relations(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """1 - the change of each pair: of the correlation (halved), or of Cramér's V of labels."""
    import petaudit

    found = petaudit.association_change(original, synthetic, columns=job["columns"])
    return {f"{own.first} + {own.second}": 1 - own.change for own in found.pairs}


def anonymeter_attacks(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """So many attacks drawn from the synthetic table, and how many single out one original row."""
    from anonymeter.evaluators import SinglingOutEvaluator

    logging.disable()  # it warns where it finds fewer attacks than were asked for, as figures say
    mode = "univariate" if job["up_to"] == 1 else "multivariate"
    # A few rows do not have as many attacks as are asked for, and it would look for them long.
    warm = {"n_attacks": 5, "max_attempts": 1000} if len(synthetic) == _HEAD else {}
    evaluator = SinglingOutEvaluator(
        ori=original,
        syn=synthetic,
        **{"n_attacks": job["attacks"], "n_cols": job["up_to"], "seed": _SEED, **warm},
    )
    found = evaluator.evaluate(mode=mode)
    results = found.results()
    return {"attacks": job["attacks"], "singled_out": int(results.n_success)}


def petaudit_mpuccs(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """Every combination of up to so many columns, and all synthetic rows that are identified."""
    import petaudit

    found = petaudit.mpuccs(original, synthetic, max_baseline_cols=job["up_to"])
    return {
        "combinations": found.combinations,
        "attacks": int(sum(found.tree["mpuccs_cnt"])),
        "singled_out": int(found.figures["total_identified"] or 0),
        "complete": found.complete,
    }


def anonymeter_inference(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """So many people whose income is guessed from the nearest synthetic row."""
    from anonymeter.evaluators import InferenceEvaluator

    known = [name for name in original.columns if name != _SECRET]
    many = min(job["attacks"], len(original))
    evaluator = InferenceEvaluator(
        ori=original, syn=synthetic, aux_cols=known, secret=_SECRET, n_attacks=many
    )
    found = evaluator.evaluate(n_jobs=1).results()
    return {"attacks": many, "rate": found.n_success / many}


def anonymeter_linkability(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """So many people whose two halves of columns lead to the same synthetic row."""
    from anonymeter.evaluators import LinkabilityEvaluator

    many = min(job["attacks"], len(original))
    evaluator = LinkabilityEvaluator(
        ori=original, syn=synthetic, aux_cols=_halves(original), n_attacks=many, n_neighbors=1
    )
    found = evaluator.evaluate(n_jobs=1).results()
    return {"attacks": many, "rate": found.n_success / many}


def petaudit_inference(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """The same of everybody."""
    import petaudit

    found = petaudit.attribute_inference(original, synthetic, secret=_SECRET)
    return {"attacks": found.people, "rate": found.attack_rate}


def petaudit_linkability(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """The same of everybody."""
    import petaudit

    found = petaudit.linkability(original, synthetic, aux_cols=_halves(original))
    return {"attacks": found.people, "rate": found.attack_rate}


def sdmetrics_closest(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """The share of synthetic rows not nearer to training rows than to others, of a sample."""
    from sdmetrics.single_table import DCROverfittingProtection

    training, control = _training_and_control(original)
    sizes = [min(len(table), job["sample"]) for table in (synthetic, training, control)]
    tables = [
        table.sample(size, random_state=_SEED)
        for table, size in zip((synthetic, training, control), sizes, strict=True)
    ]
    kinds = {
        name: {"sdtype": "numerical" if table_kind.kind in "if" else "categorical"}
        for name, table_kind in original.dtypes.items()
    }
    found = DCROverfittingProtection.compute_breakdown(
        real_training_data=tables[1],
        synthetic_data=tables[0],
        real_validation_data=tables[2],
        metadata={"tables": {"adult": {"columns": kinds}}},
        table_name="adult",
    )
    share = found["synthetic_data_percentages"]["closer_to_training"]
    return {"pairs": sizes[0] * (sizes[1] + sizes[2]), "share": float(share)}


def petaudit_closest(original: pd.DataFrame, synthetic: pd.DataFrame, job: Any) -> Figures:
    """The same of all rows."""
    import petaudit

    training, control = _training_and_control(original)
    found = petaudit.closest_record(original=training, synthetic=synthetic, control=control)
    pairs = len(synthetic) * (len(training) + len(control))
    return {"pairs": pairs, "share": float(found.value)}


def _training_and_control(original: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    return original.iloc[::2], original.iloc[1::2]


def _halves(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    names = [str(name) for name in table.columns]
    return names[: len(names) // 2], names[len(names) // 2 :]


TASKS: Final[Mapping[tuple[str, str], Task]] = {
    ("SDMetrics", "mix"): sdmetrics_mix,
    ("petaudit", "mix"): petaudit_mix,
    ("SDMetrics", "spread"): sdmetrics_spread,
    ("petaudit", "spread"): petaudit_spread,
    ("SDMetrics", "correlations"): sdmetrics_correlations,
    ("petaudit", "correlations"): petaudit_relations,
    ("SDMetrics", "tables"): sdmetrics_tables,
    ("petaudit", "tables"): petaudit_relations,
    ("SDMetrics", "closest"): sdmetrics_closest,
    ("petaudit", "closest"): petaudit_closest,
    ("Anonymeter", "singling out"): anonymeter_attacks,
    ("petaudit", "singling out"): petaudit_mpuccs,
    ("Anonymeter", "inference"): anonymeter_inference,
    ("petaudit", "inference"): petaudit_inference,
    ("Anonymeter", "linkability"): anonymeter_linkability,
    ("petaudit", "linkability"): petaudit_linkability,
}
_PACKAGES: Final[Mapping[str, Sequence[str]]] = {
    "Anonymeter": ("anonymeter", "pandas", "polars", "numpy"),
    "SDMetrics": ("sdmetrics", "pandas", "scipy", "numpy"),
    "petaudit": (),
}


def measure(job: Mapping[str, Any]) -> dict[str, Any]:
    """Warm up, run, and say what it took and what was found."""
    task = TASKS[job["contender"], job["task"]]
    original, synthetic = (pd.read_csv(path, keep_default_na=False) for path in job["tables"])
    task(original.head(_HEAD), synthetic.head(_HEAD), job)
    if job.get("rows") is not None:
        original, synthetic = original.head(job["rows"]), synthetic.head(job["rows"])
    found = worker.timed(lambda: task(original, synthetic, job), job["runs"])
    return found | {"versions": {name: version(name) for name in _PACKAGES[job["contender"]]}}


if __name__ == "__main__":
    # What either side warns of is no part of its work.
    warnings.simplefilter("ignore")
    print(json.dumps(measure(json.loads(sys.argv[1]))))

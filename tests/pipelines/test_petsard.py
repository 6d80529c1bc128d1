"""Each name of PETsARD that is not built has its sentence, and no name that is built has one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import petaudit
from i18n.source_texts import petsard_texts
from petaudit.measures import all_measures, listed_measures
from petaudit.pipelines.petsard import (
    method_alternative,
    module_alternative,
    option_alternative,
    petsard_words,
)

WORDS = petsard_words()
# What petaudit's pipelines have, by module.
METHODS_HERE = {
    "Executor": (),
    "Loader": (),
    "Splitter": ("random", "custom_data"),
    "Synthesizer": ("custom_data", "gaussian-copula", "independent"),
    "Evaluator": tuple(listed_measures()),
    "Reporter": ("save_report", "save_data", "save_timing"),
}
OPTIONS_HERE = {
    "Executor": "log_output_type log_level log_dir log_filename compare_to",
    "Loader": "filepath schema nrows original population roles hierarchies key delimiter encoding",
    "Splitter": "method num_samples train_split_ratio random_state filepath schema",
    "Synthesizer": "method filepath schema sample_num_rows random_state",
    "Evaluator": "method limit profile allowed_worsening roles hierarchies key suppressed",
    "Reporter": "method granularity eval source time_unit module output format",
}

LIKENESS = "use distribution-distance and association-change"
QUALITY = "use distribution-distance, whose columns are 1 - KSComplement (numbers, dates)"
LACKING_METHODS = [
    ("Synthesizer", "default", "use gaussian-copula"),
    ("Synthesizer", "petsard-gaussian_copula", "use gaussian-copula"),
    ("Synthesizer", "sdv-single_table-gaussiancopula", "use gaussian-copula"),
    ("Synthesizer", "sdv-gaussiancopula", "use gaussian-copula"),
    ("Synthesizer", "SDV-single_table-GaussianCopula", "use gaussian-copula"),
    ("Synthesizer", "sdv-single_table-ctgan", "give it as custom_data"),
    ("Synthesizer", "sdv-ctgan", "give it as custom_data"),
    ("Synthesizer", "sdv-single_table-copulagan", "give it as custom_data"),
    ("Synthesizer", "sdv-single_table-tvae", "give it as custom_data"),
    ("Synthesizer", "custom_method", "give it as custom_data"),
    ("Evaluator", "default", LIKENESS),
    ("Evaluator", "sdmetrics-diagnosticreport", LIKENESS),
    ("Evaluator", "sdmetrics-qualityreport", QUALITY),
    ("Evaluator", "sdmetrics-single_table-diagnosticreport", LIKENESS),
    ("Evaluator", "sdmetrics-single_table-qualityreport", QUALITY),
    ("Evaluator", "stats", LIKENESS),
    ("Evaluator", "anonymeter", "use mpuccs, linkability or attribute-inference"),
    ("Evaluator", "mlutility", "use model-utility"),
    ("Evaluator", "mlutility-classification", "use model-utility"),
    ("Evaluator", "mlutility-regression", "use model-utility"),
    ("Evaluator", "mlutility-cluster", "as nothing is clustered"),
    ("Evaluator", "mlutility-clustering", "as nothing is clustered"),
    ("Evaluator", "custom_method", "make it a measure"),
    ("Reporter", "save_schema", "write the schema by hand"),
    ("Reporter", "SAVE_SCHEMA", "write the schema by hand"),
    ("Reporter", "save_validation", "there is no counterpart here"),
]
LACKING_OPTIONS = {
    ("Loader", None): "column_types header_names na_values method",
    ("Splitter", None): "max_overlap_ratio max_attempts",
    ("Splitter", "random"): "max_overlap_ratio max_attempts",
    ("Splitter", "custom_data"): "max_attempts column_types header_names na_values nrows",
    ("Synthesizer", "custom_data"): "column_types header_names na_values nrows delimiter encoding "
    "header index_col usecols dtype skiprows parse_dates date_format",
    ("Synthesizer", "default"): "use_gpu gpu_threshold",
    ("Synthesizer", "petsard-gaussian_copula"): "use_gpu gpu_threshold",
    ("Synthesizer", "sdv-single_table-ctgan"): "epochs batch_size",
    ("Synthesizer", "custom_method"): "module_path class_name",
    ("Synthesizer", "gaussian-copula"): "use_gpu gpu_threshold epochs batch_size",
    ("Synthesizer", "independent"): "use_gpu gpu_threshold epochs batch_size",
    ("Evaluator", "mpuccs"): "n_attacks max_n_attacks max_attempts mode n_jobs",
    ("Evaluator", "mlutility-classification"): "experiment_design resampling metrics xgb_params "
    "random_state",
    ("Evaluator", "mlutility"): "task_type n_clusters",
    ("Evaluator", "model-utility"): "experiment_design task_type metrics xgb_params random_state",
    ("Evaluator", "custom_method"): "module_path class_name",
    ("Reporter", "save_report"): "naming_strategy",
    ("Reporter", "save_schema"): "properties yaml_output",
    ("Reporter", "save_validation"): "include_details",
}


@pytest.mark.parametrize("module", ["Preprocessor", "Postprocessor", "Constrainer", "Describer"])
def test_a_module_that_is_not_built_has_a_sentence(module: str) -> None:
    sentence = module_alternative(module)
    assert sentence is not None
    assert sentence.startswith(f"PETsARD's {module} is not supported; ")
    assert module_alternative(module.lower()) is None  # PETsARD knows it in this case only


@pytest.mark.parametrize(("module", "method", "words"), LACKING_METHODS)
def test_a_method_that_is_not_built_has_a_sentence(module: str, method: str, words: str) -> None:
    sentence = method_alternative(module, method)
    assert sentence is not None
    assert sentence.startswith(f"PETsARD's {module} method {method!r} is not supported; ")
    assert words in sentence


@pytest.mark.parametrize(
    ("module", "method", "option"),
    [(*where, option) for where, text in LACKING_OPTIONS.items() for option in text.split()],
)
def test_an_option_that_is_not_built_has_a_sentence(
    module: str, method: str | None, option: str
) -> None:
    sentence = option_alternative(module, method, option)
    assert sentence is not None
    assert sentence.startswith(f"PETsARD's {module} option {option!r} is not supported; ")
    assert sentence == option_alternative(module, method and method.upper(), option)
    assert option_alternative(module, None, option) is not None
    assert option_alternative(module, method, option.upper()) is None


def test_every_listed_name_is_tested() -> None:
    listed = {
        (module, option)
        for module, methods in WORDS["options"].items()
        for known in methods.values()
        for option in known
    }
    tested = {
        (module, option) for (module, _), text in LACKING_OPTIONS.items() for option in text.split()
    }
    assert listed == tested


@pytest.mark.parametrize("module", METHODS_HERE)
def test_what_is_built_has_no_sentence(module: str) -> None:
    assert module_alternative(module) is None
    options = OPTIONS_HERE[module].split()
    if module == "Evaluator":
        options += [option.name for own in all_measures().values() for option in own.options]
    for method in METHODS_HERE[module]:
        assert method_alternative(module, method) is None
    for method in (*METHODS_HERE[module], *WORDS["methods"].get(module, ()), None):
        for option in options:
            assert option_alternative(module, method, option) is None, (method, option)


@pytest.mark.parametrize("module", [*METHODS_HERE, "Nonsense", ""])
@pytest.mark.parametrize("name", ["nonsense", "", "-", "sdvx", "x-sdv", "x" * 500])
def test_what_petsard_does_not_have_has_no_sentence(module: str, name: str) -> None:
    assert module_alternative(name) is None
    assert method_alternative(module, name) is None
    assert option_alternative(module, name, "nonsense") is None
    assert option_alternative(module, None, name) is None


def test_a_long_name_is_cut() -> None:
    sentence = method_alternative("Synthesizer", "sdv-" + "x" * 500)
    assert sentence is not None
    assert len(sentence) < 200


def test_sentences_end_without_a_period() -> None:
    sentences = [*petsard_texts()]
    assert "write null with a list of the marks" in sentences
    assert not [text for text in sentences if text.endswith(".") or text != text.strip()]


def test_attacks_of_anonymeter_are_understood(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    ages = {name: [(7 * at + shift) % 83 for at in range(120)] for shift, name in enumerate("osc")}
    for name, own in ages.items():
        columns = {"age": own, "zip": own[::-1], "pay": [age % 5 for age in own]}
        pq.write_table(pa.table(columns), f"{name}.parquet")
    with pytest.warns(
        petaudit.PetauditWarning, match="needless, because attribute-inference tries"
    ):
        executor = petaudit.Executor(
            "Splitter: {s: {method: custom_data, filepath: {ori: o.parquet, control: c.parquet}}}\n"
            "Synthesizer: {s: {method: custom_data, filepath: s.parquet}}\n"
            "Evaluator:\n"
            "  i: {method: anonymeter-inference, secret: pay, n_attacks: 50, regression: true}\n"
            "  l: {method: Anonymeter-Linkability, aux_cols: [[age], [zip]], n_neighbors: 2}\n"
            "  s: {method: anonymeter-singlingout, mode: univariate, n_attacks: 5}\n"
        )
    executor.run()
    found = {entry.data["measure"]: entry for entry in executor.get_result().values()}
    assert set(found) == {"attribute-inference", "linkability", "mpuccs"}
    guessed = petaudit.attribute_inference(
        "o.parquet", "s.parquet", "c.parquet", secret=["pay"], tolerance=0.05
    )
    row = {name: column[0].as_py() for name, column in zip(*columns_of(found), strict=True)}
    assert guessed.value == found["attribute-inference"].value
    guessed = guessed.published
    assert row["risk"] == guessed.value
    assert (row["risk_CI_btm"], row["risk_CI_top"]) == guessed.interval
    assert (row["attack_rate"], row["control_rate"]) == (guessed.attack_rate, guessed.control_rate)
    assert row["baseline_rate"] == guessed.base_rate
    assert 0 < row["attack_rate_err"] < 0.2


def columns_of(found: Any) -> tuple[Any, Any]:
    table = found["attribute-inference"]["global"]
    return table.column_names, table.columns

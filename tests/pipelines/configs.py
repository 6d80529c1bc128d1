"""Pipeline files for tests, small tables for them, and short ways to read them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

from petaudit.errors import ManyProblemsError
from petaudit.pipelines.configuration import with_overrides
from petaudit.pipelines.reading import Pipeline, partly_read, raise_problems
from petaudit.system.kinds import Problems
from petaudit.system.yaml_files import Document, parse_yaml

# As PETsARD's documents print it.
SEED = """\
Splitter:
  external_split:
    method: custom_data
    filepath:
      ori: benchmark://adult-income_ori
      control: benchmark://adult-income_control
    schema:
      ori: benchmark://adult-income_schema
      control: benchmark://adult-income_schema
Synthesizer:
  external_data:
    method: custom_data
    filepath: benchmark://adult-income_syn
    schema: benchmark://adult-income_schema
Evaluator:
  mpuccs_assessment:
    method: mpuccs
    max_baseline_cols: 2        # 要評估的最大欄位數（預設：null = 所有欄位）
    min_entropy_delta: 0.01     # 最小熵增益閾值（預設：0.0）
    field_decay_factor: 0.5     # 欄位組合加權衰減（預設：0.5）
    renyi_alpha: 2.0            # Rényi 熵參數（預設：2.0）
    numeric_precision: null     # 自動偵測或指定小數位數（預設：null）
    datetime_precision: null    # 自動偵測或指定時間精度（預設：null）
    calculate_baseline: true     # 計算基線保護指標（預設：true）
"""

SMALL_SEED = re.sub(r"benchmark://adult-income_(\w+)", r"\1.csv", SEED).replace(
    "schema.csv", "schema.yaml"
)

RELEASE = """\
Executor:
  log_output_type: stdout
  log_level: INFO
Loader:
  table:
    filepath: table.csv
    original: original.csv
    delimiter: ";"
    encoding: utf-8
    nrows: 5
    roles:
      quasi_identifier: [zip, age]
      sensitive_attribute: disease
    hierarchies:
      zip: {"*": ["47677", "47602"]}
      age: hierarchy_age.csv
Evaluator:
  closeness:
    method: t-closeness
    limit: 0.3
    distance: {disease: equal}
    worst: 3
    allowed_worsening: 0.01
  price:
    method: profitability
    cost: 4
    gain: 5.5
    loss: 1e3
    benefit: 1200
    allow_attack: true
  kept:
    method: precision
    unknown: maximal
    suppressed: class
Reporter:
  figures:
    method: save_report
    granularity: [summary, global]
    eval: [closeness, price]
    output: small
    format: json
  times:
    method: save_timing
    time_unit: minutes
    module: [Loader, Evaluator]
"""

MADE = """\
Loader:
  people:
    filepath: ori.csv
    schema: schema.yaml
Splitter:
  halves:
    num_samples: 2
    train_split_ratio: 0.5
    random_state: 7
Synthesizer:
  drawn:
    method: independent
    sample_num_rows: 8
    random_state: 1
  copula:
    method: gaussian-copula
Evaluator:
  risk:
    method: mpuccs
    profile: research
    n_cols: [1, 2]
    seed: 3
    threads: 1
    time_limit: 5.0
    deduplicate: true
Reporter:
  rows:
    method: save_data
    source: [Splitter, Synthesizer]
    output: people
    format: csv
"""

WHOLE = (SMALL_SEED, RELEASE, MADE)

_ROWS = "zip;age;disease\n47677;29;flu\n47677;29;cold\n47602;22;flu\n47602;22;flu\n47602;29;cold\n"
TABLES = {
    "table.csv": _ROWS,
    "original.csv": _ROWS,
    "ori.csv": _ROWS,
    "control.csv": _ROWS.replace("flu", "cough"),
    "syn.csv": _ROWS.replace("29", "28"),
    "hierarchy_age.csv": "29;2*;*\n22;2*;*\n",
    "schema.yaml": "id: people\nattributes: {zip: {}, age: {type: int}, disease: {}}\n",
}


def write_tables(folder: Path) -> None:
    for name, content in TABLES.items():
        (folder / name).write_text(content, encoding="utf-8")


def chances(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 (to spoil files, not to keep secrets)


def read_pipeline(document: Document, origin: str) -> Pipeline:
    """The pipeline, or an error that names every problem and its line."""
    problems = Problems()
    pipeline = partly_read(document, origin, problems)
    raise_problems(origin, document, problems)
    return pipeline


def read(text: str, *changes: str) -> Pipeline:
    """A pipeline from text; messages call it x.yaml."""
    return read_pipeline(with_overrides(parse_yaml(text, "x.yaml"), changes), "x.yaml")


def problems_of(action: Callable[[], object]) -> tuple[str, ...]:
    """Everything that an action finds wrong; nothing if it goes through."""
    try:
        action()
    except ManyProblemsError as problem:
        return problem.messages
    return ()

"""Every rule of a pipeline file: what breaks it is named with its line and what was meant."""

from __future__ import annotations

from functools import partial

import pytest

from petaudit.errors import InputError
from petaudit.pipelines.models import CustomSplit, Evaluation, Loader, RandomSplit, SaveReport
from petaudit.pipelines.reading import MOST_PROBLEMS, raise_problems
from petaudit.system.kinds import Problems
from petaudit.system.yaml_files import LARGEST_FILE, Document, parse_yaml
from pipelines.configs import MADE, RELEASE, SEED, problems_of, read

MODULES = "Executor, Loader, Splitter, Synthesizer, Anonymizer, Evaluator, Reporter"
ORDER = "Loader, Splitter, Synthesizer, Anonymizer, Evaluator, Reporter"
LOADER_OPTIONS = (
    "filepath, schema, nrows, original, population, roles, hierarchies, key, person, "
    "person_is_pseudonym, delimiter, encoding, sheet, header_row, null, blank_rows"
)
SPLITTER_OPTIONS = "num_samples, train_split_ratio, random_state, method"


def found(text: str) -> list[str]:
    """What is wrong, without the name of the file that every message begins with."""
    messages = problems_of(partial(read, text))
    assert all(own.startswith("x.yaml") for own in messages)
    return [own.removeprefix("x.yaml").removeprefix(", ") for own in messages]


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(text)
    return str(caught.value).removeprefix("x.yaml").removeprefix(", ")


def test_the_seed_is_read_as_it_is_printed() -> None:
    pipeline = read(SEED)
    assert list(pipeline.experiments) == ["Splitter", "Synthesizer", "Evaluator"]
    assert pipeline.of("Splitter")[0].model == CustomSplit(
        filepath={
            "ori": "benchmark://adult-income_ori",
            "control": "benchmark://adult-income_control",
        },
        schema={
            "ori": "benchmark://adult-income_schema",
            "control": "benchmark://adult-income_schema",
        },
    )
    evaluator = pipeline.of("Evaluator")[0]
    assert evaluator.measure is not None
    assert (evaluator.name, evaluator.measure.name) == ("mpuccs_assessment", "mpuccs")
    # Null stands for what is to be found out.
    assert evaluator.model.options == {
        "max_baseline_cols": 2,
        "min_entropy_delta": 0.01,
        "field_decay_factor": 0.5,
        "renyi_alpha": 2.0,
        "calculate_baseline": True,
    }
    assert pipeline.line_of("Evaluator", "mpuccs_assessment", "renyi_alpha") == 21
    assert pipeline.executor.logs_to == set()


def test_options_become_models_with_their_defaults() -> None:
    pipeline = read(RELEASE)
    table = pipeline.of("Loader")[0].model
    assert isinstance(table, Loader)
    assert (table.nrows, table.delimiter, table.schema, table.key) == (5, ";", None, None)
    assert pipeline.executor.logs_to == {"stdout"}
    assert [own.name for own in pipeline.of("Evaluator")] == ["closeness", "price", "kept"]
    assert pipeline.of("Evaluator")[1].model == Evaluation(
        method="profitability",
        options={"cost": 4, "gain": 5.5, "loss": 1000.0, "benefit": 1200, "allow_attack": True},
    )
    assert pipeline.of("Reporter")[0].model == SaveReport(
        ["summary", "global"], ["closeness", "price"], "small", "json"
    )
    drawn = read(MADE).of("Splitter")[0].model
    assert drawn == RandomSplit(num_samples=2, train_split_ratio=0.5, random_state=7)


def test_a_pipeline_runs_in_one_order_and_the_executor_stands_anywhere() -> None:
    text = "Loader: {a: {filepath: t.csv}}\nExecutor: {log_level: DEBUG}\n"
    assert read(text).executor.log_level == "DEBUG"
    assert read("Executor:\n" + text[:31]).executor.log_level is None
    assert list(read(MADE).experiments) == [name for name in ORDER.split(", ") if name in MADE]


def test_null_stands_for_what_is_not_given() -> None:
    pipeline = read(
        "Loader: {a: {filepath: t.csv, nrows: null, roles: ~, delimiter: }}\n"
        "Splitter: {b: , c: {method: null, num_samples: null}, d: {}}\n"
        "Evaluator: {e: {method: mpuccs, seed: null, suppressed: null, allowed_worsening: null}}\n"
    )
    assert pipeline.of("Loader")[0].model == Loader("t.csv")
    assert [own.model for own in pipeline.of("Splitter")] == [RandomSplit()] * 3
    assert pipeline.of("Evaluator")[0].model == Evaluation("mpuccs")


def test_a_full_width_colon_is_pointed_out() -> None:
    [said] = problems_of(lambda: read("Loader:\n  a:\n    filepath：t.csv\n"))
    assert said.startswith(
        "x.yaml, line 2: Loader.a: a must be a mapping of its options, got 'filepath：t.csv'"
    )
    assert said.endswith("(a full-width ： is not a colon; write ': ')")


def test_a_limit_that_somebody_forgot_to_fill_in_is_no_missing_limit() -> None:
    empty = "is empty; give it a value, or leave the line out"
    text = (
        "Executor:\n  compare_to:\nEvaluator:\n  e:\n    method: mpuccs\n    limit:\n    profile:"
    )
    assert [own.removeprefix("x.yaml, ") for own in problems_of(lambda: read(text))] == [
        f"line 2: Executor: compare_to {empty}",
        f"line 6: Evaluator.e: limit {empty}",
        f"line 7: Evaluator.e: profile {empty}",
    ]


@pytest.mark.parametrize("spelled", ["t-closeness", "T_Closeness", "t closeness", " t-closeness "])
def test_a_measure_is_found_under_its_usual_spellings(spelled: str) -> None:
    own = read(f"Evaluator: {{a: {{method: '{spelled}'}}}}").of("Evaluator")[0]
    assert own.model.method == "t-closeness"


WRONG = {
    # The file as a whole.
    "": [f": the file is empty; expected modules: {MODULES}"],
    "# nothing\n": [f": the file is empty; expected modules: {MODULES}"],
    "[]": [f"line 1: the file is a list; expected modules: {MODULES}"],
    "hello": [
        f"line 1: the file is plain text; expected modules: {MODULES} (for a table, petaudit init "
        "TABLE writes such a file)"
    ],
    "{}": [f"line 1: the file is empty; expected modules: {MODULES}"],
    "\nLoadr: {}": [
        f"line 2: unknown module 'Loadr' (did you mean 'Loader'?); modules are {MODULES}"
    ],
    "evaluator: {}": [
        f"line 1: unknown module 'evaluator' (did you mean 'Evaluator'?); modules are {MODULES}"
    ],
    "5: x": [f"line 1: unknown module 5; modules are {MODULES}"],
    "null: x": [f"line 1: unknown module null; modules are {MODULES}"],
    f"? 0x{'f' * 5_000}\n: x": [
        f"line 1: unknown module a very large number; modules are {MODULES}"
    ],
    "Preprocessor: {}": [
        "line 1: PETsARD's Preprocessor is not supported; leave it out, since a Synthesizer here "
        f"takes the table as it is, or prepare the table before; modules are {MODULES}"
    ],
    # Modules.
    "Loader:": ["line 1: Loader must be a mapping NAME: {options}, got null"],
    "Loader: {}": ["line 1: Loader must be a mapping NAME: {options}, got an empty mapping"],
    "Loader: [a]": ["line 1: Loader must be a mapping NAME: {options}, got a list"],
    "Loader:\n  a: t.csv": [
        "line 2: Loader.a: a must be a mapping of its options, got 't.csv'"
    ],
    "Executor: 5": ["line 1: Executor must be a mapping of its options, got 5"],
    "Executor:\n  log_leve: INFO": [
        "line 2: Executor: unknown option 'log_leve' (did you mean 'log_level'?); options of "
        "Executor are log_output_type, log_level, log_dir, log_filename, compare_to, policy, strict"
    ],
    "Executor: {log_level: loud}": [
        "line 1: Executor: log_level must be DEBUG, INFO, WARNING, ERROR or CRITICAL, got 'loud'"
    ],
    "Executor: {log_level: info}": [
        "line 1: Executor: log_level must be DEBUG, INFO, WARNING, ERROR or CRITICAL, got 'info' "
        "(did you mean 'INFO'?)"
    ],
    "Splitter: {a: {}}\nLoader: {b: {filepath: t.csv}}": [
        f"line 2: Loader comes after Splitter, but runs before it: {ORDER}"
    ],
    # Options.
    "Loader:\n  a:\n    filepat: t.csv": [
        "line 2: Loader.a: filepath is missing (the table: CSV, Parquet, a workbook, or benchmark://NAME)",
        "line 3: Loader.a: unknown option 'filepat' (did you mean 'filepath'?); options of Loader "
        f"are {LOADER_OPTIONS}",
    ],
    "Loader: {a: }": [
        "line 1: Loader.a: filepath is missing (the table: CSV, Parquet, a workbook, or benchmark://NAME)"
    ],
    "Loader: {a: {filepath: }}": [
        "line 1: Loader.a: filepath must be a file or benchmark://NAME, got null"
    ],
    "Loader: {a: {filepath: t, 5: x}}": [
        f"line 1: Loader.a: the option 5 is not text; options of Loader are {LOADER_OPTIONS}"
    ],
    "Loader: {a: {filepath: t, nrows: 0}}": [
        "line 1: Loader.a: nrows must be an integer >= 1, got 0"
    ],
    "Loader: {a: {filepath: t, nrows: yes}}": [
        "line 1: Loader.a: nrows must be an integer >= 1, got true"
    ],
    'Loader: {a: {filepath: t, delimiter: "::"}}': [
        "line 1: Loader.a: delimiter must be one character or tab, got '::'"
    ],
    "Loader: {a: {filepath: t, na_values: x}}": [
        "line 1: Loader.a: PETsARD's Loader option 'na_values' is not supported; write null with "
        "a list of the marks"
    ],
    "Loader:\n  a:\n    filepath: t\n    roles:\n      quasi_identifer: zip": [
        "line 5: Loader.a.roles: unknown key 'quasi_identifer' (did you mean 'quasi_identifier'?); "
        "expected a mapping with the keys identifier, quasi_identifier, sensitive_attribute, "
        "insensitive_attribute"
    ],
    "Loader:\n  a:\n    filepath: t\n    roles:\n      identifier: [zip,\n        5]": [
        "line 6: Loader.a.roles.identifier: item 2 of identifier must be the name of a column "
        "(quote numbers, yes and no), got 5"
    ],
    "Splitter: {a: {ratio: 1}}": [
        f"line 1: Splitter.a: unknown option 'ratio'; options of Splitter with method random are "
        f"{SPLITTER_OPTIONS}"
    ],
    "Splitter: {a: {max_attempts: 1}}": [
        "line 1: Splitter.a: PETsARD's Splitter option 'max_attempts' is not supported; leave it "
        "out, as it only goes with max_overlap_ratio"
    ],
    "Splitter: {a: {train_split_ratio: 1}}": [
        "line 1: Splitter.a: train_split_ratio must be a number > 0 and < 1, got 1"
    ],
    "Splitter: {a: {num_samples: 10001}}": [
        "line 1: Splitter.a: num_samples must be an integer from 1 to 10,000, got 10001"
    ],
    # Methods.
    "Synthesizer: {a: {filepath: t}}": [
        "line 1: Synthesizer.a: the method is missing; methods of Synthesizer are custom_data, "
        "gaussian-copula, independent, dp-marginals"
    ],
    "Synthesizer:\n  a:\n    method: custom-data": [
        "line 3: Synthesizer.a: unknown method 'custom-data' (did you mean 'custom_data'?); "
        "methods of Synthesizer are custom_data, gaussian-copula, independent, dp-marginals"
    ],
    "Synthesizer: {a: {method: [x]}}": [
        "line 1: Synthesizer.a: unknown method a list; methods of Synthesizer are custom_data, "
        "gaussian-copula, independent, dp-marginals"
    ],
    "Synthesizer: {a: {method: sdv-single_table-ctgan}}": [
        "line 1: Synthesizer.a: PETsARD's Synthesizer method 'sdv-single_table-ctgan' is not "
        "supported; make the table with it and give it as custom_data; methods of Synthesizer are "
        "custom_data, gaussian-copula, independent, dp-marginals"
    ],
    "Evaluator: {a: {}}": [
        "line 1: Evaluator.a: the method is missing; name a measure (petaudit measures lists them)"
    ],
    "Evaluator: {a: {method: 5}}": [
        "line 1: Evaluator.a: method must be the name of a measure, got 5"
    ],
    "Evaluator: {a: {method: anonymeter-linkability}}": [
        "line 1: Evaluator.a: linkability needs aux_cols (two lists of columns that two sources "
        "know, or several such pairs)"
    ],
    "Evaluator: {a: {method: mpuccs, n_jobs: 2}}": [
        "line 1: Evaluator.a: PETsARD's Evaluator option 'n_jobs' is not supported; use threads of "
        "mpuccs"
    ],
    "Evaluator: {a: {method: mpuccs, profile: publik}}": [
        "line 1: Evaluator.a: profile must be public, research, internal, development, high-risk, "
        "excellent, good or acceptable, got 'publik' (did you mean 'public'?)"
    ],
    "Evaluator: {a: {method: profitability, cost: 1, gain: 2, los: 3}}": [
        "line 1: Evaluator.a: unknown option 'los' (did you mean 'loss'?); options of "
        "profitability are cost, gain, loss, benefit, allow_attack, method, allowed_worsening, "
        "roles, hierarchies, key, person, person_is_pseudonym, suppressed, policy",
        "line 1: Evaluator.a: profitability needs loss (what a successful attack costs the "
        "publisher)",
        "line 1: Evaluator.a: profitability needs benefit (what the publisher gains from "
        "publishing one row)",
    ],
    "Evaluator: {a: {method: profitability, cost: null, gain: 2, loss: 3, benefit: 4}}": [
        "line 1: Evaluator.a: profitability needs cost (what one attack costs the adversary)"
    ],
}  # fmt: skip


@pytest.mark.parametrize(("text", "messages"), WRONG.items(), ids=[key[:50] for key in WRONG])
def test_what_is_wrong_is_named_with_its_line(text: str, messages: list[str]) -> None:
    assert found(text) == messages


def test_all_problems_are_named_at_once_in_the_order_of_the_file() -> None:
    text = (
        "Evaluator:\n  a: {method: nonsense}\n  b:\n    method: mpuccs\n    limt: 0.1\n"
        "    seed: -1\nLoader:\n  c: {nrows: x}\nDescriber: 1\n"
    )
    lines = [own.partition(":")[0] for own in found(text)]
    assert lines == ["line 2", "line 5", "line 6", "line 7", "line 8", "line 8", "line 9"]
    assert "did you mean 'limit'?" in found(text)[1]


def test_a_flood_of_problems_is_cut() -> None:
    text = "".join(f"m{index}: 1\n" for index in range(MOST_PROBLEMS + 7))
    messages = found(text)
    assert len(messages) == MOST_PROBLEMS + 1
    assert messages[-1] == ": and 7 more problems"
    assert len(found(text[: text.index("m50:")])) == MOST_PROBLEMS


def test_no_problem_is_no_error() -> None:
    raise_problems("x.yaml", Document(None, {}), Problems())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("limit: 0.1, profile: public", "limit"),
        ("profile: public, calculate_baseline: false", "baseline"),
        ("n_cols: 2, max_baseline_cols: 3", "n_cols"),
        ("datetime_precision: weeks", "datetime_precision"),
    ],
)
def test_options_of_a_measure_that_contradict_each_other(options: str, words: str) -> None:
    (message,) = found(f"Evaluator:\n  a: {{method: mpuccs, {options}}}\n")
    assert message.startswith("line 2: Evaluator.a: ")
    assert words in message
    # Either of them alone is taken.
    for own in options.split(", ")[: options.count(",") * 2]:
        assert found(f"Evaluator: {{a: {{method: mpuccs, {own}}}}}") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Loader:\n  a: {}\n  a: {}\n", "line 3: duplicate key: 'a'"),
        ("Loader: {}\nLoader: {}\n", "line 2: duplicate key: 'Loader'"),
        ("Loader:\n  a:\n    x: 1\n    x: 1\n", "line 4: duplicate key: 'x'"),
        ("null: 1\n~: 2\n", "line 2: duplicate key: null"),
        ("2020-01-01: 1\n2020-01-01: 2\n", "line 2: duplicate key: 2020-01-01"),
        (f"? 0x{'f' * 5_000}\n: 1\n? 0x{'f' * 5_000}\n: 2\n", "line 3: duplicate key: a very large "
                                                              "number"),
        ("Loader: &a {x: 1}\nSplitter: *a\n", "line 2: aliases are not accepted"),
        ("a: &a [x]\nb: &b [*a, *a]\n", "line 2: aliases are not accepted"),
        ("Loader:\n  <<: {a: 1}\n", "line 2: merge keys (<<) are not accepted; write the options "
         "out"),
        ("Loader: {a: {delimiter: =}}\n", "line 1: a lone = must be quoted"),
        ("a: 1\n---\nb: 2\n", "line 2: but found another document"),
        ('a: "\\ud800"\n', "line 1: a text contains half of a surrogate pair"),
        ('a: 1\n"\\udc00": 2\n', "line 2: a text contains half of a surrogate pair"),
        ('a: 1\nb: "\\U00110000"\n', "line 2: not valid YAML"),
        ("a: !!map x\n", "line 1: expected a mapping node, but found scalar"),
        ("%YAML " + "9" * 5_000 + ".1\n---\na: 1\n", "line 1: not valid YAML"),
        ("#" * (LARGEST_FILE + 1), ": larger than 1,000,000 bytes; not read"),
    ],
    ids=lambda own: own[:30],
)  # fmt: skip
def test_what_yaml_itself_must_not_hold(text: str, message: str) -> None:
    assert refusal(text) == message


def test_two_escapes_of_json_make_one_character() -> None:
    assert parse_yaml('{"a": "\\ud83d\\ude00", "\\ud83d\\ude00": "\ufeff"}', "x").value == {
        "a": "😀",
        "😀": "\ufeff",
    }

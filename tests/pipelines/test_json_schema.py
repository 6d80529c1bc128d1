"""The JSON Schema says what the reader says, except for what a schema has no words for."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.cli import main
from petaudit.measures import all_measures, listed_measures
from petaudit.pipelines.json_schema import json_schema
from petaudit.pipelines.models import EVALUATOR, METHODS, MODULES, Evaluation, ExecutorSettings
from petaudit.pipelines.names import FolderInside, LogName
from petaudit.pipelines.reading import NEVER_EMPTY
from petaudit.system.kinds import Boolean, Choice, Either, Integer, Kind, ListOf, MapOf, Number
from petaudit.system.reading import Mark
from petaudit.system.settings import required_of, settings_of
from petaudit.system.yaml_files import Document, parse_yaml
from pipelines.configs import MADE, RELEASE, SEED, chances, problems_of, read_pipeline

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

# What the reader refuses and the schema cannot.
UNSAID = {
    "names are parts of file names": r"is not a plain name|has more than 60 characters",
    "JSON has no names but text": r"the name .* is not text",
    "names that a file system takes for one": r"are the same file",
    "the order of modules": r"comes after \w+, but runs before it",
    "2.0 is an integer in JSON Schema": r"an integer .*, got -?\d+\.0",
    "JSON has no largest number": r"a number .*, got (inf|nan|\d{40,}…|a very large number)",
    "options that contradict each other": r"not both|needs the baseline|give one of them|"
    r"contradict each other|no share can meet both",
    "limits that another option makes idle": r"every table would meet it",
    "how large a quotient is": r"a number .*, got '\d+/\d+'",
    "options that need another one": r"goes with a limit|give l as well|give a limit, too",
    "units of time in any case": r"datetime_precision",
}
_UNSAID = re.compile("|".join(UNSAID.values()))


def disagreement(content: Any) -> str | None:
    """What only one of the two finds wrong."""
    said = problems_of(partial(read_pipeline, Document(content, {}), "x.yaml"))
    is_valid = VALIDATOR.is_valid(content)
    if is_valid and any(not _UNSAID.search(message) for message in said):
        return f"the schema takes it, but: {said}"
    if not said and not is_valid:
        return f"the reader takes it, but: {next(VALIDATOR.iter_errors(content)).message[:300]}"
    return None


def test_it_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert json.loads(json.dumps(SCHEMA, allow_nan=False)) == SCHEMA
    assert list(SCHEMA["properties"]) == list(MODULES)


def test_petaudit_schema_prints_it(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    assert main(["schema"]) == 0
    caught = capsys.readouterr()
    assert (json.loads(caught.out), caught.err) == (SCHEMA, "")
    assert main(["schema", "--out", str(tmp_path / "s.json")]) == 0
    assert json.loads((tmp_path / "s.json").read_text(encoding="utf-8")) == SCHEMA


@pytest.mark.parametrize("text", [SEED, RELEASE, MADE])
def test_whole_files_are_valid(text: str) -> None:
    content = parse_yaml(text, "x").value
    assert [own.message for own in VALIDATOR.iter_errors(content)] == []


def test_every_setting_of_every_module_is_described() -> None:
    """Editors show the description; without one a setting is a riddle."""
    for module in METHODS:
        own = SCHEMA["properties"][module]["additionalProperties"]
        variants = [one for one in own.get("anyOf", [own]) if one != {"type": "null"}]
        many = len(listed_measures()) if module == EVALUATOR else len(METHODS[module])
        assert len(variants) == many
        for variant in variants:
            assert variant["description"]
            assert all(one["description"] for one in variant["properties"].values())
    measures = SCHEMA["properties"]["Evaluator"]["additionalProperties"]["anyOf"]
    by_name = {one["properties"]["method"]["const"]: one["properties"] for one in measures}
    for measure in listed_measures().values():
        own = {"method", "limit"} if measure.limit_help else {"method"}
        own |= {option.name for option in measure.options} | set(settings_of(Evaluation))
        assert set(by_name[measure.name]) == own


VALUES = (
    None, True, False, 0, 1, -1, 2.0, 0.5, 1e308, 10**400, float("inf"), "", " ", "\0", "x", "a/b",
    "random", "custom_data", "mpuccs", "independent", "precision", "profitability", "save_data",
    "tab", '"', "ab", "INFO", "csv", "public", "Loader", "zip", [], [None], ["zip"], ["zip", 5],
    [1, 2], ["Loader"], ["Nobody"], {}, {"ori": "x"}, {"ori": ""}, {"identifier": []},
    {"identifier": ["zip"]}, {"disease": "equal"}, {"x": {"y": {}}}, {5: "x"}, {"method": "random"},
    {"filepath": "t.csv"}, {"method": "t-closeness"},
)  # fmt: skip
NAMES = (
    *MODULES, "loader", "Describer", "a", "A", "", ".a", "x" * 61, 5, None, True,
    *{name for value in METHODS.values() for model in value for name in settings_of(model)},
    *{option.name for measure in all_measures().values() for option in measure.options},
    "limit", "method", "identifier", "ori", "na_values",
)  # fmt: skip


def changed(content: Any, chance: random.Random) -> Any:
    """The content with one thing put in, taken out, renamed or replaced, anywhere."""
    content = copy.deepcopy(content)
    inner = content
    while isinstance(inner, dict) and inner:
        key = chance.choice(list(inner))
        if chance.random() < 0.6 and isinstance(inner[key], dict) and inner[key]:
            inner = inner[key]
            continue
        match chance.randrange(6):
            case 0:
                del inner[key]
            case 1:
                inner[chance.choice(NAMES)] = inner.pop(key)
            case 2:
                inner[chance.choice(NAMES)] = chance.choice(VALUES)
            case _:
                inner[key] = chance.choice(VALUES)
        break
    return content


@pytest.mark.parametrize("seed", range(6))
def test_reader_and_schema_agree_on_spoiled_files(seed: int) -> None:
    chance = chances(seed)
    whole = [parse_yaml(text, "x").value for text in (SEED, RELEASE, MADE)]
    verdicts: Counter[bool] = Counter()
    for _ in range(400):
        content = chance.choice(whole)
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            content = changed(content, chance)
        assert disagreement(content) is None, content
        verdicts[VALIDATOR.is_valid(content)] += 1
    assert min(verdicts.values()) > 30  # Both answers were put to the test.


def value_of(kind: Kind) -> st.SearchStrategy[Any]:
    """Values that a kind takes."""
    match kind:
        case Integer():
            return st.integers(kind.least, min(kind.most or 2**63 - 1, 2**63 - 1))
        case Number():
            most = 1e308 if kind.most is None else kind.most
            without = kind.excludes_bounds
            result = st.floats(kind.least, most, exclude_min=without, exclude_max=without)
            return result.filter(kind.takes)
        case Boolean():
            return st.booleans()
        case Choice():
            return st.sampled_from(kind.words)
        case ListOf():
            return st.lists(value_of(kind.item), min_size=1, max_size=3)
        case MapOf():
            names = st.sampled_from(kind.names) if kind.names else st.text(max_size=4)
            return st.dictionaries(names, value_of(kind.item), min_size=1, max_size=3)
        case Either():
            return st.one_of(*map(value_of, kind.kinds))
        case Mark():
            return st.sampled_from(["tab", ";", "|", "年"])
        case FolderInside():
            return st.sampled_from([".", "./logs", "logs/年", "x"])
        case LogName():
            return st.sampled_from(["a.log", "年_{timestamp}.log"])
    return st.sampled_from(["x", "年齡", " y ", "t.csv"])


def options_of(kinds: dict[str, Kind], required: dict[str, Any]) -> st.SearchStrategy[Any]:
    entry = {
        name: value_of(kind) if name in NEVER_EMPTY else value_of(kind) | st.none()
        for name, kind in kinds.items()
        if name not in required
    }
    given = {
        name: value_of(kind) if isinstance(kind, Kind) else st.just(kind)
        for name, kind in required.items()
    }
    return st.fixed_dictionaries(given, optional=entry)


def experiment_of(module: str) -> st.SearchStrategy[Any]:
    if module == EVALUATOR:
        common = {name: entry.kind for name, entry in settings_of(Evaluation).items()}
        return st.one_of(
            options_of(
                {**common, **{entry.name: entry.kind for entry in measure.options}},
                {
                    "method": measure.name,
                    **{
                        # No schema says that the two lists have no column in common.
                        entry.name: [["a"], ["b"]] if entry.name == "aux_cols" else entry.kind
                        for entry in measure.options
                        if entry.required
                    },
                },
            )
            for measure in listed_measures().values()
        )
    result = []
    for model in METHODS[module]:
        kinds = {name: entry.kind for name, entry in settings_of(model).items()}
        method = model.method  # type: ignore[attr-defined]
        needed = {
            name: kinds[name]
            for name in ("filepath", "source", *required_of(model))
            if name in kinds
        }
        result.append(options_of(kinds, needed | ({"method": method} if method else {})))
    return st.one_of(result)


NAME = st.sampled_from(["a", "B", "年齡", "x.y"])
EXECUTOR_OPTIONS = options_of({k: v.kind for k, v in settings_of(ExecutorSettings).items()}, {})
CONFIGURATIONS = st.fixed_dictionaries(
    {},
    optional={"Executor": EXECUTOR_OPTIONS | st.none()}
    | {
        module: st.dictionaries(NAME, experiment_of(module), min_size=1, max_size=2)
        for module in METHODS
    },
).filter(bool)


@settings(max_examples=examples(250))
@given(content=CONFIGURATIONS)
def test_what_keeps_every_rule_is_taken_by_both(content: dict[str, Any]) -> None:
    assert disagreement(content) is None
    assert VALIDATOR.is_valid(content)


@settings(max_examples=examples(250))
@given(content=CONFIGURATIONS, seed=st.integers(0, 10**6))
def test_reader_and_schema_agree_on_what_is_nearly_right(
    content: dict[str, Any], seed: int
) -> None:
    assert disagreement(changed(content, chances(seed))) is None


@pytest.mark.parametrize(
    "text",
    [
        "Loader: {.a: {filepath: t}}",
        "Loader: {5.5: {filepath: t}}",
        "Loader: {a: {filepath: t}, A: {filepath: t}}",
        "Splitter: {a: {}}\nLoader: {b: {filepath: t}}",
        "Loader: {a: {filepath: t, nrows: 2.0}}",
        "Evaluator: {a: {method: precision, limit: .inf}}",
        "Evaluator: {a: {method: k-anonymity, limit: 1/3}}",
        "Evaluator: {a: {method: mpuccs, limit: 4/3}}",
        "Evaluator: {a: {method: recursive-l-diversity, l: 1, limit: 2}}",
        "Evaluator: {a: {method: mpuccs, limit: 0.1, profile: public}}",
        "Evaluator: {a: {method: mpuccs, profile: public, calculate_baseline: false}}",
        "Evaluator: {a: {method: mpuccs, n_cols: 1, max_baseline_cols: 1}}",
        "Evaluator: {a: {method: mpuccs, datetime_precision: weeks}}",
        "Evaluator: {a: {method: model-utility, metric: r2, task: classification}}",
        "Evaluator: {a: {method: delta-presence, limit: 0.1, least: 0.2}}",
        "Evaluator: {a: {method: special-uniques, population_size: 9, sampling_fraction: 0.5}}",
        "Evaluator: {a: {method: alpha-k-anonymity, k: 2}}",
        "Evaluator: {a: {method: recursive-l-diversity, limit: 2}}",
    ],
)
def test_what_only_the_reader_knows(text: str) -> None:
    """Each entry of the list above is needed: the schema does take these."""
    document = parse_yaml(text, "x")
    assert VALIDATOR.is_valid(document.value)
    (message,) = problems_of(partial(read_pipeline, document, "x"))
    assert _UNSAID.search(message)


def test_what_only_the_reader_takes() -> None:
    """Other spellings of a measure's name, so that editors complete one of them."""
    document = parse_yaml("Evaluator: {a: {method: T_Closeness}}", "x")
    assert not VALIDATOR.is_valid(document.value)
    assert read_pipeline(document, "x").of("Evaluator")


@pytest.mark.parametrize("text", ["Splitter: {a: }", "Splitter: {a: {method: }}", "Executor:"])
def test_null_is_what_is_not_given_to_both(text: str) -> None:
    content = {"Loader": {"t": {"filepath": "t.csv"}}, **parse_yaml(text, "x").value}
    assert disagreement(content) is None
    assert VALIDATOR.is_valid(content)

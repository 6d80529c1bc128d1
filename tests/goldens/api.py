"""Small calls of petaudit from Python, and all that they give, as JSON.

Only public names are used, and no ``repr``: what is kept must outlive any other order of modules.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import runpy
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest

import petaudit
import PETWorks
from goldens.normal import normalized
from petaudit import datasets
from petaudit.judging.gate import Figure
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
INPUTS = HERE / "inputs"
GRANULARITIES = ("global", "columnwise", "details", "tree")
KINDS = (
    *("InputError", "ColumnError", "RoleError", "HierarchyError", "OptionError"),
    *("NotMeasurableError", "UndecidedError", "EngineError", "PetauditError"),
)

Call = Callable[[], Any]


def _input(name: str) -> pa.Table:
    """A table whose cells are texts, as in a file."""
    path = INPUTS / f"{name}.csv"
    columns = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    types = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=True
    )
    return pyarrow.csv.read_csv(path, convert_options=types)


VISITS, ORIGINAL, RELEASED = _input("visits"), _input("original"), _input("released")
HIERARCHIES = INPUTS / "hierarchies"
BY_COLUMNS: dict[str, Any] = {"quasi_identifiers": ["age", "zip", "sex"], "sensitive": "illness"}
COARSE: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "sensitive": ["illness", "sex"]}
NO_ROLE: dict[str, Any] = {"quasi_identifiers": ["age"]}

# The limits of each measure that is asked of one table: one that holds and one that is broken, and
# its other options.
OF_ONE_TABLE: dict[str, tuple[tuple[Any, Any], list[dict[str, Any]]]] = {
    "k_anonymity": ((1, 3), []),
    "alpha_k_anonymity": ((1, "1/3"), [{"limit": 0.9, "k": 3}, {"worst": 1}]),
    "l_diversity": ((1, 3), [{"worst": 0}]),
    "entropy_l_diversity": ((1, 2.5), []),
    "recursive_l_diversity": ((50, 1), [{"limit": 2, "l": 2}, {"l": 3}]),
    "t_closeness": ((1, 0.3), [{"distance": "equal"}, {"distance": {"illness": "ordered"}}]),
    "beta_likeness": ((30, 1), []),
    "enhanced_beta_likeness": ((5, 0.5), []),
    "delta_disclosure": ((5, 0.5), [{"base": 2}, {"absent": "infinite", "limit": 1}]),
    "strict_average_risk": ((1, 0.05), [{"limit": 0.5, "k": 3}, {"population_size": 1000}]),
    "prosecutor_risk": (
        (1, "1/3"),
        [{"figure": "average", "limit": 0.1}, {"figure": "at-risk", "threshold": 0.5}],
    ),
    "marketer_risk": ((1, 0.1), [{"threshold": 0.1}]),
    "sample_uniques": ((1, 0), []),
    "special_uniques": ((1, 0), [{"max_columns": 1}, {"sampling_fraction": 0.1}]),
    "distinction": ((1, 0.1), [{"max_columns": 1}]),
    "suppression": ((1, 0.01), []),
    "k_map": ((1, 3), [{"population_size": 1000}, {"population_size": 1000, "significance": 0.1}]),
    "population_uniqueness": (
        (1, 0.001),
        [{"population_size": 1000}, {"sampling_fraction": 0.1, "model": "pitman"}],
    ),
    "delta_presence": ((1, 0.5), [{"limit": 1, "least": 0.5}]),
    "journalist_risk": ((1, 0.1), [{"figure": "average", "limit": 0.5}]),
    "precision": ((0.1, 0.9), [{"unknown": "maximal"}]),
    "granularity": ((0.1, 0.9), [{"unknown": "maximal"}]),
    "ambiguity": ((0.1, 0.99), [{"unknown": "maximal"}]),
}
# Measures that take the original first.
OF_TWO_TABLES: dict[str, tuple[tuple[Any, Any], list[dict[str, Any]]]] = {
    "non_uniform_entropy": ((0.1, 0.9), []),
    "average_class_size": ((0.1, 1), []),
    "discernibility": ((0.1, 1), []),
    "attribute_squared_error": ((0.1, 1), [{"unknown": "maximal"}]),
    "record_squared_error": ((0.1, 1), [{"unknown": "maximal"}]),
    "distribution_distance": (
        (1, 0),
        [{"figure": "total-variation"}, {"columns": ["illness", "age"]}, {"figure": "hellinger"}],
    ),
    "association_change": ((1, 0), [{"correlation": "spearman"}, {"columns": ["illness", "age"]}]),
}
NEEDS_POPULATION = ("k_map", "population_uniqueness", "delta_presence", "journalist_risk")
PROFIT = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}
WRONG_LIMITS = (-1, 0, 2, float("nan"), float("inf"), "many", "1/0", True)


def _of_one_table(name: str) -> Iterator[tuple[str, Call]]:
    function = getattr(petaudit, name)
    (kept, broken), others = OF_ONE_TABLE[name]
    own = {"l": 2} if name == "recursive_l_diversity" else {}
    whole: dict[str, Any] = {"hierarchies": HIERARCHIES, **BY_COLUMNS}
    if name in NEEDS_POPULATION:
        whole["population"] = ORIGINAL
    yield "plain", partial(function, RELEASED, **whole)
    for limit in (kept, broken):
        yield f"limit={limit}", partial(function, RELEASED, limit=limit, **own, **whole)
    of_visits = {**whole, **COARSE, "limit": broken, **own}
    yield "visits", partial(function, VISITS, **of_visits)
    yield "visits, person", partial(function, VISITS, person="patient", **of_visits)
    yield "visits, excluded", partial(function, VISITS, suppressed="exclude", **of_visits)
    yield (
        "visits, values",
        partial(function, VISITS, reveal_values=True, **of_visits | {"hierarchies": None}),
    )
    for options in others:
        given = {key: value for key, value in whole.items() if key != "population"}
        given = given if "population_size" in options or "model" in options else whole
        shown = ", ".join(f"{key}={value}" for key, value in options.items())
        yield shown, partial(function, RELEASED, **options, **given)
    yield "no roles", partial(function, RELEASED)
    yield "only quasi-identifiers", partial(function, RELEASED, limit=broken, **own, **NO_ROLE)
    empty = pa.table({"age": ["*", "*"], "zip": ["*", "*"], "illness": ["flu", "gout"]})
    given = whole | {"quasi_identifiers": ["age", "zip"]}
    yield "all suppressed", partial(function, empty, suppressed="exclude", **given)
    for limit in WRONG_LIMITS:
        yield f"wrong limit={limit}", partial(function, RELEASED, limit=limit, **own, **whole)
    yield "unknown argument", partial(function, RELEASED, limt=3, **whole)


def _of_two_tables(name: str) -> Iterator[tuple[str, Call]]:
    function = partial(getattr(petaudit, name), ORIGINAL, RELEASED)
    (kept, broken), others = OF_TWO_TABLES[name]
    whole: dict[str, Any] = {"hierarchies": HIERARCHIES, **BY_COLUMNS}
    for limit in (None, kept, broken, *WRONG_LIMITS[:3], "many"):
        yield f"limit={limit}", partial(function, limit=limit, **whole)
    for options in others:
        shown = ", ".join(f"{key}={value}" for key, value in options.items())
        yield shown, partial(function, **options, **whole)
    yield "no roles", function
    yield "no hierarchies", partial(function, **BY_COLUMNS)
    shuffled = VISITS.take(list(reversed(range(VISITS.num_rows))))
    by_key = {**NO_ROLE, "key": "name"}
    yield "key", partial(getattr(petaudit, name), VISITS, shuffled, **by_key)
    yield "other rows", partial(getattr(petaudit, name), VISITS, RELEASED, **NO_ROLE)


def _other_measures() -> Iterator[tuple[str, Call]]:
    profitability = partial(petaudit.profitability, RELEASED, **BY_COLUMNS)
    yield "profitability", partial(profitability, **PROFIT)
    yield "profitability, no attack", partial(profitability, **PROFIT, allow_attack=False)
    yield "profitability, loss", partial(profitability, **PROFIT | {"benefit": 100})
    yield "profitability, wrong", partial(profitability, **PROFIT | {"cost": "much"})
    of_people = partial(petaudit.profitability, VISITS, person="patient", **COARSE)
    yield "profitability, person", partial(of_people, **PROFIT)
    bias = partial(petaudit.utility_bias, ORIGINAL, RELEASED)
    yield "utility_bias", partial(bias, _share_of_women)
    yield "utility_bias, limit", partial(bias, _share_of_women, limit=0.1)
    yield "utility_bias, text", partial(bias, str)
    model = partial(petaudit.model_utility, ORIGINAL, RELEASED, folds=2)
    yield "model_utility", partial(model, target="illness", limit=0.1)
    yield "model_utility, no target", model
    yield "model_utility, unknown metric", partial(model, target="illness", metric="luck")


def _share_of_women(table: Any) -> float:
    sexes = list(table["sex"])
    return sum(str(sex) == "F" for sex in sexes) / len(sexes)


def _mean_salary(table: Any) -> float:
    return sum(float(str(cell)) for cell in table["Salary"]) / len(table["Salary"])


def _mpuccs() -> Iterator[tuple[str, Call]]:
    tables = (INPUTS / "original.csv", INPUTS / "synthetic.csv")
    control = INPUTS / "control.csv"
    ways: list[dict[str, Any]] = [
        {},
        {"max_baseline_cols": 2},
        {"n_cols": [1, 3]},
        {"min_entropy_delta": 0.1, "renyi_alpha": 1},
        {"field_decay_factor": 0.3, "deduplicate": False},
        {"calculate_baseline": False, "threads": 1},
        {"numeric_precision": 1, "search": "engine"},
        {"max_baseline_cols": 0},
        {"max_baseline_cols": "2"},
        {"n_cols": []},
        {"datetime_precision": "week"},
        {"renyi_alpha": -1},
        {"field_decay_factor": 2},
        {"search": "disk"},
        {"person": "nobody"},
    ]
    for options in ways:
        shown = ", ".join(f"{key}={value}" for key, value in options.items())
        yield f"files {shown}".strip(), partial(petaudit.mpuccs, *tables, **options)
    yield "control", partial(petaudit.mpuccs, *tables, control, max_baseline_cols=2)
    for judge in ({"limit": 0.5}, {"limit": 0.9}, {"profile": "public"}, {"profile": "good"}, {}):
        shown = ", ".join(f"{key}={value}" for key, value in judge.items())
        yield f"judged {shown}".strip(), partial(_judged, tables, judge)
    small = {"A": [1, 1, 2, 3], "B": ["x", "y", "x", "x"]}
    other = {"A": [1, 7, 8, 9], "B": ["x", "x", "y", "y"]}
    yield "pandas", partial(petaudit.mpuccs, pd.DataFrame(small), pd.DataFrame(other))
    yield "polars", partial(petaudit.mpuccs, pl.DataFrame(small), pl.DataFrame(other))
    yield "other columns", partial(petaudit.mpuccs, pa.table(small), pa.table({"A": [1]}))
    yield (
        "text and number",
        partial(petaudit.mpuccs, pa.table(small), pa.table(small).select(["B", "A"])),
    )
    empty = pa.table(small).slice(0, 0)
    yield "empty", partial(petaudit.mpuccs, pa.table(small), empty)


def _judged(tables: tuple[Path, Path], judge: Mapping[str, Any]) -> Any:
    return petaudit.mpuccs(*tables, max_baseline_cols=2).judged(**judge)


def _audits() -> Iterator[tuple[str, Call]]:
    limits = {"k-anonymity": {"limit": 3}, "t_closeness": {"limit": "1/3", "distance": "equal"}}
    utility: dict[str, Any] = {"original": ORIGINAL, "hierarchies": HIERARCHIES, **BY_COLUMNS}
    few = ["k-anonymity", "l-diversity", "prosecutor-risk"]
    audit = petaudit.audit
    yield "everything", partial(audit, RELEASED, population=ORIGINAL, **utility)
    yield "limits", partial(audit, VISITS, options=limits, **COARSE)
    yield "strict", partial(audit, VISITS, measures=few, strict=True, **COARSE)
    yield "person", partial(audit, VISITS, measures=few, person="patient", **COARSE)
    yield "policy", partial(audit, VISITS, policy="pdpc-sg-2022", measures=few, **COARSE)
    yield "policy file", partial(audit, VISITS, policy=INPUTS / "house.yaml", **NO_ROLE)
    yield (
        "population size",
        partial(audit, VISITS, population_size=1000, measures="k-map", **COARSE),
    )
    yield (
        "identifier",
        partial(
            audit,
            VISITS,
            measures="k-anonymity",
            roles={"age": "quasi_identifier", "name": petaudit.Role.IDENTIFIER},
        ),
    )
    yield "bundled", partial(audit, datasets.load("patient-deidentified"), measures=few)
    yield "pandas", partial(audit, VISITS.to_pandas(), measures=few, **COARSE)
    yield "polars", partial(audit, pl.from_arrow(VISITS), measures=few, **COARSE)
    yield "not measured", lambda: audit(VISITS, measures="k-anonymity", **NO_ROLE)["l-diversity"]
    yield "unknown measure", partial(audit, VISITS, measures="k-anonimity", **NO_ROLE)
    yield "no measure", partial(audit, VISITS, measures=[], **NO_ROLE)
    yield "unknown option", partial(audit, VISITS, options={"k-anonymity": {"limt": 3}}, **NO_ROLE)
    yield "no options", partial(audit, VISITS, options={"k-anonymity": 3}, **NO_ROLE)
    yield "unknown column", partial(audit, VISITS, quasi_identifiers="agee")
    yield "column twice", partial(audit, VISITS, quasi_identifiers=["age"], sensitive=["age"])
    yield "unknown role", partial(audit, VISITS, roles={"age": "quasi"})
    yield "no table", partial(audit, 3, **NO_ROLE)
    yield "no file", partial(audit, "nothing.csv", **NO_ROLE)
    yield "no roles", partial(audit, VISITS)
    yield "unknown policy", partial(audit, VISITS, policy="pdpc", **NO_ROLE)
    yield (
        "unknown label",
        partial(
            _with_values,
            audit,
            RELEASED.select(["zip"]).append_column("age", pa.array(["x"] * RELEASED.num_rows)),
            hierarchies=HIERARCHIES,
            **NO_ROLE,
        ),
    )


def _with_values(function: Callable[..., Any], *tables: Any, **given: Any) -> Any:
    """The error of a call as somebody sees it who may see the data."""
    try:
        return function(*tables, **given)
    except petaudit.PetauditError as problem:
        return problem.with_values


def _generalize() -> Iterator[tuple[str, Call]]:
    generalize = partial(petaudit.generalize, ORIGINAL)
    rules = {
        "age": petaudit.ranges(5, 10, top=45),
        "zip": petaudit.mask_right(levels=2),
        "sex": {"F": "*", "M": "*"},
        "illness": petaudit.ordered(["flu", "asthma", "diabetes", "cancer"], 2),
    }
    folder = partial(generalize, hierarchies=HIERARCHIES)
    yield "folder", partial(folder, levels={"age": 1, "zip": 2})
    yield "rules", partial(generalize, levels=dict.fromkeys(rules, 1), hierarchies=rules)
    for rows in ("keep", "drop", "blank"):
        yield (
            rows,
            partial(
                folder, levels={"age": 1}, suppress_below=4, suppressed_rows=rows, **BY_COLUMNS
            ),
        )
    yield (
        "person",
        partial(
            petaudit.generalize,
            VISITS,
            levels={"sex": 1},
            hierarchies=rules,
            suppress_below=4,
            person="patient",
            **COARSE,
        ),
    )
    yield (
        "bundled",
        partial(petaudit.generalize, datasets.load("patient"), levels={"Age": 1, "ZIPCode": 2}),
    )
    yield "no level", partial(folder, levels={"age": 7})
    yield "no column", partial(folder, levels={"agee": 1})
    yield "no hierarchy", partial(folder, levels={"illness": 1})
    yield "wrong choice", partial(folder, levels={"age": 1}, suppressed_rows="hide")
    yield "wrong size", partial(folder, levels={"age": 1}, suppress_below="few")
    for name, rule in {
        "ranges": petaudit.ranges(5, 10, top=80, bottom=20),
        "mask": petaudit.mask_right("#"),
        "dates": petaudit.dates("month", "year"),
        "ordered": petaudit.ordered(["23", "45", "91"], 2),
    }.items():
        values = ["1977-03-09"] if name == "dates" else ["23", "91"]
        yield f"rule {name}", partial(_paths, rule, values)
        yield f"rule {name}, wrong values", partial(_paths, rule, ["x"])
    yield "rule ranges, wrong", partial(petaudit.ranges, 10, 5)
    yield "rule dates, wrong", partial(petaudit.dates, "century")
    yield "hierarchy", lambda: petaudit.Hierarchy("city", [["Paris", "Europe"]]).path_of("Paris")
    yield "hierarchy, ragged", partial(petaudit.Hierarchy, "city", [["a", "b"], ["c", "d", "e"]])
    yield "synthesize", partial(petaudit.synthesize, ORIGINAL, rows=5)
    yield "synthesize independent", partial(petaudit.synthesize, ORIGINAL, "independent", 5, seed=1)
    yield "synthesize, wrong", partial(petaudit.synthesize, ORIGINAL, "gan")


def _paths(rule: Any, values: list[str]) -> Any:
    built = rule.build("column", values)
    return [built.path_of(value) for value in values]


def _pipelines() -> Iterator[tuple[str, Call]]:
    for name in ("audit", "every-measure", "petsard", "policy", "compare"):
        path = INPUTS / f"{name}.yaml"
        yield name, partial(_executed, path)
    yield "nrows", partial(_executed, INPUTS / "audit.yaml", overrides=["Loader.visits.nrows=9"])
    yield "only", partial(_executed, INPUTS / "audit.yaml", only=["k"], frame="pandas")
    yield "pipeline", partial(_executed, INPUTS / "pipeline.yaml", only=["alone"])
    text = 'Loader: {patient: {filepath: "benchmark://patient-deidentified"}}\n'
    yield "text", partial(_executed, text + "Evaluator: {t: {method: t-closeness, limit: 0.2}}")
    yield "no evaluator", partial(_executed, text)
    for name in ("typos", "unknown-key", "wrong", "broken-step", "nothing"):
        yield f"wrong {name}", partial(_executed, INPUTS / f"{name}.yaml")
    yield "wrong frame", partial(petaudit.Executor, text, frame="numpy")
    yield "wrong only", partial(_executed, INPUTS / "audit.yaml", only=["kk"])


def _executed(config: str | Path, **given: Any) -> Any:
    events: list[str] = []
    with tempfile.TemporaryDirectory() as out, contextlib.redirect_stdout(io.StringIO()):
        executor = petaudit.Executor(
            config, out=out, listener=lambda event: events.append(event.kind), **given
        )
        verdict = executor.run()
        files = sorted(path.name for path in Path(out).iterdir() if path.is_file())
    return {
        "verdict": verdict,
        "completed": executor.is_execution_completed(),
        "events": events,
        "files": files,
        "summary": executor.get_summary(),
        "timing columns": list(_plain(executor.get_timing())),
        "breaches": executor.document["breaches"],
        "keys": list(executor.document),
        "runs": {
            name: {
                "status": found.status,
                "value": found.value,
                "tables": {table: found[table] for table in found if table != "train"},
            }
            if hasattr(found, "status")
            else found
            for name, found in executor.get_result().items()
        },
    }


def _reports() -> Iterator[tuple[str, Call]]:
    found = petaudit.audit(
        VISITS,
        measures=["k-anonymity", "l-diversity"],
        options={"k-anonymity": {"limit": 3}},
        **COARSE,
    )
    for form in ("markdown", "junit", "sarif"):
        yield form, partial(petaudit.report, found, format=form)
    yield "chinese", partial(petaudit.report, found, format="markdown", lang="zh-TW")
    yield (
        "revealed",
        partial(petaudit.report, found, format="markdown", reveal_values=True, hide_below=0),
    )
    yield "baseline", partial(petaudit.report, found, format="markdown", baseline=found.to_dict())
    yield "one result", partial(petaudit.report, found["k-anonymity"], format="markdown")
    yield "document", partial(petaudit.report, found.to_dict(), format="markdown")
    yield "old file", partial(petaudit.report, INPUTS / "old/mpuccs-0.4.0.json", format="markdown")
    yield "wrong format", partial(petaudit.report, found, format="doc")
    yield "wrong path", partial(petaudit.report, found, "report.doc")
    yield "wrong language", partial(petaudit.report, found, format="markdown", lang="fr")
    yield "wrong object", partial(petaudit.report, 3, format="markdown")
    yield "wrong language name", partial(petaudit.set_language, "fr")
    yield "wrong memory", partial(petaudit.set_memory, "lots")
    yield "policies", lambda: {name: own.to_dict() for name, own in petaudit.policies().items()}
    yield "names", lambda: sorted(petaudit.__all__)
    yield "datasets", datasets.names
    yield "schemas", lambda: sorted(datasets.schemas())
    yield "unknown dataset", partial(datasets.load, "adlut")


def _petworks() -> Iterator[tuple[str, Call]]:
    patient, delta = datasets.load("patient-deidentified"), datasets.load("delta-deidentified")
    validate = PETWorks.PETValidation
    types = {"ZIPCode": QUASI_IDENTIFIER, "Age": QUASI_IDENTIFIER, "Disease": SENSITIVE_ATTRIBUTE}
    given: dict[str, Any] = {"dataHierarchy": patient.hierarchies, "attributeTypes": types}
    of_patient = partial(validate, None, patient.path)
    yield "k-anonymity", partial(of_patient, "k-anonymity", k=3)
    yield (
        "k-anonymity, metric",
        partial(of_patient, metric="k-anonymity", k=4, attributeTypes=types),
    )
    yield "l-diversity", partial(of_patient, "l-diversity", l=3, **given)
    yield "t-closeness", partial(of_patient, "t-closeness", tLimit=0.376, **given)
    yield (
        "d-presence",
        partial(validate, delta.population, delta.path, "d-presence", dMin=0.5, dMax=0.67),
    )
    yield "risk", partial(of_patient, "ReidentificationRisk")
    yield "risk of two", partial(validate, patient.original, patient.path, "ReidentificationRisk")
    compared = partial(validate, patient.original, patient.path)
    for name in ("Non-Uniform Entropy", "Precision", "Ambiguity", "AECS"):
        yield name, partial(compared, name, dataHierarchy=patient.hierarchies)
        yield f"{name}, types", partial(compared, name, **given)
    yield "UtilityBias", partial(compared, "UtilityBias", processingFunc=_mean_salary, maxBias=0.1)
    yield (
        "mpUCCs",
        partial(
            validate,
            INPUTS / "original.csv",
            INPUTS / "synthetic.csv",
            "mpUCCs",
            max_baseline_cols=2,
        ),
    )
    for attack in (True, False):
        yield (
            f"profitability {attack}",
            partial(
                of_patient,
                "profitability",
                allowAttack=attack,
                adversaryCost=4,
                adversaryGain=300,
                publisherLost=300,
                publisherBenefit=1200,
            ),
        )
    yield "report", lambda: PETWorks.report(of_patient("k-anonymity", k=3), "json")
    yield "report, wrong", lambda: PETWorks.report({}, "pdf")
    yield "unknown", partial(of_patient, "k-anonimity", k=3)
    yield "elsewhere", partial(of_patient, "SinglingOutRisk")
    yield "lacking", partial(of_patient, "k-anonymity")
    yield "too much", partial(of_patient, "k-anonymity", k=3, kk=4)
    yield "twice", partial(of_patient, "k-anonymity", metric="k-anonymity", k=3)


def _examples() -> Iterator[tuple[str, Call]]:
    for path in sorted(EXAMPLES.glob("*.py")):
        yield path.name, partial(_run_script, path)


def _run_script(path: Path) -> None:
    runpy.run_path(str(path))


GROUPS: dict[str, Callable[[], Iterator[tuple[str, Call]]]] = {
    **{f"api-{name}": partial(_of_one_table, name) for name in OF_ONE_TABLE},
    **{f"api-{name}": partial(_of_two_tables, name) for name in OF_TWO_TABLES},
    "api-other-measures": _other_measures,  # profitability, utility_bias, model_utility
    "api-mpuccs": _mpuccs,
    "api-audit": _audits,
    "api-generalize": _generalize,
    "api-pipelines": _pipelines,
    "api-reports": _reports,
    "api-petworks": _petworks,
    "api-examples": _examples,
}


def outcome(group: str) -> str:
    """What the calls of a group give, as JSON."""
    before = petaudit.language()
    petaudit.set_language("en")
    try:
        with pytest.MonkeyPatch.context() as environment:
            # As wide as a file, whatever this runs in.
            environment.setenv("COLUMNS", "100")
            found = {name: _recorded(call) for name, call in GROUPS[group]()}
    finally:
        petaudit.set_language(before)
    text = json.dumps(found, indent=1, ensure_ascii=False, default=_plain)
    # What holds nothing deeper stands on one line.
    text = re.sub(r"[\[{]\n[^\[\]{}]*\n\s*[\]}]", lambda part: _one_line(part[0]), text)
    return normalized(text + "\n", HERE)


def _one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text)


def _recorded(call: Call) -> dict[str, Any]:
    """What a call returns or raises, prints and warns of."""
    printed = io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always", petaudit.PetauditWarning)
        try:
            entry = {"returned": _plain(call())}
        except (petaudit.PetauditError, TypeError, ValueError) as problem:
            entry = {"raised": [_kind(problem), str(problem)]}
    if caught:
        entry["warned"] = [str(own.message) for own in caught if _is_ours(own)]
    if printed.getvalue():
        entry["printed"] = printed.getvalue().splitlines()
    return entry


def _kind(problem: Exception) -> str:
    """The kind of an error, as the documents name it."""
    names = [kind.__name__ for kind in type(problem).__mro__]
    return next((name for name in names if name in KINDS), names[0])


def _is_ours(caught: warnings.WarningMessage) -> bool:
    return issubclass(caught.category, petaudit.PetauditWarning)


def _plain(found: Any) -> Any:
    """What is public of a result, an audit or a frame."""
    if isinstance(found, pa.Table):
        return found.to_pydict()
    if isinstance(found, pd.DataFrame):
        return {name: list(found[name]) for name in found}
    if isinstance(found, pl.DataFrame):
        return found.to_dict(as_series=False)
    if isinstance(found, petaudit.Audit):
        return _plain_audit(found)
    if isinstance(found, Mapping):
        return {str(key): _plain(value) for key, value in found.items()}
    if isinstance(found, tuple | list):
        return [_plain(value) for value in found]
    if hasattr(found, "explanation") and hasattr(found, "to_dict"):
        return _plain_result(found)
    if isinstance(found, str) and "\n" in found:
        return found.splitlines()
    if isinstance(found, bool | int | float | str | None):
        return found
    return str(found) if isinstance(found, Path) else type(found).__name__


def _plain_audit(audit: petaudit.Audit) -> dict[str, Any]:
    """The document of an audit; its texts and pictures are in those that commands print."""
    document = audit.to_dict()
    del document["texts"]
    for entry in document["results"]:
        del entry["pictures"]
    return document


def _plain_result(result: Any) -> dict[str, Any]:
    remedy = result.remedy
    entry = result.to_dict()
    entry.pop("timings", None)
    return entry | {
        "exact_value": str(getattr(result, "exact_value", None)),
        "explanation": list(result.explanation),
        "remedy in words": None if remedy is None else remedy.text,
        "conditions": list(result.conditions),
        "idle limit": Figure.of(result).is_idle,
        "tables": dict(_tables(result)),
    }


def _tables(result: Any) -> Iterator[tuple[str, Any]]:
    for name in GRANULARITIES:
        with contextlib.suppress(petaudit.PetauditError):
            columns = result.table(name, with_values=True)
            yield name, {key: list(column.values) for key, column in columns.items()}

"""Policies: every file that ships is whole and cited, and no limit is loosened unseen."""

from __future__ import annotations

import importlib.metadata
import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.cli import main
from petaudit.errors import InputError, OptionError
from petaudit.exact.fractions import exact
from petaudit.i18n.phrases import render
from petaudit.judging.policy import Demand, Policy, find_policy, policies, read_policy
from petaudit.measures import Better, all_measures

SHIPPED = {
    "abs-datalab": {"k-anonymity": Fraction(10)},
    "cell-3": {"k-anonymity": Fraction(3)},
    "cell-5": {"k-anonymity": Fraction(5)},
    "cell-11": {"k-anonymity": Fraction(11)},
    "cell-20": {"k-anonymity": Fraction(20)},
    "cihi-pumf": {"prosecutor-risk": Fraction(1, 25)},
    "cms-11": {"k-anonymity": Fraction(11)},
    "pdpc-sg-2022": {"k-anonymity": Fraction(5)},
    "synthetic-9": dict.fromkeys(
        ("copied-rows", "membership", "attribute-inference"), Fraction(9, 100)
    ),
    "uniqueness-5": {"population-uniqueness": Fraction(1, 20)},
    "uniqueness-20": {"population-uniqueness": Fraction(1, 5)},
}
HOUSE = """\
name: house
title: The rule of the house
limits: {k-anonymity: 3, prosecutor-risk: {limit: 1/3, figure: highest}}
not_measured: [the steward agrees]
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Outputs are folded at the width of the terminal of whoever runs the tests.
    monkeypatch.delenv("COLUMNS", raising=False)
    Path("t.csv").write_text("zip;ill\n" + "1;a\n1;b\n1;c\n" * 4)
    Path("house.yaml").write_text(HOUSE)


def table(rows: int) -> pa.Table:
    return pa.table({"zip": ["1"] * rows, "ill": ["a", "b"] * (rows // 2) + ["c"] * (rows % 2)})


def run(*arguments: str) -> int:
    return main([*arguments])


CHECK = ("check", "t.csv", "--qi", "zip", "--sensitive", "ill")


# What ships.


def test_the_limits_that_ship() -> None:
    shipped = {
        name: {measure: demand.bound for measure, demand in policy.demands.items()}
        for name, policy in policies().items()
    }
    assert shipped == SHIPPED
    assert list(policies()) == list(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_policy_is_cited_and_speaks_both_languages(name: str) -> None:
    policy = policies()[name]
    assert policy.name == name
    assert policy.publisher
    assert policy.date
    assert policy.source["title"]
    assert policy.source["url"].startswith("https://")
    assert policy.not_measured
    bilingual = [policy.title, policy.scope, policy.explanation, policy.source["read"]]
    for text in [*bilingual, *policy.not_measured]:
        assert text is not None
        assert render(text, "zh-TW") != render(text, "en")
        assert any("\u4e00" <= mark <= "\u9fff" for mark in render(text, "zh-TW"))
        assert render(text, "en").isascii()
    if "abstract" in str(policy.source["read"]):
        assert "only" in str(policy.source["read"])


def test_the_files_are_part_of_the_package() -> None:
    folder = Path(petaudit.__file__).parent / "policies"
    assert {path.stem for path in folder.iterdir()} == set(SHIPPED)
    assert importlib.metadata.version("petaudit")


# Fractions.


@pytest.mark.parametrize(
    ("rows", "limit", "holds"),
    [
        (11, "1/11", True),
        (11, Fraction(1, 11), True),
        (11, 1 / 11, True),
        (11, "0.09", False),
        (11, "0.0909", False),
        (10, "1/11", False),
        (12, "0.09", True),
    ],
)
def test_one_in_eleven_is_above_nine_hundredths(rows: int, limit: Any, holds: bool) -> None:
    options = {"prosecutor-risk": {"limit": limit}}
    result = petaudit.audit(table(rows), quasi_identifiers=["zip"], options=options)
    assert result["prosecutor-risk"].passed is holds


def test_a_limit_keeps_its_exact_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*CHECK, "--max-risk", "1/11", "--t", "3/8", "--format", "json") == 0
    entries = {
        result["measure"]: result for result in json.loads(capsys.readouterr().out)["results"]
    }
    assert entries["prosecutor-risk"]["limit"] == 1 / 11
    assert entries["prosecutor-risk"]["limit_exact"] == "1/11"
    assert entries["t-closeness"]["limit"] == 0.375
    assert entries["t-closeness"]["limit_exact"] is None
    assert run(*CHECK, "--limit", "prosecutor-risk=1/13") == 1
    assert "at most 1/13" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["1/0", "1/-2", "-1/2", "1/2/3", "1.5/2", "/2", "1/", "a/b"])
def test_what_is_no_fraction(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*CHECK, f"--max-risk={text}") == 2
    assert "must be a finite number" in capsys.readouterr().err


def test_max_risk_is_the_highest_risk(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--max-risk", "1/2", "--option", "prosecutor-risk.figure=average")
    assert run(*CHECK, *given) == 2
    assert "the figure of prosecutor-risk is given twice" in capsys.readouterr().err


def test_a_label_of_a_table_is_no_fraction() -> None:
    days = pa.table({"day": ["1/2", "2/4"], "ill": ["a", "b"]})
    result = petaudit.k_anonymity(days, quasi_identifiers="day")
    assert result.value == 1


# A policy and what was given by hand.


def test_a_policy_sets_the_limit() -> None:
    for rows, code in ((11, 0), (10, 1)):
        result = petaudit.audit(table(rows), quasi_identifiers=["zip"], policy="cms-11")
        assert (result.exit_code, result["k-anonymity"].limit) == (code, 11)


def limits_and_twin(seed: int) -> tuple[str, Any, Any, bool]:
    """Two random limits, and whether the second allows a figure that the first does not."""
    chance = random.Random(seed)  # noqa: S311 (a test)
    measure = chance.choice(["k-anonymity", "l-diversity", "prosecutor-risk", "t-closeness"])
    first, second = (
        chance.choice([f"{chance.randint(1, 12)}/{chance.randint(1, 12)}", chance.randint(1, 9)])
        for _ in range(2)
    )

    def allowed(limit: Any, figure: Fraction) -> bool:
        number = Fraction(str(limit))
        is_lower = measure in ("prosecutor-risk", "t-closeness")
        return figure <= number if is_lower else figure >= number

    # Every figure that could tell two such limits apart.
    figures = [Fraction(a, b) for a in range(145) for b in range(1, 13)]
    loosens = any(allowed(second, entry) and not allowed(first, entry) for entry in figures)
    return measure, first, second, loosens


@pytest.mark.parametrize("seed", range(60))
def test_looser_is_what_allows_more(seed: int) -> None:
    measure, first, second, loosens = limits_and_twin(seed)
    policy = Policy("p", "P", {measure: Demand(all_measures()[measure], first)})
    if loosens:
        with pytest.raises(OptionError, match="may be tighter than that of a policy, but not"):
            policy.applied_to({measure: {"limit": second}})
        return
    applied, options = policy.applied_to({measure: {"limit": second}})
    kept = options[measure]["limit"]
    assert exact(kept, "limit") == exact(second, "limit")
    is_tighter = exact(second, "limit") != exact(first, "limit")
    assert (applied.demands[measure].given is not None) is is_tighter


def test_every_measure_with_a_limit_has_a_direction() -> None:
    for measure in all_measures().values():
        if measure.limit_help is not None:
            assert measure.better in (Better.LOWER, Better.HIGHER)


def test_a_looser_limit_by_hand_names_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*CHECK, "--policy", "cms-11", "--k", "10") == 2
    said_of_it = capsys.readouterr()
    assert said_of_it.out == ""
    assert "k-anonymity is 10, and the policy cms-11 demands at least 11" in said_of_it.err
    assert run(*CHECK, "--policy", "house.yaml", "--max-risk", "0.3334") == 2
    assert "house demands at most 1/3" in capsys.readouterr().err


def test_a_tighter_limit_wins_and_both_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*CHECK, "--policy", "cms-11", "--k", "13") == 1
    assert "k-anonymity at least 11; tighter by hand: at least 13" in capsys.readouterr().out
    assert run(*CHECK, "--policy", "cms-11", "--k", "12", "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    [rule] = document["policies"]
    assert rule["limits"]["k-anonymity"]["tighter_by_hand"] == "12"
    assert {result["measure"]: result["limit"] for result in document["results"]}[
        "k-anonymity"
    ] == 12


def test_an_option_cannot_bend_a_policy(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--policy", "cihi-pumf", "--option", "prosecutor-risk.figure=average")
    assert run(*CHECK, *given) == 2
    assert "figure of prosecutor-risk is 'average', and the policy cihi-pumf demands 'highest'" in (
        capsys.readouterr().err
    )


def test_naming_other_measures_does_not_leave_out_the_policy() -> None:
    result = petaudit.audit(
        table(3), quasi_identifiers=["zip"], measures="sample-uniques", policy="cms-11"
    )
    assert result.exit_code == 1
    assert result["k-anonymity"].passed is False


def test_what_cannot_be_measured_decides_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*CHECK, "--policy", "uniqueness-5") == 2
    said_of_it = capsys.readouterr()
    assert "population-uniqueness: needs a population table" in said_of_it.err
    assert "could not be measured as requested" in said_of_it.out
    assert run(*CHECK, "--policy", "uniqueness-20", "--population-size", "1000") == 0


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown", "junit", "sarif"])
def test_every_report_tells_rule_source_and_what_is_not_measured(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*CHECK, "--policy", "cms-11", "--format", form) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for text in (
        "CMS cell size suppression policy",
        "k-anonymity at least 11",
        "resdac.org/node/1506",
        "derivable from percentages",
    ):
        assert text in shown, text
    if form == "junit":
        assert 'name="policy cms-11 1"' in shown
        assert shown.count("<skipped") >= 2
    assert run(*CHECK, "--policy", "cms-11", "--format", form, "--lang", "zh-TW") == 0
    shown = capsys.readouterr().out
    assert form == "json" or "美國 CMS" in shown


def test_a_kept_result_speaks_either_language(capsys: pytest.CaptureFixture[str]) -> None:
    run(*CHECK, "--policy", "cms-11", "--format", "json", "--out", "r.json")
    assert run("report", "r.json", "--format", "markdown", "--out", "-", "--lang", "zh-TW") == 0
    shown = capsys.readouterr().out
    assert "美國 CMS 的小格抑制政策" in shown
    assert "未衡量：" in shown


# Files of users.


def test_a_file_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*CHECK, "--policy", "house.yaml") == 0
    assert "house: The rule of the house" in capsys.readouterr().out
    result = petaudit.audit("t.csv", quasi_identifiers=["zip"], policy=Path("house.yaml"))
    [entry] = result.to_dict()["policies"]
    assert len(entry["sha256"]) == 64
    assert run(*CHECK, "--policy", "house.yaml", "--out", "house.yaml") == 2
    assert Path("house.yaml").read_text() == HOUSE


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a policy has the keys name, title"),
        ("- a\n", "a policy has the keys name, title"),
        ("name: a\ntitle: b\n", "the key limits is missing"),
        ("title: b\nlimits: {k-anonymity: 3}\n", "the key name is missing"),
        ("name: a\ntitel: b\n", "unknown key 'titel' (did you mean 'title'?)"),
        ("name: a\ntitle: {de: b}\nlimits: {k-anonymity: 3}\n", "unknown key 'de'"),
        ("name: a\ntitle: b\nlimits: {}\n", "limits must be a mapping MEASURE: LIMIT, got {}"),
        ("name: a\ntitle: b\nlimits: {k-anonimity: 3}\n", "did you mean 'k-anonymity'?"),
        (
            "name: a\ntitle: b\nlimits: {k-anonymity: x}\n",
            "the limit of k-anonymity must be a finite number, got 'x'",
        ),
        (
            "name: a\ntitle: b\nlimits: {k-anonymity: '3'}\n",
            "the limit of k-anonymity must be a number >= 1, got '3'",
        ),
        (
            "name: a\ntitle: b\nlimits: {k-anonymity: 1/0}\n",
            "the limit of k-anonymity must be a finite number, got '1/0'",
        ),
        (
            "name: a\ntitle: b\nlimits: {k-anonymity: true}\n",
            "the limit of k-anonymity must be a finite number, got True",
        ),
        (
            "name: a\ntitle: b\nlimits: {k-anonymity: null}\n",
            "the limit of k-anonymity must be a number >= 1, got None",
        ),
        ("name: a\ntitle: b\nlimits: {profitability: 3}\n", "profitability takes no limit"),
        (
            "name: a\ntitle: b\nlimits: {prosecutor-risk: {limit: 1/3, figur: x}}\n",
            "prosecutor-risk has no option 'figur' (did you mean 'figure'?)",
        ),
        (
            "name: a\ntitle: b\nlimits: {prosecutor-risk: {limit: 1/3, figure: x}}\n",
            "figure of prosecutor-risk must be highest, average or at-risk, got 'x'",
        ),
        ("name: 3\ntitle: b\nlimits: {k-anonymity: 3}\n", "name must be text, got 3"),
        (
            "name: a\ntitle: b\nlimits: {k-anonymity: 3}\nnot_measured: x\n",
            "not_measured must be a list, got 'x'",
        ),
        ("name: a\ntitle: b\nlimits: {k-anonymity: 3}\nsource: {url: x}\n", "the key title is"),
        ("name: !!python/name:os.system a\n", "line 1"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name(
    text: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("own.yaml").write_text(text)
    assert run(*CHECK, "--policy", "own.yaml") == 2
    said_of_it = capsys.readouterr().err
    assert "own.yaml" in said_of_it
    assert problem in said_of_it
    assert said_of_it.count("\n") == 1


def test_names_and_files_that_there_are_not() -> None:
    with pytest.raises(OptionError, match=r"unknown policy 'cms-12' \(did you mean 'cms-11'\?\)"):
        find_policy("cms-12")
    with pytest.raises(InputError, match=r"'none\.yaml' does not exist"):
        find_policy("none.yaml")
    with pytest.raises(OptionError, match="policy must be a name or a YAML file, got 3"):
        find_policy(3)  # type: ignore[arg-type]


def test_nobody_takes_the_name_of_a_published_rule() -> None:
    Path("own.yaml").write_text("name: cms-11\ntitle: b\nlimits: {k-anonymity: 2}\n")
    with pytest.raises(InputError, match="cms-11 is the name of a policy of petaudit"):
        find_policy("own.yaml")


def test_one_language_is_enough() -> None:
    Path("own.yaml").write_text(
        "name: a\ntitle: {zh-TW: 規則}\ndate: 2026\nsource: a letter\nlimits: {k-anonymity: 3}\n"
    )
    policy = read_policy(Path("own.yaml"))
    assert (policy.title, policy.date, policy.source) == ("規則", "2026", {"title": "a letter"})


# The command.


def test_policies_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("policies") == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in SHIPPED)
    for name in SHIPPED:
        assert run("policies", name) == 0
        # An address may be longer than a line.
        explained = "".join(capsys.readouterr().out.split())
        assert policies()[name].source["url"] in explained
        assert run("policies", name, "--lang", "zh-TW") == 0
        assert render(policies()[name].title, "zh-TW")[:8] in capsys.readouterr().out
    assert run("policies", "cms-11", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)[0]["limits"]["k-anonymity"]["limit"] == 11
    assert run("policies", "house.yaml") == 0
    assert "The rule of the house" in capsys.readouterr().out
    assert run("policies", "none") == 2


def test_in_python() -> None:
    assert petaudit.policies()["cms-11"].demands["k-anonymity"].bound == 11


# Synthetic tables.


def synthetic(capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    Path("syn.csv").write_text("zip;ill\n7;x\n8;y\n")
    code = run("mpuccs", "t.csv", "syn.csv", "--no-advice", *more)
    caught = capsys.readouterr()
    return code, caught.out + caught.err


def test_mpuccs(capsys: pytest.CaptureFixture[str]) -> None:
    Path("syn.yaml").write_text("name: s\ntitle: S\nlimits: {mpuccs: 1/11}\n")
    code, shown = synthetic(capsys, "--policy", "syn.yaml", "--format", "json")
    document = json.loads(shown)
    assert code == 0
    assert document["results"][0]["limit_exact"] == "1/11"
    assert document["policies"][0]["name"] == "s"
    code, shown = synthetic(capsys, "--policy", "syn.yaml", "--limit", "0.05")
    assert code == 0
    assert "mpuccs at most 1/11; tighter by hand: at most 0.05" in shown
    code, shown = synthetic(capsys, "--policy", "syn.yaml", "--limit", "0.1")
    assert code == 2
    assert "mpuccs is 0.1, and the policy s demands at most 1/11" in shown
    code, shown = synthetic(capsys, "--policy", "syn.yaml", "--profile", "public")
    assert code == 2
    assert "profile 'public' and a limit of the policy s" in shown
    code, shown = synthetic(capsys, "--policy", "cms-11")
    assert code == 2
    assert "demands k-anonymity, which this command does not measure" in shown


# Pipelines.

PIPELINE = """\
Executor: {policy: house.yaml}
Loader: {t: {filepath: t.csv, roles: {quasi_identifier: zip}}}
Evaluator:
  k: {method: k-anonymity}
  r: {method: prosecutor-risk}
"""


def executed(text: str, **given: Any) -> dict[str, Any]:
    folder = Path("sub")
    folder.mkdir(exist_ok=True)
    for name in ("t.csv", "house.yaml"):
        (folder / name).write_text(Path(name).read_text())
    (folder / "p.yaml").write_text(text)
    executor = petaudit.Executor(folder / "p.yaml", out=folder / "out", **given)
    executor.run()
    return executor.document


def test_a_policy_of_the_executor_is_for_all() -> None:
    document = executed(PIPELINE)
    limits = {result["measure"]: result["limit"] for result in document["results"]}
    assert limits == {"k-anonymity": 3, "prosecutor-risk": 1 / 3}
    assert (document["verdict"], document["exit_code"]) == ("passed", 0)
    assert document["policies"][0]["not_measured"] == ["the steward agrees"]
    assert executed(PIPELINE.partition("\n")[2])["policies"] == []


def test_what_no_evaluator_measures_leaves_all_undecided(
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = executed(PIPELINE.replace("  r: {method: prosecutor-risk}\n", ""))
    assert (document["verdict"], document["exit_code"]) == ("error", 2)
    [problem] = document["errors"]
    assert "it limits prosecutor-risk" in problem["reason"]
    assert executed(PIPELINE, only=["k"])["exit_code"] == 2
    Path("sub/q.yaml").write_text(PIPELINE.replace("  r: {method: prosecutor-risk}\n", ""))
    assert run("run", "sub/q.yaml", "--report", "q.md") == 2
    assert "it limits prosecutor-risk" in capsys.readouterr().out
    assert "it limits prosecutor-risk" in Path("q.md").read_text()


def test_every_table_must_be_measured() -> None:
    two = PIPELINE.replace("Loader: {t: {", "Loader: {u: {filepath: t.csv, roles: "
                           "{quasi_identifier: zip}}, t: {")  # fmt: skip
    assert executed(two)["exit_code"] == 0
    chosen = ["Loader[t]_Evaluator[k]", "Loader[t]_Evaluator[r]", "Loader[u]_Evaluator[k]"]
    assert executed(two, only=chosen)["exit_code"] == 2
    assert executed(two, only=chosen[:2])["exit_code"] == 0


def test_a_policy_of_an_evaluator() -> None:
    text = PIPELINE.partition("\n")[2].replace(
        "method: k-anonymity", "method: k-anonymity, policy: cms-11"
    )
    document = executed(text)
    limits = {result["measure"]: result["limit"] for result in document["results"]}
    assert limits == {"k-anonymity": 11, "prosecutor-risk": None}
    [rule] = executed(text.replace("cms-11", "house.yaml"))["policies"]
    assert list(rule["limits"]) == ["k-anonymity"]
    assert rule["not_measured"] == ["prosecutor-risk at most 1/3", "the steward agrees"]
    with pytest.raises(petaudit.PetauditError, match="policy cms-11 has no limit for prosecutor"):
        executed(text.replace("method: prosecutor-risk", "method: prosecutor-risk, policy: cms-11"))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("k-anonymity}", "k-anonymity, limit: 2}", r"line 1.*is 2, and the policy house demands"),
        ("house.yaml", "cms-12", r"line 1.*unknown policy 'cms-12'"),
        ("house.yaml", "none.yaml", r"line 1.*none\.yaml.*does not exist"),
        ("house.yaml", "", "policy is empty; give it a value, or leave the line out"),
        ("risk}", "risk, figure: average}", "the policy house demands 'highest'"),
        (
            "k-anonymity}",
            "k-anonymity, policy: [a]}",
            "policy must be a policy or a YAML file, got a list",
        ),
    ],
)
def test_what_is_wrong_stands_with_its_line(old: str, new: str, problem: str) -> None:
    with pytest.raises(petaudit.PetauditError, match=problem):
        executed(PIPELINE.replace(old, new))


def test_two_files_of_one_name_are_two_policies() -> None:
    Path("sub").mkdir()
    Path("sub/other.yaml").write_text(HOUSE.replace("k-anonymity: 3", "k-anonymity: 4"))
    text = PIPELINE.partition("\n")[2].replace(
        "  r: {method: prosecutor-risk}", "  m: {method: k-anonymity, policy: other.yaml}"
    )
    document = executed(text.replace("k-anonymity}", "k-anonymity, policy: house.yaml}"))
    assert [entry["limits"]["k-anonymity"]["limit"] for entry in document["policies"]] == [3, 4]
    assert [entry["limit"] for entry in document["results"]] == [3, 4]


def test_a_tighter_limit_of_an_evaluator() -> None:
    document = executed(PIPELINE.replace("k-anonymity}", "k-anonymity, limit: 25/2}"))
    [by_k, _] = document["results"]
    assert (by_k["limit"], by_k["status"]) == (12.5, "failed")
    limits = document["policies"][0]["limits"]
    assert limits["k-anonymity"]["tighter_by_hand"] == "12.5"


def test_fractions_in_files() -> None:
    text = PIPELINE.partition("\n")[2].replace("prosecutor-risk}", "prosecutor-risk, limit: 1/13}")
    [_, entry] = executed(text)["results"]
    assert (entry["limit"], entry["limit_exact"], entry["status"]) == (1 / 13, "1/13", "failed")
    assert entry["breaches"][0]["limit_exact"] == "1/13"
    with pytest.raises(petaudit.PetauditError, match="or a fraction such as 1/11, got"):
        executed(text.replace("1/13", "1/0"))


def test_a_policy_file_that_changes_while_the_table_is_measured_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = all_measures()["k-anonymity"].compute

    def changing(*given: Any, **more: Any) -> Any:
        Path("house.yaml").write_text(HOUSE.replace("3", "2"))
        return real(*given, **more)

    measure = all_measures()["k-anonymity"]
    monkeypatch.setitem(measure.__dict__, "compute", changing)
    with pytest.raises(petaudit.PetauditError, match=r"house\.yaml changed while it was being"):
        petaudit.audit("t.csv", quasi_identifiers=["zip"], policy="house.yaml")


# The pages.


@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_the_page_has_every_policy_as_its_file_says(language: str) -> None:
    folder = Path(__file__).parents[2] / "docs" / ("" if language == "en" else language)
    lines = (folder / "policies.md").read_text(encoding="utf-8").splitlines()
    rows = {line.split("`")[1]: line for line in lines if line.startswith("| `") and "](" in line}
    assert list(rows) == list(SHIPPED)
    for name, policy in policies().items():
        rules = [render(demand.rule, language) for demand in policy.demands.values()]
        shown = ("; " if language == "en" else "；").join(rules).replace("：", " ")
        assert f"| {shown} |" in rows[name]
        assert f"| {policy.date} |" in rows[name]
        assert f"({policy.source['url']})" in rows[name]

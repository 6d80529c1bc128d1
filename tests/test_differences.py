"""Our side of every example in docs/differences.md, and that both languages say the same."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import petaudit
from petaudit.errors import PetauditError
from petaudit.measures import Result, all_measures

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {"en": DOCS / "differences.md", "zh-TW": DOCS / "zh-TW" / "differences.md"}
WORDS = {
    "en": {"passes": "passes", "fails": "fails", "error": "an error"},
    "zh-TW": {"passes": "通過", "fails": "不通過", "error": "錯誤"},
}
COLUMNS = 6


def table(q: str | list[str | None], s: Any = None, **more: list[Any]) -> pa.Table:
    """``table("aab", "xyx")`` has the rows (a,x), (a,y), (b,x)."""
    columns: dict[str, Any] = {"q": list(q)}
    if s is not None:
        columns["s"] = list(s)
    return pa.table(columns | more)


def found(name: str, *tables: Any, **given: Any) -> Result:
    """What a measure says; q is the quasi-identifier and s sensitive, unless said otherwise."""
    roles: dict[str, Any] = {"quasi_identifiers": "q"}
    if "s" in tables[-1].column_names:
        roles["sensitive"] = "s"
    result: Result = getattr(petaudit, name.replace("-", "_"))(*tables, **roles | given)
    return result


def number(value: float) -> str:
    return f"{value:.5g}" if value > 1 else f"{value:.4g}"


def figure(name: str, *tables: Any, **given: Any) -> Callable[[], str]:
    return lambda: number(float(found(name, *tables, **given).value))


def detail(attribute: str, name: str, *tables: Any, **given: Any) -> Callable[[], str]:
    return lambda: number(getattr(found(name, *tables, **given), attribute))


def verdict(name: str, *tables: Any, **given: Any) -> Callable[[], str]:
    return lambda: {True: "passes", False: "fails"}[bool(found(name, *tables, **given).passed)]


def error(words: str, name: str, *tables: Any, **given: Any) -> Callable[[], str]:
    def refused() -> str:
        with pytest.raises(PetauditError, match=words):
            found(name, *tables, **given)
        return "error"

    return refused


def attack(attribute: str, name: str, *tables: Any, **given: Any) -> Callable[[], str]:
    """What an attack on a synthetic table says: the original, the synthetic table, the control."""
    function = getattr(petaudit, name.replace("-", "_"))
    return lambda: number(float(getattr(function(*tables, **given), attribute)))


def refused_attack(words: str, name: str, *tables: Any, **given: Any) -> Callable[[], str]:
    def refused() -> str:
        with pytest.raises(PetauditError, match=words):
            getattr(petaudit, name.replace("-", "_"))(*tables, **given)
        return "error"

    return refused


def adult_income(part: str) -> str:
    return f"benchmark://adult-income_{part}"


def classes(**numbers: int) -> pa.Table:
    """``classes(of_1=40, of_2=20)``: 40 classes of one row, 20 of two."""
    rows: list[str | None] = []
    for size, many in numbers.items():
        for place in range(many):
            rows += [f"{size} {place}"] * int(size.removeprefix("of_"))
    return table(rows)


TWO_SENSITIVE = table("aaaa", "wxyz", r=list("pqrs"))
PLACES = {"q": {"Peru": ["America", "*"], "France": ["Europe", "*"], "Germany": ["Europe", "*"]}}
EQUAL_LABELS = {"q": {"x": "*", "y": "*"}, "r": {"x": "*", "y": "*"}}
ZIPS = {"q": {"130": ["13*", "1**", "*"], "148": ["14*", "1**", "*"]}}
PEOPLE = pa.table({"sex": list("ffmmxm"), "age": [30, 40, 30, 30, 30, 40], "job": list("aaaaab")})
FEWER = PEOPLE.take([0, 1, 2, 4, 5])
SUDA = {"quasi_identifiers": ["sex", "age", "job"]}
AGE_AND_PAY = {"quasi_identifiers": ["age", "pay"]}
SKEWED = classes(of_1=40, of_2=20, of_3=10, of_10=5)
USUAL = classes(of_1=300, of_2=40, of_3=12, of_9=4)
# cost, gain, loss and benefit of profitability, which PETWorks sums up over the table.
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "W6": ("abb", {"cost": 4, "gain": 300, "loss": 300, "benefit": 200}),
    "W7": ("a", {"cost": 400, "gain": 300, "loss": 300, "benefit": 200}),
    "W8": ("abb", {"cost": 200, "gain": 300, "loss": 1, "benefit": 2, "allow_attack": False}),
}


def profitable_in_petworks(
    q: str, cost: int, gain: int, loss: int, benefit: int, *, allow_attack: bool = True
) -> bool:
    """One comparison for the whole table; the loss is counted once per class, not once per row."""
    sizes = Counter(q).values()
    if allow_attack:
        return benefit * len(q) > sum(Fraction(loss, size) for size in sizes)
    # A class of c rows with a chance of 1/c each: the gain is expected once per class.
    return gain * len(sizes) <= cost * len(q)


OURS: dict[str, Callable[[], str]] = {
    "P1": figure("entropy-l-diversity", table("aa", "xy")),
    "P2": figure("entropy-l-diversity", table("aaaaaaa", "xxxxyyy")),
    "P3": figure("recursive-l-diversity", table("aaa", "xxy"), l=2),
    "P4": figure("enhanced-beta-likeness", table("ab", "xy")),
    "P5": figure("k-anonymity", table(["a", "a", None])),
    "P6": figure("t-closeness", table("abab", "xyxy")),
    "P7": figure("l-diversity", table("aa**", "xyxx"), suppressed="exclude"),
    "P8": figure("t-closeness", table("aabb", ["1", "2", "1", "3"])),
    "P9": figure("t-closeness", table("a", [1])),
    "P10": figure("delta-disclosure", table("ab", "xy"), absent="infinite"),
    "P11": figure("l-diversity", TWO_SENSITIVE, sensitive=["s", "r"]),
    "P12": figure("prosecutor-risk", table("aaab"), figure="average"),
    "P13": figure("l-diversity", table("aa", ["flu", "Flu"])),
    "A1": figure("delta-disclosure", table("ab", "xy")),
    "A2": verdict("entropy-l-diversity", table("aa", "xy"), limit=2),
    "A3": verdict("k-anonymity", table("aab"), limit=2),
    "A4": verdict("k-map", classes(of_96=1, of_4=1), population_size=1000, limit=6),
    "A5": figure("prosecutor-risk", table("aaaaa"), figure="at-risk", threshold=0.199),
    "A6": verdict("strict-average-risk", table("abbbcccccc"), limit=0.3, k=2),
    "A7": error(
        "every row is suppressed", "prosecutor-risk", table("**"), suppressed="exclude"
    ),
    "A8": detail("smallest", "delta-presence", table("x"), population=table("xx*")),
    "A9": error("fewer people", "k-map", table("xx"), population=table("xy")),
    "A32": figure("k-anonymity", table("aa*")),
    "A10": detail("uniques", "population-uniqueness", SKEWED, population_size=380, model="snb"),
    "A11": detail("uniques", "population-uniqueness", USUAL, population_size=4520, model="pitman"),
    "A12": error(
        "no solution with alpha between 0 and 1", "population-uniqueness",
        classes(of_1=1, of_5=40), population_size=1000, model="pitman",
    ),
    "A13": error(
        "no class of two rows", "population-uniqueness", classes(of_1=9, of_3=1),
        population_size=24, model="snb",
    ),
    "A14": figure("population-uniqueness", table("aab"), population_size=3, model="snb"),
    "A15": detail("highest_score", "special-uniques", PEOPLE, **SUDA),
    "A16": detail("mean_score", "special-uniques", FEWER, **SUDA),
    "A17": detail(
        "rows", "special-uniques", table("fm*", r=list("12*")),
        quasi_identifiers=["q", "r"], suppressed="exclude",
    ),
    "A33": detail("separation", "distinction", table("a")),
    "A18": figure("granularity", table(["Peru", "France", "Germany"]), hierarchies=PLACES),
    "A19": figure("precision", table(["Peru", "France", "Germany"]), hierarchies=PLACES),
    "A20": figure(
        "granularity", table("x", r=["x"]), quasi_identifiers=["q", "r"], hierarchies=EQUAL_LABELS
    ),
    "A21": error("1 label not found in its", "granularity", table(["Frence"]), hierarchies=PLACES),
    "A22": figure("granularity", table("*"), hierarchies={"q": {"a": "*"}}),
    "A23": figure("average-class-size", table("aa"), table("**")),
    "A24": figure("average-class-size", table("abb"), table("***")),
    "A25": error("suppress rows instead", "average-class-size", table("abb"), table("bb")),
    "A26": figure(
        "attribute-squared-error",
        pa.table({"age": [20, 40], "pay": [10_000, 90_000]}),
        pa.table({"age": ["*", "*"], "pay": ["10000", "90000"]}),
        **AGE_AND_PAY,
    ),
    "A27": figure("attribute-squared-error", pa.table({"q": [5, 5]}), pa.table({"q": [5, 5]})),
    "A28": error("holds numbers only", "attribute-squared-error", table("FM"), table("FM")),
    "A29": error(
        "not a range like", "attribute-squared-error", pa.table({"q": [20, 30]}),
        table(["young", "young"]),
    ),
    "A30": figure(
        "record-squared-error", pa.table({"q": [0, 0, 10]}), pa.table({"q": [1000, 10, 10]})
    ),
    "A31": figure("suppression", table([None, "a"])),
    "W1": verdict(
        "delta-presence", table("a"), population=table("aab"), limit=1, least=0.1
    ),
    "W2": error(
        "overlapping labels", "delta-presence", table(["13*", "1**"]),
        population=table(["130", "148"]), hierarchies=ZIPS,
    ),
    "W3": figure("k-anonymity", table("aa", ["flu", None])),
    "W4": figure("l-diversity", TWO_SENSITIVE, sensitive=["s", "r"]),
    "W5": figure("k-anonymity", table("aa*")),
    **{
        example: verdict("profitability", table(q), **game)
        for example, (q, game) in GAMES.items()
    },
    "W9": verdict("t-closeness", table("ab", "xy"), limit=0.5),
    "S1": attack(
        "attack_rate", "attribute-inference", table("ab", [100, 7]), table("ab", [-5, 0]),
        secret=["s"], tolerance=0.05,
    ),
    "S2": attack("attack_rate", "copied-rows", table(["it's", "b"]), table(["it's", "b"])),
    "S3": refused_attack(
        "both lists of aux_cols have 'q'", "linkability", table("ab", "xy"), table("ab", "xy"),
        aux_cols=(["q"], ["q", "s"]),
    ),
    "S4": attack(
        "value", "replicated-uniques", *map(adult_income, ("ori", "syn", "control")),
        keys=["age", "gender", "race", "education"],
    ),
    "S5": attack(
        "base_rate", "attribute-inference", table("abcdefghijklmnopqrst", "x" * 19 + "y"),
        table("abcdefghijklmnopqrst" * 10, ("x" * 19 + "y") * 10), secret=["s"],
    ),
    "S6": attack(
        "value", "closest-record", pa.table({"q": [0, 10, 20, 30]}),
        pa.table({"q": [1, 11, 21, 29]}), pa.table({"q": [5]}),
    ),
    "S7": attack(
        "attack_rate", "attribute-inference", pa.table({"q": [None, 41, 60], "s": ["x", "y", "z"]}),
        pa.table({"q": [None, 40, 60], "s": ["x", "y", "z"]}), secret=["s"],
    ),
}  # fmt: skip


def rows_of(language: str) -> dict[str, list[str]]:
    """The cells of all examples, by their number."""
    found: dict[str, list[str]] = {}
    for line in PAGES[language].read_text(encoding="utf-8").splitlines():
        if re.match(r"\| [PAWS]\d+ \|", line):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            assert len(cells) == COLUMNS
            assert cells[0] not in found
            found[cells[0]] = cells
    return found


@pytest.mark.parametrize("language", PAGES)
def test_every_example_is_computed_here(language: str) -> None:
    assert [*rows_of(language)] == [*OURS]


@pytest.mark.parametrize("example", OURS)
@pytest.mark.filterwarnings("ignore::petaudit.errors.PetauditWarning")
def test_it_is_what_the_pages_say(example: str) -> None:
    computed = OURS[example]()
    for language in PAGES:
        shown = rows_of(language)[example][4]
        expected = WORDS[language].get(computed, computed)
        # A word or number may be followed by a unit or a remark.
        assert re.match(rf"{re.escape(expected)}(?![\d.])", shown), (language, shown, computed)
        assert rows_of(language)[example][3] != shown, "no difference"


def test_what_else_the_pages_say_of_our_side() -> None:
    assert found("delta-disclosure", table("ab", "xy"), base="2").value == 1
    assert found("l-diversity", table("aa**", "xyxx")).value == 1
    assert found("k-anonymity", table("aa*"), suppressed="exclude").value == 2
    kept = found("special-uniques", table("fm*", r=list("12*")), quasi_identifiers=["q", "r"])
    assert kept.rows == 3
    remedy = found("k-anonymity", table("aab"), limit=2).remedy
    assert remedy is not None
    assert remedy.rows_to_drop == 1
    lost = found("granularity", table(["Frence"]), hierarchies=PLACES, unknown="maximal")
    assert lost.value == 0
    alone = found("strict-average-risk", table("abbbcccccc"), limit=0.3)
    assert (alone.value, alone.passed) == (0.3, True)
    drawn = table("a" * 4 + "bbb" + "ccc" + "*" * 10)
    estimate = found("strict-average-risk", drawn, population_size=100, suppressed="exclude")
    assert estimate.value == pytest.approx(0.0772, abs=5e-5)


def test_both_languages_name_the_same_measures_and_numbers() -> None:
    english, chinese = (rows_of(language) for language in PAGES)
    for example, cells in english.items():
        others = chinese[example]
        [page] = re.findall(r"\((measures/.*\.md)\)", cells[1])
        assert f"({page})" in others[1]
        assert page.removeprefix("measures/").removesuffix(".md") in all_measures()
        for place in (3, 4):
            numbers, same = (re.findall(r"\d+(?:\.\d+)?", own[place]) for own in (cells, others))
            assert numbers == same, example


@pytest.mark.parametrize("example", [*GAMES, "W9"])
def test_what_petworks_says_is_what_the_pages_say(example: str) -> None:
    if example == "W9":
        # Both values are half of the table and one is all of a class: t is 1/2, not below 0.5.
        passes = Fraction(1, 2) < Fraction("0.5")
    else:
        q, game = GAMES[example]
        passes = profitable_in_petworks(q, **game)
    for language, words in WORDS.items():
        assert rows_of(language)[example][3].startswith(words["passes" if passes else "fails"])


def test_profitability_of_petworks_differs_in_both_directions() -> None:
    source = random.Random(16)  # noqa: S311 (no secret)
    seen: Counter[tuple[bool, bool, bool]] = Counter()
    for _ in range(300):
        q = "".join(source.choices("abcd", k=source.randint(1, 12)))
        game = {"cost": source.randint(0, 10)} | {
            name: source.randint(0, 30) for name in ("gain", "loss", "benefit")
        }
        allow = source.random() < 0.5
        ours = found("profitability", table(q), **game, allow_attack=allow).passed
        seen[allow, profitable_in_petworks(q, **game, allow_attack=allow), bool(ours)] += 1
    assert seen[True, True, False] > 10
    assert seen[True, False, True] > 1
    assert seen[False, True, False] > 10
    # Where no attack pays for any row, none pays on average.
    assert seen[False, False, True] == 0


def test_pages_are_honest_about_what_was_run() -> None:
    english, chinese = (
        " ".join(page.read_text(encoding="utf-8").split()) for page in PAGES.values()
    )
    assert "**ARX itself was not run**" in english
    assert "**ARX 本身沒有執行過**" in chinese
    for page in (english, chinese):
        for number in ("132", "133", "270", "264", "400", "0228c5f"):
            assert number in page
    from measures.test_against_pycanon import VERSION  # noqa: PLC0415 (a test of its own)

    assert f"pyCANON {VERSION} was run" in english
    assert f"pyCANON {VERSION} 實際執行過" in chinese


@pytest.mark.parametrize("language", ["", "zh-TW/"])
def test_pages_say_where_petworks_differs(language: str) -> None:
    """A page that says that there is no difference sends people past this list."""
    by_measure = {"profitability": ("W6", "W8"), "t-closeness": ("W9",)}
    for measure, examples in by_measure.items():
        page = (DOCS / language / "measures" / f"{measure}.md").read_text(encoding="utf-8")
        assert "(../differences.md#petworks)" in page
        for example in examples:
            assert example in page

"""Measures are found by entry point, ours and those of other packages."""

from __future__ import annotations

import inspect
import runpy
import sys
from collections.abc import Iterator
from fractions import Fraction
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import pyarrow as pa
import pytest

import petaudit
from measures.registry_cases import ENTRIES, OWN_TESTS
from petaudit.errors import OptionError
from petaudit.inputs import Inputs
from petaudit.judging.gate import Figure
from petaudit.measures import Better, Measure, Need, Result, find_measure, registry
from petaudit.measures.base import ReportedFigure
from petaudit.system import kinds

BUILT_IN = [*ENTRIES, *OWN_TESTS]


class RowCount(Measure):
    """How many rows are there?

    So many.

    Formula: rows

    Reference: none
    """

    name = "row-count"
    title = "Rows"
    better = Better.HIGHER
    range = (0.0, 1e12)
    needs = (Need.QUASI_IDENTIFIERS,)
    limit_help = "so many rows at least"

    def compute(
        self,
        inputs: Inputs,
        limit: Fraction | None,
        *,
        factor: Annotated[int, kinds.Anything(), "counts every row so often"] = 1,
    ) -> Result:
        return self.result(Fraction(inputs.table.rows * factor), limit)

    def plain_words(self, figure: ReportedFigure) -> str:
        return f"There are {figure.value:.0f} of them."


class RowCountFromOne(RowCount):
    range = (1.0, 1e12)


class OtherPrecision(RowCount):
    """Another?

    Precision.
    """

    name = "precision"


@pytest.fixture
def third_party(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Register objects as if an installed package had."""
    module = ModuleType("a_package_of_someone_else")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    installed = registry.entry_points

    def register(*objects: object) -> None:
        more = []
        for number, thing in enumerate(objects):
            setattr(module, f"thing{number}", thing)
            value = f"{module.__name__}:thing{number}"
            entry = EntryPoint(f"own-{number}", value, registry.GROUP)
            more.append(thing if isinstance(thing, EntryPoint) else entry)

        def entry_points(*, group: str, **wanted: str) -> EntryPoints:
            assert group == "petaudit.measures"
            return EntryPoints([*installed(group=group), *more]).select(**wanted)

        monkeypatch.setattr(registry, "entry_points", entry_points)
        forget()

    yield register
    forget()


def forget() -> None:
    registry.all_measures.cache_clear()


def test_all_measures_are_there() -> None:
    assert set(registry.all_measures()) == set(BUILT_IN)
    for name, measure in registry.all_measures().items():
        assert measure.name == name


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_measure_says_all_that_a_reader_needs(name: str) -> None:
    measure = find_measure(name)
    lower, upper = measure.range
    assert lower < upper
    assert measure.question.endswith("?")
    assert "doi 10." in measure.reference
    assert measure.formula
    assert measure.title
    assert measure.needs
    assert all(option.help for option in measure.options)


@pytest.mark.parametrize(
    "spelling", ["t-closeness", " T-Closeness ", "t_closeness", "T closeness", "T_CLOSENESS"]
)
def test_a_name_is_found_in_any_spelling(spelling: str) -> None:
    assert find_measure(spelling) is find_measure("t-closeness")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("t-closenes", " (did you mean 't-closeness'?)"),
        ("Precison", " (did you mean 'precision'?)"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_an_unknown_name_lists_the_known_ones(name: str, hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        find_measure(name)
    message = str(caught.value)
    assert message.startswith(f"unknown measure {name!r}{hint}; measures are ")
    assert set(message.rpartition("measures are ")[2].split(", ")) == {*BUILT_IN} - {"utility-bias"}


def test_a_package_can_add_a_measure(third_party: Any) -> None:
    third_party(RowCount)
    assert isinstance(find_measure("Row count"), RowCount)
    table = pa.table({"born": ["197*", "198*"]})
    options = {"row-count": {"limit": 5, "factor": 2}}
    audit = petaudit.audit(table, quasi_identifiers="born", options=options)
    assert audit["row-count"].value == 4
    assert audit["row-count"].explanation == ()
    assert audit["row-count"].passed is False
    assert audit.exit_code == 1
    assert "row-count" in [result["measure"] for result in audit.to_dict()["results"]]


def test_a_measure_of_a_package_speaks_in_the_summary_of_a_report(third_party: Any) -> None:
    third_party(RowCount)
    table = pa.table({"born": ["197*", "198*", "198*"]})
    audit = petaudit.audit(table, quasi_identifiers="born", measures=["row-count"])
    assert "There are 3 of them." in petaudit.report(audit)


def test_a_limit_of_a_package_that_no_table_could_break(third_party: Any) -> None:
    third_party(RowCountFromOne)
    table = pa.table({"born": ["197*", "198*"]})
    given = {"quasi_identifiers": "born", "measures": ["row-count"]}
    [idle, real] = [
        petaudit.audit(table, options={"row-count": {"limit": limit}}, **given)["row-count"]
        for limit in (1, 2)
    ]
    assert [Figure.of(result).is_idle for result in (idle, real)] == [True, False]
    with pytest.raises(OptionError, match=r"the limit of row-count is 0\.5; no table is below 1"):
        petaudit.audit(table, options={"row-count": {"limit": 0.5}}, **given)
    # Its own function is no way around it.
    with pytest.raises(OptionError, match=r"the limit of row-count is 0\.5; no table is below 1"):
        Result(2.0, 0.5, True, (), by=RowCountFromOne())
    assert not find_measure("row-count").limit_kind.takes(0.5)


def test_a_measure_of_a_package_has_its_options_checked_too(third_party: Any) -> None:
    third_party(RowCount)
    with pytest.raises(OptionError) as caught:
        petaudit.audit(
            pa.table({"born": ["197*"]}),
            quasi_identifiers="born",
            options={"row-count": {"facter": 2}},
        )
    assert str(caught.value) == (
        "row-count has no option 'facter' (did you mean 'factor'?); its options are factor, limit"
    )


def test_a_name_registered_by_two_packages_is_an_error(third_party: Any) -> None:
    third_party(OtherPrecision)
    with pytest.raises(OptionError, match="two packages register a measure named 'precision'"):
        find_measure("precision")


def test_a_measure_registered_twice_by_the_same_package_is_one(third_party: Any) -> None:
    third_party(RowCount, RowCount)
    assert list(registry.all_measures()).count("row-count") == 1


@pytest.mark.parametrize("thing", [len, None, "row-count"])
def test_what_is_no_measure_is_an_error(third_party: Any, thing: object) -> None:
    third_party(thing)
    with pytest.raises(OptionError) as caught:
        find_measure("precision")
    assert "'a_package_of_someone_else:thing0' of petaudit.measures" in str(caught.value)


@pytest.mark.parametrize("value", ["a_package_of_someone_else:missing", "no_such_package:MEASURE"])
def test_a_package_that_cannot_be_loaded_is_named(third_party: Any, value: str) -> None:
    third_party(EntryPoint("broken", value, registry.GROUP))
    with pytest.raises(OptionError, match=value):
        find_measure("precision")


def test_the_stub_is_fresh() -> None:
    """Type checkers see what ``inspect.signature`` sees; ``scripts/make_stub.py`` writes it."""
    path = Path(__file__).parents[2] / "scripts" / "make_stub.py"
    script = runpy.run_path(str(path))
    assert script["STUB"].read_text(encoding="utf-8") == script["stub"]()


def test_a_function_names_its_own_arguments() -> None:
    arguments = inspect.signature(petaudit.t_closeness).parameters
    assert {"table", "limit", "distance", "worst", "quasi_identifiers"} <= set(arguments)
    message = r"t_closeness has no argument 'quasi_identifier' \(did you mean 'quasi_identifiers'"
    with pytest.raises(OptionError, match=message):
        petaudit.t_closeness(pa.table({"a": [1]}), quasi_identifier="a")  # type: ignore[call-arg]
    with pytest.raises(OptionError, match=r"apply has no argument 'delimeter' \(did you mean 'del"):
        petaudit.apply("a.json", "b.csv", delimeter=";")  # type: ignore[call-arg]

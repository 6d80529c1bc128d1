"""The PETWorks names: same keys, same spelling, and errors that help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import petaudit
import PETWorks
from petaudit import datasets
from petaudit.errors import ColumnError, InputError, OptionError, PetauditError, RoleError
from PETWorks import PETValidation, attributetypes, report

TECHNIQUES = [
    *("t-closeness", "Non-Uniform Entropy", "profitability", "Precision", "k-anonymity"),
    *("l-diversity", "d-presence", "Ambiguity", "AECS", "ReidentificationRisk", "UtilityBias"),
    "mpUCCs",
]
STAKES = {
    "allowAttack": True,
    "adversaryCost": 4,
    "adversaryGain": 300,
    "publisherLost": 300,
    "publisherBenefit": 1200,
}
BORN = {"born": ["197*", "198*", "198*"]}
YEARS = {year: [f"{year[:3]}*", "*"] for year in ("1970", "1981", "1983")}
ROLES = {"born": "quasi_identifier", "s": "sensitive_attribute"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("IDENTIFIER", "identifier"),
        ("QUASI_IDENTIFIER", "quasi_identifier"),
        ("SENSITIVE_ATTRIBUTE", "sensitive_attribute"),
        ("INSENSITIVE_ATTRIBUTE", "insensitive_attribute"),
    ],
)
def test_attribute_types_are_plain_strings(name: str, value: str) -> None:
    attribute_type = getattr(attributetypes, name)
    assert attribute_type == value
    assert type(attribute_type) is str


def test_the_package_offers_the_four_functions() -> None:
    assert sorted(PETWorks.__all__) == ["PETAnonymization", "PETValidation", "output", "report"]


@pytest.mark.parametrize("types", ["named", "plain"])
@pytest.mark.parametrize(
    ("limit", "fulfilled"), [(0.25, True), (0.24, False), ("0.25", True), (1, True)]
)
def test_t_closeness(types: str, limit: Any, fulfilled: bool) -> None:
    table = pa.table({"born": list("aabb"), "s": list("xxxy")})
    named = {"born": attributetypes.QUASI_IDENTIFIER, "s": attributetypes.SENSITIVE_ATTRIBUTE}
    result = PETValidation(
        None,
        table,
        "t-closeness",
        attributeTypes=named if types == "named" else ROLES,
        tLimit=limit,
    )
    assert result == {"t": limit, "fulfill t-closeness": fulfilled}


@pytest.mark.parametrize("frame", [pa.table, pd.DataFrame, pl.DataFrame])
def test_frames_are_tables_too(frame: Any) -> None:
    result = PETValidation(
        frame({"born": ["1970", "1981", "1983"]}),
        frame(BORN),
        "Precision",
        dataHierarchy={"born": YEARS},
    )
    assert result == {"precision": 0.5}


@pytest.mark.parametrize(("allow_attack", "profitable"), [(True, True), (False, False)])
def test_profitability_echoes_its_inputs(allow_attack: bool, profitable: bool) -> None:
    stakes = STAKES | {"allowAttack": allow_attack}
    types = {"born": "quasi_identifier"}
    result = PETValidation(None, pa.table(BORN), "profitability", attributeTypes=types, **stakes)
    assert list(result.items()) == [
        ("allow attack", allow_attack),
        ("adversary's cost", 4),
        ("adversary's gain", 300),
        ("publisher's loss", 300),
        ("publisher's benefit", 1200),
        ("profitability", profitable),
        ("isProfitable", profitable),
    ]


def test_an_explicit_folder_of_hierarchies_covers_all_its_columns() -> None:
    """The bundled table has a side-car with 8 quasi-identifiers, and 9 hierarchies."""
    adult = datasets.load("adult-deidentified")
    everything = PETValidation(
        adult.original, adult.path, "Precision", dataHierarchy=adult.hierarchies
    )
    by_side_car = PETValidation(adult.original, adult.path, "Precision")
    assert everything["precision"] > by_side_car["precision"]


def test_attribute_types_limit_the_columns(tmp_path: Path) -> None:
    original = {"born": ["1970", "1981", "1983"], "again": ["1970", "1981", "1983"]}
    released = BORN | {"again": ["*", "*", "*"]}
    given: dict[str, Any] = {"dataHierarchy": {"born": YEARS, "again": YEARS}}
    tables = (pa.table(original), pa.table(released))
    both = PETValidation(*tables, "Non-Uniform Entropy", **given)
    types = {"born": attributetypes.QUASI_IDENTIFIER}
    one = PETValidation(*tables, "Non-Uniform Entropy", attributeTypes=types, **given)
    assert one["Non-Uniform Entropy"] == pytest.approx(2 * both["Non-Uniform Entropy"])


@pytest.mark.parametrize("spelling", ["precision", "PRECISION", "Precision"])
def test_case_does_not_matter(spelling: str) -> None:
    table = pa.table(BORN)
    assert PETValidation(table, table, spelling, dataHierarchy={"born": YEARS}) == {
        "precision": 0.5
    }


@pytest.mark.parametrize(
    ("technique", "hint"),
    [
        ("t-closenes", " (did you mean 't-closeness'?)"),
        ("Non-Uniform Entropie", " (did you mean 'Non-Uniform Entropy'?)"),
        ("magic", ""),
        (None, ""),
    ],
)
def test_an_unknown_technique_lists_the_known_ones(technique: Any, hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        PETValidation(None, pa.table(BORN), technique)
    message = str(caught.value)
    assert message.startswith(f"unknown technique {str(technique)!r}{hint}; techniques are ")
    assert all(known in message for known in TECHNIQUES)


@pytest.mark.parametrize(
    ("technique", "argument", "hint"),
    [
        ("t-closeness", "tlimit", "did you mean 'tLimit'?"),
        ("profitability", "publisherLoss", "did you mean 'publisherLost'?"),
        ("Precision", "tLimit", "it takes dataHierarchy, attributeTypes"),
        ("Non-Uniform Entropy", "k", "it takes dataHierarchy, attributeTypes"),
    ],
)
def test_an_unknown_argument_names_the_known_ones(technique: str, argument: str, hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        PETValidation(None, pa.table(BORN), technique, **{argument: 1})
    assert str(caught.value).startswith(f"{technique} takes no argument {argument!r}")
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("technique", "given", "missing"),
    [
        ("t-closeness", {}, "tLimit"),
        *(
            ("profitability", {key: stake for key, stake in STAKES.items() if key != name}, name)
            for name in STAKES
        ),
    ],
)
def test_a_missing_argument_is_named(technique: str, given: dict[str, Any], missing: str) -> None:
    with pytest.raises(OptionError, match=f"{technique} needs .*{missing}"):
        PETValidation(None, pa.table(BORN), technique, attributeTypes=ROLES, **given)


@pytest.mark.parametrize(
    ("types", "error", "message"),
    [
        ({"born": "quasi"}, RoleError, "unknown role 'quasi'"),
        ({"bron": "quasi_identifier"}, ColumnError, "unknown column 'bron'"),
        ({"born": "sensitive_attribute"}, RoleError, "no quasi-identifier is known"),
    ],
)
def test_wrong_attribute_types_are_an_error(
    types: dict[str, str], error: type[PetauditError], message: str
) -> None:
    with pytest.raises(error, match=message):
        PETValidation(None, pa.table(BORN), "t-closeness", attributeTypes=types, tLimit=0.5)


def test_a_technique_that_needs_the_original_says_so() -> None:
    with pytest.raises(InputError, match="original table is needed"):
        PETValidation(None, pa.table(BORN), "Non-Uniform Entropy", dataHierarchy={"born": YEARS})


@pytest.mark.parametrize("limit", [-0.1, "x", None, float("nan")])
def test_a_wrong_limit_is_an_error(limit: Any) -> None:
    table = pa.table(BORN | {"s": list("xyz")})
    with pytest.raises(OptionError, match=r"tLimit|limit"):
        PETValidation(None, table, "t-closeness", attributeTypes=ROLES, tLimit=limit)


@pytest.mark.parametrize(
    "result",
    [
        {"t": 0.376, "fulfill t-closeness": True},
        {"precision": 0.7271401100722763},
        {"adversary's cost": 4, "名": "胃癌", "nothing": None, "list": [1, 2]},
        {},
    ],
)
def test_a_report_is_exactly_indented_json(
    result: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(result, "json") is None
    printed = capsys.readouterr()
    assert printed.out == json.dumps(result, indent=4) + "\n"
    assert printed.err == ""


@pytest.mark.parametrize("wanted", ["JSON", "xml", "Web", "", None])
def test_another_report_format_is_an_error(wanted: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OptionError, match=r"unknown report format .*; formats are 'json' and"):
        report({"precision": 1.0}, wanted)
    assert capsys.readouterr().out == ""


def test_a_page_is_written_and_its_name_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pa.table({"zip": ["130**"] * 3 + ["148**"]})
    result = PETValidation(
        None, table, "k-anonymity", k=2, attributeTypes={"zip": "quasi_identifier"}
    )
    assert result == {"k": 2, "fulfill k-anonymity": False}
    page = tmp_path / "page.html"
    report(result, "web", page)
    assert capsys.readouterr().out == f"{page}\n"
    assert "Do not release this as it is" in page.read_text(encoding="utf-8")


def test_a_page_of_bounds_that_cross_is_no_wrong_safe(tmp_path: Path) -> None:
    people = pa.table({"zip": ["1", "1", "2", "2"]})
    result = PETValidation(
        people,
        people.slice(0, 3),
        "d-presence",
        dMin=0.9,
        dMax=0.1,
        attributeTypes={"zip": "quasi_identifier"},
    )
    assert result["d-presence"] is False
    report(result, "web", tmp_path / "page.html")
    assert 'class="verdict failed"' in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_copy_has_no_page(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="not a copy"):
        report({"k": 2, "fulfill k-anonymity": False}, "web", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


# --- other names of the parameters, and what is not here ------------------------------------


@pytest.mark.parametrize(
    "names",
    [("original", "anonymized", "tech"), ("recover", "origin", "tech"), ("arg0", "arg1", "metric")],
)
def test_parameters_have_the_names_of_every_version(names: tuple[str, str, str]) -> None:
    """Those of the Chinese documents, of 2022 to 2023, and from December 2023."""
    population, sample = pa.table({"born": ["197*", "197*"]}), pa.table({"born": ["197*"]})
    given: dict[str, Any] = {
        "attributeTypes": {"born": "quasi_identifier"},
        "dMin": 0.5,
        "dMax": 0.5,
    }
    values = (population, sample, "d-presence")
    expected = {"dMin": 0.5, "dMax": 0.5, "d-presence": True}
    for by_place in range(3):
        named = dict(zip(names[by_place:], values[by_place:], strict=True))
        assert PETValidation(*values[:by_place], **named, **given) == expected


@pytest.mark.parametrize(
    ("other", "name"), [("arg1", "anonymized"), ("origin", "anonymized"), ("metric", "tech")]
)
def test_a_parameter_given_twice_is_an_error(other: str, name: str) -> None:
    with pytest.raises(OptionError, match=f"'{other}' is another name of '{name}', which is alr"):
        PETValidation(None, pa.table(BORN), "k-anonymity", k=2, **{other: "k-anonymity"})


def test_a_missing_technique_lists_the_known_ones() -> None:
    with pytest.raises(OptionError, match=r"unknown technique 'None'.*k-anonymity"):
        PETValidation(None, pa.table(BORN))


ATTACK = "no such attack .* PETWorks runs Anonymeter .* 'mpUCCs' finds who is singled out"
INSTEAD = {
    "dataProcess": "out of scope",
    "loadConfig": "reads the side-car TABLE.yaml itself",
    "FL": "out of scope",
    "HomomorphicEncryption": "out of scope",
    "TLSv1.2OrLater": "out of scope",
    "SinglingOutRisk": "use the technique 'mpUCCs'; its first table is the original",
    "LinkabilityRisk": ATTACK,
    "InferenceRisk": ATTACK,
    "MIATest": "no membership attack; the technique 'mpUCCs' with control=TABLE",
}


@pytest.mark.parametrize(("name", "instead"), INSTEAD.items())
def test_what_is_not_here_says_what_to_use_instead(name: str, instead: str) -> None:
    wanted = f"^{name} of PETWorks is not supported: .*{instead}"
    if name.isidentifier():
        with pytest.raises(ImportError, match=wanted) as imported:
            exec(f"from PETWorks import PETValidation, {name}")  # noqa: S102 (a word from above)
        assert isinstance(imported.value, PetauditError)
        assert "\n" not in str(imported.value)
    for spelling in (name, name.lower()):
        with pytest.raises(OptionError, match=wanted):
            PETValidation("synthetic.csv", "original.csv", spelling, nAttack=10)


@pytest.mark.parametrize("name", ["magic", "__path_of_nothing__"])
def test_other_names_are_unknown_as_in_any_module(name: str) -> None:
    assert not hasattr(PETWorks, name)


def test_what_is_named_instead_exists() -> None:
    assert callable(petaudit.generalize)
    assert "mpUCCs" in TECHNIQUES

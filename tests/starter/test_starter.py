"""The text of the file: valid YAML whatever the columns are called."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from petaudit.labels.cells import trim
from petaudit.roles import Role
from petaudit.starter import Guess
from petaudit.starter.starter import Starter, can_be_named, experiment_name, starter_text
from petaudit.starter.yaml_text import comment, scalar
from petaudit.system.reading import Reading
from petaudit.system.yaml_files import parse_yaml
from pipelines.configs import read_pipeline

NAMES = [
    "a: b", "# no", "a #b", "'", '"', "a\nb", "a\r\nb", "- x", "--- x", "...", "yes", "No", "null",
    "~", "1", "1e3", "0x1F", "12:30", "2024-01-31", ".5", "=", "<<", "!tag", "&a", "*a", "%x", "@x",
    "`x", "{a: 1}", "[a]", "a,b", "|", ">", "?", ":", "\ufeff", "\u202eabc", "\u2028", "\x85",
    "\x00", "\x1b[0m", "👩‍⚕️", "年齡", " ", "", "y", "n", "\\n", "x" * 5_000, "\U000e0001",
    "a\u0301", "\ud7ff", "\ufffe",
]  # fmt: skip
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_reads_back_as_it_was(name: str) -> None:
    written = scalar(name)
    assert yaml.safe_load(f"- {written}  # why") == [name]
    assert written.isprintable()


@given(texts)
def test_any_text_reads_back_as_it_was(text: str) -> None:
    assert yaml.safe_load(f"a:\n  b: {scalar(text)}\n") == {"a": {"b": text}}


@given(
    st.lists(
        st.tuples(texts.map(trim), st.sampled_from(Role)), unique_by=lambda own: own[0], max_size=8
    ),
    texts.map(lambda text: "t" + text.replace("\0", "")),
    st.booleans(),
    st.booleans(),
)
def test_roles_read_back_as_they_were(
    columns: list[tuple[str, Role]], table: str, is_synthetic: bool, with_reasons: bool
) -> None:
    guesses = [Guess(name, role, "the name says so; " * 9) for name, role in columns]
    count = {role: sum(own is role for _, own in columns) for role in Role}
    text = starter_text(
        Starter(
            table,
            9,
            len(columns),
            guesses,
            count[Role.QUASI_IDENTIFIER],
            count[Role.SENSITIVE],
            synthetic="made.csv" if is_synthetic else None,
            identifiers=[name for name, role in columns if role is Role.IDENTIFIER],
            file=table,
        ),
        with_reasons=with_reasons,
    )
    [loader] = yaml.safe_load(text)["Loader"].values()
    assert loader["filepath"] == table
    result = loader.get("roles", {})
    # mpuccs asks for no role.
    named = [own for own in columns if can_be_named(own[0]) and not is_synthetic]
    assert sum(map(len, result.values())) == len(named)
    for name, role in named:
        assert name in result[role.value]
    assert ("# CAUTION: " in text) == bool(count[Role.IDENTIFIER])
    for line in text.splitlines():
        assert line.isprintable()
        # Sentences are short; a name is as long as it is.
        assert (
            len(line) <= 100 or not line.lstrip().startswith("#") or "ori: " in line or "[" in line
        )
    assert read_pipeline(parse_yaml(text, "audit.yaml"), "audit.yaml").of("Loader")


@pytest.mark.parametrize(
    ("known", "sensitive", "hierarchies", "original"),
    list(itertools.product((0, 1), (0, 1), (False, True), (None, "original.csv"))),
)
def test_only_what_can_run_is_uncommented(
    known: int, sensitive: int, hierarchies: bool, original: str | None
) -> None:
    entry = Starter(
        "people.csv", 9, 2, (), known, sensitive, original=original, has_hierarchies=hierarchies
    )
    content = yaml.safe_load(starter_text(entry))
    classes = {"classes"} if known else set()
    closeness = {"closeness"} if known and sensitive else set()
    utility = {"precision", "entropy"} if known and hierarchies and original else set()
    assert set(content.get("Evaluator", ())) == classes | closeness | utility
    assert ("Reporter" in content) == ("Evaluator" in content) == (not entry.to_fill_in)


def test_what_is_commented_out_is_valid_without_its_marks() -> None:
    text = starter_text(Starter("people.csv", 9, 2, (), 1, 1))
    start = text.index("  # precision:")
    end = text.index("  # Both need")
    assert end < start
    freed = [
        line.replace("  # ", "  ", 1)
        for line in text.splitlines()
        if line.startswith(("  # precision:", "  # entropy:", "  # profitability:", "  #   "))
    ]
    content = yaml.safe_load("Evaluator:\n" + "\n".join(freed))["Evaluator"]
    assert set(content) == {"precision", "entropy", "profitability"}
    assert content["profitability"]["benefit"] == 1200


def test_a_control_can_take_the_place_of_the_loader() -> None:
    text = starter_text(Starter("people.csv", 9, 2, synthetic="made.csv", reading=Reading("\t")))
    block = text[text.index("# Splitter:") : text.index("\nSynthesizer:")]
    rest = text[text.index("\nSynthesizer:") :]
    freed = "\n".join(line.removeprefix("# ") for line in block.splitlines())
    pipeline = read_pipeline(parse_yaml(freed + rest, "audit.yaml"), "audit.yaml")
    assert pipeline.of("Splitter")[0].model.filepath["ori"] == "people.csv"
    assert pipeline.of("Synthesizer")[0].model.delimiter == "tab"


def test_identifiers_are_pointed_out() -> None:
    guesses = [Guess("姓名", Role.IDENTIFIER, "why"), Guess("zip", Role.QUASI_IDENTIFIER, "why")]
    entry = Starter("people.csv", 9, 2, guesses, 1, 0, identifiers=["姓名"])
    [caution] = entry.cautions
    assert caution.startswith("1 column looks like an identifier: 姓名. Remove it from the table")
    made = replace(entry, synthetic="made.csv", identifiers=["姓名", "id"])
    [caution] = made.cautions
    assert caution.startswith(
        "2 columns look like identifiers: 姓名, id. Identifiers should not be"
    )
    [caution] = replace(entry, guesses=(), quotes_names=False).cautions
    assert caution.startswith("1 column is an identifier. Remove it from")
    assert "mpuccs looks at all columns" in starter_text(made)
    assert "zip" not in starter_text(made)


@given(texts)
def test_a_run_can_be_called_after_any_table(table: str) -> None:
    text = f"Loader:\n  {scalar(experiment_name(table))}:\n    filepath: x.csv\n"
    assert read_pipeline(parse_yaml(text, "audit.yaml"), "audit.yaml").of("Loader")


def test_comments_are_wrapped() -> None:
    assert all(len(line) <= 100 for line in comment("word " * 100, "    ").splitlines())


@pytest.mark.parametrize("rest", ["db/health?table=t", "db?table=t", "/health?host=db&table=t"])
@pytest.mark.parametrize("synthetic", [None, "made.csv"])
def test_the_user_of_an_address_stands_where_the_table_is_opened(
    rest: str, synthetic: str | None
) -> None:
    at = "" if rest.startswith("/") else "auditor@"
    address = f"postgresql://{at}{rest}" + ("" if at else "&user=auditor")
    text = starter_text(Starter(address, 9, 2, (), 1, 1, synthetic=synthetic))
    [(name, loader)] = yaml.safe_load(text)["Loader"].items()
    assert loader["filepath"] == address
    assert "auditor" not in name
    assert text.startswith("# Audit of postgresql://db/")
    lines = [line for line in text.splitlines() if "auditor" in line]
    assert all(address in line for line in lines)

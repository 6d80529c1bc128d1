"""Every combination of experiments is a run of its own, with a name that people can type."""

from __future__ import annotations

import itertools
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit.errors import OptionError
from petaudit.pipelines.plan import PlannedRun, check_modules, chosen_runs, planned_runs
from petaudit.pipelines.reading import raise_problems
from petaudit.system.kinds import Problems
from pipelines.configs import MADE, RELEASE, SEED, problems_of, read

LOADER = "Loader: {t: {filepath: t.csv}}\n"
CUSTOM = "method: custom_data, filepath: "


def names(text: str, *only: str) -> list[str]:
    return [entry.name for entry in chosen_runs(planned_runs(read(text)), only)]


def found(text: str) -> list[str]:
    def check() -> None:
        pipeline, problems = read(text), Problems()
        check_modules(pipeline, problems)
        raise_problems(pipeline.origin, pipeline.document, problems)

    return [entry.removeprefix("x.yaml") for entry in problems_of(check)]


def read_problems(text: str) -> list[str]:
    return list(problems_of(partial(read, text)))


def named(name: str) -> list[str]:
    return read_problems(f"Splitter:\n  {name}: {{}}\n")


@pytest.mark.parametrize(
    "name", ["a", "5", "a-b", "a.b", "a_b", "年齡", "a" * 60, "'yes'", "'2020-01-01'"]
)
def test_names_of_experiments(name: str) -> None:
    pipeline = read(f"Splitter:\n  {name}: {{}}\n")
    assert [entry.name for entry in pipeline.of("Splitter")] == [name.strip("'")]


NOT_PLAIN = "is not a plain name (letters, digits, -, _ and single dots inside)"


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("yes", "the name true is not text; quote it"),
        ("~", "the name null is not text; quote it"),
        ("1.5", "the name 1.5 is not text; quote it"),
        ("2020-01-01", "the name 2020-01-01 is not text; quote it"),
        ("1" * 61, f"the name {'1' * 60}… is not text; quote it"),
        ("? 0x" + "f" * 5_000 + "\n  ", "the name a very large number is not text; quote it"),
        ("''", f"'' {NOT_PLAIN}"),
        ("' a'", f"' a' {NOT_PLAIN} (did you mean 'a'?)"),
        ("..", f"'..' {NOT_PLAIN}"),
        ("-5", f"'-5' {NOT_PLAIN} (did you mean '5'?)"),
        ('"a\\n"', f"'a\\n' {NOT_PLAIN} (did you mean 'a'?)"),
        ('"\\u202e"', f"'\\u202e' {NOT_PLAIN}"),
        ("a" * 61, f"the name '{'a' * 60}…' has more than 60 characters"),
        ("a/b", f"'a/b' {NOT_PLAIN} (did you mean 'a_b'?)"),
        ("'[a]'", f"'[a]' {NOT_PLAIN} (did you mean 'a'?)"),
    ],
)
def test_what_is_no_name(name: str, complaint: str) -> None:
    (message,) = named(name)
    assert message.startswith("x.yaml, line 2: Splitter.")
    assert message.endswith(f": {complaint}")


@pytest.mark.parametrize(
    ("one", "other"), [("Risk", "risk"), ("Straße", "STRASSE"), ("5", "'5'"), ("\xe9", "e\u0301")]
)
def test_names_that_differ_only_in_case(one: str, other: str) -> None:
    shown = [repr(entry.strip("'")) for entry in (other, one)]
    assert read_problems(f"Splitter:\n  {one}: {{}}\n  b: {{}}\n  {other}: {{}}\n") == [
        f"x.yaml, line 4: Splitter.{other.strip(chr(39))}: {shown[0]} and {shown[1]} are "
        "the same file"
    ]


def test_a_number_as_a_name_stands_in_messages() -> None:
    assert read_problems("Splitter:\n  5: {num_samples: x}\n") == [
        "x.yaml, line 2: Splitter.5: num_samples must be an integer from 1 to 10,000, got 'x'"
    ]


def test_the_run_of_the_seed() -> None:
    assert names(SEED) == [
        "Splitter[external_split]_Synthesizer[external_data]_Evaluator[mpuccs_assessment]"
    ]


def test_samples_are_numbered_and_reporters_make_no_runs() -> None:
    assert names(MADE) == [
        "Loader[people]_Splitter[halves_[2-1]]_Synthesizer[drawn]_Evaluator[risk]",
        "Loader[people]_Splitter[halves_[2-1]]_Synthesizer[copula]_Evaluator[risk]",
        "Loader[people]_Splitter[halves_[2-2]]_Synthesizer[drawn]_Evaluator[risk]",
        "Loader[people]_Splitter[halves_[2-2]]_Synthesizer[copula]_Evaluator[risk]",
    ]
    assert names(LOADER + "Splitter: {a: }\n") == ["Loader[t]_Splitter[a]"]


def test_a_run_knows_its_steps() -> None:
    run = planned_runs(read(MADE))[3]
    assert [str(step) for step in run.up_to("Splitter")] == [
        "Loader[people]",
        "Splitter[halves_[2-2]]",
    ]
    assert run.up_to("Reporter") == ()
    assert run.step("Reporter") is None
    splitter = run.step("Splitter")
    assert splitter is not None
    assert (splitter.sample, splitter.label) == (1, "halves_[2-2]")
    assert run.evaluator is not None
    assert run.evaluator.name == "risk"
    assert planned_runs(read(LOADER))[0].evaluator is None


_some = st.lists(st.sampled_from(["a", "b", "c-d", "e.f"]), min_size=1, max_size=3, unique=True)


@settings(max_examples=examples(80))
@given(
    loaders=_some,
    splitters=st.dictionaries(st.sampled_from("pqr"), st.integers(1, 3), max_size=2),
    synthesizers=_some,
    evaluators=st.none() | _some,
)
def test_all_combinations_in_the_order_of_the_file(
    loaders: list[str],
    splitters: dict[str, int],
    synthesizers: list[str],
    evaluators: list[str] | None,
) -> None:
    text = "Loader:\n" + "".join(f"  {entry}: {{filepath: t.csv}}\n" for entry in loaders)
    if splitters:
        text += "Splitter:\n"
        text += "".join(f"  {entry}: {{num_samples: {n}}}\n" for entry, n in splitters.items())
    text += "Synthesizer:\n" + "".join(
        f"  {entry}: {{method: independent}}\n" for entry in synthesizers
    )
    if evaluators:
        text += "Evaluator:\n" + "".join(f"  {entry}: {{method: mpuccs}}\n" for entry in evaluators)
    expected = []
    for loader in loaders:
        drawn = [
            f"_Splitter[{entry}_[{n}-{k + 1}]]" if n > 1 else f"_Splitter[{entry}]"
            for entry, n in splitters.items()
            for k in range(n)
        ]
        for splitter in drawn or [""]:
            for synthesizer in synthesizers:
                for evaluator in evaluators or [None]:
                    ending = "" if evaluator is None else f"_Evaluator[{evaluator}]"
                    expected.append(
                        f"Loader[{loader}]{splitter}_Synthesizer[{synthesizer}]{ending}"
                    )
    assert names(text) == expected
    assert len(set(expected)) == len(expected)


WRONG = {
    LOADER + "Splitter: {a: {}}\nEvaluator: {e: {method: precision}}": [
        ", line 2: a Splitter draws rows for a Synthesizer, but there is none"
    ],
    "Splitter: {a: {}}\nSynthesizer: {b: {method: independent}}": [
        ", line 1: Splitter.a: there is no Loader whose table could be split"
    ],
    f"{LOADER}Splitter: {{a: {{{CUSTOM}{{control: x}}}}}}": [
        ", line 2: Splitter.a: custom_data brings its own tables; leave the Loader out",
        ", line 2: Splitter.a: ori is missing: the training table",
    ],
    "Synthesizer:\n  a: {method: gaussian-copula}\n  b: {method: independent}": [
        ", line 2: Synthesizer.a: there is no Loader or Splitter to learn a table from",
        ", line 3: Synthesizer.b: there is no Loader or Splitter to learn a table from",
    ],
    "Evaluator: {e: {method: mpuccs}}": [
        ", line 1: there is no table: a Loader, a Splitter or a Synthesizer is needed"
    ],
    "Executor: {log_level: INFO}": [
        ", line 1: there is no table: a Loader, a Splitter or a Synthesizer is needed"
    ],
    f"Splitter: {{a: {{{CUSTOM}{{ori: x}}}}}}\nEvaluator: {{e: {{method: mpuccs}}}}": [
        ", line 2: there is no table to judge: a Loader or a Synthesizer is needed"
    ],
    f"Loader: {{t: {{filepath: t, original: o}}}}\nSynthesizer: {{a: {{{CUSTOM}x}}}}": [
        ", line 1: Loader.t: with a Synthesizer, the Loader's own table is the original"
    ],
}


@pytest.mark.parametrize(("text", "messages"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_modules_that_make_no_sense_together(text: str, messages: list[str]) -> None:
    assert found(text) == messages


@pytest.mark.parametrize(
    "text",
    [
        LOADER,
        f"Synthesizer: {{a: {{{CUSTOM}x}}}}",
        f"Splitter: {{a: {{{CUSTOM}{{ori: x}}}}}}",
        f"Splitter: {{a: {{{CUSTOM}{{ori: x}}}}}}\nSynthesizer: {{b: {{method: independent}}}}",
        LOADER + "Evaluator: {e: {method: precision}}",
    ],
)
def test_modules_that_do(text: str) -> None:
    assert len(names(text)) == 1


def test_there_is_a_largest_number_of_runs() -> None:
    text = LOADER + "Splitter: {a: {num_samples: 10000}}\nSynthesizer:\n"
    text += "".join(f"  s{index}: {{method: independent}}\n" for index in range(10))
    assert len(names(text)) == 100_000
    with pytest.raises(OptionError) as caught:
        planned_runs(read(text + "  more: {method: independent}\n"))
    assert str(caught.value) == "x.yaml expands to 110,000 runs; at most 100,000 are allowed"


@pytest.mark.parametrize(
    ("only", "kept"),
    [
        ([], [0, 1, 2, 3]),
        (["people"], [0, 1, 2, 3]),
        (["drawn"], [0, 2]),
        (["halves"], [0, 1, 2, 3]),
        (["halves_[2-2]"], [2, 3]),
        (["Loader[people]_Splitter[halves_[2-1]]_Synthesizer[copula]_Evaluator[risk]"], [1]),
        (["halves_[2-2]", "drawn"], [0, 2, 3]),
        (["copula", "copula"], [1, 3]),
    ],
)
def test_only_some_runs(only: list[str], kept: list[int]) -> None:
    runs = planned_runs(read(MADE))
    assert chosen_runs(runs, only) == tuple(runs[index] for index in kept)


@settings(max_examples=examples(60))
@given(only=st.lists(st.integers(0, 30), max_size=3))
def test_only_against_a_twin(only: list[int]) -> None:
    runs = planned_runs(read(MADE))

    def answers_to(run: PlannedRun) -> set[str]:
        plain = {step.experiment.name for step in run.steps}
        return plain | {str(step).partition("[")[2][:-1] for step in run.steps} | {run.name}

    known = sorted(set(itertools.chain.from_iterable(map(answers_to, runs))))
    chosen = [known[index % len(known)] for index in only]
    expected = [run for run in runs if not chosen or answers_to(run) & set(chosen)]
    assert list(chosen_runs(runs, chosen)) == expected


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("closness", " (did you mean 'closeness'?)"),
        ("Loader[table]_Evaluator[kep]", " (did you mean 'Loader[table]_Evaluator[kept]'?)"),
        ("figures", ""),  # A Reporter is no part of a run.
        ("", ""),
        ("x" * 500, ""),
    ],
)
def test_a_name_that_is_not_there(name: str, hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        names(RELEASE, "kept", name)
    shown = name if len(name) <= 60 else f"{'x' * 60}…"
    assert str(caught.value) == (
        f"only={shown!r}{hint}: no experiment or run has this name; available: table, "
        "closeness, price, kept"
    )

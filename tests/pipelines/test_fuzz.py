"""Files that were spoiled in every way end in a message and an exit code, never in a traceback."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import examples
from petaudit import cli
from pipelines.configs import TABLES, WHOLE, chances, write_tables

SEEDS = range(2)
FILES_PER_SEED = examples(300)
RUN_OF_THE_VALID = 0.3
RUN_OF_THE_REFUSED = 0.01

_words = str.split
LONG = "0x" + "f" * 5_000  # Python can read it, but refuses to write it in decimal.
SCALARS = (
    *_words("0 1 -0 -1 2 3.0 0.1 1e999 -1e999 .nan .inf -.inf 1e-999 1_000 0o17 017 0b101 + - . ="),
    *_words("9007199254740993 4294967296 18446744073709551616 -9223372036854775809 10001 401"),
    *(str(10**400), "9" * 5_000, LONG, f"-{LONG}", "1:30", "190:20:30.15", "1.5e+3"),
    *("null", "~", "", '""', "''", '" "', "true", "no", "on", "y", "TRUE", "[]", "{}", "[[]]"),
    *("[null]", "[1, two, 3.0]", "{a: b}", "{a: {b: {c: {d: e}}}}", "{1: 2}", "{null: 1}", "{x}"),
    *("2020-01-01", "2020-13-45", "2001-12-14t21:59:43.10-05:00", "12:30:45", "0000-00-00"),
    *("年齡", "👩‍⚕️", "שלום", '"\\u202ecba"', '"\\ud800"', '"\\udce9"', '"\\ud83d\\ude00"'),
    *('"\\0"', '"\\U00110000"', '"\\x1b[31m"', '"\\a"', "\ufeff", "\u2028", "\x85", "\x00", "\x7f"),
    *("&a x", "*a", "&a [*a]", "<<", "!!python/object:os.system x", "!!python/name:os.system ''"),
    *("!!binary R0lGODlh", "!!binary é", "!!set {a, b}", "!!omap [a: 1]", "!!pairs [a: 1, a: 2]"),
    *("!!timestamp 2020-01-01", "!!timestamp x", "!!int x", "!!float x", "!!bool x", "!!null x"),
    *("!!str 5", "!!map {a: 1}", "!!map x", "!!seq x", "!own x", "!<x> y", "! z", "!%ff x", "!!"),
    *("t-closeness", "T_Closeness", "mpuccs", "precision", "custom_data", "random", "independent"),
    *("sdv-ctgan", "anonymeter-linkability", "save_schema", "global", "details", "tree", "summary"),
    *("table.csv", "ori.csv", "schema.yaml", "hierarchy_age.csv", "missing.csv", ".", "sub/x.csv"),
    *("benchmark://", "benchmark://nothing", "benchmark://a/b", "BENCHMARK://Patient", "n" * 300),
    *("zip", "age", "disease", "[zip, zip]", "[age, 5]", "tab", "'|'", "big5", "utf-16", "utf-7"),
    *("public", "excellent", "Loader", "[Loader, Synthesizer]", "json", "parquet", "both"),
    *("x" * 70, "a.b", "a/b", "[a]", '"a:b"', "{0}%s", "|\n      x", ">-\n      x y", "? x", "- x"),
    *("@x", "`x`", "%x", "\tx", "x: y", "x #y", "[" * 400, "{a: " * 200, "- " * 300, "'open"),
)  # fmt: skip
KEYS = (
    *_words("Loader Splitter Synthesizer Evaluator Reporter Executor Preprocessor Describer"),
    *_words("filepath schema nrows original roles hierarchies key delimiter encoding method"),
    *_words("num_samples train_split_ratio random_state sample_num_rows na_values use_gpu eval"),
    *_words("limit profile allowed_worsening suppressed granularity output format source module"),
    *_words("distance worst cost unknown n_cols threads seed control log_filename compare_to"),
    *_words("loader quasi_identifier identifier ori table risk closeness <<"),
    *("1", "null", "true", "2020-01-01", ".nan", "=", f"? {LONG}\n", "? [a]\n", "年齡", '"a b"'),
    *('"\\ud800"', '"\\0"', "*a", "&b c", "!!binary aGk=", "!!set", "A", "CON", "x" * 61, "a.b"),
)
_NUMBERS = (*SCALARS[:31], "0.999", "1", "2", "3", "null")
_WORDS = (*TABLES, "zip", "age", "[age]", "equal", "ordered", "global", "details", "csv", "parquet")
_MARKS = "\n\t :-?[]{},#&*!|>'\"%@`\\=<0123456789.eE+_axYZ~\ufeff\u2028\u202e\x00\x07\x85é年👩"
_LINE = re.compile(r"^( *)([^\s:#]+):( *)([^\n]*)$")


def _value_changed(lines: list[str], chance: random.Random) -> None:
    """Put anything in the place of a value."""
    index = chance.randrange(len(lines))
    _put(lines, index, chance.choice(SCALARS))


def _value_likely_changed(lines: list[str], chance: random.Random) -> None:
    """Put something of the same sort in the place of a value."""
    index = chance.randrange(len(lines))
    result = _LINE.match(lines[index])
    value = result[4].partition(" ")[0] if result else ""
    if value in {"true", "false"}:
        _put(lines, index, "false" if value == "true" else "null")
    elif value[:1].isdigit():
        _put(lines, index, chance.choice(_NUMBERS))
    elif value:
        _put(lines, index, chance.choice(_WORDS))


def _put(lines: list[str], index: int, scalar: str) -> None:
    result = _LINE.match(lines[index])
    if "num_" in lines[index] and re.fullmatch(r"[0-9_:]{2,9}", scalar):
        scalar = "3"  # Thousands of samples or rows take their time.
    lines[index] = f"{result[1]}{result[2]}: {scalar}" if result else lines[index] + scalar


def _key_changed(lines: list[str], chance: random.Random) -> None:
    index = chance.randrange(len(lines))
    result = _LINE.match(lines[index])
    if result:
        key = chance.choice([*KEYS, result[2][:-1], result[2] + "s", result[2].upper()])
        lines[index] = f"{result[1]}{key}: {result[4]}"


def _line_added(lines: list[str], chance: random.Random) -> None:
    index = chance.randrange(len(lines))
    indent = " " * chance.choice([0, 2, 4, 4, 4, 6, 8, 3])
    lines.insert(index, f"{indent}{chance.choice(KEYS)}: {chance.choice(SCALARS)}")


def _line_removed(lines: list[str], chance: random.Random) -> None:
    del lines[chance.randrange(len(lines))]


def _line_doubled(lines: list[str], chance: random.Random) -> None:
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))


def _block_moved(lines: list[str], chance: random.Random) -> None:
    start, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    moved = lines[start : start + chance.randint(1, 8)]
    del lines[start : start + len(moved)]
    lines[to:to] = moved


def _indented(lines: list[str], chance: random.Random) -> None:
    index = chance.randrange(len(lines))
    lines[index] = chance.choice(["  ", " ", "\t", "      "]) + lines[index]


def _nested(lines: list[str], chance: random.Random) -> None:
    index = chance.randrange(len(lines))
    depth = chance.choice([1, 3, 30, 300])
    result = _LINE.match(lines[index])
    if result:
        lines[index] = f"{result[1]}{result[2]}: " + "{k: " * depth + "x" + "}" * depth


def _marks_flipped(lines: list[str], chance: random.Random) -> None:
    for _ in range(chance.randint(1, 4)):
        index = chance.randrange(len(lines))
        if lines[index]:
            at = chance.randrange(len(lines[index]))
            rest = lines[index][at + chance.randint(0, 1) :]
            lines[index] = lines[index][:at] + chance.choice(_MARKS) + rest


def _framed(lines: list[str], chance: random.Random) -> None:
    lines.insert(
        chance.choice([0, len(lines)]),
        chance.choice(["---", "...", "--- x", "%YAML 1.1", "%YAML 9.9", "\ufeff", "%TAG ! x", "#"]),
    )


def _cut(lines: list[str], chance: random.Random) -> None:
    del lines[chance.randrange(len(lines)) :]


CHANGES = (
    *[_value_changed] * 4, *[_value_likely_changed] * 6, *[_key_changed] * 2, *[_line_removed] * 3,
    _line_added, _line_doubled, _block_moved, _indented, _nested, _marks_flipped, _framed, _cut,
)  # fmt: skip


def spoiled(chance: random.Random) -> bytes:
    """A file that was whole before one to four things happened to it."""
    lines = chance.choice(WHOLE).splitlines()
    for _ in range(chance.choice([1, 1, 1, 1, 2, 3, 4])):
        chance.choice(CHANGES)(lines, chance)
        lines = lines or [""]
    content = ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
    kind = chance.random()
    if kind < 0.02:
        return chance.randbytes(chance.randint(0, 300))
    if kind < 0.06:
        at = chance.randrange(len(content))
        return content[:at] + chance.randbytes(1) + content[at + 1 :]
    return content.decode("utf-8").encode("utf-16") if kind < 0.07 else content


def arguments(chance: random.Random) -> list[str]:
    """Some ``--set`` and ``--only`` that make more or less sense."""
    result: list[str] = []
    while chance.random() < 0.15:
        path = ".".join(
            chance.choice(_PATHS[place]) for place in range(chance.choice([3, 3, 1, 4]))
        )
        typed = chance.choice(SCALARS).replace("\0", "")
        if "num" not in path or len(typed) < 8:
            result.append(f"--set={path}{chance.choice(['=', '=', '', ' = '])}{typed}")
    if chance.random() < 0.05:
        result.append(f"--only={chance.choice([*_PATHS[1], 'Loader[table]_Evaluator[kept]'])}")
    return result


_PATHS = (
    ("Loader", "Evaluator", "Evaluator", "Reporter", "Executor", "evaluator", "", "年齡"),
    ("table", "people", "closeness", "risk", "figures", "mpuccs_assessment", "", "clos", "a=b"),
    (*KEYS[8:48], "", "x"),
    ("ori", "zip", "quasi_identifier", "0", ""),
)


@pytest.fixture(scope="module", autouse=True)
def in_a_folder_with_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One for all files: messages name them as they were given, and results are removed."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("here"))
    write_tables(Path())
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PETAUDIT_DEBUG", raising=False)
        # Making the parser anew would take half of the time.
        patch.setattr(cli, "build_parser", cache(cli.build_parser))
        yield
    os.chdir(before)


def content_of_folder() -> set[str]:
    return {str(path) for path in Path().rglob("*")}


def called(*arguments: str) -> int:
    """The exit code of a command, after a look at what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(arguments)
    assert code in {0, 1, 2}
    for word in ("Traceback", "internal error", "PETAUDIT_DEBUG"):
        assert word not in out.getvalue() + err.getvalue()
    if code == 2:
        assert re.search("^(petaudit: error: |usage: ).", err.getvalue(), re.MULTILINE)
    return code


def tried(content: bytes, more: list[str], chance: random.Random) -> list[tuple[str, int]]:
    """Validate a file and perhaps run it; what is refused leaves nothing behind."""
    Path("audit.yaml").write_bytes(content)
    before = content_of_folder()
    codes = [("validate", called("validate", "audit.yaml", *more))]
    is_valid = codes[0][1] == 0
    assert codes[0][1] != 1
    assert content_of_folder() == before
    if chance.random() < (RUN_OF_THE_VALID if is_valid else RUN_OF_THE_REFUSED):
        codes.append(("run", called("run", "audit.yaml", "--quiet", *more)))
        written = content_of_folder() - before
        if is_valid:
            assert "audit-results/result.json" in written or codes[1][1] == 2
        else:
            assert codes[1][1] == 2
            assert not written or b"log" in content
        for name in sorted(written):
            path = Path(name)
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    return codes


@pytest.mark.parametrize("seed", SEEDS)
def test_spoiled_files(seed: int) -> None:
    codes: Counter[tuple[str, int]] = Counter()
    for number in range(FILES_PER_SEED):
        chance = chances(1_000_000 * seed + number)
        content, more = spoiled(chance), arguments(chance)
        try:
            codes.update(tried(content, more, chance))
        except BaseException:
            print(f"{content!r}\n{more}")
            raise
    # Files of both kinds were tried, and some were run.
    assert codes["validate", 0] > FILES_PER_SEED * 0.05
    assert codes["validate", 2] > FILES_PER_SEED * 0.5
    assert codes["run", 0] + codes["run", 1] > FILES_PER_SEED * 0.01


_texts = st.text(max_size=6) | st.sampled_from([*TABLES, "mpuccs", "custom_data", "random", "zip"])
_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.dates() | _texts
_options = st.dictionaries(
    st.sampled_from([entry for entry in KEYS if entry.isidentifier()]) | _texts | st.integers(0, 3),
    st.recursive(
        _scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
        max_leaves=5,
    ),
    max_size=5,
)
_modules = st.sampled_from(["Loader", "Splitter", "Synthesizer", "Evaluator", "Reporter"])
_files = st.dictionaries(_modules, st.dictionaries(_texts, _options | _scalars, max_size=2)) | (
    st.recursive(_scalars, lambda inner: st.lists(inner) | st.dictionaries(_scalars, inner))
)


@settings(max_examples=examples(200))
@given(content=_files, seed=st.integers(0, 10**9))
def test_files_of_any_shape(content: Any, seed: int) -> None:
    text = yaml.safe_dump(content, allow_unicode=seed % 2 == 0, sort_keys=False)
    tried(text.encode("utf-8", "surrogatepass"), [], chances(seed))


@settings(max_examples=examples(300))
@given(text=st.text() | st.text(alphabet="aL: -?[]{},#&*!|>'\"%@\\\n\t0.~<="))
def test_text_of_any_kind(text: str) -> None:
    assert tried(text.encode("utf-8", "surrogatepass"), [], chances(0))[0][1] == 2


@settings(max_examples=examples(300))
@given(changes=st.lists(st.text(), max_size=2), only=st.lists(st.text(), max_size=1))
def test_arguments_of_any_kind(changes: list[str], only: list[str]) -> None:
    more = [*(f"--set={item}" for item in changes), *(f"--only={item}" for item in only)]
    tried(WHOLE[0].encode(), more, chances(0))

"""A canary: tables of nothing but marks go through every command, and no mark comes out.

Every cell is a mark that occurs nowhere by accident. All commands run in processes of their own,
whose home, temporary folder, cache and current folder are below one folder; afterwards all that
they printed and every file there is searched, except the tables themselves and files that are
tables by definition.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import html
import io
import json
import os
import random
import re
import stat
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from budget import IS_LONG

ROWS = 40
LANGUAGES = ("en", "zh-TW")
REPORT_ENDINGS = ("html", "md", "xml", "sarif")
AUDIT_FORMATS = ("text", "json", "html", "markdown", "junit", "sarif")

# --- marks, and how they are found ----------------------------------------------------------

TEXT_MARK = re.compile(rb"zq7[0-9a-f]{10}x")
DATE_MARK = re.compile(rb"(?<!\d)16\d\d[-/.][01]\d[-/.][0-3]\d(?!\d)")
NUMBER = re.compile(rb"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e\+?\d+)?(?![\w])")
PACKED = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
NEAR = 4e-6
"""A number with six digits is still the mark."""


@dataclass(frozen=True)
class Marks:
    """What was put into the tables."""

    numbers: frozenset[int]

    def found_in(self, content: bytes) -> set[str]:
        """The marks in something, however it is written down."""
        found: set[str] = set()
        for text in _written_otherwise(content):
            found |= {own.decode() for own in TEXT_MARK.findall(text)}
            found |= {own.decode() for own in DATE_MARK.findall(text)}
            found |= set(self._numbers(text))
        for number in self.numbers:
            packed = (struct.pack("<q", number), struct.pack("<d", number))
            if any(own in content for own in packed):
                found.add(str(number))
        return found

    def _numbers(self, text: bytes) -> Iterator[str]:
        for own in NUMBER.findall(text):
            if len(own) < 7:
                continue
            number = float(own.replace(b",", b""))
            if 6e12 < number < 9e12:
                for mark in self.numbers:
                    if abs(number - mark) <= NEAR * mark:
                        yield str(mark)


def _written_otherwise(content: bytes) -> Iterator[bytes]:
    """The same as it is, and with every way undone in which bytes are put into texts."""
    yield content
    if b"\0" in content:
        yield content.replace(b"\0", b"")  # UTF-16 and UTF-32
    if b"%" in content:
        yield unquote_to_bytes(content)
    if b"&" in content:
        yield html.unescape(content.decode("utf-8", "replace")).encode("utf-8", "replace")
    if b"\\" in content:
        yield re.sub(
            rb"\\(?:u00|x)([0-9a-fA-F]{2})", lambda own: bytes.fromhex(own[1].decode()), content
        )
    for own in PACKED.findall(content):
        plain = own.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
        for start in range(4):
            part = plain[start:]
            # One character alone holds no byte.
            part = part[:-1] if len(part) % 4 == 1 else part
            yield base64.b64decode(part + b"=" * (-len(part) % 4))
        if len(plain) % 2 == 0:
            with contextlib.suppress(binascii.Error):
                yield binascii.unhexlify(plain)
    yield from _unpacked(content)


def _unpacked(content: bytes) -> Iterator[bytes]:
    """What is compressed in it."""
    for head in (b"\x1f\x8b\x08", b"x\x01", b"x\x9c", b"x\xda"):
        place = content.find(head)
        while place >= 0:
            with contextlib.suppress(zlib.error):
                yield zlib.decompressobj(47).decompress(content[place:])
            place = content.find(head, place + 1)
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            yield from (packed.read(name) for name in packed.namelist())
    if content.startswith(b"PAR1"):
        table = pq.read_table(io.BytesIO(content))
        yield repr(table.to_pylist()).encode()
        yield repr(table.schema.metadata).encode()


# --- the tables -----------------------------------------------------------------------------


class Tables:
    """Files of marks below a folder, with what is in them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inputs: set[Path] = set()
        self._chance = random.Random(20_260_101)  # noqa: S311 (no secret is made)
        self._numbers: set[int] = set()
        self._deidentified()
        self._synthetic()

    @property
    def marks(self) -> Marks:
        return Marks(frozenset(self._numbers))

    def text(self, odd: bool = False) -> str:
        """A mark; an odd one has characters that every format writes in a way of its own."""
        mark = f"zq7{self._chance.getrandbits(40):010x}x"
        return f"é&<b>'{mark}%1" if odd else mark

    def number(self) -> str:
        made = self._chance.randrange(7 * 10**12, 8 * 10**12)
        self._numbers.add(made)
        return str(made)

    def date(self) -> str:
        return f"{self._chance.randrange(1601, 1700)}-{self._chance.randrange(1, 13):02}-17"

    def write(self, name: str, rows: Iterable[Sequence[str]]) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(";".join(row) + "\n" for row in rows), encoding="utf-8")
        self.inputs.add(path)

    def _deidentified(self) -> None:
        """Original with nothing twice; released with groups of labels that are marks, too."""
        head = ("id", "zip", "age", "born", "ill", "pay")
        original = [
            (self.text(), self.text(odd=True), self.number(), self.date(), self.text(),
             self.number())
            for _ in range(ROWS)
        ]  # fmt: skip
        above = [self.text(odd=True) for _ in range(8)]
        decades = [self.number() for _ in range(5)]
        years = [self.text() for _ in range(6)]
        zips = {row[1]: above[place % 8] for place, row in enumerate(original)}
        ages = {row[2]: decades[place % 5] for place, row in enumerate(original)}
        born = {row[3]: years[place % 6] for place, row in enumerate(original)}
        illnesses = [self.text() for _ in range(4)]
        released = [
            (row[0], *("***" if place % 9 == 0 else (zips[row[1]], ages[row[2]], born[row[3]])),
             illnesses[place % 4], row[5])
            for place, row in enumerate(original)
        ]  # fmt: skip
        self.write("original.csv", [head, *original])
        self.write("released.csv", [head, *released])
        more = [
            (self.text(), *original[place % ROWS][1:4], self.text(), self.number())
            for place in range(60)
        ]
        self.write("population.csv", [head, *more])
        for column, own in (("zip", zips), ("age", ages), ("born", born)):
            lines = [(leaf, label, "*") for leaf, label in own.items()]
            self.write(f"hierarchies/hierarchy_{column}.csv", lines)
        top = self.text()
        self.write("hierarchies/hierarchy_ill.csv", [(own, top, "*") for own in illnesses])
        uncovered = [(leaf, label, "*") for leaf, label in list(zips.items())[9:]]
        self.write("broken/hierarchy_zip.csv", uncovered)

    def _synthetic(self) -> None:
        head = ("name", "city", "income", "joined", "weight")

        def person() -> tuple[str, ...]:
            weight = f"{self.number()}.25"
            return (self.text(), self.text(odd=True), self.number(), self.date(), weight)

        original = [person() for _ in range(ROWS)]
        made = [
            row if place % 2 else (*person()[:2], *row[2:]) for place, row in enumerate(original)
        ]
        self.write("ori.csv", [head, *original])
        self.write("syn.csv", [head, *made])
        self.write("control.csv", [head, *(person() for _ in range(ROWS))])
        for name in ("ori", "syn"):
            columns = list(zip(*(original if name == "ori" else made), strict=True))
            table = pa.table(
                {
                    "name": pa.array(columns[0]),
                    "city": pa.array(columns[1]).dictionary_encode(),
                    "income": pa.array([int(own) for own in columns[2]]),
                    "joined": pa.array(columns[3]).cast(pa.date32()),
                    "weight": pa.array([float(own) for own in columns[4]]),
                }
            )
            pq.write_table(table, self.folder / f"{name}.parquet")
            self.inputs.add(self.folder / f"{name}.parquet")


PIPELINE = """\
Executor: {{log_output_type: both, log_level: {level}, log_dir: logs}}
Loader:
  real: {{filepath: ori.csv}}
Splitter:
  half: {{num_samples: 1, train_split_ratio: 0.5}}
Synthesizer:
  given: {{method: custom_data, filepath: syn.csv}}
  drawn: {{method: independent}}
Evaluator:
  risk: {{method: mpuccs, max_baseline_cols: 2}}
  kept: {{method: distribution-distance, limit: 0}}
Reporter:
  csv: {{method: save_report, granularity: [summary, global, details, tree, changes]}}
  json: {{method: save_report, granularity: [summary, global, details, tree], format: json}}
  parquet: {{method: save_report, granularity: [global, details, tree], format: parquet}}
  timing: {{method: save_timing}}
{more}"""
SAVING = "  data: {method: save_data, source: [Loader, Splitter, Synthesizer]}\n"
RELEASED = """\
Executor: {{log_output_type: both, log_level: {level}, log_filename: released.log}}
Loader:
  real: {{filepath: released.csv, original: original.csv, population: population.csv, key: id,
    hierarchies: {hierarchies},
    roles: {{identifier: id, quasi_identifier: [zip, age, born], sensitive_attribute: [ill, pay]}}}}
Evaluator:
  k: {{method: k-anonymity, limit: 5}}
  t: {{method: t-closeness, limit: 0, worst: 5}}
  kept: {{method: precision, limit: 1}}
  map: {{method: k-map, limit: 5}}
  special: {{method: special-uniques, limit: 0}}
Reporter:
  csv: {{method: save_report, granularity: [summary, global, columnwise, details]}}
  json: {{method: save_report, granularity: [summary, global, columnwise, details], format: json}}
"""

# --- running --------------------------------------------------------------------------------

DRIVER = """
import json, os, sys
from pathlib import Path
from petaudit.cli import main

sys.stdout.flush()
for place, arguments in enumerate(json.load(open(sys.argv[1]))):
    for descriptor, name in ((1, "out"), (2, "err")):
        own = os.open(f"{sys.argv[2]}/{place:03}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(own, descriptor)
        os.close(own)
    code = main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    Path(f"{sys.argv[2]}/{place:03}.code").write_text(str(code))
"""


def everything_in(folder: Path) -> Iterator[Path]:
    """All that is below a folder; what goes away meanwhile is left out."""
    for parent, folders, files in os.walk(folder):
        yield from (Path(parent, name) for name in (*folders, *files))


class Place:
    """A folder in which commands run, and see nothing of the machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.said = folder / "said"
        for name in ("work", "said", "home", "tmp", "cache", "config"):
            (folder / name).mkdir()
        self.tables = Tables(self.work)
        self.marks = self.tables.marks
        self._runs = 0
        self.more_environment: dict[str, str] = {}

    @property
    def environment(self) -> dict[str, str]:
        own = {name: str(self.folder / name) for name in ("home", "tmp", "cache", "config")}
        keep = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        return keep | {
            "HOME": own["home"],
            "TMPDIR": own["tmp"],
            "XDG_CACHE_HOME": own["cache"],
            "XDG_CONFIG_HOME": own["config"],
            "XDG_DATA_HOME": own["config"],
            "PYTHONDONTWRITEBYTECODE": "1",
            "PETAUDIT_OFFLINE": "1",
            **self.more_environment,
        }

    def run(self, commands: Sequence[Sequence[object]]) -> list[tuple[int, Path, Path]]:
        """Run commands one after the other in a process; code, output and errors of each."""
        self._runs += 1
        said = self.said / str(self._runs)
        said.mkdir()
        (self.folder / "commands.json").write_text(
            json.dumps([[str(own) for own in command] for command in commands])
        )
        done = subprocess.run(
            [sys.executable, "-c", DRIVER, str(self.folder / "commands.json"), str(said)],
            cwd=self.work,
            env=self.environment,
            check=False,
            timeout=300,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr.decode()
        assert done.stdout + done.stderr == b""
        return [
            (int((said / f"{place:03}.code").read_text()), *(
                said / f"{place:03}.{name}" for name in ("out", "err")
            ))
            for place in range(len(commands))
        ]  # fmt: skip

    def files(self) -> list[Path]:
        """Every file that is there now, but for the tables and the list of commands."""
        return sorted(
            path
            for path in everything_in(self.folder)
            if path.is_file()
            and path not in self.tables.inputs
            and path != self.folder / "commands.json"
        )

    def leaks(self, *data: str) -> dict[str, set[str]]:
        """Marks by file, but for files whose names start like those that are tables."""
        found: dict[str, set[str]] = {}
        for path in self.files():
            name = str(path.relative_to(self.folder))
            marks = self.marks.found_in(name.encode())
            if not path.name.startswith(data or ("\0",)):
                marks |= self.marks.found_in(path.read_bytes())
            if marks:
                found[name] = marks
        return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# --- the search can fail --------------------------------------------------------------------

PLANTED = "zq70123456789x"
WAYS = {
    "plain": PLANTED.encode(),
    "in a name": f"a_{PLANTED}.csv".encode(),
    "JSON": json.dumps({"é": f'"é{PLANTED}'}).encode(),
    "JSON, every character": "".join(f"\\u{ord(own):04x}" for own in PLANTED).encode(),
    "HTML": html.escape(f"<&{PLANTED}>").encode(),
    "HTML, every character": "".join(f"&#{ord(own)};" for own in PLANTED).encode(),
    "percent": "".join(f"%{ord(own):02X}" for own in PLANTED).encode(),
    "base64": base64.b64encode(f"a cell: {PLANTED}".encode()),
    "base64 in a page": b"data:image/png;base64," + base64.b64encode(f"xy{PLANTED}".encode()),
    "hexadecimal": PLANTED.encode().hex().encode(),
    "UTF-16": PLANTED.encode("utf-16"),
    "zlib": b"head" + zlib.compress(b"many words " * 9 + PLANTED.encode()),
    "gzip": zlib.compress(PLANTED.encode(), wbits=31),
}
NUMBERS = {
    "plain": b"pay is 7123456789012.",
    "commas": b"7,123,456,789,012 rows",
    "float": b"[7123456789012.0]",
    "rounded": b"figure 7.12346e+12",
    "binary": b"head" + struct.pack("<q", 7_123_456_789_012),
    "binary float": b"head" + struct.pack("<d", 7_123_456_789_012.0),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_search_finds_a_planted_mark(way: str) -> None:
    assert PLANTED in Marks(frozenset()).found_in(WAYS[way])


@pytest.mark.parametrize("way", NUMBERS)
def test_the_search_finds_a_planted_number(way: str) -> None:
    mark = 7_123_456_789_012
    assert Marks(frozenset({mark})).found_in(NUMBERS[way]) == {str(mark)}


def test_the_search_finds_dates_and_parquet(tmp_path: Path) -> None:
    assert Marks(frozenset()).found_in(b'"born": "1673-04-17"') == {"1673-04-17"}
    table = pa.table({"a": pa.array([PLANTED] * 9).dictionary_encode()})
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd")
    assert PLANTED in Marks(frozenset()).found_in((tmp_path / "a.parquet").read_bytes())


def test_the_search_finds_nothing_where_nothing_is() -> None:
    harmless = b'{"sha256": "7123456789012aaaa", "t": 0.712345, "at": "2026-04-17T10:00:00"} 30,162'
    assert Marks(frozenset({7_123_456_789_012})).found_in(harmless) == set()


def test_the_search_looks_at_every_file(place: Place) -> None:
    assert place.leaks() == {}
    (place.folder / "cache" / "deep").mkdir()
    (place.folder / "cache" / "deep" / ".hidden").write_text(f"x{PLANTED}")
    (place.folder / "tmp" / f"{PLANTED}.tmp").touch()
    assert set(place.leaks()) == {"cache/deep/.hidden", f"tmp/{PLANTED}.tmp"}


# --- every command --------------------------------------------------------------------------

CHECK = (
    *("check", "released.csv", "--qi", "zip,age,born", "--sensitive", "ill,pay"),
    *("--identifier", "id", "--original", "original.csv", "--population", "population.csv"),
    *("--key", "id", "--hierarchies", "hierarchies", "--k", "5", "--l", "2", "--t", "0"),
    *("--cost", "4", "--gain", "300", "--loss", "300", "--benefit", "1200"),
)
LOGGED = ("--log-format", "json")
MPUCCS = ("mpuccs", "ori.csv", "syn.csv", "--control", "control.csv", "--limit", "0")


def check_commands(language: str) -> Iterator[tuple[object, ...]]:
    reports = [part for end in REPORT_ENDINGS for part in ("--report", f"check-{language}.{end}")]
    told = ("--lang", language)
    yield (*told, *CHECK, "--details", *reports)
    yield (*told, *CHECK, "--format", "json", "--out", f"check-{language}.json")
    for name in AUDIT_FORMATS:
        yield (*told, *CHECK, "--format", name, "--baseline", f"check-{language}.json")
    yield (*told, "check", "syn.csv", "--original", "ori.csv", "--measures", "mpuccs")


def mpuccs_commands(language: str) -> Iterator[tuple[object, ...]]:
    reports = [part for end in REPORT_ENDINGS for part in ("--report", f"m-{language}.{end}")]
    told = ("--lang", language)
    yield (*told, *MPUCCS, "--out", f"m-{language}", *reports)
    for name in AUDIT_FORMATS:
        yield (*told, *MPUCCS, "--no-advice", "--max-cols", "1", "--format", name)
    yield (*told, "mpuccs", "ori.parquet", "syn.parquet", "--max-cols", "2", "--quiet")


def deidentifying_commands(language: str) -> Iterator[tuple[object, ...]]:
    told, out = ("--lang", language), f"best-{language}"
    given = ("original.csv", "--qi", "zip,age,born", "--identifier", "id")
    given = (*given, "--sensitive", "ill,pay", "--hierarchies", "hierarchies")
    reports = [part for end in ("html", "md") for part in ("--report", f"{out}.{end}")]
    yield (*told, "hierarchies", *given[:3], "--identifier", "id")
    yield (*told, "anonymize", *given, "--k", "2", "--out", f"{out}.csv", *reports)
    applied = ("apply", f"{out}.transformation.json", "original.csv")
    yield (*told, *applied, "--out", f"{out}-again.csv")
    yield (*told, "frontier", *given, "--k", "2,3", "--report", f"frontier-{language}.html")
    yield (*told, "frontier", *given, "--k", "2,3", "--format", "json")


def attack_commands(language: str) -> Iterator[tuple[object, ...]]:
    reports = [part for end in REPORT_ENDINGS for part in ("--report", f"a-{language}.{end}")]
    columns = ("--secret", "income", "--link", "city:joined", "--keys", "city,joined")
    attack = ("--lang", language, "attack", *MPUCCS[1:], *columns, "--by", "city")
    yield (*attack, "--details", "--rows", f"exposed-{language}.csv", *reports)
    for name in AUDIT_FORMATS:
        yield (*attack, "--format", name)


def run_commands(language: str) -> Iterator[tuple[object, ...]]:
    told = ("--lang", language)
    for file in ("synthetic", "released"):
        reports = [
            part for end in REPORT_ENDINGS for part in ("--report", f"{file}-{language}.{end}")
        ]
        out = ("--out", f"{file}-{language}")
        yield (*told, "validate", f"{file}.yaml", "--format", "json")
        yield (*told, "run", f"{file}.yaml", *out, *reports)
    for name in AUDIT_FORMATS[1:]:
        yield (*told, "run", "released.yaml", *out, "--format", name, "--only", "k")


def other_commands(language: str) -> Iterator[tuple[object, ...]]:
    told = ("--lang", language)
    documents = [
        *(f"check-{language}.json", f"m-{language}/summary.json"),
        *(f"synthetic-{language}/result.json", f"released-{language}/result.json"),
    ]
    for document in documents:
        for name in ("html", "markdown", "junit", "sarif"):
            yield (*told, "report", document, "--format", name, "--out", "-", "--hide-below", "0")
    yield (*told, "report", documents[0])
    yield (*told, "init", "released.csv", "--original", "original.csv", "--out", "-")
    yield (*told, "init", "ori.csv", "--synthetic", "syn.csv", "--out", f"init-{language}.yaml")
    yield (*told, "validate", f"init-{language}.yaml")
    levels = ("--levels", "zip=1,born=1", "--hierarchies", "hierarchies", "--suppress-below", "2")
    yield (*told, "generalize", "original.csv", *levels, "--out", f"made-{language}.csv")
    yield (*told, "measures")
    yield (*told, "measures", "k-map", "--format", "json")
    yield (*told, "datasets")
    yield (*told, "schema")


def write_pipelines(place: Place, level: str = "DEBUG") -> None:
    (place.work / "synthetic.yaml").write_text(PIPELINE.format(level=level, more=""))
    text = RELEASED.format(level=level, hierarchies="hierarchies")
    (place.work / "released.yaml").write_text(text)


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "zh-TW"])
def test_no_mark_comes_out_of_any_command(language: str, place: Place) -> None:
    write_pipelines(place)
    commands = [
        *check_commands(language),
        *mpuccs_commands(language),
        *attack_commands(language),
        *deidentifying_commands(language),
        *run_commands(language),
        *other_commands(language),
    ]
    # Of every second command standard error is JSON, which says more.
    commands = [(*own, *LOGGED) if number % 2 else own for number, own in enumerate(commands)]
    found = place.run(commands)
    logged = [err.read_text().splitlines() for _, _, err in found[1::2]]
    assert {json.loads(lines[-1])["event"] for lines in logged} == {"command_finished"}
    assert sum("query_finished" in line for lines in logged for line in lines) > 100
    codes = {
        " ".join(map(str, own[2:])): code for own, (code, _, _) in zip(commands, found, strict=True)
    }
    # They fail their limits, and nothing else is wrong.
    assert {own: code for own, code in codes.items() if code not in (0, 1)} == {}
    assert sum(code == 1 for code in codes.values()) > 15
    # What is written for the steward alone, and the tables to release.
    best = [f"best-{language}{end}" for end in (".csv", "-again.csv", ".transformation.json")]
    assert place.leaks(f"made-{language}.csv", *best) == {}
    written = {path.name for path in place.files()}
    assert {f"check-{language}.{end}" for end in REPORT_ENDINGS} <= written
    assert any(path.parent.name == "logs" for path in place.files())
    assert not list((place.folder / "tmp").iterdir())


@pytest.mark.long
def test_no_mark_is_logged_at_any_level(place: Place) -> None:
    commands = []
    for level in ("INFO", "WARNING", "ERROR", "CRITICAL"):
        text = PIPELINE.format(level=level, more="").replace("log_dir: logs", f"log_dir: {level}")
        (place.work / f"s-{level}.yaml").write_text(text)
        text = RELEASED.format(level=level, hierarchies="hierarchies")
        (place.work / f"r-{level}.yaml").write_text(text)
        commands += [("run", f"{name}-{level}.yaml", "--quiet") for name in ("s", "r")]
    assert [code for code, _, _ in place.run(commands)] == [1] * len(commands)
    assert place.leaks() == {}
    assert list((place.work / "s-INFO-results/INFO").iterdir())


def test_saved_tables_are_the_only_files_with_marks(place: Place) -> None:
    (place.work / "synthetic.yaml").write_text(PIPELINE.format(level="DEBUG", more=SAVING))
    place.run([("run", "synthetic.yaml", "--out", "o")])
    saved = set(place.leaks())
    assert saved
    assert {name.partition("[")[0] for name in saved} == {
        f"work/o/petaudit_{module}" for module in ("Loader", "Splitter", "Synthesizer")
    } or all("petaudit_" in name for name in saved)
    assert place.leaks(*{Path(name).name for name in saved}) == {}


# --- what goes wrong ------------------------------------------------------------------------


def without(option: str, command: Sequence[str] = CHECK) -> tuple[str, ...]:
    """A command without an option and its value."""
    place = command.index(option)
    return (*command[:place], *command[place + 2 :])


def with_hierarchies(folder: str, *measures: str) -> tuple[str, ...]:
    command = (*without("--hierarchies"), "--hierarchies", folder)
    return (*command, *(part for name in measures for part in ("--measures", name)))


HIERARCHY_FAULTS = {
    "ragged": "{0};{1};*\n{2};*\n",
    "repeated": "{0};{1};*\n{0};{2};*\n",
    "blank": "{0};;*\n",
    "quoted": '{0};{1}\n"{2};{1}\n',
    "narrow": "{0};{1};*\n",
    "commas": "{0},{1}\n{2},{1}\n",
}
NO_HEADER = "the first row looks like data"
FAILURES: dict[str, tuple[str, ...]] = {
    # What goes wrong, with a part of the message that shows that just this went wrong.
    "9 values that are not leaves": with_hierarchies("broken", "non-uniform-entropy"),
    "values that are not numbers: it has no order": (
        *("check", "released.csv", "--qi", "zip", "--sensitive", "ill"),
        *("--measures", "t-closeness", "--distance", "ordered"),
    ),
    "key column 'ill' of released.csv holds a value more than once": (
        *(*without("--key"), "--key", "ill", "--measures", "non-uniform-entropy"),
    ),
    "unknown column 'nothing'": ("check", "released.csv", "--qi", "nothing"),
    "unknown column 'income' in released.csv; columns are id": (*CHECK[:2], "--qi", "income"),
    "must have the same columns; only in released.csv: 'id'": (
        *("mpuccs", "ori.csv", "released.csv", "--out", "o"),
    ),
    "column 'income' holds": ("mpuccs", "ori.parquet", "swapped.csv", "--out", "o"),
    "levels 0 to 2": (
        *("generalize", "original.csv", "--levels", "zip=9", "--hierarchies", "hierarchies"),
    ),
    "values that are not leaves of its hierarchy": (
        *("generalize", "original.csv", "--levels", "zip=1", "--hierarchies", "broken"),
        *("--out", "made.csv"),
    ),
    "ori.csv: is not valid JSON": ("report", "ori.csv"),
    "ori.csv, line 1: the file is plain text": ("run", "ori.csv"),
    "is a file; expected a folder of hierarchies": (*CHECK[:4], "--hierarchies", "released.csv"),
    "cells where the header has 5": ("check", "ragged.csv", "--qi", "name"),
    "Evaluator[map]: error": ("run", "broken.yaml", "--out", "o"),
    "Evaluator[kept]: column 'zip' holds 6 labels": ("run", "narrow.yaml", "--out", "o1"),
    "column 'city' has 40 cells that are not int": ("run", "schema.yaml", "--out", "o2"),
    "levels where the rows before have 3": with_hierarchies("ragged-h"),
    "in an earlier line with another path": with_hierarchies("repeated-h"),
    "an empty label above it": with_hierarchies("blank-h"),
    "not a ';' separated file": with_hierarchies("quoted-h"),
    "6 labels not found in its hierarchy": with_hierarchies("narrow-h", "precision"),
    f"unknown column 'zip' in headless.csv; it has 5 columns, not named here because {NO_HEADER}": (
        *("check", "headless.csv", "--qi", "zip"),
    ),
    "in headless.csv; it has 1 column, not named": (
        *("check", "headless.csv", "--delimiter", "|", "--qi", "zip"),
    ),
    "sided.yaml: unknown column 'zip' in sided.csv; it has 5 columns": (
        *("check", "sided.csv", "--k", "2"),
    ),
    "only in headless.csv: 5 columns (not named": (
        *("mpuccs", "ori.csv", "headless.csv", "--out", "o"),
    ),
    "unknown column 'age' in headless.csv; it has 5 columns": (
        *("check", "released.csv", "--qi", "age", "--original", "headless.csv"),
    ),
    "unknown column 'born' in headless.csv; it has 5 columns": (
        *("check", "released.csv", "--qi", "born", "--population", "headless.csv"),
        *("--measures", "k-map"),
    ),
    "syn.csv and headless.csv must have the same columns": (
        *("mpuccs", "ori.csv", "syn.csv", "--control", "headless.csv"),
    ),
    "has column number 3 (not named": ("check", "twice.csv", "--qi", "zip"),
    "warning: the first line of headless.csv may be data": (
        *("generalize", "headless.csv", "--levels", "zip=1"),
    ),
    "the schema does not describe 5 columns (not named": (
        *("run", "headless-schema.yaml", "--out", "o3"),
    ),
    "headless.yaml, line 5: Loader.real.roles: unknown column 'zip'": (
        *("run", "headless.yaml", "--out", "o4"),
    ),
    "headless.yaml, line 3: Loader.real: unknown column 'id'": ("validate", "headless.yaml"),
    "fewer than the 40 of the table": (
        *(*without("--population", without("--hierarchies")), "--population", "few.csv"),
        *("--measures", "k-map"),
    ),
    "every line has 1 ','": with_hierarchies("commas-h", "precision"),
    "cannot be read as a number": with_hierarchies("ranges.yaml", "precision"),
    "cannot be read as a date": with_hierarchies("dates.yaml", "precision"),
    "because of the mask character 'z'": with_hierarchies("mask.yaml", "precision"),
    "cannot be found in the ordered list": with_hierarchies("ordered.yaml", "precision"),
    "line 3: duplicate key: a label": with_hierarchies("twice.yaml"),
    "tabled.yaml, line 6: duplicate key: a label": ("check", "tabled.csv", "--k", "2"),
    "labels that are not numbers, not ranges like": (
        *("check", "odd-released.csv", "--original", "odd-original.csv", "--qi", "age"),
        *("--measures", "attribute-squared-error"),
    ),
    "a quoted field holds a line break": ("check", "broken-line.csv", "--qi", "name"),
    "is not UTF-8 text; give the file's encoding": ("check", "latin.csv", "--qi", "name"),
    "cannot be decoded as cp950": (*("check", "latin.csv", "--qi", "name", "--encoding", "cp950"),),
    "cannot be read as Parquet": ("check", "damaged.parquet", "--qi", "name"),
    "unknown column 'zip' in ori.parquet; columns are name": (
        *("check", "ori.parquet", "--qi", "zip"),
    ),
    "column 'city' holds values that are not numbers": (
        *("check", "ori.parquet", "--qi", "name", "--sensitive", "city"),
        *("--measures", "t-closeness", "--distance", "ordered"),
    ),
    "the key DATASET is missing": ("check", "beside.csv", "--k", "2"),
}


def write_what_goes_wrong(place: Place) -> None:
    work, tables = place.work, place.tables
    lines = [line.split(";") for line in (work / "ori.csv").read_text().splitlines()]
    tables.write("swapped.csv", [lines[0], *([*row[:2], row[1], *row[3:]] for row in lines[1:])])
    tables.write("ragged.csv", [*lines, ["a"] * 9])
    tables.write("headless.csv", lines[1:])
    tables.write("sided.csv", lines[1:])
    tables.write("twice.csv", [[*row, row[2]] for row in lines[1:]])
    tables.write("beside.csv", lines)
    tables.write("tabled.csv", lines)
    released = [line.split(";") for line in (work / "released.csv").read_text().splitlines()]
    tables.write("few.csv", released[:9])
    tables.write("odd-released.csv", [["age"], *([row[1]] for row in released[1:])])
    tables.write("odd-original.csv", [["age"], *([row[2]] for row in lines[1:])])
    tables.write("broken-line.csv", [lines[0], [f'"{lines[1][0]}\n{lines[1][0]}"', *lines[1][1:]]])
    (work / "latin.csv").write_bytes((work / "ori.csv").read_bytes().replace(b"\xc3\xa9", b"\xff"))
    parquet = (work / "ori.parquet").read_bytes()
    (work / "damaged.parquet").write_bytes(parquet[: len(parquet) // 2] + parquet[-60:])
    zips = released[2:9]
    for fault, text in HIERARCHY_FAULTS.items():
        (work / f"{fault}-h").mkdir()
        made = text.format(*(row[1] for row in zips))
        (work / f"{fault}-h" / "hierarchy_zip.csv").write_text(made)
    for folder in ("broken", *(f"{fault}-h" for fault in HIERARCHY_FAULTS)):
        for column in ("age", "born"):
            text = (work / "hierarchies" / f"hierarchy_{column}.csv").read_text()
            (work / folder / f"hierarchy_{column}.csv").write_text(text)
    name = lines[1][0]
    yamls = {
        "sided": "DATASET:\n  ATTRIBUTE_TYPE: {QUASI_IDENTIFIER: [zip]}\n",
        "beside": f"DATASET: {name}\n{name}: {name}\n",
        "ranges": "zip: {ranges: [5]}\nage: {mask: right}\nborn: {mask: right}\n",
        "dates": "zip: {dates: [month]}\nage: {mask: right}\nborn: {mask: right}\n",
        "mask": "zip: {mask: right, mark: z}\nage: {mask: right}\nborn: {mask: right}\n",
        "ordered": "zip: {ordered: [a, b]}\nage: {mask: right}\nborn: {mask: right}\n",
        "twice": f"zip:\n  {name}: '*'\n  {name}: a\n",
        "tabled": "DATASET:\n  ATTRIBUTE_TYPE: {QUASI_IDENTIFIER: [name]}\n"
        f"  HIERARCHY:\n    name:\n      {name}: '*'\n      {name}: a\n",
        "broken": RELEASED.format(level="DEBUG", hierarchies="broken"),
        "s": "id: s\nattributes:\n  city: {type: int}\n  name: {type: date}\n"
        "  income: {}\n  joined: {}\n  weight: {}\n",
    }
    pipeline = PIPELINE.format(level="DEBUG", more="")
    with_schema = "{filepath: ori.csv, schema: s.yaml}"
    yamls["schema"] = pipeline.replace("{filepath: ori.csv}", with_schema)
    yamls["headless-schema"] = yamls["schema"].replace("ori.csv", "headless.csv")
    yamls["headless"] = RELEASED.format(level="DEBUG", hierarchies="hierarchies").replace(
        "released.csv", "headless.csv"
    )
    yamls["narrow"] = yamls["broken"].replace("broken", "narrow-h")
    for own, text in yamls.items():
        (work / f"{own}.yaml").write_text(text)
    tables.inputs |= {path for path in everything_in(work) if path.is_file()}


@pytest.mark.parametrize("debug", [pytest.param("", marks=pytest.mark.long), "1"])
def test_what_goes_wrong_shows_no_mark_unless_asked(place: Place, debug: str) -> None:
    """Nothing on any stream, log or file, whatever is wrong, also where traces are shown."""
    write_what_goes_wrong(place)
    place.more_environment["PETAUDIT_DEBUG"] = debug
    commands = [("--lang", "en", *command) for command in FAILURES.values()]
    for number, command in enumerate(FAILURES.values()):
        others: list[tuple[str, ...]] = [
            ("--lang", language, *command, "--format", name, *LOGGED)
            for language in LANGUAGES
            for name in AUDIT_FORMATS
            if command[0] in ("check", "mpuccs", "run")
        ]
        commands += others if IS_LONG and debug else others[number % 12 :: 12]
    found = place.run(commands)
    leaked = {
        " ".join(command): marks
        for command, (_, out, err) in zip(commands, found, strict=True)
        if (marks := place.marks.found_in(out.read_bytes() + err.read_bytes()))
    }
    assert leaked == {}
    assert {code for code, _, _ in found} == {2}
    for message, (_, _, err) in zip(FAILURES, found, strict=False):
        # Else another fault may have come first, and this one was never seen.
        assert message in err.read_text()
    assert place.leaks() == {}


def test_what_goes_wrong_shows_a_few_marks_on_request(place: Place) -> None:
    write_what_goes_wrong(place)
    can = ("check", "mpuccs", "run", "generalize")
    commands = [(*own, "--reveal-values") for own in FAILURES.values() if own[0] in can]
    of_headers = [own for own in FAILURES.values() if "head" in str(own) or "twice.csv" in own]
    found = place.run(commands)
    shown = 0
    for command, (_, _, err) in zip(commands, found, strict=True):
        messages = [line for line in err.read_text().splitlines() if line.startswith("petaudit: ")]
        is_header = command[:-1] in of_headers or command[1] == "sided.csv"
        for line in messages:
            # What may have been meant is a label of the hierarchy, and stands behind the three.
            marks = place.marks.found_in(re.split("did you mean", line)[0].encode())
            assert len(marks) <= 3 or is_header, command
            shown += bool(marks)
    assert shown > 5


# --- defects of petaudit or of an engine -----------------------------------------------------

DEFECT = """
import json, sys
from petaudit.cli import main
import petaudit.measures.precision as precision
import petaudit.cli.check as check

given, command = json.loads(sys.argv[1]), sys.argv[2:]

def fail(*_, **__):
    try:
        int(given)
    except ValueError as problem:
        raise RuntimeError(f"cannot cast {given!r}") from problem

precision.mean_level = fail
if command[0] == "check":
    check.audit = fail
sys.exit(main(command))
"""


@pytest.mark.parametrize("reveal", [False, True])
@pytest.mark.parametrize("command", [CHECK, ("run", "released.yaml", "--out", "o")])
def test_a_trace_shows_places_and_no_mark(
    command: Sequence[str], reveal: bool, place: Place
) -> None:
    """What engines say may quote cells, and so may the errors behind an error."""
    write_pipelines(place)
    mark = (place.work / "ori.csv").read_text().splitlines()[1].split(";")[0]
    more = ("--reveal-values",) if reveal else ()
    done = subprocess.run(
        [sys.executable, "-c", DEFECT, json.dumps(mark), *command, *more],
        cwd=place.work,
        env=place.environment | {"PETAUDIT_DEBUG": "1"},
        capture_output=True,
        check=False,
        timeout=120,
    )
    said = done.stderr.decode()
    assert "ValueError" in said
    assert "in fail" in said
    assert "RuntimeError" in said
    is_shown = mark in (done.stdout + done.stderr).decode()
    assert is_shown == (reveal and command[0] == "check")


# --- while it runs --------------------------------------------------------------------------

SLOW = """
import sys, time
from petaudit.tables import _private_folder
from petaudit.cli import main

made = _private_folder.private_folder()
(made / "spill").mkdir(exist_ok=True)
code = main(sys.argv[1:])
time.sleep(0.3)
sys.exit(code)
"""


def test_temporary_files_are_private_and_gone_afterwards(place: Place) -> None:
    """What an engine needs lies where nobody else can read; nothing lies anywhere else."""
    packed = place.work / "packed.csv.gz"
    packed.write_bytes(zlib.compress((place.work / "original.csv").read_bytes(), wbits=31))
    place.tables.inputs.add(packed)
    command = ("check", "packed.csv.gz", "--qi", "zip", "--sensitive", "ill", "--details")
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *command],
        cwd=place.work,
        env=place.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    modes: dict[str, int] = {}
    outside: dict[str, set[str]] = {}
    while process.poll() is None:
        for path in [*everything_in(place.folder / "tmp"), *everything_in(place.work)]:
            if path in place.tables.inputs:
                continue
            try:
                first = path.relative_to(place.folder).parts[:2]
                if first[0] == "tmp":
                    modes["/".join(first)] = stat.S_IMODE(
                        (place.folder / Path(*first)).stat().st_mode
                    )
                elif path.is_file() and (marks := place.marks.found_in(path.read_bytes())):
                    outside[str(path)] = marks
                assert place.marks.found_in(path.name.encode()) == set()
            except FileNotFoundError:
                continue
        time.sleep(0.005)
    out, err = process.communicate()
    assert process.returncode in (0, 1), err
    assert place.marks.found_in(out + err) == set()
    assert modes
    assert set(modes.values()) == {0o700}
    assert outside == {}
    assert list((place.folder / "tmp").iterdir()) == []
    assert place.leaks() == {}


def test_a_pipeline_keeps_no_mark_while_it_runs(place: Place) -> None:
    write_pipelines(place)
    process = subprocess.Popen(
        [sys.executable, "-m", "petaudit", "run", "synthetic.yaml", "--out", "o", "--quiet"],
        cwd=place.work,
        env=place.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    seen: dict[Path, float] = {}
    leaked: dict[str, set[str]] = {}
    while process.poll() is None:
        for path in place.files():
            if path.relative_to(place.folder).parts[0] == "tmp":
                continue
            try:
                if seen.get(path) != (changed := path.stat().st_mtime):
                    seen[path] = changed
                    if marks := place.marks.found_in(path.read_bytes()):
                        leaked[str(path)] = marks
            except (OSError, pa.ArrowInvalid):
                continue  # it was gone, or is not written yet
        time.sleep(0.005)
    assert process.returncode == 1
    assert any(".petaudit-run" in str(path) for path in seen)
    assert leaked == {}


# --- where marks are asked for --------------------------------------------------------------


def test_revealed_marks_are_where_they_are_documented_and_a_watermark_says_so(place: Place) -> None:
    write_pipelines(place)
    reports = [part for end in REPORT_ENDINGS for part in ("--report", f"r.{end}")]
    revealing = ("--reveal-values",)
    place.run(
        [
            (*CHECK, "--format", "json", "--out", "r.json", *reports, *revealing),
            (*CHECK, "--details", *revealing),
            (*MPUCCS, "--out", "m", *revealing),
            ("run", "released.yaml", "--out", "o", *revealing),
            ("report", "r.json", "--out", "again.html", *revealing),
            ("report", "o/result.json", "--out", "run.html", *revealing),
        ]
    )
    leaks = place.leaks()
    holding = {name for name in leaks if not name.startswith("said/")}
    assert {"work/r.json", "work/r.html", "work/r.md", "work/m/details.csv"} <= holding
    assert {"work/again.html", "work/o/result.json", "work/run.html"} <= holding
    assert "work/m/summary.json" not in holding
    assert not [name for name in leaks if name.endswith((".err", ".log"))]
    for name in ("r.html", "again.html", "run.html"):
        page = (place.work / name).read_text()
        assert "Contains values of the data" in page
        assert "Values hidden" not in page
    assert "CONTAINS VALUES OF THE DATA" in (place.work / "r.md").read_text()
    assert 'contains_values" value="true"' in (place.work / "r.xml").read_text()
    assert json.loads((place.work / "r.json").read_text())["options"]["reveal_values"] is True


def test_a_report_of_a_document_with_marks_hides_them(place: Place) -> None:
    write_pipelines(place)
    place.run(
        [
            (*CHECK, "--format", "json", "--out", "r.json", "--reveal-values"),
            (*MPUCCS, "--out", "m", "--reveal-values"),
            ("run", "released.yaml", "--out", "o", "--reveal-values"),
        ]
    )
    assert place.leaks()
    kept = set(place.files())
    found = place.run(
        [
            ("--lang", language, "report", document, "--format", name, "--out", "-", *more)
            for language in LANGUAGES
            for document in ("r.json", "m/summary.json", "o/result.json")
            for name in ("html", "markdown", "junit", "sarif")
            for more in ((), ("--baseline", document))
            if not more or name == "html"
        ]
    )
    assert {code for code, _, _ in found} == {0}
    new = {str(path.relative_to(place.folder)) for path in place.files() if path not in kept}
    assert len(new) == 3 * len(found)
    assert {name: own for name, own in place.leaks().items() if name in new} == {}
    assert "Values hidden" in found[0][1].read_text()
    assert "隱藏" in found[-1][1].parent.joinpath("015.out").read_text()


def run_alone(place: Place, *command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "petaudit", *command],
        cwd=place.work,
        env=place.environment | {"PETAUDIT_DEBUG": ""},
        capture_output=True,
        check=False,
        timeout=120,
    )


def test_a_command_as_a_person_runs_it(place: Place) -> None:
    """Nothing depends on that the commands above shared a process."""
    done = run_alone(place, *CHECK, "--report", "r.html")
    assert done.returncode == 1
    assert place.marks.found_in(done.stdout + done.stderr) == set()
    assert place.leaks() == {}
    assert list((place.folder / "tmp").iterdir()) == []

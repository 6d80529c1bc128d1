"""A result document that somebody forged: it may lie, but neither run, break nor flood anything."""

from __future__ import annotations

import contextlib
import copy
import html
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

import petaudit
from petaudit.cli import main
from petaudit.errors import PetauditError
from petaudit.i18n.catalogue import translation
from petaudit.judging.version1 import from_version_1
from petaudit.pictures import KINDS
from pictures.examples import EXAMPLES

FORMATS = ("html", "markdown", "junit", "sarif")
HOSTILE = (
    "\"'><script>alert(1)</script><img src=x "
    "onerror=alert(1)></title></style></svg>{{7*7}}${7*7}{0.__class__}{rows.__class__}%s]]>[x](javascript:1)=1+1|`\x1b]0;x\x07\x9b31m\u202e"
)
CHECK: dict[str, Any] = {
    "document": "petaudit.check/1",
    "petaudit": "1",
    "verdict": "failed",
    "exit_code": 1,
    "inputs": {"table": {"name": "t.csv", "rows": 100, "columns": ["a"], "sha256": "x"}},
    "roles": {"a": "quasi_identifier"},
    "options": {"options": {"k-anonymity": {"limit": 5}}, "key": "a", "suppressed": "*"},
    "results": [
        {
            "measure": "k-anonymity",
            "status": "failed",
            "better": "higher",
            "value": 2,
            "limit": 5,
            "passed": False,
            "warnings": ["a warning"],
            "explanation": ["3 rows are alone"],
            "conditions": ["a condition"],
            "profile": "a profile",
            "figure": "a figure",
            "exact_value": "1/3",
            "pictures": [],
            "remedy": {"rows_to_suppress": 3, "share_to_suppress": 0.1},
            "attributes": [
                {
                    "attribute": "b",
                    "worst_classes": [
                        {"figure": 1, "rows": 3, "classes": 1, "labels": {"a": "secret"}}
                    ],
                }
            ],
        }
    ],
    "not_measured": [{"measure": "k-map", "status": "skipped", "reason": "no population"}],
    "warnings": ["another warning"],
    "texts": {
        "3 rows are alone": {
            "template": "{rows} are alone",
            "values": {"rows": {"number": 3, "nouns": ["row", "rows"]}},
        }
    },
}
RUN: dict[str, Any] = {
    "document": "petaudit.result/1",
    "petaudit": "1",
    "verdict": "error",
    "exit_code": 2,
    "configuration": {"name": "audit.yaml", "sha256": "x", "set": ["a.b=1"]},
    "inputs": {"real": {"name": "t.csv", "rows": 100, "columns": ["a"], "sha256": "x"}},
    "compare_to": {"name": "before.json"},
    "results": [
        {
            **{
                name: result for name, result in CHECK["results"][0].items() if name != "attributes"
            },
            "run": "real_risk",
            "roles": {"a": "quasi_identifier"},
            "details": {"attributes": CHECK["results"][0]["attributes"]},
            "comparison": {"previous": 3, "reason": "a reason"},
            "breaches": [{"kind": "worsening", "limit": 3, "allowed": 1, "line": 7}],
            "texts": CHECK["texts"],
        }
    ],
    "errors": [{"run": "other", "reason": "no table"}],
}
MPUCCS: dict[str, Any] = {
    "document": "petaudit.mpuccs/1",
    "petaudit": "1",
    "verdict": "failed",
    "exit_code": 1,
    "inputs": {"synthetic": {"name": "s.csv", "rows": 9, "columns": ["a"], "sha256": "x"}},
    "options": {"max_cols": 3},
    "result": {
        **CHECK["results"][0],
        "measure": "mpuccs",
        "better": "lower",
        "value": 0.5,
        "limit": 0.1,
    },
    "warnings": ["another warning"],
    "texts": CHECK["texts"],
}
DOCUMENTS = {"check": CHECK, "run": RUN, "mpuccs": MPUCCS}
"""Of version 1; those of version 2 follow."""
for _name, _old in [*DOCUMENTS.items()]:
    DOCUMENTS[f"{_name}/2"] = {**from_version_1(_old), "document": "petaudit.result/2"}
PICTURES = [picture.to_dict() for picture in EXAMPLES]


def with_entry(**changes: Any) -> dict[str, Any]:
    """The check with other fields of its result."""
    made = copy.deepcopy(CHECK)
    made["results"][0] |= changes
    return made


def saying(text: str, made_of: object) -> dict[str, Any]:
    """The check with a sentence that is said to be made of something."""
    return with_entry(explanation=[text]) | {"texts": {text: made_of}}


# --- what a page may hold -------------------------------------------------------------------


class Elements(HTMLParser):
    """The elements of a page, and what their attributes do."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.bad: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            loads = name in ("src", "action", "formaction", "srcdoc", "xlink:href", "data")
            points = name == "href" and not re.fullmatch(r"#[\w-]+|data:,", value or "")
            if name.startswith("on") or name == "style" or loads or points:
                self.bad.append(f"<{tag} {name}={value!r}>")


def check_harmless(text: str, format_name: str, tags: set[str]) -> None:
    """A report that does nothing, whoever wrote the document."""
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    match format_name:
        case "html":
            outcome = Elements(text)
            assert outcome.bad == []
            assert outcome.tags <= tags
            assert text.count("</style>") == 1
        case "markdown":
            outcome = Elements(MarkdownIt("commonmark").enable("table").render(text))
            assert outcome.bad == []
            assert outcome.tags.isdisjoint({"script", "img", "a", "style", "svg", "iframe"})
        case "junit":
            tree = ElementTree.fromstring(text)  # noqa: S314 (it is ours)
            assert {entry.tag for entry in tree.iter()} <= {
                *("testsuites", "testsuite", "properties", "property", "testcase"),
                *("failure", "error", "skipped", "system-out"),
            }
        case "sarif":
            [entry] = json.loads(text)["runs"]
            assert entry["tool"]["driver"]["name"] == "petaudit"


@pytest.fixture(scope="module")
def known_tags() -> set[str]:
    """The elements of pages that nobody forged, with every picture."""
    outcome: set[str] = set()
    for document in (*DOCUMENTS.values(), with_entry(pictures=PICTURES)):
        for revealed in (False, True):
            page = petaudit.report(document, baseline=document, reveal_values=revealed)
            outcome |= Elements(page).tags
    assert "script" not in outcome
    return outcome


def with_text_replaced(given: Any) -> Iterator[Any]:
    """The same data again and again, each time with another text or key replaced."""
    if isinstance(given, str):
        yield HOSTILE
    elif isinstance(given, dict):
        for key in given:
            yield {HOSTILE if entry == key else entry: value for entry, value in given.items()}
            for changed in with_text_replaced(given[key]):
                yield given | {key: changed}
    elif isinstance(given, list):
        for place, item in enumerate(given):
            for changed in with_text_replaced(item):
                yield [*given[:place], changed, *given[place + 1 :]]


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "zh-TW"])
def test_a_hostile_text_is_text_wherever_it_stands(
    name: str, language: str, known_tags: set[str]
) -> None:
    shown = 0
    for document in with_text_replaced(DOCUMENTS[name]):
        for format_name in FORMATS:
            for revealed in (False, True):
                with contextlib.suppress(PetauditError):
                    text = petaudit.report(
                        document, format=format_name, lang=language, reveal_values=revealed
                    )
                    check_harmless(text, format_name, known_tags)
                    shown += "alert(1)" in text
                    # Neither Jinja nor str.format looked into it.
                    assert "49" not in re.findall(r"\{\{(\d+)\}\}|>(49)<", text)
                    assert "<class" not in text
                    assert "&lt;class" not in text
    assert shown > 40


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_text_in_a_picture_is_text(kind: str, known_tags: set[str]) -> None:
    pictures = [entry for entry in PICTURES if entry["kind"] == kind]
    made = 0
    for picture in pictures:
        for changed in with_text_replaced(picture):
            with contextlib.suppress(PetauditError):
                text = petaudit.report(with_entry(pictures=[changed]), reveal_values=True)
                check_harmless(text, "html", known_tags)
                made += 1
    assert pictures
    has_texts = kind in ("column-shares", "column-exposure", "search-tree", "distributions")
    assert not has_texts or made


# --- numbers that nobody expects ------------------------------------------------------------

NUMBERS = [
    -1, 0, 2.5, -1e308, 1e308, 5e-324, float("nan"), float("inf"), float("-inf"), 2**63, 10**400,
    -(10**400), True, "inf", "NaN", "x", [], {}, [[]], None,
]  # fmt: skip


HUGE = (float("inf"), float("-inf"), 10**400, -(10**400))


def with_number_replaced(given: Any, number: Any) -> Iterator[Any]:
    if isinstance(given, int | float):
        yield number
    elif isinstance(given, dict):
        for key in given:
            for changed in with_number_replaced(given[key], number):
                yield given | {key: changed}
    elif isinstance(given, list):
        for place, item in enumerate(given):
            for changed in with_number_replaced(item, number):
                yield [*given[:place], changed, *given[place + 1 :]]


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("number", [pytest.param(own, id=str(own)[:8]) for own in NUMBERS])
def test_any_number_is_a_report_or_an_error(name: str, number: Any, known_tags: set[str]) -> None:
    for document in with_number_replaced(DOCUMENTS[name], number):
        for format_name in FORMATS:
            for baseline in (None, DOCUMENTS[name]):
                with contextlib.suppress(PetauditError):
                    text = petaudit.report(document, format=format_name, baseline=baseline)
                    check_harmless(text, format_name, known_tags)


@pytest.mark.parametrize("kind", KINDS)
def test_any_number_in_a_picture_is_a_report_or_an_error(kind: str, known_tags: set[str]) -> None:
    [picture, *_] = [entry for entry in PICTURES if entry["kind"] == kind]
    for number in (0, 1, -1e308, 1e308, 5e-324, 2**62, 10**400, None, "x"):
        for changed in with_number_replaced(picture, number):
            with contextlib.suppress(PetauditError):
                text = petaudit.report(with_entry(pictures=[changed]))
                check_harmless(text, "html", known_tags)


def test_shares_of_a_table_without_rows() -> None:
    empty = {"rows": 0, "values": 1, "labels": None}
    far = {"rows": 100, "classes": 1, "distance": 1, "counts": [50, 50]}
    picture = {
        "kind": "distributions",
        "attribute": "x",
        "distance": "ordered",
        "bins": [empty, empty],
        "classes": [far],
    }
    with contextlib.suppress(PetauditError):
        petaudit.report(with_entry(pictures=[picture]))


# --- what should not take forever -----------------------------------------------------------


def laughs(levels: int) -> Any:
    """Doubled so many times: a billion characters from a kilobyte."""
    made: Any = "ha"
    for _ in range(levels):
        made = {"template": "{x}{x}", "values": {"x": made}}
    return made


def repeated(levels: int) -> Any:
    """The same with a separator."""
    made: Any = "ha"
    for _ in range(levels):
        made = {"parts": [made, made], "separator": "x" * 1000}
    return made


WIDE_BINS = [
    {"lowest": 1, "highest": 10**9, "classes": 2, "rows": 10},
    {"lowest": 10**9 + 1, "highest": 10**9 + 2, "classes": 7, "rows": 10**12},
]
FLOODS = {
    "a field a gigabyte wide": saying("x", {"template": "{x:>9999999999}", "values": {"x": "a"}}),
    "a billion laughs": saying("x", laughs(36)),
    "laughs with a separator": saying("x", repeated(12)),
    "decimals": saying("x", {"part": 1, "whole": 3, "decimals": 2**31 - 10}),
    "a share of more than all": saying("x", {"part": 10**4000, "whole": 1, "decimals": None}),
    "a bin of a billion sizes": with_entry(
        pictures=[{"kind": "class-sizes", "bins": WIDE_BINS, "limit": None, "suppressed_rows": 0}]
    ),
    "empty pictures": with_entry(
        pictures=[{"kind": "column-exposure", "columns": [], "identified": 0, "more": 0}] * 20_000
    ),
    "a long text": with_entry(explanation=["x" * 2_000_000], warnings=["y " * 500_000]),
    "many roles": CHECK | {"roles": {f"c{place}": f"r{place}" for place in range(20_000)}},
    "many measures": CHECK
    | {"results": [CHECK["results"][0] | {"measure": f"m{place}"} for place in range(3_000)]},
}
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (12, 12))
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from petaudit.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("name", FLOODS)
def test_a_small_document_takes_little(name: str, tmp_path: Path) -> None:
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(FLOODS[name]))
    format_name = "html" if "pictures" in name or "bin" in name else "markdown"
    asked = ["report", path, "--out", tmp_path / "r.html", "--format", format_name]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *map(str, asked)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode in (0, 2), done.stderr[-300:]
    assert b"internal error" not in done.stderr
    if done.returncode == 0:
        assert (tmp_path / "r.html").stat().st_size < 20 * path.stat().st_size + 100_000


@pytest.mark.parametrize(
    "made_of",
    [
        {"template": "{x.number}", "values": {"x": {"tally": 3}}},
        {"template": "{x[0]}", "values": {"x": "3"}},
        {"template": "{x!s}", "values": {"x": "3"}},
        {"template": "{0}", "values": {"0": "3"}},
        {"template": "{}", "values": {"": "3"}},
        {"template": "{x", "values": {"x": "3"}},
        {"template": "3{{}", "values": {}},
    ],
    ids=lambda own: own["template"],
)
@pytest.mark.parametrize("language", ["en", "zh-TW"])
def test_a_template_holds_nothing_but_names(made_of: dict[str, Any], language: str) -> None:
    """A text that its parts do not make is shown as it is written."""
    for format_name in FORMATS:
        # What is no phrase is said as it stands, or not at all where its numbers are small.
        shown = petaudit.report(saying("3", made_of), format=format_name, lang=language)
        hidden = translation("(a sentence with small numbers is not shown)", language)
        assert hidden in html.unescape(shown)


# --- where it goes --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../../up.csv", "/etc/passwd", "..\\..\\up.csv", "C:\\x\\up.csv", "file:///etc/passwd"]
)
def test_no_name_leads_anywhere(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    document = copy.deepcopy(CHECK) | {"petaudit": name}
    document["inputs"]["table"]["name"] = name
    Path("forged.json").write_text(json.dumps(document))
    for format_name in FORMATS:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            assert main(["report", "forged.json", "--format", format_name]) == 0
        if format_name == "sarif":
            [entry] = json.loads(out.getvalue())["runs"]
            place = entry["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
            assert place["uri"] in {"up.csv", "passwd"}
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"a/b/forged.json", "a/b/forged.html"}


@pytest.mark.parametrize("content", [HOSTILE, f'{{"document": {json.dumps(HOSTILE)}}}', "[" * 9999])
def test_a_complaint_about_a_document_moves_no_terminal(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[31m\u202e.json"
    path.write_text(content, encoding="utf-8")
    with contextlib.redirect_stderr(io.StringIO()) as err:
        assert main(["report", str(path)]) == 2
    assert len(err.getvalue().splitlines()) == 1
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", err.getvalue())
    assert "alert" not in err.getvalue()


def test_a_forged_passed_is_refused() -> None:
    """Neither the verdict alone nor the status alone makes it safe."""
    for changes in ({"verdict": "passed"}, {"exit_code": 0}, {"verdict": "passed", "exit_code": 0}):
        with pytest.raises(PetauditError, match="does not follow"):
            petaudit.report(CHECK | changes, format="markdown")

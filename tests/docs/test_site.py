"""The two sites build without a warning, need nothing from elsewhere, and lead nowhere wrong."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ENGLISH, CHINESE = "mkdocs.yml", "mkdocs.zh-TW.yml"
has_mkdocs = importlib.util.find_spec("mkdocs") and importlib.util.find_spec("material")
needs_mkdocs = pytest.mark.skipif(not has_mkdocs, reason="MkDocs Material is not installed")

LOADS = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "input": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "track": "src",
    "video": "src",
}
"""Where a tag names what a browser fetches by itself."""


@dataclass
class Page(HTMLParser):
    """What a page loads, where it leads, and which places it has."""

    loaded: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given["id"]} if "id" in given else set()
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.loaded += [given[name] for name in (LOADS.get(tag), "srcset") if name in given]
        self.loaded += re.findall(r"url\(([^)]*)\)", given.get("style", ""))


def built(config: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", ROOT / config, "-d", folder],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        cwd=folder.parent,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "site"
    for config, entry in ((ENGLISH, folder), (CHINESE, folder / "zh-TW")):
        done = built(config, entry)
        assert done.returncode == 0, done.stderr
        assert "WARNING" not in done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    result = {}
    for path in site.rglob("*.html"):
        result[path] = Page()
        result[path].feed(path.read_text(encoding="utf-8"))
    return result


@pytest.mark.site
@needs_mkdocs
def test_every_document_is_a_page(site: Path) -> None:
    for source in DOCS.rglob("*.md"):
        assert (site / source.relative_to(DOCS)).with_suffix(".html").is_file()


@pytest.mark.site
@needs_mkdocs
def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    assert len(pages) > 70
    for path, page in pages.items():
        assert page.loaded
        outside = [entry for entry in page.loaded if re.match(r"[a-z]+:|//", entry)]
        assert outside == [], path.relative_to(site)
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"preconnect|dns-prefetch|fonts\.g|@import", text)
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"""(?:url\(["']?|@import ["'])(?:https?:)?//""", text), style.name


@pytest.mark.site
@needs_mkdocs
def test_everything_that_is_loaded_is_there(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        if path.name != "404.html":  # it may be shown anywhere, so its paths start at the root
            for entry in page.loaded:
                assert (path.parent / unquote(entry.partition("?")[0])).is_file(), (path, entry)


def leads(pages: dict[Path, Page]) -> Iterator[tuple[Path, str, Path, str]]:
    for path, page in pages.items():
        if path.name != "404.html":
            for link in page.links:
                if not re.match(r"[a-z]+:", link):
                    target, _, place = link.partition("#")
                    full = path.parent / unquote(target) if target else path
                    yield path, link, Path(os.path.normpath(full)), unquote(place)


@pytest.mark.site
@needs_mkdocs
def test_every_link_leads_somewhere_also_between_the_languages(
    site: Path, pages: dict[Path, Page]
) -> None:
    crossed = set()
    for path, link, target, place in leads(pages):
        assert target in pages or target.is_file(), (path.relative_to(site), link)
        assert not place or place in pages[target].places, (path.relative_to(site), link)
        here, there = (entry.is_relative_to(site / "zh-TW") for entry in (path, target))
        if here != there:
            crossed.add((here, target.relative_to(site).as_posix()))
    assert {(True, "index.html"), (True, "measures.html"), (True, "singling-out.html")} <= crossed
    assert (False, "zh-TW/measures.html") in crossed


@pytest.mark.site
@needs_mkdocs
@pytest.mark.parametrize("language", [".", "zh-TW"])
def test_search_has_its_index_and_needs_no_server(site: Path, language: str) -> None:
    index = json.loads((site / language / "search/search_index.json").read_text(encoding="utf-8"))
    result = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {"measures.html", "measures/t-closeness.html", "differences.html"} <= result
    assert (site / language / "search/search_index.js").is_file()
    home = (site / language / "measures.html").read_text(encoding="utf-8")
    assert re.search(r'<script src="(\.\./)?assets/iframe-worker\.js"', home)


@pytest.mark.site
@needs_mkdocs
@pytest.mark.parametrize(
    "line",
    [
        "[no page](nowhere.md)",
        "[no place](tables.md#nowhere)",
        "[no file of the documents](../README.md)",
        "[no page of the other language](zh-TW/nowhere.md)",
        "[absolute](/tables.md)",
    ],
)
def test_a_wrong_link_stops_the_build(line: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    (tmp_path / "docs/index.md").write_text(f"# Page\n\n{line}\n", encoding="utf-8")
    (tmp_path / "docs/tables.md").write_text("# Tables\n", encoding="utf-8")
    config = (ROOT / ENGLISH).read_text(encoding="utf-8")
    before, _, _ = config.partition("\nnav:\n")
    config = f"{before}\nnav: [index.md, tables.md]\n"
    (tmp_path / "mkdocs.yml").write_text(config, encoding="utf-8")
    done = built(str(tmp_path / "mkdocs.yml"), tmp_path / "site")
    assert done.returncode == 1
    assert "strict mode" in done.stdout + done.stderr


def pages_of(nav: object) -> list[str]:
    """The files of a nav, all the way down."""
    if isinstance(nav, str):
        return [nav]
    entries = nav.values() if isinstance(nav, dict) else nav
    return [page for entry in entries for page in pages_of(entry)]


def test_every_page_is_in_the_nav_of_its_language_once() -> None:
    for config, folder in ((ENGLISH, DOCS), (CHINESE, DOCS / "zh-TW")):
        nav = yaml.safe_load((ROOT / config).read_text(encoding="utf-8"))["nav"]
        there = {entry.relative_to(folder).as_posix() for entry in folder.rglob("*.md")}
        if config == ENGLISH:
            there = {entry for entry in there if not entry.startswith("zh-TW/")}
        listed = pages_of(nav)
        assert sorted(listed) == sorted(there), config
        assert len({*listed}) == len(listed)


def test_the_sections_of_the_english_site() -> None:
    nav = yaml.safe_load((ROOT / ENGLISH).read_text(encoding="utf-8"))["nav"]
    named = [next(iter(entry)) if isinstance(entry, dict) else entry for entry in nav]
    assert named == [
        *("Start", "Tutorials", "Guides", "Measures", "Reference", "Moving from"),
        "threat-model.md",
    ]

"""Every measure has a page in English and in Traditional Chinese, and what they show is true."""

from __future__ import annotations

import ast
import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

import petaudit
from docs.test_yaml_reference import script
from petaudit.cli.parser import build_parser
from petaudit.measures import Family, Measure, all_measures
from petaudit.pipelines.plan import planned_runs
from petaudit.system.kinds import PythonFunction
from petaudit.system.yaml_files import parse_yaml
from pipelines.configs import read_pipeline

DOCS = Path(__file__).parents[1] / "docs"
ENGLISH, CHINESE = "en", "zh-TW"
LANGUAGES = (ENGLISH, CHINESE)
FOLDERS = {ENGLISH: DOCS, CHINESE: DOCS / "zh-TW"}
HEADINGS = {
    ENGLISH: (
        "What it answers",
        "When to trust it, and when not",
        "Which way is better",
        "Formula",
        "Worked example",
    ),
    CHINESE: ("它回答什麼", "何時可信、何時不可信", "哪個方向比較好", "公式", "計算範例"),
}
WHICH_WAY, WORKED_EXAMPLE = 2, 4
FAMILIES = {
    ENGLISH: {
        Family.PRIVACY: "Privacy models",
        Family.RISK: "Re-identification risk",
        Family.UTILITY: "Utility",
    },
    CHINESE: {Family.PRIVACY: "隱私模型", Family.RISK: "再識別風險", Family.UTILITY: "資料效用"},
}
HAN = re.compile(r"[\u3400-\u9fff]")
CHINESE_SIGNS = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
# Words of mainland China (left) for which Taiwan has its own, and simplified characters.
NOT_OF_TAIWAN = (
    *("數據", "信息", "字段", "閾值", "默認", "文檔", "泛化", "標識符", "匹配", "概率", "服務器"),
    *("變量", "缺省", "用戶", "優化", "支持"),
    *("软", "数", "据", "隐", "敏感属", "识", "别", "记录", "发", "这", "们", "应", "让", "个"),
)
OURS = [own for own in all_measures().values() if type(own).__module__.startswith("petaudit.")]

every_measure = pytest.mark.parametrize("measure", OURS, ids=lambda own: own.name)
# A function of the user's own can be named neither in a shell nor in a file.
outside_of_python = pytest.mark.parametrize(
    "measure",
    [own for own in OURS if not any(isinstance(o.kind, PythonFunction) for o in own.options)],
    ids=lambda own: own.name,
)
both_languages = pytest.mark.parametrize("language", LANGUAGES)


def page_of(measure: Measure, language: str) -> Path:
    return FOLDERS[language] / "measures" / f"{measure.name}.md"


def text_of(page: Path) -> str:
    assert page.is_file(), f"{page.relative_to(DOCS.parent)} is still to be written"
    return page.read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ .*$", without_blocks(text), re.MULTILINE)


def section(text: str, language: str, number: int) -> str:
    """What stands below one of the headings, by its place among them."""
    heading = HEADINGS[language][number]
    [found] = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return str(found)


def doctests(text: str) -> list[str]:
    return [block for block in blocks(text, "python") if block.startswith(">>>")]


@both_languages
@every_measure
def test_the_page_has_the_sections_in_order(measure: Measure, language: str) -> None:
    text = text_of(page_of(measure, language))
    title, *sections = headings(text)
    assert sections == [f"## {heading}" for heading in HEADINGS[language]]
    if language == ENGLISH:
        assert title == f"# {measure.title}"
    else:
        assert HAN.search(title)
        assert title.endswith(f"（{measure.title}）")


@both_languages
@every_measure
def test_the_page_is_short_and_no_section_is_empty(measure: Measure, language: str) -> None:
    text = text_of(page_of(measure, language))
    by_hand = text.partition("<!-- end of head -->")[2]
    assert 30 <= len(by_hand.splitlines()) <= 85
    for number, heading in enumerate(HEADINGS[language]):
        assert len(section(text, language, number).strip()) > 20, heading


def test_heads_are_what_the_script_makes_of_the_classes() -> None:
    module = script("make_measure_pages")
    pages = dict(module.pages())
    assert len(pages) == len(LANGUAGES) * len(all_measures())
    for path, made in pages.items():
        assert text_of(path) == made, "run scripts/make_measure_pages.py"
    assert doctest.testmod(module).failed == 0


def test_a_head_that_is_behind_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = script("make_measure_pages")
    copies = {language: tmp_path / language for language in LANGUAGES}
    for language, folder in copies.items():
        shutil.copytree(FOLDERS[language] / "measures", folder)
    monkeypatch.setattr(module, "DOCS", tmp_path)
    monkeypatch.setattr(module, "FOLDERS", copies)
    page = copies[CHINESE] / "k-map.md"
    page.write_text("# k-map\n\n## by hand\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["make_measure_pages.py", "--check"])
    assert module.main() == 1
    assert capsys.readouterr().err.startswith("zh-TW/k-map.md is not what the class says")
    monkeypatch.setattr("sys.argv", ["make_measure_pages.py"])
    assert module.main() == 0
    assert "k-map" in page.read_text(encoding="utf-8").split("## by hand")[0]
    monkeypatch.setattr("sys.argv", ["make_measure_pages.py", "--check"])
    assert module.main() == 0


@both_languages
@every_measure
def test_the_page_names_the_limit_and_every_option(measure: Measure, language: str) -> None:
    own = section(text_of(page_of(measure, language)), language, WHICH_WAY)
    names = [option.name for option in measure.options]
    if measure.limit_help is not None:
        names.append("limit")
    code = " ".join(re.findall(r"`([^`]+)`", own) + re.findall(r"```.*?```", own, re.DOTALL))
    assert [name for name in names if not re.search(rf"\b{name}\b", code)] == []


@both_languages
@outside_of_python
def test_commands_of_the_page_parse(measure: Measure, language: str) -> None:
    text = text_of(page_of(measure, language))
    commands = [
        command
        for block in blocks(section(text, language, WHICH_WAY), "sh")
        for command in re.findall(r"^petaudit .*", block.replace("\\\n", " "), re.MULTILINE)
    ]
    assert commands
    if measure.limit_help is not None:
        assert any(f"--limit {measure.name}=" in command for command in commands)
    for command in commands:
        build_parser().parse_args(shlex.split(command, comments=True)[1:])


@both_languages
@every_measure
def test_python_without_prompts_calls_what_there_is(measure: Measure, language: str) -> None:
    own = section(text_of(page_of(measure, language)), language, WHICH_WAY)
    called = [
        node.func.attr
        for block in blocks(own, "python")
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    assert measure.name.replace("-", "_") in called
    assert {*called} <= {*dir(petaudit), "judged"}


@both_languages
@outside_of_python
def test_yaml_of_the_page_is_part_of_a_pipeline(measure: Measure, language: str) -> None:
    own = section(text_of(page_of(measure, language)), language, WHICH_WAY)
    [block] = blocks(own, "yaml")
    [settings] = yaml.safe_load(block)["Evaluator"].values()
    assert settings["method"] == measure.name
    loader = "Loader:\n  people: {filepath: released.csv}\n"
    text = loader + block
    [run] = planned_runs(read_pipeline(parse_yaml(text, "page.yaml"), "page.yaml"))
    assert run


@every_measure
def test_the_worked_example_computes_what_the_page_shows(measure: Measure) -> None:
    page = page_of(measure, ENGLISH)
    source = "\n".join(doctests(section(text_of(page), ENGLISH, WORKED_EXAMPLE)))
    found = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    assert measure.name.replace("-", "_") in source
    if measure.name == "model-utility":
        pytest.importorskip("sklearn")
    assert any(example.want for example in found.examples)
    said: list[str] = []
    doctest.DocTestRunner().run(found, out=said.append)
    assert said == []


@every_measure
def test_code_is_the_same_in_both_languages(measure: Measure) -> None:
    english, chinese = (text_of(page_of(measure, own)) for own in LANGUAGES)
    assert doctests(section(english, ENGLISH, WORKED_EXAMPLE))
    for kind in ("python", "sh", "yaml"):
        assert blocks(english, kind) == blocks(chinese, kind)


def documents(language: str) -> list[Path]:
    return [FOLDERS[language] / "measures.md", *FOLDERS[language].glob("measures/*.md")]


@both_languages
def test_links_of_the_pages_lead_somewhere(language: str) -> None:
    for document in documents(language):
        text = without_blocks(text_of(document))
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
            if not target.startswith("http"):
                page = document.parent / target if target else document
                assert page.is_file(), f"{document.name}: {target}"
                assert not anchor or anchor in anchors_of(page), f"{document.name}: {anchor}"


def anchors_of(page: Path) -> set[str]:
    found = [re.sub(r"^#+ ", "", own).lower() for own in headings(text_of(page))]
    return {re.sub(r"[^\w\- ]", "", own).replace(" ", "-") for own in found}


@both_languages
def test_there_is_no_page_of_a_measure_that_is_gone(language: str) -> None:
    pages = {page.stem for page in FOLDERS[language].glob("measures/*.md")}
    assert pages <= {*all_measures()}


@both_languages
def test_no_line_of_prose_becomes_a_list_or_a_quote(language: str) -> None:
    """A number with a full stop, or an operator, at the start of a line would become one."""
    for document in documents(language):
        text = without_blocks(text_of(document))
        assert re.findall(r"^ {0,3}(?:\d+[.)]|[+>]) .*", text, re.MULTILINE) == [], document.name
        assert re.findall(r"^ {1,3}- .*", text, re.MULTILINE) == [], document.name


def test_english_pages_hold_no_chinese() -> None:
    for document in documents(ENGLISH):
        # The link to the other language is named in that language.
        text = text_of(document).replace("[繁體中文]", "")
        assert CHINESE_SIGNS.findall(text) == [], document.name


def test_chinese_pages_are_mostly_chinese() -> None:
    for document in documents(CHINESE):
        text = text_of(document)
        # References keep their language.
        prose = without_blocks(text.partition("<!-- end of head -->")[2] or text)
        prose = re.sub(r"`[^`]*`|\]\([^)]*\)", "", prose)
        chinese, latin = len(HAN.findall(prose)), len(re.findall(r"[A-Za-z]+", prose))
        assert chinese > 200, document.name
        assert chinese > 4 * latin, document.name


def test_chinese_pages_use_the_words_of_taiwan() -> None:
    found = {
        (document.name, word)
        for document in documents(CHINESE)
        for word in NOT_OF_TAIWAN
        if word in text_of(document)
    }
    assert found == set()


def rows_of_index(language: str) -> dict[str, list[tuple[str, str]]]:
    """By heading: the name in the link, and what stands beside it."""
    found: dict[str, list[tuple[str, str]]] = {}
    heading = ""
    for line in text_of(FOLDERS[language] / "measures.md").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif match := re.fullmatch(r"\| \[[^]]+\]\(measures/([\w-]+)\.md\) \| (.*?) \|.*", line):
            found.setdefault(heading, []).append((match[1], match[2]))
    return found


@both_languages
def test_the_index_lists_every_measure_under_its_family(language: str) -> None:
    listed = {
        heading: [name for name, _ in rows] for heading, rows in rows_of_index(language).items()
    }
    expected: dict[str, list[str]] = {}
    for measure in OURS:
        expected.setdefault(FAMILIES[language][measure.family], []).append(measure.name)
    assert listed == expected


@both_languages
def test_the_index_gives_the_question_of_every_measure(language: str) -> None:
    asked = {name: question for rows in rows_of_index(language).values() for name, question in rows}
    for measure in OURS:
        question = asked[measure.name]
        if language == ENGLISH:
            assert question == measure.question
        else:
            assert len(HAN.findall(question)) >= 8, measure.name
            assert question.endswith("？"), measure.name


@both_languages
def test_every_measure_has_a_place_where_measures_are_chosen(language: str) -> None:
    page = text_of(FOLDERS[language] / "choosing-measures.md")
    missing = [own.name for own in OURS if f"(measures/{own.name}.md)" not in page]
    assert missing == []

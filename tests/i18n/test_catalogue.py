"""One catalogue: no text of the source lacks in it, and nothing in it is said nowhere."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from string import Formatter

from tests.i18n.source_texts import (
    ERRORS,
    SOURCE,
    calls,
    petsard_texts,
    phrases_of,
    texts_of_pages,
    trees,
    written,
)

from petaudit import datasets
from petaudit.i18n.catalogue import CHINESE, catalogue
from petaudit.i18n.phrases import Phrase
from petaudit.measures import Better, Family, Need, all_measures
from petaudit.singling.options import Options
from petaudit.starter.names import senses

CHINESE_MARK = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
SAME_IN_BOTH = {"\n", "-"}
NOTHING = {" "}
"""What stands between sentences of English, and between those of Chinese does not."""


def declared() -> Iterator[str]:
    """Texts that measures and enumerations declare, and that are said as terms."""
    for measure in all_measures().values():
        yield from (measure.title, measure.question, measure.formula, measure.meaning)
        yield from (measure.does_not_say, measure.limit_help or measure.title)
        people = (measure.meaning_of_people, measure.does_not_say_of_people)
        yield from (text for text in people if text)
        yield from (option.help for option in measure.options)
        if measure.only_by_name is not None:
            yield measure.only_by_name
    yield from (entry.value for kind in (Need, Family, Better) for entry in kind)
    for entry in Options.declared().values():
        yield from (shown.help for shown in (entry.shown, entry.instead) if shown is not None)
    yield from (sense.says for name in ("english", "chinese") for sense, _ in senses(name))


def needed() -> set[str]:
    result = {text for _, tree in trees() for _, text in phrases_of(tree) if text is not None}
    result |= {text.replace("{", "{{").replace("}", "}}") for text in declared()}
    result |= {
        text.template
        for dataset in datasets.catalogue()
        for text in (dataset.title, dataset.source, dataset.licence)
        if isinstance(text, Phrase)
    }
    return (result | set(texts_of_pages()) | set(petsard_texts())) - SAME_IN_BOTH


def test_nothing_lacks_and_nothing_is_left_over() -> None:
    there, wanted = set(catalogue(CHINESE)), needed()
    assert sorted(wanted - there) == []
    assert sorted(there - wanted) == []


def test_phrases_are_written_out() -> None:
    """A text that is put together elsewhere could be shown in English only."""
    for path, tree in trees():
        if path.name not in ("phrases.py", "documents.py", "errors.py"):
            lines = [line for line, text in phrases_of(tree) if text is None]
            # ``Problems.add`` and ``_RefusedError`` take a template and its fields, as errors do.
            assert len(lines) == (path.name in ("kinds.py", "yaml_files.py")), (path, lines)


def test_errors_are_given_templates_and_their_fields() -> None:
    for path, tree in trees():
        for call in calls(tree, *ERRORS):
            text = written(call.args[0]) if call.args else None
            assert not (call.args and isinstance(call.args[0], ast.JoinedStr)), (path, call.lineno)
            if text is not None:
                fields = {name for _, name, _, _ in Formatter().parse(text) if name}
                given = {word.arg for word in call.keywords} - {"data", "result"}
                assert fields == given, (path, call.lineno)


def test_translations_keep_the_fields_and_are_chinese() -> None:
    for english, chinese in catalogue(CHINESE).items():
        assert fields(chinese) == fields(english), english
        assert CHINESE_MARK.search(chinese) or english in NOTHING, english


def test_the_file_is_sorted_and_names_nothing_twice() -> None:
    text = (SOURCE / "i18n" / "zh-TW.json").read_text(encoding="utf-8")
    pairs = json.loads(text, object_pairs_hook=list)
    names = [name for name, _ in pairs]
    assert names == sorted(set(names))
    assert text == json.dumps(dict(pairs), ensure_ascii=False, indent=1) + "\n"


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}

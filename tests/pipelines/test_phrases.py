"""Sentences keep what they are made of on their way through a run and through JSON."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

import petaudit
from petaudit.errors import (
    ManyProblemsError,
    PetauditWarning,
    Phrase,
    counted,
    joined,
    phrase,
    render,
)
from petaudit.i18n.documents import restore_phrases
from petaudit.judging.document import with_texts
from petaudit.pipelines.evaluating import Entry, _text_of
from petaudit.pipelines.tables import Tables, replaced

TEXT = """
Loader: {patient: {filepath: "benchmark://patient-deidentified", nrows: 6}}
Evaluator:
  closeness: {method: t-closeness, limit: 0.9}
  precision: {method: precision}
"""


def test_entries_tell_what_their_sentences_are_made_of() -> None:
    executor = petaudit.Executor(TEXT.replace("precision: {method: precision}", ""))
    executor.run()
    document = json.loads(json.dumps(executor.document))
    [entry] = [{**entry, "texts": document["texts"]} for entry in document["results"]]
    [warning] = [message for message in entry["warnings"] if "nrows" in message]
    assert warning == "3 rows of benchmark://patient-deidentified left out (nrows)"
    assert entry["reason"] == f"{warning}; this does not show that the limit holds"
    kept = {"data": entry, "tables": {}, "seconds": {}}
    again = Entry.from_kept(executor.runs[0], kept).data
    assert again == entry
    assert with_texts(again)["texts"].keys() <= document["texts"].keys()
    hidden = render(again["reason"], hide_below=5)
    assert hidden.startswith("<5 rows of benchmark://patient-deidentified left out (nrows); ")


def test_what_a_comparison_says_is_among_the_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(TEXT.replace(", nrows: 6", ""))
    first = petaudit.Executor(path)
    first.run()
    first.document["results"][0]["options"] = {"seed": 5, "x": 1}
    (tmp_path / "before.json").write_text(json.dumps(first.document))
    executor = petaudit.Executor(path, overrides=["Executor.compare_to=before.json"])
    executor.run()
    document = json.loads(json.dumps(executor.document))
    entry = document["results"][0]
    reason = entry["comparison"]["reason"]
    assert reason == "the earlier figure was measured differently (seed, x differ)"
    result = restore_phrases(reason, document["texts"])
    assert isinstance(result, Phrase)
    assert result.template == "the earlier figure was measured differently ({settings} differ)"


def test_problems_stay_phrases() -> None:
    with pytest.raises(ManyProblemsError) as raised:
        petaudit.Executor("Loader: {a: {filepath: nope.csv, nrows: 0}}\nDescriber: {}")
    for message in raised.value.messages:
        assert isinstance(message, Phrase)
        assert isinstance(message.values["message"], Phrase)


def test_a_change_keeps_what_a_message_is_made_of() -> None:
    def change(text: str) -> str:
        return text.replace("/home/ann/", "")

    inner = joined(
        [phrase("{file!r} lacks {rows}", file="/home/ann/a.csv", rows=counted(3, "row"))]
    )
    result = replaced(phrase("{what}; look", what=inner), change)
    assert result == "'a.csv' lacks 3 rows; look"
    assert render(result, hide_below=5) == "'a.csv' lacks <5 rows; look"
    assert replaced("/home/ann/b", change) == "b"
    assert replaced(phrase("plain"), change) == "plain"


def test_a_change_across_several_values_leaves_mere_text() -> None:
    result = replaced(phrase("{folder}/{file}", folder="/a", file="b"), lambda own: own[-1:])
    assert result == "b"
    assert not isinstance(result, Phrase)


def test_no_folder_stays_inside_a_phrase(tmp_path: Path) -> None:
    tables = Tables(tmp_path)
    message = phrase("file {path!r} does not exist", path=str(tmp_path / "a.csv"))
    result = tables.without_folders(message)
    assert result == "file 'a.csv' does not exist"
    assert isinstance(result, Phrase)
    assert str(tmp_path) not in json.dumps(result.to_plain())


def test_warnings_stay_phrases() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(
            phrase("{rows} left out", rows=counted(2, "row")), PetauditWarning, stacklevel=1
        )
    assert render(_text_of(caught[0].message), hide_below=5) == "<5 rows left out"
    assert _text_of(PetauditWarning()) == ""
    assert _text_of("as it is") == "as it is"

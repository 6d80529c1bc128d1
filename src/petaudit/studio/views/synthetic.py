"""Synthetic tables: who is singled out, and attacks against people it was not made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import OptionError, phrase, term
from petaudit.reports.html import report_body
from petaudit.studio import document
from petaudit.studio.session import Finished

if TYPE_CHECKING:
    from petaudit.studio.session import Studio

TITLE: Final = term("Synthetic tables")
PARTS: Final = {
    "original": term("Original"),
    "synthetic": term("Synthetic table"),
    "control": term("Control: people it was not made from"),
}


def context(studio: Studio, _: Mapping[str, str]) -> dict[str, Any]:
    """The tables that are compared, the secrets, and what the attacks gained."""
    content = studio.content
    is_pair = document.is_pair(content)
    if is_pair:
        studio.ensure_run()
    own = studio.result
    finished = own if isinstance(own, Finished) and is_pair else None
    attack = _evaluator(content, "attribute-inference")
    search = _evaluator(content, "mpuccs")
    return {
        "parts": PARTS,
        "named": document.pair(content),
        "facts": studio.facts,
        "secrets": attack.get("secret", document.sure_secrets(_columns(studio))),
        "most_columns": search.get("max_baseline_cols", 3),
        "is_pair": is_pair,
        "result": own,
        "finished": finished,
        "body": "" if finished is None else report_body(finished.view, studio.voice),
    }


def _evaluator(content: Mapping[str, Any], measure: str) -> Mapping[str, Any]:
    entries = content.get("Evaluator", {}).values()
    return next((own for own in entries if own.get("method") == measure), {})


def _columns(studio: Studio) -> list[dict[str, Any]]:
    return [*(studio.facts or {}).get("columns", ())]


def attack(studio: Studio, form: Mapping[str, str]) -> None:
    """Compare the tables; secrets are named by the numbers of their columns."""
    given = {part: form.get(part, "").strip() for part in PARTS}
    if not given["original"] or not given["synthetic"]:
        raise OptionError("name the original and the synthetic table")
    named = {part: studio.located(name) for part, name in given.items() if name}
    is_known = named["original"] == document.address(studio.content)
    columns = _columns(studio) if is_known else []
    secrets = document.sure_secrets(columns)
    if columns and "with_secrets" in form:
        secrets = [
            each["name"] for number, each in enumerate(columns) if f"secret-{number}" in form
        ]
    most_columns = int(form.get("most_columns") or 3)
    evaluators = document.attacks(named, columns, secrets, most_columns)
    studio.edit(
        phrase("attacks on the synthetic table {table}", table=named["synthetic"]),
        lambda _: document.new_pair(named, evaluators),
    )


ACTIONS: Final = {"attack": attack}

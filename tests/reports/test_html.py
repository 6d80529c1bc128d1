"""The page of a report: commands to copy, warnings said once, sentences without names of runs."""

from __future__ import annotations

import html

from petaudit.i18n.voice import Voice
from petaudit.reports.html import as_html
from petaudit.reports.view import Advice
from reports.views import card, view


def test_commands_stand_on_lines_of_their_own_and_are_escaped() -> None:
    first = ("petaudit", "hierarchies", "a & b.csv", "--out", "/home/eve/h.yaml")
    then = ("petaudit", "generalize", "a & b.csv", "--qi", "<b>zip</b>")
    advice = Advice("command", "Keep all rows", command=then, first=first)
    page = as_html(view(card(), what_to_do=(advice,)), Voice())
    lines = (
        "petaudit hierarchies 'a & b.csv' --out h.yaml",
        "petaudit generalize 'a & b.csv' --qi '<b>zip</b>'",
    )
    code = "".join(f"<code>{html.escape(line).replace('&#x27;', '&#39;')}</code>" for line in lines)
    assert f"<li>Keep all rows: {code}</li>" in page


def test_what_several_measures_warn_of_is_a_note() -> None:
    cards = (
        card("k-anonymity", warnings=("an odd file", "about k")),
        card("t-closeness", warnings=("an odd file",)),
    )
    page = as_html(view(*cards, warnings=("an odd file",)), Voice())
    assert page.count("an odd file") == 1
    assert page.index("an odd file") > page.index('id="notes"') > page.index("about k")


def test_a_run_is_named_only_where_a_measure_ran_twice() -> None:
    once = as_html(view(card(run="Loader[a]"), card("k-anonymity", run="Loader[a]")), Voice())
    assert "t-closeness is 0.44, and must be" in once
    twice = as_html(view(card(run="Loader[a]"), card(run="Loader[b]")), Voice())
    assert "t-closeness (Loader[a]) is 0.44, and must be" in twice

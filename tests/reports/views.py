"""Views made by hand and by chance, with the worst names that anybody could think of."""

from __future__ import annotations

from hypothesis import strategies as st

from petaudit.errors import counted, phrase, share
from petaudit.reports.view import STATUSES, Before, Card, LeftOut, TableFacts, View, WorstClass

SECRET = "Meier-Secret"  # noqa: S105 (a label of the data)
HOSTILE = (
    "<script>alert(1)</script>",
    "</testsuite>",
    "</testcase></testsuite></testsuites>",
    "]]>",
    "<![CDATA[x]]>",
    "a|b||c",
    "a\\|b\\\\|c\\",
    "`",
    "``` x ``",
    "`a` **b** `",
    "[click](javascript:alert(1))",
    "![i](https://evil.example/x.png)",
    "[x]: https://evil.example",
    "javascript:alert(1)",
    "https://evil.example/?a=1&b=2",
    "http://é.example www.é.example WWW.evil.example",
    "mailto:a@evil.example a@evil.example",
    "@everyone",
    "x @org/team, (@everyone) é@everyone",
    "#1 owner/repo#2 GH-3 !4 ~bug %v1 %é $5 &6 ^alert#7",
    "0123456789abcdef0123456789abcdef01234567",
    ":tada: $x^2$ [^1] [[_TOC_]]",
    "\u202egnp.exe\u202c\u200e\u2066",
    "x" * 10_000,
    "|" * 10_000,
    "` " * 5_000,
    "=HYPERLINK('https://evil.example')",
    "+1",
    "-1+2",
    "- x",
    "1. x",
    "1) x",
    "# x",
    "> x",
    "     x",
    "--- | ---",
    "===",
    "***",
    "~~~",
    "/close",
    "\n/close\n\n# x\n| a | b |\n",
    "a\r\nb\tc",
    "NUL\x00\x01\x1b[31m",
    "\ud800 lone \udfff",
    "\ufffe\uffff",
    "line\u2028par\u2029next\x85",
    "&lt;b&gt; &#64;everyone &amp;",
    "{0} {{1}} {name}",
    "<!-- x --> <?x?> <!DOCTYPE x>",
    "</details>",
    "__init__ a_b_ *c* ~d~",
    "%s %d %",
    "姓名「@everyone」與https://evil.example。",
    "",
    " ",
)


def card(measure: str = "t-closeness", status: str = "failed", **given: object) -> Card:
    usual: dict[str, object] = {"value": 0.44, "limit": 0.4, "better": "lower"}
    return Card(measure=measure, status=status, **{**usual, **given})  # type: ignore[arg-type]


def view(*cards: Card, **given: object) -> View:
    statuses = {own.status for own in cards}
    verdict = next((own for own in ("error", "failed", "passed") if own in statuses), "measured")
    usual: dict[str, object] = {
        "kind": "check",
        "subject": "released.csv",
        "version": "0.5.0",
        "verdict": verdict,
        "exit_code": {"error": 2, "failed": 1}.get(verdict, 0),
        "tables": (),
        "roles": {},
    }
    return View(cards=cards, **{**usual, **given})  # type: ignore[arg-type]


def everything(name: str = "disease") -> View:
    """A view in which a name stands wherever names and texts can stand."""
    text = phrase(
        "column {name!r} of {raw} has {rows}", name=name, raw=name, rows=counted(3, "row")
    )
    worst = WorstClass(name, 0.44, 3, 1, {name: SECRET, "zip": None})
    return view(
        card(
            "k-anonymity", "passed", value=7.0, limit=5.0, better="higher", explanation=(text, name)
        ),
        card("precision", "measured", limit=None, better="higher", warnings=(name,)),
        card(
            run=name,
            line=12,
            conditions=(name,),
            profile=name,
            explanation=(text, phrase("{part} of them", part=share(3, 300))),
            warnings=(text,),
            worst=(worst,),
            before=Before(0.3),
        ),
        card("l-diversity", "error", value=None, limit=2.0, better="higher", reason=text),
        card(name, "failed", value=True, limit=None, better="true", worsening=text, run=name),
        card("profitability", "passed", value=True, limit=None, better="true", reason=name),
        card("k-map", "measured", limit=None, before=Before(None, text), lower_bound=True),
        subject=name,
        kind="run",
        version=name,
        left_out=(LeftOut("precision", text), LeftOut(name, name)),
        warnings=(text, name),
        problems=(text, name),
        tables=(TableFacts(name, name, 3, (name,), "0" * 64),),
        roles={name: name},
        settings={name: name},
        compared_with=name,
        holds_values=True,
    )


marks = st.characters(codec=None, exclude_categories=())
texts = st.one_of(
    st.sampled_from([entry for entry in HOSTILE if len(entry) < 100]),
    st.text(marks, max_size=30),
    st.lists(
        st.sampled_from(["|", "`", "\\", "*", "@a", "[", "](", ")", "<", ">", "&", "#1", " ", "é"])
    ).map("".join),
)
figures = st.one_of(
    st.none(), st.booleans(), st.floats(allow_nan=False), st.integers(-5, 10**18).map(float)
)


@st.composite
def phrases(draw: st.DrawFn) -> str:
    name = draw(texts)
    rows = counted(draw(st.integers(0, 9)), "row")
    return draw(st.sampled_from([name, phrase("{name}: {rows}", name=name, rows=rows)]))


some = st.lists(phrases(), max_size=3).map(tuple)
cards = st.builds(
    Card,
    measure=st.one_of(
        st.sampled_from(["t-closeness", "k-anonymity", "mpuccs", "precision"]), texts
    ),
    status=st.sampled_from(STATUSES),
    value=figures,
    limit=st.one_of(st.none(), st.floats(allow_nan=False)),
    better=st.sampled_from(["lower", "higher", "true"]),
    strict=st.booleans(),
    conditions=some,
    profile=st.one_of(st.none(), texts),
    lower_bound=st.booleans(),
    run=st.one_of(st.none(), texts),
    line=st.one_of(st.none(), st.integers(0, 99)),
    exact=st.one_of(st.none(), st.just("3/8")),
    reason=st.one_of(st.none(), phrases()),
    explanation=some,
    warnings=some,
    remedy=st.none(),
    pictures=st.just(()),
    before=st.one_of(st.none(), st.builds(Before, figures, st.one_of(st.none(), phrases()))),
    worst=st.lists(
        st.builds(
            WorstClass,
            texts,
            st.one_of(st.none(), st.floats(allow_nan=False)),
            st.one_of(st.none(), st.integers(0, 9)),
            st.one_of(st.none(), st.integers(0, 9)),
            st.one_of(st.none(), st.just({"zip": SECRET})),
        ),
        max_size=2,
    ).map(tuple),
    worsening=st.one_of(st.none(), phrases()),
)
views = st.builds(
    View,
    kind=st.sampled_from(["check", "run", "mpuccs", "petworks"]),
    subject=texts,
    version=texts,
    verdict=st.sampled_from(STATUSES),
    exit_code=st.integers(0, 2),
    tables=st.just(()),
    roles=st.just({}),
    cards=st.lists(cards, max_size=4).map(tuple),
    left_out=st.lists(st.builds(LeftOut, texts, phrases()), max_size=2).map(tuple),
    warnings=some,
    problems=some,
    settings=st.just({}),
    compared_with=st.one_of(st.none(), texts),
    holds_values=st.booleans(),
)

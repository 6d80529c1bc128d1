"""``petaudit mpuccs``: the search, how it looks on a terminal, and its tables as files."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from petaudit.auditing import Audit, Request, run_audit
from petaudit.auditing.text import card_of
from petaudit.cli.arguments import whole_number
from petaudit.cli.options import engine_of, reading_of
from petaudit.cli.report import Reports, write_text
from petaudit.cli.streams import printed_warnings, say, say_lines
from petaudit.errors import (
    InputError,
    OptionError,
    Phrase,
    counted,
    joined,
    listing,
    phrase,
    shortened,
    term,
)
from petaudit.exact.fractions import exact
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import json_text, printable
from petaudit.inputs import gather
from petaudit.judging.document import MPUCCS
from petaudit.judging.gate import Conclusion
from petaudit.measures.mpuccs import NAME, MpuccsResult, checked_limit
from petaudit.pipelines.folder import check_targets
from petaudit.reports.terminal import (
    ERROR,
    as_text,
    coloured,
    format_table,
    indented,
    section,
    title_line,
    verdict_line,
    wrapped,
)
from petaudit.reports.text import NO_LIMIT, VERDICTS, figure_and_rule
from petaudit.roles import Roles, read_side_car
from petaudit.singling.options import Options
from petaudit.system.files import Watch, unchanged
from petaudit.system.kinds import Integer, Number
from petaudit.system.output import refuse_inputs, write_whole
from petaudit.system.reading import Reading
from petaudit.tables.result_frames import ResultColumn, in_file, result_frame
from petaudit.tables.writing import TableInParts, table_writer

if TYPE_CHECKING:
    from petaudit.singling.findings import Findings
    from petaudit.tables import Source

_MOST_COMBINATIONS_SHOWN: Final = 10
_MOST_CHANGES_SHOWN: Final = 8
_SUMMARY: Final = "summary.json"
_KINDS: Final = ("csv", "parquet")
_TARGETS: Final = tuple(
    f"{name}.{kind}" for name in ("global", "details", "tree", "changes") for kind in _KINDS
)


def mpuccs(chosen: argparse.Namespace) -> int:
    """Search, print the verdict and what is behind it, and write the tables."""
    with unchanged() as watch:
        return _search(chosen, watch)


def _search(chosen: argparse.Namespace, watch: Watch) -> int:
    options = _given_options(chosen)
    reports = Reports.of(chosen)
    paths = [path for path in (chosen.original, chosen.synthetic, chosen.control) if path]
    folder = None if chosen.out is None else _checked_folder(chosen.out, paths)
    reading, roles = reading_of(chosen), Roles({})
    if chosen.roles is not None:
        file = read_side_car(Path(chosen.roles), chosen.synthetic)
        reading, roles = Reading.checked(**reading).over(file.reading.options).options, file.roles
        options.setdefault("person", file.person)
    request = _request(chosen, options)
    with printed_warnings():
        engine = engine_of(chosen)
    inputs = gather(
        chosen.synthetic,
        original=chosen.original,
        control=chosen.control,
        **reading,
        use_side_car=False,
        announce_notes=False,
        **engine,
    )
    # All columns are looked at alike; the document tells what they are.
    inputs = replace(inputs, roles=roles.within(inputs.table.columns))
    with printed_warnings():
        release = run_audit(request, inputs, watch, strict=chosen.strict)
        result = _result(release)
        is_told = folder is not None or reports.files or not chosen.quiet
        has_advice = is_told and not chosen.no_advice
        why_no_advice = result.findings.why_no_changes if has_advice else None
        notes = [] if why_no_advice is None else [why_no_advice]
        if folder is not None and not result.findings.lists_rows:
            notes.append(phrase("there is no table of details: a cluster returns only counts"))
        result = replace(result, warnings=(*result.warnings, *notes))
        # They are in the document if somebody asked for them.
        advice = result.changes if has_advice and why_no_advice is None else []
    release = _with_result(release, result)
    document = release.to_dict()
    watch.check()
    sources = [source for source in (inputs.original, inputs.table, inputs.control) if source]
    if folder is not None:
        read = [path for source in sources for path in source.files]
        written = _write_tables(result, folder, read, document, reveal=chosen.reveal_values)
    reports.write(document, release.files, chosen.synthetic)
    if chosen.format != "text":
        say(reports.shown(document, chosen.format, chosen.synthetic))
        return release.exit_code
    said = _verdict(result, release.conclusion)
    if chosen.quiet:
        say(printable(translate(said)) + "\n")
        return release.exit_code
    lines = _lines(result, sources, advice, verdict=said)
    lines += section(term("Open questions"), release.open_questions)
    if release.policy is not None:
        lines += section(term("Policy"), release.policy.lines)[:-1]
    say(coloured(as_text(lines)))
    reports.say_written()
    if folder is not None:
        say_lines([phrase("wrote to {folder}: {files}", folder=folder, files=joined(written))])
    return release.exit_code


def _request(chosen: argparse.Namespace, options: Mapping[str, Any]) -> Request:
    """What to measure; a policy that demands more than this command measures is refused."""
    limits = {
        name: value
        for name, value in (("limit", chosen.limit), ("profile", chosen.profile))
        if value is not None
    }
    request = Request.checked([NAME], {}, {NAME: {**options, **limits}}, chosen.policy)
    policy = request.policy
    others = [] if policy is None else [name for name in policy.demands if name != NAME]
    if policy is not None and others:
        raise OptionError(
            "the policy {policy} demands {measures}, which this command does not measure; "
            "petaudit check does",
            policy=policy.name,
            measures=listing(others),
        )
    judging = [request.options[NAME].get(name) for name in ("limit", "profile")]
    if any(value is not None for value in judging):
        checked_limit(*judging, has_baseline=options["calculate_baseline"])
    return request


def _result(release: Audit) -> MpuccsResult:
    """The result, also one that decides nothing; an error where there is none."""
    if release.results:
        return cast(MpuccsResult, release.results[0])
    (failure,) = release.not_measured
    if failure.result is None:
        raise failure.problem
    return cast(MpuccsResult, failure.result)


def _with_result(release: Audit, result: MpuccsResult) -> Audit:
    if release.results:
        return replace(release, results=(result,), command=MPUCCS)
    (failure,) = release.not_measured
    return replace(release, not_measured=(replace(failure, result=result),), command=MPUCCS)


def _given_options(chosen: argparse.Namespace) -> dict[str, Any]:
    """The options of the search by their names in Python, checked."""
    given: dict[str, Any] = {
        "deduplicate": not chosen.keep_duplicates,
        "calculate_baseline": not chosen.no_baseline,
        "datetime_precision": None,
        "search": chosen.search,
    }
    if chosen.max_cols.lower() != "all":
        if not re.fullmatch("0*[1-9][0-9]{0,8}", chosen.max_cols, re.ASCII):
            raise OptionError(
                "--max-cols must be an integer >= 1 or all, got {text!r}",
                text=shortened(chosen.max_cols),
            )
        given["max_baseline_cols"] = int(chosen.max_cols)
    for option in Options.declared().values():
        text = None if option.shown is None else getattr(chosen, option.name)
        if text is None:
            continue
        if isinstance(option.kind, Integer):
            given[option.name] = whole_number(text, option.flag)
        elif isinstance(option.kind, Number):
            is_infinite = text.lower() in {"inf", "infinity"}
            given[option.name] = math.inf if is_infinite else float(exact(text, option.flag))
        else:
            given[option.name] = text
    try:
        Options.checked(**given)
    except OptionError as problem:
        # A message calls an option as it was typed; no translation changes its name.
        name = problem.text.partition(" ")[0]
        if name not in given:
            raise
        typed = Options.declared()[name].flag
        raise OptionError(term(translate(problem.text).replace(name, typed, 1))) from None
    return given


def _lines(
    result: MpuccsResult,
    sources: Sequence[Source],
    advice: Sequence[dict[str, Any]],
    *,
    verdict: str,
) -> list[str]:
    """The verdict, then the figures, the worst combinations, and what could be changed."""
    original, synthetic, *control = sources
    both = phrase(
        "{synthetic} against {original}",
        synthetic=Path(synthetic.name).name,
        original=Path(original.name).name,
    )
    sizes = [counted(synthetic.rows, "synthetic row"), counted(original.rows, "original row")]
    lines: list[str] = [title_line(both)]
    lines.append(joined([*sizes, counted(len(result.columns), "column")]))
    lines += [
        phrase(
            "control: {name}, {rows}", name=Path(source.name).name, rows=counted(source.rows, "row")
        )
        for source in control
    ]
    lines += ["", *wrapped(translate(verdict), ""), *map(indented, result.explanation), ""]
    header = [term("figure"), term("value"), term("limit"), term("verdict"), ""]
    lines += [*format_table(header, _figures(result)), ""]
    return [*lines, *_combinations(result), *_changes(advice), *_notes(result)]


def _verdict(result: MpuccsResult, conclusion: Conclusion) -> Phrase:
    is_rate = result.figure == "identification_rate"
    figure = term("identification rate") if is_rate else term("risk score")

    what = phrase("the {figure} breaks the limit", figure=figure)
    if result.undecided:
        what = phrase(
            "undecided: the {figure} is a lower bound, and it is within the limit", figure=figure
        )
    elif conclusion.verdict == "error":
        what = phrase("open questions, which {option} does not allow", option="--strict")
    elif result.passed:
        what = phrase("the {figure} is within the limit", figure=figure)
    if result.passed is None:
        return verdict_line(
            NO_LIMIT if conclusion.verdict != "error" else what, conclusion.exit_code
        )
    value, rule = figure_and_rule(card_of(result))
    said = phrase("{what}: {value}, must be {rule}", what=what, value=value, rule=rule)
    return verdict_line(said, conclusion.exit_code)


def _figures(result: MpuccsResult) -> list[list[str]]:
    figures = result.figures
    # The figure that is judged has as many digits as it takes to tell it from the limit.
    value, rule = figure_and_rule(card_of(result), digits=6)
    verdict = ERROR if result.undecided else VERDICTS[result.status]
    judged = [value, *(["-", "-"] if result.limit is None else [rule, verdict])]

    def row(title: str, name: str, note: str) -> list[str]:
        shown = judged if name == result.figure else [f"{figures[name]:.6g}", "-", "-"]
        return [title, *shown, note]

    identified = phrase(
        "{part:,} of {whole:,}",
        part=figures["total_identified"],
        whole=figures["total_syn_records"],
    )
    rows = [
        row(term("identification rate"), "identification_rate", ""),
        [term("identified rows"), identified, "-", "-", result.findings.scope],
    ]
    if result.findings.options.calculate_baseline:
        rows.insert(0, row(term("risk score"), "privacy_risk_score", term("lower is better")))
    if not result.complete:
        for cells in rows:
            cells[1] = phrase("at least {figure}", figure=cells[1])
    excess = result.findings.excess
    if excess is not None and math.isfinite(excess.lower):
        interval = phrase(
            "95 % interval {lower:.4f} to {upper:.4f}", lower=excess.lower, upper=excess.upper
        )
        rows.append([term("excess over the control"), f"{excess.value:.4f}", "-", "-", interval])
    return rows


def _combinations(result: MpuccsResult) -> list[str]:
    rows = [
        [f"{identified:,}", f"{unique:,}", " + ".join(columns)]
        for columns, identified, unique in result.findings.worst_combinations(
            _MOST_COMBINATIONS_SHOWN
        )
    ]
    title = term("Combinations that expose most rows (a row counts for the first to identify it)")
    header = [term("identified"), term("unique"), term("columns")]
    return [title, *format_table(header, rows), ""] if rows else []


def _changes(advice: Sequence[dict[str, Any]]) -> list[str]:
    if not advice:
        return []
    before, up_to = advice[0]["rows_before"], advice[0]["up_to_columns"]
    helpful = [change for change in advice if change["rows_after"] < before][:_MOST_CHANGES_SHOWN]
    harmful = [change for change in advice if change["rows_after"] > before][-3:]
    rows = [
        [
            f"{change['rows_after']:,}",
            f"{change['rows_after'] - before:+,}",
            change["column"],
            change["change"],
        ]
        for change in (*helpful, *harmful)
    ]
    title = phrase(
        "What changing one column would do (now {rows:,} identified, up to {columns} columns)",
        rows=before,
        columns=up_to,
    )
    header = [term("rows after"), term("difference"), term("column"), term("change")]
    return [title, *format_table(header, rows), ""] if rows else []


def _notes(result: MpuccsResult) -> list[str]:
    removed = []
    if result.removed_original:
        removed.append(phrase("{number:,} in the original", number=result.removed_original))
    if result.removed_synthetic:
        removed.append(phrase("{number:,} in the synthetic table", number=result.removed_synthetic))
    if result.removed_control:
        removed.append(phrase("{number:,} in the control", number=result.removed_control))
    notes = [phrase("duplicates removed: {tables}", tables=listing(removed))] if removed else []
    notes += [phrase("warning: {text}", text=text) for text in result.warnings]
    return section(term("Notes"), notes)


def _checked_folder(name: str, tables: Sequence[str]) -> Path:
    """Say before a long search that the tables cannot be written there."""
    if not name:
        raise OptionError("--out is empty; name a folder")
    folder = Path(name)
    # Unlike the method of Path it takes any name; what is wrong with it is said on opening.
    read = [Path(table) for table in tables if os.path.exists(table)]  # noqa: PTH110
    check_targets(folder, (*_TARGETS, _SUMMARY), read)
    if any(folder.is_dir() and table.is_dir() and folder.samefile(table) for table in read):
        raise OptionError("{name!r} is read as a table; choose another output folder", name=name)
    return folder


def _write_tables(
    result: MpuccsResult,
    folder: Path,
    inputs: Sequence[Path],
    document: Mapping[str, Any],
    *,
    reveal: bool,
) -> list[str]:
    """Write every table as CSV and as Parquet, and the document last; return the names."""
    tables = {"global": _frame(result.findings.global_columns())}
    if result.findings.lists_rows:
        tables["details"] = _details(result.findings, reveal=reveal)
    tables["tree"] = _frame(result.findings.tree_columns())
    if document["results"][0]["details"]["changes"]:
        tables["changes"] = _frame(result.table("changes"))
    for name in (*_TARGETS, _SUMMARY):
        refuse_inputs(folder / name, inputs)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(
            "cannot create {name!r} ({reason})",
            name=str(folder),
            reason=problem.strerror or problem,
        ) from None
    written = []
    for name, table in tables.items():
        for kind in _KINDS:
            write_whole(folder / f"{name}.{kind}", table_writer(table, kind))
            written.append(f"{name}.{kind}")
    if (folder / _SUMMARY).exists():
        for name in set(_TARGETS) - set(written):
            # Of an earlier run of ours, about other tables perhaps.
            (folder / name).unlink(missing_ok=True)
    write_text(folder / _SUMMARY, json_text(document) + "\n")
    return [*written, _SUMMARY]


def _frame(columns: Mapping[str, ResultColumn]) -> Any:
    return result_frame("pyarrow", in_file(columns))


def _details(findings: Findings, *, reveal: bool) -> TableInParts:
    """As many rows as are identified: they are made again for each file, and never all at once."""

    def parts() -> Iterator[Any]:
        return map(_frame, findings.details_blocks(with_values=reveal))

    return TableInParts(_frame(findings.no_details()).schema, parts)

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
from petaudit.cli.arguments import whole_number
from petaudit.cli.options import engine_of, reading_of
from petaudit.cli.report import Reports, write_text
from petaudit.cli.streams import printed_warnings, say, say_lines
from petaudit.errors import InputError, OptionError, joined, listing, phrase, shortened, term
from petaudit.exact.fractions import exact
from petaudit.i18n.phrases import translate
from petaudit.i18n.text import json_text
from petaudit.inputs import gather
from petaudit.judging.document import MPUCCS
from petaudit.measures.mpuccs import NAME, MpuccsResult, checked_limit
from petaudit.pipelines.folder import check_targets
from petaudit.reports.terminal import coloured
from petaudit.reports.text import screen_text
from petaudit.reports.verdict import verdict_text
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
        if has_advice and why_no_advice is None:
            _ = result.changes  # in the document and on the screen from now on
    release = _with_result(release, result)
    document = release.to_dict()
    watch.check()
    if folder is not None:
        written = _write_tables(result, folder, inputs.files, document, reveal=chosen.reveal_values)
    reports.write(document, release.files, chosen.synthetic)
    if chosen.format != "text":
        say(reports.shown(document, chosen.format, chosen.synthetic))
        return release.exit_code
    view = release.view
    if chosen.quiet:
        say(verdict_text(view))
        return release.exit_code
    say(coloured(screen_text(view, offered=release.screen_tables, details=chosen.details)))
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

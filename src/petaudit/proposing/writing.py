"""Hierarchies as files to edit: rules in one YAML file, or every value in a CSV file per column.

Rules are a few lines, fit values that the table did not have, and hold no value but common ones; a
folder of CSV files is what spreadsheets and other programs take. Both may hold values of the
table, so only the user may read them.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from petaudit._version import __version__
from petaudit.errors import OptionError, joined, phrase
from petaudit.labels.hierarchies import attribute_of_file
from petaudit.starter.yaml_text import comment, scalar
from petaudit.system.output import refuse_inputs, write_whole

if TYPE_CHECKING:
    from petaudit.proposing.hierarchies import Proposal

_YAML: Final = (".yaml", ".yml")
_LONGEST_NAME: Final = 255


def write_proposals(
    proposals: Sequence[Proposal],
    target: Path,
    *,
    table: str,
    read: Sequence[Path] = (),
    force: bool = False,
) -> list[Path]:
    """Write hierarchies to a YAML file or to a folder, by the name; the files that were written.

    What exists is replaced by ``force`` only, since somebody may have edited it.
    """
    if target.suffix.lower() in _YAML:
        texts = {target: yaml_text(proposals, table)}
    else:
        texts = {target / _file_name(each.column): csv_text(each) for each in proposals}
    if target not in texts and os.path.lexists(target) and not target.is_dir():
        raise OptionError(
            "{name!r} is a file: rules are written to FILE.yaml, a CSV file per column to a folder",
            name=str(target),
        )
    for path in texts:
        refuse_inputs(path, read)
        if os.path.lexists(path) and not force:
            raise OptionError(
                "{name!r} exists already; --force replaces it, --out writes elsewhere",
                name=str(path),
            )
    if target not in texts:
        target.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        data = text.encode()

        def write(file: IO[bytes], data: bytes = data) -> None:
            file.write(data)

        write_whole(path, write, private=True)
    return list(texts)


def _file_name(column: str) -> str:
    name = f"hierarchy_{column}.csv"
    if (
        attribute_of_file(name) != column
        or any(mark in column for mark in "/\\\0")
        or len(os.fsencode(name)) > _LONGEST_NAME
    ):
        raise OptionError(
            "no file can be named after the column {column!r}: write the rules to one file "
            "(--out FILE.yaml)",
            column=column,
        )
    return name


def csv_text(proposal: Proposal) -> str:
    """Every value with the labels above it, as ``--hierarchies`` takes it.

    >>> from petaudit.proposing import propose_hierarchies
    >>> import pyarrow as pa
    >>> people = pa.table({"sex": ["F", "M"]})
    >>> csv_text(propose_hierarchies(people, quasi_identifiers="sex").proposals[0])
    'F;*\\nM;*\\n'
    """
    text = io.StringIO(newline="")
    rows = map(proposal.hierarchy.path_of, proposal.hierarchy.leaves)
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(rows)
    return text.getvalue()


def yaml_text(proposals: Sequence[Proposal], table: str) -> str:
    """The rules of all columns, each with what its levels do."""
    head = [
        phrase("Hierarchies for {table}, by petaudit {version}", table=table, version=__version__),
        phrase(
            "Level 0 is the value, the last level is *. Edit the rules, and give this file: "
            "--hierarchies FILE"
        ),
    ]
    parts = ["\n".join(map(comment, head))]
    for each in proposals:
        groups = joined([f"{level.groups:,}" for level in each.levels])
        about = phrase("{kind}; groups per level: {groups}", kind=each.kind, groups=groups)
        parts.append("\n".join([comment(about), *_entry(each)]))
    return "\n\n".join(parts) + "\n"


def _entry(proposal: Proposal) -> Iterator[str]:
    rule = proposal.rule
    if rule is None:
        hierarchy = proposal.hierarchy
        rule = {leaf: hierarchy.path_of(leaf)[1:] for leaf in hierarchy.leaves}
    yield f"{scalar(proposal.column)}:"
    for key, value in rule.items():
        is_deep = isinstance(value, list) and any(isinstance(item, list) for item in value)
        if is_deep:
            yield f"  {scalar(key)}:"
            yield from (f"    - {_flow(item)}" for item in value)
        else:
            yield f"  {scalar(key)}: {_flow(value)}"


def _flow(value: Any) -> str:
    """A value in one line.

    >>> _flow({"a": ["no", 1, 2.5, True]})
    '{a: ["no", 1, 2.5, true]}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(str(k))}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return scalar(value) if isinstance(value, str) else str(value)

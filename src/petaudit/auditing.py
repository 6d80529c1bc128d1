"""One call: every measure that the inputs allow, and what the others would need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petaudit._version import __version__
from petaudit.errors import NotMeasurableError, OptionError, PetauditError
from petaudit.inputs import Inputs, gather
from petaudit.measures import Measure, Need, Result, all_measures, find_measure

DOCUMENT = "petaudit.check/1"
COULD_NOT_MEASURE = 2


@dataclass(frozen=True)
class NotMeasured:
    """A measure that gave no figure: left out, or asked for and impossible."""

    measure: str
    problem: PetauditError
    asked_for: bool

    @property
    def reason(self) -> str:
        """Why there is no figure, without any value of the data."""
        return self.problem.without_values

    @property
    def status(self) -> str:
        """``error`` if the measure was asked for, else ``skipped``."""
        return "error" if self.asked_for else "skipped"

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain data."""
        return {"measure": self.measure, "status": self.status, "reason": self.reason}


@dataclass(frozen=True)
class Audit:
    """The results of several measures on one table."""

    inputs: Inputs
    results: tuple[Result, ...]
    not_measured: tuple[NotMeasured, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """0: all limits hold; 1: one is breached; 2: something asked for was not measured."""
        if any(entry.asked_for for entry in self.not_measured) or not self.results:
            return COULD_NOT_MEASURE
        return 1 if any(result.passed is False for result in self.results) else 0

    @property
    def passed(self) -> bool:
        """Whether everything asked for was measured and every limit holds."""
        return self.exit_code == 0

    @property
    def verdict(self) -> str:
        """``passed``, ``failed``, ``error``, or ``measured`` where there was no limit at all."""
        if self.exit_code == 0 and all(result.passed is None for result in self.results):
            return "measured"
        return {0: "passed", 1: "failed", 2: "error"}[self.exit_code]

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that was read; none of them may be written to."""
        return (*self.inputs.files, *(path for own in self.results for path in own.other_files))

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all results, each once."""
        return tuple(dict.fromkeys(text for result in self.results for text in result.warnings))

    def __getitem__(self, measure: str) -> Result:
        wanted = find_measure(measure).name
        for result in self.results:
            if result.measure == wanted:
                return result
        reasons = [str(entry.problem) for entry in self.not_measured if entry.measure == wanted]
        raise NotMeasurableError(f"{wanted} was not measured: {'; '.join(reasons) or 'not asked'}")

    def to_dict(self) -> dict[str, Any]:
        """The versioned document that ``--format json`` prints."""
        inputs = {"table": self.inputs.table.fingerprint()}
        if self.inputs.original is not None:
            inputs["original"] = self.inputs.original.fingerprint()
        if self.inputs.control is not None:
            inputs["control"] = self.inputs.control.fingerprint()
        if self.inputs.population is not None:
            inputs["population"] = self.inputs.population.fingerprint()
        if self.inputs.hierarchies:
            inputs["hierarchies"] = self.inputs.hierarchies.fingerprint()
        return {
            "document": DOCUMENT,
            "petaudit": __version__,
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "inputs": inputs,
            "roles": self.inputs.roles.to_dict(),
            "options": dict(self.options),
            "results": [result.to_dict() for result in self.results],
            "not_measured": [entry.to_dict() for entry in self.not_measured],
            "warnings": list(self.warnings),
        }


def audit(
    table: object,
    *,
    measures: Iterable[str] | str | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    **given: Any,
) -> Audit:
    """Run the named measures, or all that the inputs allow.

    ``options`` holds the limit and options of each measure by name.

    >>> import pyarrow as pa
    >>> table = pa.table({"born": ["197*"] * 2 + ["198*"] * 3, "salary": [3, 4, 5, 6, 8]})
    >>> found = audit(table, quasi_identifiers=["born"], sensitive=["salary"],
    ...               options={"t-closeness": {"limit": 0.3}})
    >>> found.exit_code, found["t-closeness"].status
    (1, 'failed')
    """
    wanted = _options_by_measure(options or {})
    names = [measures] if isinstance(measures, str) else measures
    named = None if names is None else list({id(m): m for m in map(find_measure, names)}.values())
    if named is not None and not named:
        raise OptionError("the list of measures is empty")
    inputs = gather(table, **given)
    chosen = list(all_measures().values()) if named is None else named
    for name in wanted:
        if name not in [measure.name for measure in chosen]:
            chosen.append(find_measure(name))
    has_roles = inputs.roles.quasi_identifiers or inputs.hierarchies
    if not has_roles and all(_needs_columns(measure, named, wanted) for measure in chosen):
        # Nothing at all can be measured: one clear error instead of one per measure.
        _ = inputs.quasi_identifiers
    results: list[Result] = []
    not_measured: list[NotMeasured] = []
    for measure in chosen:
        own = wanted.get(measure.name, {})
        if named is None and measure.name not in wanted and measure.only_by_name is not None:
            problem = NotMeasurableError(measure.only_by_name)
            not_measured.append(NotMeasured(measure.name, problem, asked_for=False))
            continue
        asked_for = named is not None or _is_asked_for(measure, wanted, inputs)
        missing = measure.missing(inputs, own)
        if missing:
            problem = NotMeasurableError(f"needs {' and '.join(missing)}")
            explicit = named is not None or measure.name in wanted
            not_measured.append(NotMeasured(measure.name, problem, explicit))
            continue
        try:
            results.append(measure.run(inputs, own))
        except OptionError:
            raise
        except PetauditError as problem:
            not_measured.append(NotMeasured(measure.name, problem, asked_for))
    settings = {
        "measures": None if named is None else [measure.name for measure in named],
        "options": {
            name: {key: _plain_option(value) for key, value in own.items()}
            for name, own in wanted.items()
        },
        "suppressed": inputs.suppressed,
        "key": inputs.key,
        "reveal_values": inputs.reveal_values,
        "delimiter": inputs.delimiter,
        "encoding": inputs.encoding,
    }
    return Audit(inputs, tuple(results), tuple(not_measured), settings)


def _options_by_measure(given: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Options under the measures' own names; what is wrong about them is said before any work."""
    wanted: dict[str, dict[str, Any]] = {}
    for name, own in given.items():
        measure = find_measure(name)
        if measure.name in wanted:
            raise OptionError(f"the options of {measure.name} are given twice")
        measure.check_options(own)
        wanted[measure.name] = dict(own)
    return wanted


def _plain_option(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain_option(item) for key, item in value.items()}
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def _needs_columns(
    measure: Measure, named: list[Measure] | None, wanted: Mapping[str, Mapping[str, Any]]
) -> bool:
    """Whether a measure says nothing about this audit unless the roles of columns are known."""
    is_left_out = named is None and measure.name not in wanted and measure.only_by_name is not None
    return (
        is_left_out
        or Need.QUASI_IDENTIFIERS in measure.needs
        or (Need.HIERARCHIES in measure.needs)
    )


def _is_asked_for(
    measure: Measure, wanted: Mapping[str, Mapping[str, Any]], inputs: Inputs
) -> bool:
    """Whether a failure of this measure is a failure of the audit.

    With no limit or option given, everything that can run is asked for. Otherwise the measures with
    a limit or option are, and those that an original table was given for; the rest are extras.
    """
    if not wanted or measure.name in wanted:
        return True
    return Need.ORIGINAL in measure.needs and inputs.original is not None

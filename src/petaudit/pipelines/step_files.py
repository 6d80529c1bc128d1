"""The tables that a step of a pipeline reads from files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from petaudit.pipelines.models import LOADER, SPLITTER, CustomSplit, CustomTable, Evaluation, Loader
from petaudit.pipelines.plan import PlannedRun, Step


@dataclass(frozen=True)
class FileTable:
    """A table in a file, and how it is to be read."""

    address: str
    schema: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    nrows: int | None = None


def files_of(step: Step) -> dict[str, FileTable]:
    """The tables that a step reads, by their part; the main one has no name."""
    model = step.experiment.model
    match model:
        case Loader():
            own = FileTable(
                model.filepath, model.schema, model.delimiter, model.encoding, model.nrows
            )
            found = {"": own}
            if model.original is not None:
                found["original"] = FileTable(
                    model.original, None, model.delimiter, model.encoding, model.nrows
                )
            if model.population is not None:
                found["population"] = FileTable(
                    model.population, None, model.delimiter, model.encoding
                )
            return found
        case CustomSplit():
            schema = model.schema
            return {
                part: FileTable(
                    address,
                    schema.get(part) if isinstance(schema, Mapping) else schema,
                    model.delimiter,
                    model.encoding,
                )
                for part, address in model.filepath.items()
            }
        case CustomTable():
            return {"": FileTable(model.filepath, model.schema, model.delimiter, model.encoding)}
        case Evaluation() if isinstance(model.options.get("control"), str):
            # A measure may name a table of its own.
            return {"control": FileTable(model.options["control"])}
    return {}


def schema_learned(run: PlannedRun) -> str | None:
    """The schema of the table that a synthesizer learns from."""
    for module in (SPLITTER, LOADER):
        step = run.step(module)
        if step is not None:
            files = files_of(step)
            for part in ("", "ori"):
                if part in files:
                    return files[part].schema
    return None

"""The JSON Schema of pipeline files, for editors that complete and check them."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, Final

from petaudit.measures import Measure, listed_measures
from petaudit.pipelines.models import (
    DEFAULT_METHODS,
    EVALUATOR,
    EXECUTOR,
    METHODS,
    Evaluation,
    ExecutorSettings,
)
from petaudit.pipelines.reading import NEVER_EMPTY
from petaudit.system.kinds import JsonSchema
from petaudit.system.settings import required_of, settings_of

DIALECT: Final = "http://json-schema.org/draft-07/schema#"


def json_schema() -> JsonSchema:
    """Describe pipeline files, with every measure that is installed.

    >>> sorted(json_schema()["properties"])
    ['Anonymizer', 'Evaluator', 'Executor', 'Loader', 'Reporter', 'Splitter', 'Synthesizer']
    """
    modules: JsonSchema = {
        EXECUTOR: {"anyOf": [_object(ExecutorSettings), {"type": "null"}]},
        **{module: _named(_variants(module)) for module in METHODS},
    }
    return {
        "$schema": DIALECT,
        "title": "petaudit pipeline",
        "description": "An audit of a table: what is loaded, split, made, measured and written.",
        "type": "object",
        "properties": modules,
        "additionalProperties": False,
        "minProperties": 1,
    }


def _named(variants: list[JsonSchema]) -> JsonSchema:
    """Experiments under names that the user chooses."""
    entry = variants[0] if len(variants) == 1 else {"anyOf": variants}
    return {"type": "object", "additionalProperties": entry, "minProperties": 1}


def _variants(module: str) -> list[JsonSchema]:
    if module == EVALUATOR:
        return [_measure(measure) for measure in listed_measures().values()]
    variants = []
    for model in METHODS[module]:
        method = model.method  # type: ignore[attr-defined]
        variant = _object(model)
        if method is not None:
            is_default = DEFAULT_METHODS.get(module) == method
            chosen = _described({"const": method}, _summary(model), not is_default)
            variant["properties"] = {"method": chosen, **variant["properties"]}
            if not is_default:
                variant["required"] = ["method", *variant.get("required", [])]
        variants.append(variant)
    if not all(variant.get("required") for variant in variants):
        variants.append({"type": "null"})
    return variants


def _object(model: type) -> JsonSchema:
    defaults = {attribute.name: attribute.default for attribute in fields(model)}
    required = required_of(model)
    properties: JsonSchema = {}
    for name, setting in settings_of(model).items():
        described = _described(
            setting.kind.schema(), setting.help, name in required or name in NEVER_EMPTY
        )
        if defaults[name] not in {None, MISSING}:
            described["default"] = defaults[name]
        properties[name] = described
    schema: JsonSchema = {
        "type": "object",
        "description": _summary(model),
        "properties": properties,
        "additionalProperties": False,
    }
    return schema | ({"required": list(required)} if required else {})


def _measure(measure: Measure) -> JsonSchema:
    common = _object(Evaluation)
    properties: JsonSchema = {"method": {"const": measure.name, "description": measure.question}}
    if measure.limit_help is not None:
        properties["limit"] = _described(measure.limit_kind.schema(), measure.limit_help, True)
    for option in measure.options:
        is_needed = option.required or option.name in NEVER_EMPTY
        properties[option.name] = _described(option.kind.schema(), option.help, is_needed)
    required = ["method", *(option.name for option in measure.options if option.required)]
    del common["properties"]["method"]
    return common | {
        "description": f"{measure.title}: {measure.question}",
        "properties": properties | common["properties"],
        "required": required,
    }


def _described(schema: JsonSchema, help_text: str, has_value: bool) -> JsonSchema:
    """A setting that may be left out may also be null, unless it must have a value."""
    if has_value or not schema:
        return {**schema, "description": help_text}
    return {"anyOf": [schema, {"type": "null"}], "description": help_text}


def _summary(model: type[Any]) -> str:
    return (model.__doc__ or "").strip().splitlines()[0]

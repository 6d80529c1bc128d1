"""Write the types of the public functions: ``src/petaudit/__init__.pyi``.

A measure's function is made from its class, which a type checker cannot follow, so that its
signature is written out here. Run it after a measure or its options changed.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import petaudit
from petaudit.measures import Measure, all_measures
from petaudit.measures.base import input_parameters
from petaudit.system.reading import Reading

STUB = Path(__file__).parents[1] / "src" / "petaudit" / "__init__.pyi"
HEAD = """\
# Written by scripts/make_stub.py; do not edit.
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from petaudit import datasets as datasets
from petaudit._version import __version__ as __version__
from petaudit.anonymizing.applying import Applied
from petaudit.anonymizing.asking import LevelSpec, Recoding
from petaudit.anonymizing.problem import Objective
from petaudit.exact.fractions import Number
from petaudit.generalizing import IdentifierColumns
from petaudit.judging.policy import PolicySpec
from petaudit.inputs import RolesSpec, Suppressed
from petaudit.labels.hierarchies import HierarchySpec
from petaudit.measures import Result
from petaudit.singling.options import Progress"""
RETURNED = {
    "audit": "Audit",
    "suppress": "Any",
    "anonymize": "Anonymized",
    "frontier": "Frontier",
    "apply": "Applied",
}
"""What functions return that take the arguments of measures."""
READING = inspect.signature(Reading).parameters


def stub() -> str:
    """Return the text of the stub."""
    homes: dict[str, str] = vars(petaudit)["_HOMES"]
    imports = [
        f"from {home} import {name} as {name}"
        for name, home in sorted(homes.items())
        if name not in RETURNED
    ]
    functions = [
        _spelled_out(name, inspect.signature(getattr(petaudit, name)), ("table",), returned)
        for name, returned in RETURNED.items()
    ]
    for measure in all_measures().values():
        name = measure.name.replace("-", "_")
        if hasattr(getattr(petaudit, name, None), "__signature__"):
            functions.append(_function(measure))
        elif name in petaudit.__dir__():
            imports.append(f"from petaudit.measures.{name} import {name} as {name}")
    return "\n".join([HEAD, *imports, "", *_arguments(), *functions, ""])


def _arguments() -> Iterator[str]:
    """The arguments that functions share; some take the original by position, or have none."""
    shared = {name: own for name, own in input_parameters().items() if name != "table"}
    compared = {"_Arguments": ("control", "key"), "_WithOriginal": ("original",)}
    others = [*READING, *compared["_Arguments"], *compared["_WithOriginal"]]
    names = {"_Reading": READING, "_OfOriginal": [name for name in shared if name not in others]}
    base = "TypedDict"
    for kind, own in {**names, **compared}.items():
        yield f"class {kind}({base}, total=False):"
        yield from (f"    {name}: {shared[name].annotation}" for name in own)
        yield ""
        base = kind


def _function(measure: Measure) -> str:
    signature, shared = measure.signature(), input_parameters()
    if not shared.keys() <= signature.parameters.keys():
        text = str(signature).replace("collections.abc.", "")
        text = re.sub(r"petaudit\.[a-z_.]+\.(?=[A-Z])", "", text)
        return f"def {measure.function_name()}{text}: ..."
    return _spelled_out(measure.function_name(), signature, measure.positional, "Result")


def _spelled_out(
    name: str, signature: inspect.Signature, positional: tuple[str, ...], returned: str
) -> str:
    """Write a function whose shared arguments are those of a class."""
    names = signature.parameters
    own = [
        parameter
        for called, parameter in names.items()
        if called in positional
        or called not in input_parameters()
        or ("roles" not in names and called not in READING)
    ]
    kind = "_Arguments" if "original" in positional else "_WithOriginal"
    if "original" not in names:
        kind = "_OfOriginal" if "roles" in names else "_Reading"
    inputs = inspect.Parameter("inputs", inspect.Parameter.VAR_KEYWORD)
    shown = signature.replace(parameters=[*own, inputs], return_annotation=inspect.Signature.empty)
    text = str(shown).replace("**inputs", f"**inputs: Unpack[{kind}]")
    return f"def {name}{text} -> {returned}: ..."


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")

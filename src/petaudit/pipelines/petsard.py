"""Names that petaudit does not know: what PETsARD calls otherwise, and what to do instead.

The names are those of PETsARD 1.10.1, with a few of older versions that still stand in files.
Whoever finds a name that petaudit does not know asks here what to say of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any, Final

from petaudit.errors import listing, phrase, shortened, suggestion
from petaudit.pipelines import models
from petaudit.system.problems import key_text, shown

_NONE: Final = phrase("there is no counterpart here")
_NOT_CLUSTERED: Final = phrase("there is no counterpart here, as nothing is clustered")
_LIKENESS: Final = phrase(
    "use distribution-distance and association-change, whose figures are others"
)
_QUALITY: Final = phrase(
    "use distribution-distance, whose columns are 1 - KSComplement (numbers, dates) and "
    "1 - TVComplement (labels), and association-change, whose pairs of numbers are "
    "1 - CorrelationSimilarity; pairs with labels and the overall score are others"
)
_AS_CUSTOM_DATA: Final = phrase("make the table with it and give it as custom_data")

MODULES: Final[Mapping[str, str]] = {
    "Preprocessor": phrase(
        "leave it out, since a Synthesizer here takes the table as it is, or prepare "
        "the table before"
    ),
    "Postprocessor": phrase(
        "leave it out, since a Synthesizer here makes values like those it was given"
    ),
    "Constrainer": phrase(
        "leave out the rows that break a rule and give the others as custom_data"
    ),
    "Describer": _NONE,
}

# By the part of the method before the first dash, which is how PETsARD finds it, or by all of it.
METHODS: Final[Mapping[str, Mapping[str, str]]] = {
    "Synthesizer": {
        "default": phrase("use gaussian-copula"),
        "petsard": phrase("use gaussian-copula"),
        "sdv-gaussiancopula": phrase("use gaussian-copula"),
        "sdv": _AS_CUSTOM_DATA,
        "custom_method": _AS_CUSTOM_DATA,
    },
    "Evaluator": {
        "default": _LIKENESS,
        "sdmetrics": _LIKENESS,
        "sdmetrics-qualityreport": _QUALITY,
        "sdmetrics-single_table-qualityreport": _QUALITY,
        "stats": _LIKENESS,
        "anonymeter-singlingout": phrase("use mpuccs, which compares with a control, too"),
        "anonymeter": phrase("there is no counterpart here yet"),
        "mlutility-cluster": _NOT_CLUSTERED,
        "mlutility-clustering": _NOT_CLUSTERED,
        "mlutility": phrase("use model-utility, whose models are others"),
        "custom_method": phrase(
            "make it a measure (see 'A measure of your own' in the documentation)"
        ),
    },
    "Reporter": {
        "save_schema": phrase("write the schema by hand; a table that breaks it is an error"),
        "save_validation": phrase("there is no counterpart here, as there is no Constrainer"),
    },
}

_LOADING: Final = {
    "column_types": phrase("say type and category of the columns in the schema"),
    "header_names": phrase("write the names into the first line of the file"),
    "na_values": phrase("write nulls as empty cells"),
}
_FEWER_ROWS: Final = {"nrows": phrase("give a file with these rows only")}
_READING: Final = {
    "delimiter": phrase("leave it out, since it is told from the file"),
    "encoding": phrase("save the file as UTF-8"),
    "header": phrase("write the names into the first line of the file"),
    "index_col": phrase("write the index as a column like others, or leave it out of the file"),
    "usecols": phrase("leave the other columns out of the file"),
    "dtype": phrase("say the types of the columns in the schema"),
    "skiprows": phrase("leave these rows out of the file"),
    "parse_dates": phrase("say in the schema which columns are dates"),
    "date_format": phrase("say the format of the dates in the schema"),
}
_DEVICE: Final = {
    "use_gpu": phrase("leave it out, since nothing here runs on a graphics card"),
    "gpu_threshold": phrase("leave it out, since nothing here runs on a graphics card"),
}
_TRAINING: Final = {
    "epochs": phrase("leave it out; PETsARD takes and ignores it"),
    "batch_size": phrase("leave it out, since rows here need no batches of a chosen size"),
}
_ATTACKS: Final = {
    "n_attacks": phrase("leave it out, since mpuccs finds all rows and draws no attacks"),
    "max_n_attacks": phrase("leave it out, since mpuccs finds all rows and draws no attacks"),
    "max_attempts": phrase("leave it out, since mpuccs finds all rows; time_limit ends it earlier"),
    "mode": phrase("use n_cols of mpuccs: 1 is univariate"),
    "n_jobs": phrase("use threads of mpuccs"),
}

_LEARNING: Final = {
    "experiment_design": phrase(
        "leave it out, since models that learned from either table are always compared on rows of "
        "the original"
    ),
    "metrics": phrase("use metric of model-utility, one for each Evaluator"),
    "n_clusters": _NOT_CLUSTERED,
    "random_state": phrase("use seed of model-utility"),
    "resampling": phrase("leave it out, since rows are learned from as they are"),
    "task_type": phrase("use task of model-utility"),
    "xgb_params": phrase("use model of model-utility; its parameters are fixed"),
}

# By module and method, or its part before the first dash; "" is every method.
OPTIONS: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {
    ("Loader", ""): _LOADING
    | {"method": phrase("leave it out, since there is one way to load, as in PETsARD")},
    ("Splitter", ""): {
        "max_overlap_ratio": phrase(
            "there is no counterpart here; without it the samples may overlap, as in PETsARD"
        ),
        "max_attempts": phrase("leave it out, as it only goes with max_overlap_ratio"),
    },
    ("Splitter", "custom_data"): _LOADING | _FEWER_ROWS,
    ("Synthesizer", "custom_data"): _LOADING | _FEWER_ROWS | _READING,
    ("Synthesizer", "default"): _DEVICE,
    ("Synthesizer", "petsard"): _DEVICE,
    ("Synthesizer", "sdv"): _TRAINING,
    ("Synthesizer", "custom_method"): {
        "module_path": _AS_CUSTOM_DATA,
        "class_name": _AS_CUSTOM_DATA,
    },
    # What PETsARD's methods leave behind once petaudit's are put in their place.
    ("Synthesizer", "gaussian"): _DEVICE | _TRAINING,
    ("Synthesizer", "independent"): _DEVICE | _TRAINING,
    ("Evaluator", "mpuccs"): _ATTACKS,
    ("Evaluator", "anonymeter-singlingout"): _ATTACKS,
    ("Evaluator", "anonymeter"): dict.fromkeys(
        ("n_attacks", "max_n_attacks", "n_neighbors", "aux_cols", "secret", "n_jobs"), _NONE
    ),
    ("Evaluator", "mlutility"): _LEARNING,
    ("Evaluator", "model-utility"): _LEARNING,
    ("Evaluator", "custom_method"): dict.fromkeys(
        ("module_path", "class_name"), METHODS["Evaluator"]["custom_method"]
    ),
    ("Reporter", ""): {
        "naming_strategy": phrase("leave it out, since there is one way to name the files")
    },
    ("Reporter", "save_schema"): dict.fromkeys(
        ("properties", "yaml_output"), METHODS["Reporter"]["save_schema"]
    ),
    ("Reporter", "save_validation"): {"include_details": METHODS["Reporter"]["save_validation"]},
}

# By module and option: values that say more than the option's name. Modules of PETsARD whose tables
# are saved, and tasks that the method of an Evaluator does not name.
VALUES: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {
    ("Reporter", "source"): {
        "Preprocessor": phrase("use Splitter or Loader, whose table a Synthesizer takes as it is"),
        "Postprocessor": phrase("use Synthesizer, whose table needs no undoing"),
        "Constrainer": phrase("use Synthesizer; rows that break a rule are left out before"),
    },
    ("Evaluator", "task_type"): dict.fromkeys(("cluster", "clustering"), _NOT_CLUSTERED),
}


def module_alternative(module: str) -> str | None:
    """Say what to do instead of a module of PETsARD; None if it is none, or built here.

    >>> module_alternative("Describer")
    "PETsARD's Describer is not built here; there is no counterpart here"
    >>> module_alternative("Describe"), module_alternative("Loader")
    (None, None)
    """
    return _sentence(module, MODULES.get(module))


def method_alternative(module: str, method: str) -> str | None:
    """Say what to do instead of a method of PETsARD; None if it is none, or built here.

    Like PETsARD, it takes any case, and looks at what stands before the first dash.

    >>> method_alternative("Synthesizer", "SDV-single_table-CTGAN").partition("; ")[2]
    'make the table with it and give it as custom_data'
    >>> method_alternative("Evaluator", "anonymeter-singlingout").partition("; ")[2]
    'use mpuccs, which compares with a control, too'
    >>> method_alternative("Evaluator", "mpuccs") is None
    True
    """
    if module in MODULES:
        return module_alternative(module)
    known = METHODS.get(module, {})
    found = next((known[name] for name in _names(method) if name in known), None)
    what = phrase("{module} method {name!r}", module=module, name=shortened(method))
    return _sentence(what, found)


def option_alternative(module: str, method: str | None, option: str) -> str | None:
    """Say what to do instead of an option of PETsARD; None if it is none, or built here.

    Without a method, the options of all methods are searched.

    >>> option_alternative("Loader", None, "na_values")
    "PETsARD's Loader option 'na_values' is not built here; write nulls as empty cells"
    >>> option_alternative("Loader", None, "nrows") is None
    True
    """
    if module in MODULES:
        return module_alternative(module)
    if method is None:
        tables = [own for (home, _), own in OPTIONS.items() if home == module]
    else:
        tables = [OPTIONS.get((module, name), {}) for name in (*_names(method), "")]
    found = next((known[option] for known in tables if option in known), None)
    what = phrase("{module} option {name!r}", module=module, name=shortened(option))
    return _sentence(what, found)


def value_alternative(module: str, option: Hashable, value: object) -> str | None:
    """Say what to do instead of a value of PETsARD; None if it is none, or built here.

    >>> value_alternative("Reporter", "source", ["Loader", "Postprocessor"]).partition("; ")[2]
    'use Synthesizer, whose table needs no undoing'
    >>> value_alternative("Reporter", "source", "Loader") is None
    True
    """
    known = VALUES.get((module, option), {}) if isinstance(option, str) else {}
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and (found := known.get(item) or known.get(item.casefold())):
            what = phrase("value {value!r} of {option}", option=option, value=item)
            return _sentence(what, found)
    return None


def _names(method: str) -> tuple[str, str]:
    """The names under which a method may be listed, the more exact one first."""
    folded = method.casefold().replace("-single_table-", "-", 1)
    return folded, folded.partition("-")[0]


def _sentence(what: str, alternative: str | None) -> str | None:
    if alternative is None:
        return None
    return phrase(
        "PETsARD's {what} is not built here; {alternative}", what=what, alternative=alternative
    )


_NOTHING: Final = phrase("leave it away")
PETSARD_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "enable_null": phrase("write nullable for each attribute"),
        "logical_type": phrase("write type for each attribute"),
        "type_attr": phrase("write nullable, category and precision beside type"),
        "enable_optimize_type": phrase("the type is the one that is declared"),
        "enable_stats": _NOTHING,
        "stats": _NOTHING,
        "na_values": phrase("an empty cell is a null; replace other marks in the table first"),
        "cast_errors": phrase("a cell that breaks its type is an error"),
        "null_strategy": phrase("nulls are kept; write nullable: false to refuse them"),
        "default_value": phrase("nulls are kept; fill them in the table first"),
        "is_constant": _NOTHING,
        "constraints": phrase("write nullable, precision and format instead"),
        "primary_key": phrase("write nullable: false; uniqueness is not checked"),
        "foreign_keys": phrase("a schema is about one table"),
        "indexes": _NOTHING,
        "sample_size": phrase("all rows are checked"),
        "stage": _NOTHING,
        "parent_schema_id": _NOTHING,
        "created_at": _NOTHING,
        "updated_at": _NOTHING,
    }
)
"""Keys of PETsARD's schemas that are not built here, with what to do."""
OTHER_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(
        ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "integer"), "int"
    )
    | dict.fromkeys(("float16", "float32", "float64", "double", "decimal", "number"), "float")
    | dict.fromkeys(("string", "object", "text", "varchar"), "str")
    | dict.fromkeys(("boolean",), "bool")
    | dict.fromkeys(("datetime64", "datetime64[ns]", "datetime64[us]", "timestamp"), "datetime")
)
"""What other tools call the types."""


def unknown_module(module: Hashable) -> str:
    """What is said of a module that there is not."""
    name = key_text(module)
    alternative = module_alternative(name)
    if alternative:
        return phrase(
            "{alternative}; modules are {known}",
            alternative=alternative,
            known=listing(models.MODULES),
        )
    return phrase(
        "unknown module {module}{near}; modules are {known}",
        module=shown(module),
        near=suggestion(name, models.MODULES),
        known=listing(models.MODULES),
    )


def unknown_method(module: str, wanted: Any, known: list[str]) -> str:
    """What is said of a method that a module has not."""
    alternative = method_alternative(module, wanted) if isinstance(wanted, str) else None
    near = suggestion(wanted, known) if isinstance(wanted, str) else ""
    return phrase(
        "{problem}; methods of {module} are {known}",
        problem=alternative
        or phrase("unknown method {method}{near}", method=shown(wanted), near=near),
        module=module,
        known=listing(known),
    )


def unknown_option(
    module: str, method: str | None, key: Any, value: Any, known: list[str], whose: str
) -> str:
    """What is said of an option that there is not."""
    if not isinstance(key, str):
        return phrase(
            "the option {option} is no text; options of {whose} are {known}",
            option=shown(key),
            whose=whose,
            known=listing(known),
        )
    alternative = value_alternative(module, key, value) or option_alternative(module, method, key)
    if alternative:
        return alternative
    return phrase(
        "unknown option {option}{near}; options of {whose} are {known}",
        option=shown(key),
        near=suggestion(key, known),
        whose=whose,
        known=listing(known),
    )

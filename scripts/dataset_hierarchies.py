"""The hierarchies that are typed in; `build_datasets.py` writes them as files.

A hierarchy is written top down, as nested mappings that end in a tuple of leaves: every label then
has one parent by construction, and a group is read at a glance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from dataset_tables import DELTA, PATIENT, Rows

Tree: TypeAlias = "Mapping[str, Tree | tuple[str, ...]]"


def paths(tree: Tree) -> Iterator[tuple[str, ...]]:
    """Yield one line per leaf: the leaf, then its ever more general labels.

    >>> list(paths({"*": {"Europe": ("Germany", "France")}}))
    [('Germany', 'Europe', '*'), ('France', 'Europe', '*')]
    """
    for label, below in tree.items():
        lines = paths(below) if isinstance(below, Mapping) else ((leaf,) for leaf in below)
        for line in lines:
            yield (*line, label)


def nested_ranges(leaves: Iterable[int], widths: tuple[int, ...]) -> Rows:
    """Put numbers into ranges of growing width, each a multiple of the one before.

    >>> nested_ranges([39], (5, 10))
    [('39', '[35,40[', '[30,40[', '*')]
    """
    return [
        (str(leaf), *(f"[{leaf - leaf % w},{leaf - leaf % w + w}[" for w in widths), "*")
        for leaf in leaves
    ]


def ages_around_40(ages: Iterable[str]) -> Rows:
    """Put ages into decades, then below or above 40; a decade ends at 40, so none is on both sides.

    >>> ages_around_40(["40"])
    [('40', '[31,40]', '<=40', '*')]
    """
    rows: Rows = []
    for age in sorted(map(int, ages)):
        first = (age - 1) // 10 * 10 + 1
        rows.append((str(age), f"[{first},{first + 9}]", "<=40" if age <= 40 else ">40", "*"))
    return rows


# Adult. "South" is put into Eastern Asia because 68 of its 71 rows are Asian-Pac-Islander.
# The outlying areas of the United States lie in two oceans; they join the Caribbean (with the
# Virgin Islands) because a region of their own would generalise nothing.
COUNTRIES: Final[Tree] = {
    "*": {
        "Americas": {
            "Northern America": ("United-States", "Canada"),
            "Central America": ("El-Salvador", "Guatemala", "Honduras", "Mexico", "Nicaragua"),
            "Caribbean": (
                "Cuba",
                "Dominican-Republic",
                "Haiti",
                "Jamaica",
                "Outlying-US(Guam-USVI-etc)",
                "Puerto-Rico",
                "Trinadad&Tobago",
            ),
            "South America": ("Columbia", "Ecuador", "Peru"),
        },
        "Europe": {
            "Northern Europe": ("England", "Ireland", "Scotland"),
            "Western Europe": ("France", "Germany", "Holand-Netherlands"),
            "Eastern Europe": ("Hungary", "Poland"),
            "Southern Europe": ("Greece", "Italy", "Portugal", "Yugoslavia"),
        },
        "Asia": {
            "Eastern Asia": ("China", "Hong", "Japan", "South", "Taiwan"),
            "South-eastern Asia": ("Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"),
            "Southern Asia": ("India", "Iran"),
        },
    }
}

EDUCATION: Final[Tree] = {
    "*": {
        "No diploma": {
            "Up to grade 8": ("Preschool", "1st-4th", "5th-6th", "7th-8th"),
            "Grades 9 to 12": ("9th", "10th", "11th", "12th"),
        },
        "Diploma": {
            "High school diploma": ("HS-grad",),
            "College without degree": ("Some-college",),
            "Associate degree": ("Assoc-acdm", "Assoc-voc"),
        },
        "University degree": {
            "First degree": ("Bachelors",),
            "Advanced degree": ("Masters", "Prof-school", "Doctorate"),
        },
    }
}

MARITAL_STATUS: Final[Tree] = {
    "*": {
        "Married": {
            "Married and together": ("Married-civ-spouse", "Married-AF-spouse"),
            "Married but apart": ("Married-spouse-absent", "Separated"),
        },
        "Not married": {"No longer married": ("Divorced", "Widowed"), "Single": ("Never-married",)},
    }
}

OCCUPATION: Final[Tree] = {
    "*": {
        "Office work": {
            "Management and professions": ("Exec-managerial", "Prof-specialty", "Tech-support"),
            "Sales and clerical": ("Sales", "Adm-clerical"),
        },
        "Manual and service work": {
            "Crafts and machines": ("Craft-repair", "Machine-op-inspct"),
            "Labour and transport": ("Farming-fishing", "Handlers-cleaners", "Transport-moving"),
            "Services": ("Armed-Forces", "Other-service", "Priv-house-serv", "Protective-serv"),
        },
    }
}

# Never-worked belongs to UCI's domain, although no complete row has it.
WORKCLASS: Final[Tree] = {
    "*": {
        "Employee": {
            "Company employee": ("Private",),
            "Public employee": ("Federal-gov", "Local-gov", "State-gov"),
        },
        "Not an employee": {
            "Own business": ("Self-emp-inc", "Self-emp-not-inc"),
            "Unpaid": ("Never-worked", "Without-pay"),
        },
    }
}

RACE: Final[Tree] = {
    "*": {
        "Majority": ("White",),
        "Minority": ("Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other"),
    }
}

ADULT_HIERARCHIES: Final[Mapping[str, Rows]] = {
    "sex": list(paths({"*": ("Female", "Male")})),
    "age": nested_ranges(range(17, 91), (5, 10, 20)),
    "race": list(paths(RACE)),
    "marital-status": list(paths(MARITAL_STATUS)),
    "education": list(paths(EDUCATION)),
    "native-country": list(paths(COUNTRIES)),
    "workclass": list(paths(WORKCLASS)),
    "occupation": list(paths(OCCUPATION)),
    "salary-class": list(paths({"*": ("<=50K", ">50K")})),
}

# Disease ends in its named root and not in `*`: one more level would shrink every distance.
PATIENT_HIERARCHIES: Final[Mapping[str, Rows]] = {
    "ZIPCode": [
        (zip_code, *(zip_code[:kept].ljust(5, "*") for kept in (4, 3, 2, 1)), "*")
        for zip_code in sorted(row[0] for row in PATIENT[1:])
    ],
    "Age": ages_around_40(row[1] for row in PATIENT[1:]),
    "Disease": list(
        paths(
            {
                "respiratory or digestive disease": {
                    "respiratory system disease": {
                        "respiratory infection": ("flu", "pneumonia", "bronchitis")
                    },
                    "digestive system disease": {
                        "stomach disease": ("gastric ulcer", "gastritis", "stomach cancer")
                    },
                }
            }
        )
    ),
}

DELTA_HIERARCHIES: Final[Mapping[str, Rows]] = {
    "zip": [
        (zip_code, *(f"{zip_code[:kept]}*" for kept in (4, 3, 2, 1)), "*")
        for zip_code in sorted({row[0] for row in DELTA[1:]})
    ],
    "age": ages_around_40(row[1] for row in DELTA[1:]),
    "nationality": list(
        paths(
            {
                "*": {
                    "America": {"N. America": ("Canada", "USA"), "S. America": ("Brazil", "Peru")},
                    "Europe": {"E. Europe": ("Bulgaria",), "W. Europe": ("France", "Spain")},
                }
            }
        )
    ),
    "salary-class": list(paths({"*": ("<=50", ">50")})),
}

BIRTH_YEARS: Final[Tree] = {
    "*": {"19**": {"197*": ("1970", "1977"), "198*": ("1981", "1983", "1988")}}
}

HIERARCHIES: Final[Mapping[str, Mapping[str, Rows]]] = {
    "adult": ADULT_HIERARCHIES,
    "patient": PATIENT_HIERARCHIES,
    "delta": DELTA_HIERARCHIES,
    "example-t-closeness": {
        "disease": list(paths({"疾病": {"呼吸感染": ("流感",), "胃部疾病": ("胃癌", "胃炎")}}))
    },
    "example-non-uniform-entropy": {"birth_year": list(paths(BIRTH_YEARS))},
    "example-precision": {
        "birthplace": list(paths({"*": {"Europe": ("Germany", "France")}})),
        "birth_year": list(paths(BIRTH_YEARS)),
    },
}

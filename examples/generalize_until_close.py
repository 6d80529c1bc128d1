"""Generalise Adult step by step until t-closeness holds, and see what is left of the data."""

import warnings

import petaudit
from petaudit import datasets

# Rows that are suppressed are a class of their own, which the audit below measures, too.
warnings.simplefilter("ignore", petaudit.PetauditWarning)

adult = datasets.load("adult")
LIMIT = 0.6
LEVELS = [
    {"age": 2, "education": 2, "native-country": 2, "occupation": 2},
    {"age": 3, "education": 2, "native-country": 2, "occupation": 2},
    {"age": 3, "education": 3, "native-country": 3, "occupation": 2, "race": 1},
]

for levels in LEVELS:
    released = petaudit.generalize(
        adult,
        levels=levels,
        hierarchies=adult.hierarchies,
        quasi_identifiers=adult.quasi_identifiers,
        suppress_below=5,
    )
    found = petaudit.audit(
        released,
        original=adult,
        hierarchies=adult.hierarchies,
        quasi_identifiers=adult.quasi_identifiers,
        sensitive=adult.sensitive,
        options={"t-closeness": {"limit": LIMIT}},
    )
    t, kept = found["t-closeness"], found["precision"]
    print(f"t = {t.value:.3f} ({t.status}), Precision {kept.value:.3f} with levels {levels}")
    if t.passed:
        break

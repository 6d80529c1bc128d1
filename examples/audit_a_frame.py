"""Audit a frame where it lies, and read the reason for the verdict."""

import petaudit
from petaudit import datasets

adult = datasets.load("adult-deidentified")
frame = adult.read()  # any frame will do: pandas, Polars, PyArrow, DuckDB, ...

found = petaudit.t_closeness(
    frame,
    quasi_identifiers=adult.quasi_identifiers,
    sensitive=adult.sensitive,
    hierarchies=adult.hierarchies,
    limit=0.5,
)
print("t =", found.value, "exactly", found.exact_value)
print("the limit of", found.limit, "holds" if found.passed else "is breached")
for line in found.explanation:
    print(line)
for worst in found.attributes[0].worst_classes:
    print(f"{worst.rows} rows at a distance of {worst.distance:.3f}")

# What would it take? Every measure with a limit that rows can break says so.
for name, limit in (("k-anonymity", 10), ("l-diversity", 2), ("prosecutor-risk", 0.1)):
    audit = petaudit.audit(
        frame,
        quasi_identifiers=adult.quasi_identifiers,
        sensitive=adult.sensitive,
        measures=[name],
        options={name: {"limit": limit}},
    )
    judged = audit[name]
    print(f"{name} is {judged.value:g}, the limit {limit}: {judged.remedy.text}")

"""Find whom a synthetic table singles out, whether by coincidence, and what to change."""

import petaudit
from petaudit import datasets

synthetic = datasets.load("adult-income_syn")

found = petaudit.mpuccs(
    synthetic.original, synthetic, control=synthetic.control, max_baseline_cols=2
)
judged = found.judged(profile="research")
print(f"risk score {judged.value:.4f}: the limit of {judged.limit} is", end=" ")
print("kept" if judged.passed else "broken")
for line in judged.explanation:
    print(line)

tree = found.tree.sort_by([("mpuccs_collision_cnt", "descending"), ("check_order", "ascending")])
for row in tree.slice(0, 3).to_pylist():
    print(f"{row['mpuccs_collision_cnt']} rows by {' and '.join(row['field_combo'])}")

low, high = found.figures["excess_risk_ci_lower"], found.figures["excess_risk_ci_upper"]
print(f"excess over the control {found.figures['excess_risk']:.4f}, from {low:.4f} to {high:.4f}")

best = found.changes[0]
print(f"best change: {best['column']} {best['change']}, which leaves {best['rows_after']} rows")

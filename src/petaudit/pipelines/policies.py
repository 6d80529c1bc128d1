"""The policies of a pipeline: what they demand becomes the limits of its Evaluators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import replace

from petaudit.auditing.policy import Policy, find_policy, is_policy_file
from petaudit.errors import PetauditError, listing, phrase
from petaudit.pipelines.models import EVALUATOR, EXECUTOR
from petaudit.pipelines.pipeline import Experiment, Pipeline
from petaudit.pipelines.plan import PlannedRun, name_of
from petaudit.system.yaml_files import KeyPath, Problems


def with_policies(
    pipeline: Pipeline, resolved: Callable[[str], str], problems: Problems
) -> Pipeline:
    """The pipeline with the limits of its policies; what is wrong about them is noted."""
    seen: dict[str | None, Policy] = {}
    applied: dict[str | None, set[str]] = {}

    def found(given: str, at: KeyPath) -> Policy | None:
        try:
            return find_policy(resolved(given) if is_policy_file(given) else given)
        except PetauditError as problem:
            problems.add(at, problem.text)
            return None

    def limited(own: Experiment, policy: Policy, at: KeyPath) -> Experiment:
        measure = own.model.method
        # Of this policy only what this Evaluator is about.
        part = replace(policy, demands={measure: policy.demands[measure]})
        try:
            part, options = part.applied_to({measure: own.model.options})
        except PetauditError as problem:
            problems.add(at, problem.text)
            return own
        # Two files may have one name.
        known = seen.get(policy.sha256, policy)
        seen[policy.sha256] = replace(known, demands={**known.demands, **part.demands})
        applied.setdefault(policy.sha256, set()).add(measure)
        return replace(own, model=replace(own.model, options=options[measure]))

    common = pipeline.executor.policy
    for_all = None if common is None else found(common, (EXECUTOR, "policy"))
    if for_all is not None:
        seen[for_all.sha256] = for_all
        applied[for_all.sha256] = {*for_all.demands}
    evaluators = []
    for given in pipeline.of(EVALUATOR):
        own = given
        at = (EVALUATOR, own.name, "policy")
        policy = None if own.model.policy is None else found(own.model.policy, at)
        if policy is not None and own.model.method in policy.demands:
            own = limited(own, policy, at)
        elif policy is not None:
            said = phrase(
                "the policy {policy} has no limit of {measure}; it limits {known}",
                policy=policy.name,
                measure=own.model.method,
                known=listing([*policy.demands]),
            )
            problems.add(at, said)
        if for_all is not None and own.model.method in for_all.demands:
            own = limited(own, for_all, (EXECUTOR, "policy"))
        evaluators.append(own)
    if not seen:
        return pipeline
    experiments = dict(pipeline.experiments)
    if evaluators:
        experiments[EVALUATOR] = tuple(evaluators)
    demanded = {} if for_all is None else dict.fromkeys(for_all.demands, for_all.name)
    rules = tuple(_applied(policy, applied[key]) for key, policy in seen.items())
    return replace(pipeline, experiments=experiments, policies=rules, demanded=demanded)


def _applied(policy: Policy, measures: Set[str]) -> Policy:
    """The policy of some Evaluators: what it demands of other measures is not measured."""
    others = tuple(own.rule for name, own in policy.demands.items() if name not in measures)
    demands = {name: own for name, own in policy.demands.items() if name in measures}
    return replace(policy, demands=demands, not_measured=(*others, *policy.not_measured))


def not_evaluated(pipeline: Pipeline, runs: Iterable[PlannedRun]) -> list[dict[str, str]]:
    """What a policy demands and no run measures: nothing shows that the policy is kept."""
    measured: dict[str, set[str]] = {}
    for run in runs:
        if run.evaluator is not None:
            # Of each table: --only may leave out an Evaluator of one of them.
            table = name_of(step for step in run.steps if step.module != EVALUATOR)
            measured.setdefault(table, set()).add(run.evaluator.model.method)
    everywhere = set.intersection(*measured.values()) if measured else set()
    return [
        {
            "run": phrase("policy {name}", name=policy),
            "reason": phrase(
                "it limits {measure}, and not every table was measured by an Evaluator of that",
                measure=measure,
            ),
        }
        for measure, policy in pipeline.demanded.items()
        if measure not in everywhere
    ]

"""Before and after."""

from __future__ import annotations

import pytest
from tests.reports.test_reading import check

from petaudit.errors import InputError
from petaudit.reports.reading import view_of
from petaudit.reports.view import with_baseline


def test_the_same_measure_is_compared_and_others_are_not() -> None:
    then = check(results=[check()["results"][0] | {"value": 3.0}])
    result = with_baseline(view_of(check()), view_of(then), "then.json")
    k, beta = result.cards
    assert k.before is not None
    assert k.before.value == 3.0
    assert beta.before is not None
    assert beta.before.value is None
    assert beta.before.reason == "the earlier result has no such figure"
    assert result.compared_with == "then.json"


def test_other_roles_are_another_question() -> None:
    now, then = view_of(check()), view_of(check(roles={"age": "quasi_identifier"}))
    with pytest.raises(InputError, match="no figure in common with this result"):
        with_baseline(now, then, "then.json")

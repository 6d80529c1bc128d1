"""The audit: the body of the report, made from the run of the document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from petaudit.errors import term
from petaudit.reports.html import report_body
from petaudit.studio import document
from petaudit.studio.session import Finished
from petaudit.studio.views.common import useless

if TYPE_CHECKING:
    from petaudit.studio.session import Studio

TITLE: Final = term("Audit")


def context(studio: Studio, _: Mapping[str, str]) -> dict[str, Any]:
    """What the run says, or how far it is."""
    studio.ensure_run()
    own = studio.result
    shown = own if isinstance(own, Finished) else None
    advice = () if shown is None else shown.view.what_to_do
    changes = [each for each in advice if each.kind == "change" and each.figures]
    return {
        "can_run": studio.can_run,
        "result": own,
        "finished": shown,
        "body": "" if shown is None else report_body(shown.view, studio.voice),
        "changes": sorted(changes, key=lambda each: not each.improves),
        "small": None if shown is None or studio.hides_values else shown.about["small"],
        "useless": useless(studio, own),
        "is_release": document.release(studio.content) is not None,
    }


ACTIONS: Final[dict[str, Any]] = {}

"""De-identifying: risk against what is lost, a point of it, and the release that it gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from petaudit.anonymizing.choices import OBJECTIVES, RECODINGS
from petaudit.errors import OptionError, phrase, term
from petaudit.pictures.frontier import FrontierPoint, draw_frontier
from petaudit.roles import Role
from petaudit.studio import document
from petaudit.studio.document import only
from petaudit.studio.session import Finished
from petaudit.studio.views.common import NEARLY_ALL, to_change, useless

if TYPE_CHECKING:
    from petaudit.studio.session import Studio

TITLE: Final = term("De-identify")
_KS: Final = (2, 3, 5, 10, 20)
_SHARES: Final = ("0", "1%", "5%")
_SECONDS: Final = 5.0
"""What the search of each point may take: the release itself is searched without a bound."""


def context(studio: Studio, _: Mapping[str, str]) -> dict[str, Any]:
    """The settings, the picture, and the release that was made."""
    made = document.release(studio.content)
    if made is not None:
        studio.ensure_run()
    own = studio.result
    compared = studio.compared
    points = (compared.done or {}).get("points", []) if compared is not None else []
    voice = studio.voice
    return {
        "can_run": studio.can_run,
        "release": made,
        "result": own,
        "finished": own if isinstance(own, Finished) and made is not None else None,
        "compared": compared,
        "matrix": _matrix(points),
        "useless": useless(studio, own),
        "hopeless": to_change(studio)
        if points and all(point["loss"] is None or point["loss"] >= NEARLY_ALL for point in points)
        else None,
        "chart": _chart(points, voice) if points else None,
        "quasi_identifiers": [
            column
            for column, role in document.roles(studio.content).items()
            if role == Role.QUASI_IDENTIFIER.value
        ],
        "recodings": RECODINGS,
        "objectives": OBJECTIVES,
        "limits": document.all_limits(studio.content),
        "releases": [
            (number, document.all_limits(content), document.release(content), each)
            for number, content, each in studio.releases
        ],
    }


def _matrix(points: list[dict[str, Any]]) -> dict[Any, list[dict[str, Any]]]:
    """The points by k, each with its number."""
    by_k: dict[Any, list[dict[str, Any]]] = {}
    for number, point in enumerate(points):
        by_k.setdefault(point["limits"]["k-anonymity"], []).append({**point, "number": number})
    return by_k


def _chart(points: list[dict[str, Any]], voice: Any) -> Any:
    drawn = [
        FrontierPoint(
            f"k {point['limits']['k-anonymity']}",
            point["max_suppression"],
            point["highest_risk"],
            point["loss"],
            f"choose-{number}",
        )
        for number, point in enumerate(points)
    ]
    return draw_frontier(drawn, [], [], voice)


def compare(studio: Studio, form: Mapping[str, str]) -> None:
    """Search for the best release at several k and several shares of suppressed rows."""
    limits = {name: [limit] for name, limit in document.all_limits(studio.content).items()}
    limits["k-anonymity"] = [*_KS]
    demands = document.release(studio.content) or {}
    studio.compare(
        {
            "limits": limits,
            "options": demands.get("options"),
            "max_suppression": [*_SHARES],
            "recoding": only(form.get("recoding", RECODINGS[0]), RECODINGS),
            "time_limit": _SECONDS,
        }
    )


def choose(studio: Studio, form: Mapping[str, str]) -> None:
    """Take a point of the picture: its k becomes the limit."""
    compared = studio.compared
    point = (compared.done or {})["points"][int(form["point"])] if compared is not None else None
    if point is None:
        raise LookupError
    recoding = str(compared.done["recoding"]) if compared and compared.done else RECODINGS[0]

    def change(content: document.Content) -> None:
        document.set_limit(content, "k-anonymity", point["limits"]["k-anonymity"])
        kept = dict(document.release(content) or {})
        document.set_release(
            content, kept | {"recoding": recoding, "max_suppression": point["max_suppression"]}
        )

    studio.edit(
        phrase(
            "release: k {k}, up to {most} suppressed, {recoding}",
            k=point["limits"]["k-anonymity"],
            most=point["max_suppression"],
            recoding=recoding,
        ),
        change,
    )
    studio.ensure_run()


def make(studio: Studio, form: Mapping[str, str]) -> None:
    """Make a release with settings by hand; locks and weights are by column."""
    known = [
        column
        for column, role in document.roles(studio.content).items()
        if role == Role.QUASI_IDENTIFIER.value
    ]
    if not document.all_limits(studio.content):
        raise OptionError("a release needs a limit to keep: set one in Limits")
    levels, weights = {}, {}
    for number, column in enumerate(known):
        level = form.get(f"level-{number}", "").strip()
        weight = document.number(form.get(f"weight-{number}", ""))
        if level:
            levels[column] = int(level) if level.isdecimal() else level
        if weight is not None and weight != 1:
            weights[column] = float(weight)
    most = form.get("max_suppression", "").strip()
    settings = {
        "recoding": only(form.get("recoding", RECODINGS[0]), RECODINGS),
        "objective": only(form.get("objective", OBJECTIVES[0]), OBJECTIVES),
        "max_suppression": document.number(most),
        "drop_suppressed": "drop" in form,
        "levels": levels,
        "weights": weights,
        "time_limit": document.number(form.get("time_limit", "")),
    }
    defaults = {"objective": OBJECTIVES[0], "drop_suppressed": False}
    kept = {name: value for name, value in settings.items() if defaults.get(name) != value}
    studio.edit(
        phrase("release: settings by hand"), lambda content: document.set_release(content, kept)
    )
    studio.ensure_run()


def take_up(studio: Studio, form: Mapping[str, str]) -> None:
    """Go back to a release that was made before."""
    wanted = int(form["release"])
    [content] = [content for number, content, _ in studio.releases if number == wanted]
    studio.edit(phrase("release: one made before"), lambda _: content)


def leave(studio: Studio, _: Mapping[str, str]) -> None:
    """Go back to the table as it is."""
    studio.edit(
        phrase("release: none, the table as it is"),
        lambda content: document.set_release(content, None),
    )


ACTIONS: Final = {
    "compare": compare,
    "choose": choose,
    "make": make,
    "leave": leave,
    "take_up": take_up,
}

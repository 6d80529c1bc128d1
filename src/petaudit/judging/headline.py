"""The verdict of an audit in one sentence."""

from __future__ import annotations

from petaudit.errors import Phrase, phrase


def verdict_sentence(
    verdict: str,
    *,
    failed: int,
    judged: int,
    names_people: bool,
    has_questions: bool,
    is_incomplete: bool,
) -> Phrase:
    """Return the verdict with how many of the limits fail, and what else stands in the way.

    >>> verdict_sentence("failed", failed=1, judged=3, names_people=False, has_questions=False,
    ...                  is_incomplete=False)
    'Do not release this as it is: 1 of 3 limits are not met.'
    """
    match verdict:
        case "failed" if names_people and not failed:
            return phrase("Do not release this as it is: the table still names people.")
        case "failed" if names_people:
            return phrase(
                "Do not release this as it is: the table still names people, and {failed} of "
                "{judged} limits are not met.",
                failed=failed,
                judged=judged,
            )
        case "failed" if judged <= 1:
            return phrase("Do not release this as it is: the limit is not met.")
        case "failed":
            return phrase(
                "Do not release this as it is: {failed} of {judged} limits are not met.",
                failed=failed,
                judged=judged,
            )
        case "error" if is_incomplete:
            return phrase("Not decided: something that was asked for could not be measured.")
        case "error":
            return phrase("Not decided: there are open questions, and all must be answered.")
        case "passed" if judged == 1 and has_questions:
            return phrase("The limit that was set holds, with open questions.")
        case "passed" if has_questions:
            return phrase(
                "All {number} limits that were set hold, with open questions.", number=judged
            )
        case "passed" if judged == 1:
            return phrase("The limit that was set holds.")
        case "passed":
            return phrase("All {number} limits that were set hold.", number=judged)
    return phrase("Nothing was judged: no limit was set.")

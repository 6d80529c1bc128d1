"""What a figure must be, in relation to its limit."""

from __future__ import annotations

from petaudit.errors import Phrase, phrase


def limit_rule(better: str, *, strict: bool, limit: str) -> Phrase:
    """The rule of a limit for figures of which ``lower`` or ``higher`` ones are better.

    >>> limit_rule("higher", strict=False, limit="5"), limit_rule("lower", strict=True, limit="5")
    ('at least 5', 'below 5')
    """
    if better == "higher":
        if strict:
            return phrase("above {limit}", limit=limit)
        return phrase("at least {limit}", limit=limit)
    return (
        phrase("below {limit}", limit=limit) if strict else phrase("at most {limit}", limit=limit)
    )

"""What a search can be asked for; imports nothing, so that help is instant."""

from typing import Final

OBJECTIVES: Final = (
    *("loss", "loss-geometric", "granularity", "entropy", "discernibility", "class-size"),
    "precision",
)
"""What is lost least; the first is the default."""
RECODINGS: Final = ("local", "global")

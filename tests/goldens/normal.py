"""What a golden leaves out of a text: what differs from run to run, or from version to version."""

from __future__ import annotations

import re
from pathlib import Path

from petaudit import __version__, datasets

_DATA = str(Path(datasets.load("adult").path).parent)
_CHANGING = (
    (re.escape(_DATA), "DATA"),
    (re.escape(__version__), "VERSION"),
    (r"\b\d+(?:\.\d+)? (s|ms|秒|毫秒)\b", r"TIME \1"),
    (r'("(?:\w*seconds|encode|prepare|search|control|total)": )\d+(?:\.[\de-]+|e-\d+)', r"\1TIME"),
    (r"\d{4}-\d\d-\d\d[T_ ]\d\d[:-]?\d\d[:-]?\d\d(?:[.,]\d+)?(?:\+00:00|Z)?", "MOMENT"),
    (r"(?s)<style>.*?</style>", "<style></style>"),
)


def normalized(text: str, folder: Path) -> str:
    """The text without times, versions, styles and the folders of this machine."""
    for name in (str(folder.resolve()), str(folder)):
        text = text.replace(name, "FOLDER")
    for pattern, shown in _CHANGING:
        text = re.sub(pattern, shown, text)
    return text

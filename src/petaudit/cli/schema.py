"""``petaudit schema``."""

from __future__ import annotations

import argparse
from pathlib import Path

from petaudit.cli.streams import as_json, say, takes_unicode
from petaudit.pipelines.json_schema import json_schema
from petaudit.system.output import write_whole


def run(chosen: argparse.Namespace) -> int:
    """Print the JSON Schema of pipeline files, with the measures that are installed."""
    if chosen.out:
        text = as_json(json_schema()) + "\n"
        write_whole(Path(chosen.out), lambda file: file.write(text.encode()))
    else:
        say(as_json(json_schema(), ascii_only=not takes_unicode()) + "\n")
    return 0

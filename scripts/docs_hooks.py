"""What MkDocs does not do: links between the languages, anchors and formulas as on GitHub.

Pages link to each other by paths, such as ``../tables.md``, because these work on GitHub as well.
The two languages are two sites, one in a folder of the other, and MkDocs knows only one at a time.
"""

from __future__ import annotations

import logging
import os
import re
from html import escape
from pathlib import Path
from typing import Any

LOG = logging.getLogger("mkdocs.hooks.petaudit")
LANGUAGE = "zh-TW"
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)


def on_config(config: Any) -> Any:
    """Give headings the anchors that GitHub gives them, and draw formulas as it does."""
    settings = config["mdx_configs"]
    settings.setdefault("toc", {})["slugify"] = anchor
    fence = {"name": "math", "class": "math", "format": formula}
    settings.setdefault("pymdownx.superfences", {})["custom_fences"] = [fence]
    return config


def formula(source: str, *_: Any, **__: Any) -> str:
    """Turn LaTeX into MathML, which browsers draw without a script."""
    from latex2mathml.converter import convert  # noqa: PLC0415 (tests of links do without)

    return f'<div class="math">{convert(source, display="block")}</div>'


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links to pages of the other language into links to its site."""
    root = Path(config["config_file_path"]).resolve().parent / "docs"
    return relinked(markdown, Path(page.file.abs_src_path).resolve(), root)


def anchor(heading: str, separator: str) -> str:
    """Name a heading as GitHub does.

    >>> anchor("Evaluator: privacy models", "-"), anchor("benchmark://", "-")
    ('evaluator-privacy-models', 'benchmark')
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


def relinked(markdown: str, source: Path, root: Path) -> str:
    """Replace links that leave the language of a page by HTML, which MkDocs leaves alone.

    >>> docs = Path("/docs")
    >>> relinked("[k](k.md) and `[x](y.md)`", docs / "a.md", docs)
    '[k](k.md) and `[x](y.md)`'
    """
    code = [found.span() for found in CODE.finditer(markdown)]

    def replaced(found: re.Match[str]) -> str:
        if any(start <= found.start() and found.end() <= end for start, end in code):
            return found[0]
        target = Path(os.path.normpath(source.parent / found[2]))
        if target.is_relative_to(root) and is_translated(target, root) == is_translated(
            source, root
        ):
            return found[0]
        if not target.is_relative_to(root) or not target.is_file():
            LOG.warning("%s: %s is no page of either language", source.name, found[2])
            return found[0]
        url = os.path.relpath(target.with_suffix(".html"), source.parent)
        href = escape(Path(url).as_posix() + (found[3] or ""))
        return f'<a href="{href}">{found[1]}</a>'

    return LINK.sub(replaced, markdown)


def is_translated(page: Path, root: Path) -> bool:
    """Whether a page belongs to the other language than English.

    >>> is_translated(Path("/docs/zh-TW/measures.md"), Path("/docs"))
    True
    """
    return page.is_relative_to(root / LANGUAGE)

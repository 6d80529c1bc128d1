"""YAML files read safely: plain data only, no duplicate keys, no aliases, bounded size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from petaudit.errors import InputError
from petaudit.files import require_regular

LARGEST_FILE = 1_000_000


class _StrictLoader(yaml.SafeLoader):
    """Safe loader that refuses what YAML would silently resolve."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not accepted", mark)
        return super().compose_node(parent, index)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError, AttributeError, TypeError):
            # What the library lets through: days that never were, numbers that are words.
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(
                None, None, f"a value cannot be read as {kind}", node.start_mark
            ) from None

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, str | int | float | bool) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key!r} stands here twice", key_node.start_mark
                )
            seen.add(key if isinstance(key, str | int | float | bool) else id(key_node))
        return super().construct_mapping(node, deep=deep)


def read_yaml(path: Path) -> Any:
    """Read a YAML file; every problem names the file and, where known, the line."""
    try:
        require_regular(path)
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path}: larger than {LARGEST_FILE:,} bytes; not read")
        text = path.read_text(encoding="utf-8-sig")
        return yaml.load(text, Loader=_StrictLoader)  # noqa: S506 (a SafeLoader)
    except FileNotFoundError:
        raise InputError(f"file {str(path)!r} does not exist") from None
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror})") from None
    except UnicodeDecodeError as problem:
        raise InputError(f"{path}: byte {problem.start} is not UTF-8 text") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply") from None
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        what = getattr(problem, "problem", None) or "not valid YAML"
        raise InputError(f"{path}{where}: {what}") from None

"""``benchmark://name``: bundled with petaudit, in the cache, or downloaded and verified."""

from __future__ import annotations

import os
import re
import stat
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from petaudit.datasets._catalogue import CATALOGUE
from petaudit.errors import InputError, error_context, joined, phrase, shortened, suggestion
from petaudit.system.files import cache_folder, os_reason, sha256_of

if TYPE_CHECKING:
    from petaudit.datasets._registry import Entry

SCHEME: Final = "benchmark://"
REGISTRY_VARIABLE: Final = "PETAUDIT_BENCHMARKS"
CACHE_VARIABLE: Final = "PETAUDIT_CACHE"
OFFLINE_VARIABLE: Final = "PETAUDIT_OFFLINE"
LONGEST_NAME: Final = 100
SCHEMA_SUFFIX: Final = ".yaml"
_BUNDLED: Final = {dataset.name: dataset.path for dataset in CATALOGUE} | {
    dataset.schema.stem: dataset.schema for dataset in CATALOGUE if dataset.schema
}
_CACHED: Final = re.compile(r"(?P<name>.+)-(?P<sha256>[0-9a-f]{64})\.[a-z0-9.]+")
_NO_REGISTRY: Final = phrase(
    " (set {variable} to use another registry)", variable=REGISTRY_VARIABLE
)
_WHOLE: Final = "adult-income"
_TEMPORARY: Final = ".petaudit-"
_DAY: Final = 86_400  # seconds; no download lasts so long


def locate(
    address: str, *, registry: Path | None = None, cache: Path | None = None, offline: bool = False
) -> Path:
    """Return the table or schema that ``benchmark://name`` stands for, in any case.

    The name is looked up in the bundled data, then in the cache, then it is downloaded from where
    the registry says. Without a registry, the cache alone is asked. A file that is not bundled is
    compared with its SHA-256 each time; a damaged one is downloaded anew.

    :param registry: a YAML file ``{name: {url, sha256, size, format}}``, the last two optional;
        by default the one that the environment variable PETAUDIT_BENCHMARKS names, if any
    :param cache: the folder in which ``petaudit/benchmarks`` is made; by default PETAUDIT_CACHE, or
        the user's cache folder
    :param offline: never use the network; so does PETAUDIT_OFFLINE=1

    >>> locate("benchmark://Adult-Income_Ori").name
    'adult-income_ori.parquet'
    >>> locate("benchmark://adult-income_schema").name
    'adult-income_schema.yaml'
    """
    name = _name(address)
    if name in _BUNDLED:
        return _BUNDLED[name]
    folder = _cache_folder(cache)
    if registry is None and (named := os.environ.get(REGISTRY_VARIABLE)):
        registry = Path(named)
    if registry is None:
        return _from_cache(name, folder)

    from petaudit.datasets._registry import read_registry  # noqa: PLC0415 (rarely needed)

    entries = read_registry(registry)
    if name not in entries:
        raise _unknown(name, [*_BUNDLED, *entries])
    with error_context(SCHEME + name):
        switch = os.environ.get(OFFLINE_VARIABLE, "").casefold()
        is_offline = offline or switch not in {"", "0", "false", "no", "off"}
        return _from_registry(entries[name], folder, is_offline)


def locate_table(address: str) -> Path:
    """Return the table that ``benchmark://name`` stands for; a schema is an error.

    >>> locate_table("benchmark://patient").name
    'patient.csv'
    """
    path = locate(address)
    if path.suffix == SCHEMA_SUFFIX:
        raise InputError("{name} is not a table but a schema: {path}", name=address, path=path)
    return path


def _name(address: str) -> str:
    """The name in an address, in lower case."""
    if address[: len(SCHEME)].casefold() != SCHEME:
        raise InputError(
            "{address!r} is not a benchmark; one starts with {scheme}",
            address=shortened(address),
            scheme=SCHEME,
        )
    name = address[len(SCHEME) :]
    if not name:
        raise InputError("{scheme} lacks a name, as in {scheme}adult-income_ori", scheme=SCHEME)
    if len(name) > LONGEST_NAME:
        raise InputError(
            "the benchmark {name!r} has a name of more than {most} characters",
            name=shortened(name),
            most=LONGEST_NAME,
        )
    if ".." in name or any(letter in "/\\" or not letter.isprintable() for letter in name):
        raise InputError(
            "{name!r} is not a valid benchmark name; it cannot contain a path or control "
            "characters",
            name=name,
        )
    return name.casefold()


def _unknown(name: str, known: list[str], hint: str = "") -> InputError:
    if name == _WHOLE:
        return InputError(
            "{name!r} is a benchmark of PETsARD that does not come with petaudit; the nearest "
            "is {scheme}{name}_ori, which has 80 % of its rows ({scheme}{name}_control has the "
            "others)",
            name=name,
            scheme=SCHEME,
        )
    return InputError(
        "unknown benchmark {name!r}{near}; the known ones are {names}{hint}",
        name=name,
        near=suggestion(name, known),
        names=joined(known),
        hint=hint,
    )


def _cache_folder(cache: Path | None) -> Path:
    if cache is None and (named := os.environ.get(CACHE_VARIABLE)):
        cache = Path(named)
    try:
        return (cache or cache_folder()) / "petaudit" / "benchmarks"
    except RuntimeError:
        raise InputError(
            "there is no home folder; set a cache folder with {variable}", variable=CACHE_VARIABLE
        ) from None


def _from_cache(name: str, folder: Path) -> Path:
    """The cached file of that name when no registry says which content it should have."""
    try:
        cached = [match for path in folder.iterdir() if (match := _CACHED.fullmatch(path.name))]
        versions = [match for match in cached if match["name"] == name]
        if not versions:
            known = [*_BUNDLED, *sorted({match["name"] for match in cached})]
            raise _unknown(name, known, _NO_REGISTRY)
        if len(versions) > 1:
            raise InputError(
                "{address}: {folder} holds {number} versions of it; set a registry with {variable}",
                address=SCHEME + name,
                folder=folder,
                number=len(versions),
                variable=REGISTRY_VARIABLE,
            )
        _make_private(folder)
        path = folder / versions[0].string
        if not _is_intact(path, versions[0]["sha256"]):
            raise InputError(
                "{address}: {path} is damaged, and there is no registry",
                address=SCHEME + name,
                path=path,
            )
        return path
    except (FileNotFoundError, NotADirectoryError):
        raise _unknown(name, list(_BUNDLED), _NO_REGISTRY) from None
    except OSError as problem:
        raise _unusable(folder, problem) from None


def _from_registry(entry: Entry, folder: Path, offline: bool) -> Path:
    path = folder / entry.file_name
    try:
        if path.is_file():
            _make_private(folder)
            if _is_intact(path, entry.sha256, entry.size):
                return path
        if offline:
            if path.is_file():
                raise InputError(
                    "it is damaged in the cache ({folder}), and nothing is downloaded while "
                    "offline (offline=True or {variable})",
                    folder=folder,
                    variable=OFFLINE_VARIABLE,
                )
            raise InputError(
                "it is not in the cache ({folder}), and nothing is downloaded while offline "
                "(offline=True or {variable})",
                folder=folder,
                variable=OFFLINE_VARIABLE,
            )
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(folder)
        _remove_orphans(folder)
        _download(entry, path)
        return path
    except OSError as problem:
        raise _unusable(folder, problem) from None


def _download(entry: Entry, target: Path) -> None:
    """Download to a file beside the target, and rename it once it is known to be right."""
    from petaudit.datasets import _download as download  # noqa: PLC0415 (takes a while to load)
    from petaudit.datasets._registry import shown  # noqa: PLC0415

    descriptor, temporary_name = tempfile.mkstemp(prefix=_TEMPORARY, dir=target.parent)
    temporary = Path(temporary_name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            sha256 = download.fetch(entry.url, file, size=entry.size, limits=download.LIMITS)
            if sha256 != entry.sha256:
                raise InputError(
                    "{host} sent another file than the registry describes: its SHA-256 is "
                    "{found}, not {wanted}",
                    host=shown(entry.url),
                    found=sha256,
                    wanted=entry.sha256,
                )
            file.flush()
            os.fsync(file.fileno())
        try:
            temporary.replace(target)
        except PermissionError:
            # Windows: another process has just put the same file there, and reads it.
            if not _is_intact(target, entry.sha256, entry.size):
                raise
    finally:
        temporary.unlink(missing_ok=True)


def _is_intact(path: Path, sha256: str, size: int | None = None) -> bool:
    if not path.is_file() or size not in {None, path.stat().st_size}:
        return False
    return sha256_of([path]) == sha256


def _make_private(folder: Path) -> None:
    """Let nobody else write to the folder, who could exchange a file after it was verified."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        try:
            folder.chmod(0o700)
        except OSError:
            if mode & 0o022:
                raise


def _remove_orphans(folder: Path) -> None:
    """Remove what downloads left behind that were killed."""
    for path in folder.glob(f"{_TEMPORARY}*"):
        try:
            if time.time() - path.stat().st_mtime > _DAY:
                path.unlink()
        except OSError:
            continue  # another process was faster


def _unusable(folder: Path, problem: OSError) -> InputError:
    return InputError(
        "the cache folder {folder!r} cannot be used ({reason}); set another with {variable}",
        folder=str(folder),
        reason=os_reason(problem),
        variable=CACHE_VARIABLE,
    )

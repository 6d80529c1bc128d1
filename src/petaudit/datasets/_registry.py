"""The registry of benchmarks (url and SHA-256 by name), and the urls that are accepted.

Files come by https from anywhere, by plain http from this machine only.
"""

from __future__ import annotations

import ipaddress
import re
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urljoin, urlsplit

from petaudit.datasets._benchmarks import LONGEST_NAME
from petaudit.errors import InputError, error_context, listing, phrase, shortened, suggestion
from petaudit.system.yaml_files import read_yaml

FORMATS: Final = ("parquet", "csv", "yaml")
_KEYS: Final = ("url", "sha256", "size", "format")
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")
# A name becomes part of a file name, on every system.
_NAME: Final = re.compile(rf"[a-z0-9_][a-z0-9._-]{{0,{LONGEST_NAME - 1}}}")
_SCHEMES: Final = ("https", "http")
_HOST: Final = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]*:[0-9a-f:.]*")
_VISIBLE: Final = re.compile(r"[!-~]+")
_COMPRESSED: Final = (".gz", ".bz2", ".zst", ".lz4")
_BY_ENDING: Final = {".parquet": "parquet", ".csv": "csv", ".yaml": "yaml", ".yml": "yaml"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A benchmark that can be downloaded."""

    name: str
    url: str
    sha256: str
    size: int | None = None
    """The number of bytes, where it is known."""
    suffix: str
    """How the name of the file ends, which tells readers what it is."""

    @property
    def file_name(self) -> str:
        """What the file is called in the cache: another content is another file.

        >>> Entry(name="x", url="https://a.example/", sha256="ab", suffix=".csv").file_name
        'x-ab.csv'
        """
        return f"{self.name}-{self.sha256}{self.suffix}"


def read_registry(path: Path) -> dict[str, Entry]:
    """Read the entries of a registry by name, in lower case; anything odd in it is an error."""
    content = read_yaml(path)
    with error_context(path):
        if content is None:
            return {}
        if not isinstance(content, dict):
            raise InputError("a registry must be a mapping of names to url and sha256")
        entries: dict[str, Entry] = {}
        for key, fields in content.items():
            name = _name(key)
            if name in entries:
                raise InputError("duplicate benchmark {name!r}, in different case", name=name)
            entries[name] = _entry(name, fields)
        return entries


def _name(key: object) -> str:
    if not isinstance(key, str):
        raise InputError("the name {name} is not text; quote it", name=shortened(str(key)))
    name = key.casefold()
    if not _NAME.fullmatch(name) or ".." in name:
        raise InputError(
            "{name!r} is not a valid benchmark name; use letters from a to z, digits, '-', '_' and "
            "single '.', at most {most}",
            name=shortened(key),
            most=LONGEST_NAME,
        )
    return name


def _entry(name: str, fields: object) -> Entry:
    where = phrase("benchmark {name!r}", name=name)
    if not isinstance(fields, dict):
        raise InputError("{where} needs a mapping with url and sha256", where=where)
    for key in fields:
        if key not in _KEYS:
            near = suggestion(str(key), _KEYS)
            raise InputError(
                "{where} has the unknown key {key!r}{near}; keys are {keys}",
                where=where,
                key=shortened(str(key)),
                near=near,
                keys=listing(_KEYS),
            )
    url = _text(fields, "url", where)
    try:
        require_safe(url)
    except InputError as problem:
        raise InputError("{where}: {problem}", where=where, problem=problem.text) from None
    sha256 = _text(fields, "sha256", where)
    if not _SHA256.fullmatch(sha256):
        raise InputError("{where}: sha256 must be 64 hexadecimal digits", where=where)
    return Entry(
        name=name,
        url=url,
        sha256=sha256.lower(),
        size=_size(fields.get("size"), where),
        suffix=_suffix(url, fields.get("format"), where),
    )


def _text(fields: dict[Any, Any], key: str, where: str) -> str:
    if fields.get(key) is None:
        raise InputError("{where} has no key {key}", where=where, key=key)
    if not isinstance(fields[key], str):
        raise InputError("{where}: {key} is not text; quote it", where=where, key=key)
    return str(fields[key])


def _size(size: object, where: str) -> int | None:
    if size is None:
        return None
    if not isinstance(size, int) or isinstance(size, bool) or size <= 0:
        raise InputError("{where}: size must be an integer > 0 (bytes)", where=where)
    return size


def _suffix(url: str, format_name: object, where: str) -> str:
    path = urlsplit(url).path.lower()
    compression = next((ending for ending in _COMPRESSED if path.endswith(ending)), "")
    stem = path.removesuffix(compression)
    by_url = next((kind for ending, kind in _BY_ENDING.items() if stem.endswith(ending)), None)
    if format_name is None and by_url is None:
        raise InputError(
            "{where}: the url does not end in .parquet, .csv or .yaml; add format: parquet, "
            "format: csv or format: yaml",
            where=where,
        )
    if format_name is not None and format_name not in FORMATS:
        near = suggestion(str(format_name), FORMATS)
        raise InputError(
            "{where}: unknown format {format!r}{near}; formats are {formats}",
            where=where,
            format=shortened(str(format_name)),
            near=near,
            formats=listing(FORMATS),
        )
    chosen = format_name or by_url
    if chosen == "yaml" and compression:
        raise InputError(
            "{where}: a schema cannot be compressed, but the url ends in {ending}",
            where=where,
            ending=compression,
        )
    return f".{chosen}{compression if chosen == 'csv' else ''}"


def require_safe(url: str) -> None:
    """Raise an error if nothing should be downloaded from a url; the error never shows its secrets.

    >>> require_safe("https://data.example/adult.parquet")
    >>> require_safe("ftp://data.example/adult.parquet")
    Traceback (most recent call last):
        ...
    petaudit.errors.InputError: 'ftp' is not a download scheme; use https
    """
    if not _VISIBLE.fullmatch(url):
        raise InputError("a url holds visible ASCII characters only; write others as %XX")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise InputError("the url has no valid host or port") from None
    if not parts.scheme:
        raise InputError("the url has no scheme; it must start with https://")
    if parts.scheme not in _SCHEMES:
        near = suggestion(parts.scheme, _SCHEMES)
        raise InputError(
            "{scheme!r} is not a download scheme{near}; use https",
            scheme=shortened(parts.scheme),
            near=near,
        )
    if "@" in parts.netloc:
        raise InputError("a url with a user or password is not accepted")
    if not _HOST.fullmatch(host):
        raise InputError("the url has no valid host or port")
    if parts.scheme == "http" and not is_loopback(host):
        raise InputError("http to {host} is not encrypted; use https", host=shortened(host))


def is_loopback(host: str) -> bool:
    """Whether a host is this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1")
    (True, True, True)
    >>> is_loopback("localhost.example"), is_loopback("10.0.0.1")
    (False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def redirected(url: str, location: str) -> str:
    """Return where a server's answer leads, if petaudit may follow.

    >>> redirected("https://data.example/latest?key=1", "/v2/adult.parquet")
    'https://data.example/v2/adult.parquet'
    >>> redirected("https://data.example/latest", "http://127.0.0.1/adult.parquet")
    Traceback (most recent call last):
        ...
    petaudit.errors.InputError: data.example redirects from https to http; not followed
    """
    try:
        # Servers send bytes that belong escaped; the standard library repairs them the same way.
        target = urljoin(url, quote(location, safe=string.punctuation, encoding="iso-8859-1"))
        require_safe(target)
    except (ValueError, InputError) as problem:
        why = phrase(" ({reason})", reason=problem.text) if isinstance(problem, InputError) else ""
        raise InputError(
            "{host} redirects to an unsafe url{why}; not followed", host=shown(url), why=why
        ) from None
    if urlsplit(url).scheme == "https" and urlsplit(target).scheme != "https":
        raise InputError("{host} redirects from https to http; not followed", host=shown(url))
    return target


def shown(url: str) -> str:
    """Return what messages say of a safe url: its host and port, nothing that may be secret.

    >>> shown("https://data.example:8443/adult.csv?token=secret")
    'data.example:8443'
    """
    return shortened(urlsplit(url).netloc)

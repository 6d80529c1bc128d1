"""Which addresses petaudit downloads from: https anywhere, plain http on this machine only."""

from __future__ import annotations

import ipaddress
import re
import string
from typing import Final
from urllib.parse import quote, urljoin, urlsplit

from petaudit.errors import InputError, phrase, shortened, suggestion

_SCHEMES: Final = ("https", "http")
_HOST: Final = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]*:[0-9a-f:.]*")
_VISIBLE: Final = re.compile(r"[!-~]+")


def require_safe(url: str) -> None:
    """Raise an error if nothing should be downloaded from a url; the error never shows its secrets.

    >>> require_safe("https://data.example/adult.parquet")
    >>> require_safe("ftp://data.example/adult.parquet")
    Traceback (most recent call last):
        ...
    petaudit.errors.InputError: 'ftp' is no scheme to download with; use https
    """
    if not _VISIBLE.fullmatch(url):
        raise InputError("a url holds visible ASCII characters only; write others as %XX")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise InputError("the url has no valid host or port") from None
    if not parts.scheme:
        raise InputError("the url has no scheme; it starts with https://")
    if parts.scheme not in _SCHEMES:
        near = suggestion(parts.scheme, _SCHEMES)
        raise InputError(
            "{scheme!r} is no scheme to download with{near}; use https",
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

"""Downloading one file from a server that may be broken, slow or hostile."""

from __future__ import annotations

import hashlib
import io
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from typing import IO, Any, Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import (
    AbstractHTTPHandler,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from petaudit.datasets._registry import is_loopback, redirected, require_safe, shown
from petaudit.errors import InputError, counted, phrase
from petaudit.system.files import os_reason

_CHUNK: Final = 1 << 18
_OK: Final = 200
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a download may cost.

    >>> Limits().size
    2000000000
    """

    read: float = 30.0
    """Seconds without a byte."""
    total: float = 3600.0
    """Seconds from the start to the end."""
    size: int = 2_000_000_000
    """Bytes of a file whose size is not declared."""
    redirects: int = 5


LIMITS: Final = Limits()


def fetch(url: str, file: IO[bytes], *, size: int | None, limits: Limits) -> str:
    """Write what a url leads to into a file, and return its SHA-256.

    Whatever the server does wrong is an :class:`InputError`; an ``OSError`` is about the file.
    """
    clock = _Clock(limits)
    digest = hashlib.sha256()
    with closing(_answer(url, clock)) as answer:
        for chunk in _body(answer, size, clock):
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


@dataclass(slots=True)
class _Clock:
    """How long to wait for the next bytes."""

    limits: Limits
    end: float = field(init=False)

    def __post_init__(self) -> None:
        self.end = time.monotonic() + self.limits.total

    def patience(self) -> float:
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return min(left, self.limits.read)

    def complaint(self, host: str) -> str:
        if time.monotonic() >= self.end:
            return phrase(
                "{host} took longer than {seconds:g} seconds", host=host, seconds=self.limits.total
            )
        return phrase(
            "{host} sent nothing for {seconds:g} seconds", host=host, seconds=self.limits.read
        )


def _answer(url: str, clock: _Clock) -> HTTPResponse:
    """The answer with the file. Redirects are followed here: each target is checked first, and
    what a server sends along with one is not read (the standard library would read all of it)."""
    opener = OpenerDirector()
    # No handlers for file:, ftp: and data: urls, cookies or passwords.
    opener.add_handler(_Proxies())
    # The default context verifies certificates and names.
    for handler in (_Http(), _Https(context=ssl.create_default_context())):
        handler.clock = clock
        opener.add_handler(handler)
    opener.addheaders = [("User-Agent", "petaudit")]
    for _ in range(clock.limits.redirects + 1):
        require_safe(url)
        with _explaining(url, clock):
            request = Request(url)  # noqa: S310 (only https, or http on this machine: see above)
            answer: HTTPResponse = opener.open(request, timeout=clock.patience())
        if answer.status == _OK:
            answer.url = url
            return answer
        answer.close()
        if answer.status not in _REDIRECTS:
            raise InputError(
                "{host} answered with HTTP status {status}", host=shown(url), status=answer.status
            )
        location = answer.headers.get("Location")
        if location is None:
            raise InputError(
                "{host} redirects to nowhere (HTTP status {status})",
                host=shown(url),
                status=answer.status,
            )
        url = redirected(url, location)
    raise InputError(
        "{host}: more than {redirects}",
        host=shown(url),
        redirects=counted(clock.limits.redirects, "redirect"),
    )


def _body(answer: HTTPResponse, size: int | None, clock: _Clock) -> Iterator[bytes]:
    host = shown(answer.url)
    most = clock.limits.size if size is None else size
    if size is None:
        allowed = phrase("the allowed {size}", size=counted(most, "byte"))
    else:
        allowed = phrase("the declared {size}", size=counted(most, "byte"))
    announced = answer.length
    if announced is not None and announced > most:
        raise InputError(
            "{host} announces {announced}, more than {allowed}",
            host=host,
            announced=counted(announced, "byte"),
            allowed=allowed,
        )
    received = 0
    while True:
        with _explaining(answer.url, clock):
            chunk = answer.read(min(_CHUNK, most - received + 1))
        if not chunk:
            break
        received += len(chunk)
        if received > most:
            raise InputError("{host} sends more than {allowed}", host=host, allowed=allowed)
        yield chunk
    expected = announced if size is None else size
    if expected is not None and received < expected:
        raise InputError(
            "{host}: truncated, {received:,} of {expected} were received",
            host=host,
            received=received,
            expected=counted(expected, "byte"),
        )


@contextmanager
def _explaining(url: str, clock: _Clock) -> Iterator[None]:
    """Turn what the network and its protocols raise into a message with the host."""
    try:
        yield
    except (OSError, HTTPException, ValueError) as problem:
        cause = problem.reason if isinstance(problem, URLError) else problem
        host = shown(url)
        if isinstance(cause, TimeoutError):
            message = clock.complaint(host)
        elif isinstance(cause, IncompleteRead):
            message = phrase("{host}: truncated, the connection ended in the middle", host=host)
        elif isinstance(cause, OSError) and cause.strerror:
            message = phrase(
                "{host} cannot be reached ({reason})", host=host, reason=os_reason(cause)
            )
        elif isinstance(cause, ConnectionError):
            message = phrase("{host} closed the connection without an answer", host=host)
        elif isinstance(cause, OSError | str):
            # The standard library's own words, say on a proxy that refuses.
            message = phrase(
                "{host} cannot be reached ({reason!r})", host=host, reason=str(cause)[:100]
            )
        else:
            message = phrase("{host} did not answer in valid HTTP", host=host)
        raise InputError(message) from None


class _Proxies(ProxyHandler):
    """The proxies of the environment, which are never asked for this machine itself."""

    def proxy_open(self, req: Request, proxy: str, type: str) -> Any:  # noqa: A002 (its name)
        if is_loopback(urlsplit(req.full_url).hostname or ""):
            return None
        return super().proxy_open(req, proxy, type)


class _Timed(AbstractHTTPHandler):
    """Makes connections watch the clock before each read, of headers too.

    A limit of the socket alone starts anew with each byte, so that a server which sends one now
    and then would be waited for without end.
    """

    clock: _Clock

    def do_open(self, http_class: Any, req: Request, **options: Any) -> HTTPResponse:
        clock = self.clock

        class TimedResponse(HTTPResponse):
            def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
                super().__init__(sock, *args, **options)
                self.fp = io.BufferedReader(_TimedReads(self.fp.detach(), sock, clock))

        def connect(host: str, /, **options: Any) -> HTTPConnection:
            connection: HTTPConnection = http_class(host, **options)
            connection.response_class = TimedResponse
            return connection

        return super().do_open(connect, req, **options)


class _Http(_Timed, HTTPHandler):
    pass


class _Https(_Timed, HTTPSHandler):
    pass


class _TimedReads(io.RawIOBase):
    def __init__(self, raw: io.RawIOBase, sock: socket.socket, clock: _Clock) -> None:
        super().__init__()
        self._raw = raw
        self._socket = sock
        self._clock = clock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(self._clock.patience())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()

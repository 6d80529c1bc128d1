"""The server: on this machine only, for whoever has the address that was printed."""

from __future__ import annotations

import contextlib
import filecmp
import logging
import secrets
import shutil
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from petaudit.errors import InputError, ManyProblemsError, PetauditError, phrase
from petaudit.judging.policy import policies
from petaudit.studio import trio
from petaudit.studio.pages import Pages
from petaudit.studio.session import Studio
from petaudit.studio.views import ACTIONS, OF_ONE_TABLE, VIEWS
from petaudit.studio.views.limits import offered
from petaudit.studio.worker_lines import said
from petaudit.system.debugging import show_trace

HOST: Final = "127.0.0.1"
LARGEST_UPLOAD: Final = 8 << 30
_LARGEST_FORM: Final = 1 << 20
_ROOM: Final = 64 << 20
"""What an upload leaves free on the disk."""
_TABLES: Final = (
    *(".csv", ".tsv", ".txt", ".xlsx", ".xls", ".xlsb", ".ods", ".parquet", ".pq"),
    *(".json", ".jsonl", ".ndjson", ".feather", ".arrow", ".sav", ".dta", ".sas7bdat", ".gz"),
)
_STATIC: Final = {
    "report.css": ("petaudit.reports", "page/report.css", "text/css"),
    "studio.css": ("petaudit.studio", "static/studio.css", "text/css"),
    "studio.js": ("petaudit.studio", "static/studio.js", "text/javascript"),
    "htmx.min.js": ("petaudit.studio", "static/htmx.min.js", "text/javascript"),
}
_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not "no-referrer": forms would then be sent without their origin.
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

_GO_ON: Final = (
    '<!doctype html><link rel="icon" href="data:,"><title>petaudit studio</title>'
    '<meta http-equiv="refresh" content="0;url=/table">'
)


class Guard:
    """Lets in whoever has the token, from pages of this very address, and nobody else."""

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self._app = app
        self._hosts = {f"{HOST}:{port}", f"localhost:{port}"}
        self._token = token
        self._secret = secrets.token_urlsafe(32)
        self._cookie = f"petaudit-studio-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with the headers that every answer has."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), text.encode()) for name, text in _HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        answer = self._refusal(Request(scope)) or self._app
        try:
            await answer(scope, receive, with_headers)
        except Exception as problem:
            # Starlette has answered, and raises it once more for the log of the server.
            show_trace(problem)

    def _refusal(self, request: Request) -> Response | None:
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if host not in self._hosts:
            # A name of somebody else's that leads here.
            return PlainTextResponse("unknown host", 421)
        if request.method not in ("GET", "HEAD", "POST", "PUT"):
            return PlainTextResponse("no such method", 405)
        site = request.headers.get("sec-fetch-site", "same-origin")
        is_read = request.method in ("GET", "HEAD")
        if (not is_read and origin != f"http://{host}") or (origin or f"http://{host}") != (
            f"http://{host}"
        ):
            return PlainTextResponse("another origin", 403)
        # Another port of this machine is the same site, and is sent the cookie.
        if site not in ("same-origin", "none") and (not is_read or request.url.path != "/"):
            return PlainTextResponse("another origin", 403)
        if secrets.compare_digest(
            request.cookies.get(self._cookie, "").encode(), self._secret.encode()
        ):
            return None
        given = request.query_params.get("token", "")
        if request.url.path == "/" and secrets.compare_digest(given.encode(), self._token.encode()):
            # A page of our own goes on, so that the cookie is sent wherever the link was clicked.
            answer = HTMLResponse(_GO_ON)
            answer.set_cookie(self._cookie, self._secret, httponly=True, samesite="strict")
            return answer
        return PlainTextResponse("open the address that petaudit studio printed", 403)


class Site:
    """What the studio answers."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.pages = Pages(studio)

    def app(self) -> Starlette:
        """Every address there is."""
        return Starlette(
            routes=[
                Route("/", lambda _: RedirectResponse("/table", 303)),
                Route("/static/{name}", self.static),
                Route("/job", self.job),
                Route("/upload", self.upload, methods=["PUT"]),
                Route("/download/{what}", self.download),
                Route("/do/{action}", self.act, methods=["POST"]),
                Route("/{view}", self.view),
            ],
            exception_handlers={Exception: _unforeseen},
            lifespan=self._lifespan,
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        # They take half a second to read, which the first click need not wait for.
        threading.Thread(target=lambda: (policies(), offered()), daemon=True).start()
        yield
        self.studio.close()

    async def static(self, request: Request) -> Response:
        """A file of this package."""
        known = _STATIC.get(request.path_params["name"])
        if known is None:
            return _nothing()
        package, path, kind = known
        return Response((files(package) / path).read_bytes(), media_type=kind)

    async def view(self, request: Request) -> Response:
        """A page."""
        view = request.path_params["view"]
        if view not in VIEWS:
            return _nothing()
        query = dict(request.query_params)
        return HTMLResponse(await run_in_threadpool(self.pages.view, view, query))

    async def job(self, request: Request) -> Response:
        """How far the job is."""
        view = request.query_params.get("view", "")
        return HTMLResponse(self.pages.job(view if view in VIEWS else "table"))

    async def act(self, request: Request) -> Response:
        """Do what a form asks, and show the page that it stands on."""
        action = ACTIONS.get(request.path_params["action"])
        form = await _form(request)
        if action is None or form is None:
            return _nothing()
        view = form.get("view", "table")

        def act() -> None:
            self.studio.notice = None
            name = request.path_params["action"]
            needs_table = any(name in VIEWS[each].ACTIONS for each in OF_ONE_TABLE)
            with self._noticed():
                if needs_table and not self.studio.content:
                    raise InputError("open a table first")
                if needs_table and trio.parts(self.studio.content) is not None:
                    raise InputError("the document is about a synthetic table")
                action(self.studio, form)

        await run_in_threadpool(act)
        return RedirectResponse(f"/{view}" if view in VIEWS else "/table", 303)

    @contextlib.contextmanager
    def _noticed(self) -> Iterator[None]:
        """Show on the page what is wrong with what was asked for."""
        try:
            yield
        except ManyProblemsError as problem:
            self.studio.notice = said(problem.messages[0])
        except PetauditError as problem:
            self.studio.notice = said(problem.text)
        except (ValueError, LookupError, ArithmeticError):
            self.studio.notice = said(phrase("that was no valid entry"))

    async def upload(self, request: Request) -> Response:
        """Take a table, block by block, into the private folder."""
        name, self.studio.notice = upload_name(request.query_params.get("name", "")), None
        if not name.lower().endswith(_TABLES):
            self.studio.notice = said(
                phrase(
                    "{name!r} is not a table: CSV, Excel, Parquet, JSON and the like are", name=name
                )
            )
            return PlainTextResponse("not a table", 415)
        said_size = request.headers.get("content-length", "0")
        if not said_size.isdecimal() or int(said_size) > LARGEST_UPLOAD:
            return PlainTextResponse("too large", 413)
        # Nobody else can have the name meanwhile: of two uploads none takes the other's place.
        target = _free(self.studio.files, name)
        part = target.with_name(f".{secrets.token_hex(8)}.part")
        is_whole = False
        try:
            with part.open("xb") as file:
                taken = 0
                async for block in request.stream():
                    taken += len(block)
                    room = shutil.disk_usage(part.parent).free - _ROOM
                    if taken > LARGEST_UPLOAD or len(block) > room:
                        return PlainTextResponse("too large", 413)
                    await run_in_threadpool(file.write, block)
            part.replace(target)
            is_whole = True
        except ClientDisconnect:
            return Response(status_code=400)
        finally:
            part.unlink(missing_ok=True)
            if not is_whole:
                target.unlink(missing_ok=True)
        target = await run_in_threadpool(_kept_once, target, name)
        with self._noticed():
            if "keep" in request.query_params:
                # One of several tables: the page names it in a field.
                return PlainTextResponse(target.name)
            await run_in_threadpool(self.studio.open, str(target))
        return Response(status_code=204)

    async def download(self, request: Request) -> Response:
        """A file to take away."""
        language = request.query_params.get("lang", self.studio.language)
        found = await run_in_threadpool(self.pages.download, request.path_params["what"], language)
        if found is None:
            return _nothing()
        name, content = found
        kind = "application/octet-stream"
        if isinstance(content, Path):
            return FileResponse(content, media_type=kind, filename=name)
        header = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=kind, headers=header)


def upload_name(given: str) -> str:
    """The name of an upload as this machine may have it: no folder, nothing hidden.

    >>> upload_name("../../etc/people.csv"), upload_name("..\\\\a b.csv"), upload_name("年.csv")
    ('people.csv', 'a b.csv', '年.csv')
    >>> upload_name(""), upload_name("..")
    ('table', 'table')
    """
    last = given.replace("\\", "/").split("/")[-1]
    shown = "".join(mark if mark.isprintable() and mark not in '<>:"|?*' else "_" for mark in last)
    stem, dot, ending = shown.strip(". ").rpartition(".")
    name = f"{stem[:60]}{dot}{ending[:12]}".strip(". ")
    return name.encode(errors="replace").decode() or "table"


def _free(folder: Path, name: str) -> Path:
    """A name that no earlier upload has, taken at once."""
    path, number = folder / name, 1
    while True:
        try:
            path.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            number += 1
            path = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"
        else:
            return path


def _kept_once(target: Path, name: str) -> Path:
    """The upload, or an earlier one of its name with the same bytes: a steward has one file."""
    first = target.with_name(name)
    with contextlib.suppress(OSError):  # The first may be given up at this moment.
        if first != target and first.stat().st_size and filecmp.cmp(first, target, shallow=False):
            target.unlink()
            return first
    return target


async def _form(request: Request) -> dict[str, str] | None:
    """The fields of a form; None where it is larger than any of ours."""
    body = b""
    async for block in request.stream():
        body += block
        if len(body) > _LARGEST_FORM:
            return None
    fields = parse_qs(body.decode(errors="replace"), keep_blank_values=True)
    return {name: values[-1] for name, values in fields.items()}


def _nothing() -> Response:
    return PlainTextResponse("there is nothing here", 404)


def _unforeseen(_: Request, problem: Exception) -> Response:
    """Only the kind of an unforeseen error is shown: its text may quote data."""
    return PlainTextResponse(f"internal error ({type(problem).__name__})", 500)


def serve(studio: Studio, *, port: int, opens_browser: bool, say: Callable[[str], None]) -> None:
    """Answer until the program is told to end; the address is said once it is open."""
    import uvicorn  # noqa: PLC0415 (its signals are for a server only)

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        # Who comes before the server answers waits, instead of being sent away.
        listening.listen()
    except (OSError, OverflowError) as problem:
        listening.close()
        studio.close()
        raise InputError(
            "port {port} cannot be opened ({reason}); choose another (--port), or 0 for any",
            port=port,
            reason=getattr(problem, "strerror", None) or type(problem).__name__,
        ) from None
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    # What it has to say may hold anything.
    logging.getLogger("uvicorn.error").disabled = True
    guard = Guard(Site(studio).app(), port=port, token=token)
    config = uvicorn.Config(
        guard,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=2,
    )
    address = f"http://{HOST}:{port}/?token={token}"
    say(address)
    if opens_browser:
        # The address of a program is for all users of a machine to see: the token is in a file.
        page = studio.folder / "open.html"
        page.touch(mode=0o600)
        page.write_text(f'<meta http-equiv="refresh" content="0;url={address}">', encoding="utf-8")
        webbrowser.open(page.as_uri())
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        studio.close()
        listening.close()

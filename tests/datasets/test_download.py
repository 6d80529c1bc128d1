"""Whatever a server does: the right file, or an error and nothing left behind."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from petaudit import datasets
from petaudit.cli import main
from petaudit.datasets import _benchmarks, _download
from petaudit.errors import InputError
from petaudit.tables import open_source

CONTENT = b"age;income\n39;<=50K\n" + b"101;<=50K\n" * 998
SHA256 = hashlib.sha256(CONTENT).hexdigest()
SIZE = len(CONTENT)
Act = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Does what the test wrote down for the path."""

    server: Server

    def do_GET(self) -> None:
        self.server.requests[self.path] += 1
        with suppress(BrokenPipeError, ConnectionResetError):  # the client has seen enough
            self.server.acts[self.path.partition("?")[0]](self)

    def do_CONNECT(self) -> None:
        self.server.requests[f"CONNECT {self.path}"] += 1
        self.send_error(403)

    def answer(self, status: int = 200, **headers: object) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    acts: dict[str, Act]
    requests: Counter[str]
    over: threading.Event

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


def sending(body: bytes, **headers: object) -> Act:
    def act(handler: Handler) -> None:
        handler.answer(**headers)
        handler.wfile.write(body)

    return act


def leading(location: str, status: int = 302) -> Act:
    return lambda handler: handler.answer(status, Location=location)


def endless(handler: Handler) -> None:
    handler.answer()
    while not handler.server.over.is_set():
        handler.wfile.write(CONTENT)


def dripping(start: bytes) -> Act:
    """One byte now and then for three seconds, never a long pause."""

    def act(handler: Handler) -> None:
        handler.wfile.write(start)
        for _ in range(60):
            handler.server.over.wait(0.05)
            handler.wfile.write(b"x")

    return act


def hanging(start: bytes) -> Act:
    def act(handler: Handler) -> None:
        handler.wfile.write(start)
        handler.server.over.wait(10)

    return act


def reset(handler: Handler) -> None:
    handler.answer(Transfer_Encoding="chunked")
    handler.wfile.write(b"%x\r\n" % SIZE + CONTENT[:100])


@pytest.fixture
def website() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as running:
        running.acts = {"/good.csv": sending(CONTENT, Content_Length=SIZE)}
        running.requests, running.over = Counter(), threading.Event()
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.over.set()
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("PETAUDIT_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(_download, "LIMITS", _download.Limits(read=30, total=60))


class Client:
    """Asks for ``benchmark://x``, which lies where ``act`` is served."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server = server
        self.cache = folder / "cache"
        self.files = self.cache / "petaudit" / "benchmarks"
        self.registry = folder / "registry.yaml"
        self.register()

    def register(self, path: str = "/good.csv", **fields: object) -> None:
        url = path if "://" in path else self.server.url + path
        given = {"url": f"'{url}'", "sha256": SHA256, "format": "csv"} | fields
        lines = "".join(f"  {key}: {value}\n" for key, value in given.items())
        self.registry.write_text(f"x:\n{lines}", encoding="utf-8")

    def locate(self) -> Path:
        return datasets.locate("benchmark://X", registry=self.registry, cache=self.cache)

    def fails(self, act: Act | None = None, **fields: object) -> str:
        """The message of the error, after which nothing is left in the cache."""
        if act:
            self.server.acts["/act"] = act
            self.register("/act?key=secret", **fields)
        with pytest.raises(InputError) as caught:
            self.locate()
        assert not list(self.files.glob("*"))
        assert "secret" not in str(caught.value)
        return str(caught.value)


@pytest.fixture
def client(website: Server, tmp_path: Path) -> Client:
    return Client(website, tmp_path)


def host(client: Client) -> str:
    return client.server.url.removeprefix("http://")


def test_a_good_file_is_downloaded_once(client: Client) -> None:
    result = client.locate()
    assert result.read_bytes() == CONTENT
    assert result == client.files / f"x-{SHA256}.csv"
    assert client.files.stat().st_mode & 0o777 == 0o700
    assert client.locate() == result
    assert list(client.files.iterdir()) == [result]
    assert client.server.requests == {"/good.csv": 1}


@pytest.mark.parametrize("declared", [{}, {"size": SIZE}])
@pytest.mark.parametrize("headers", [{}, {"Content_Length": "odd"}, {"Content_Length": "-1"}])
def test_a_file_without_a_valid_length_is_good_too(
    client: Client, declared: dict[str, object], headers: dict[str, str]
) -> None:
    client.server.acts["/act"] = sending(CONTENT, **headers)
    client.register("/act", **declared)
    assert client.locate().read_bytes() == CONTENT


def test_a_file_in_chunks_is_good_too(client: Client) -> None:
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (SIZE, CONTENT)
    client.server.acts["/act"] = sending(body, Transfer_Encoding="chunked")
    client.register("/act")
    assert client.locate().read_bytes() == CONTENT


@pytest.mark.parametrize("size", [{}, {"size": SIZE}])
def test_another_content_is_refused(client: Client, size: dict[str, object]) -> None:
    other = CONTENT[:-1] + b"!"
    message = client.fails(sending(other, Content_Length=SIZE), **size)
    assert f"benchmark://x: {host(client)} sent another file" in message
    assert hashlib.sha256(other).hexdigest() in message
    assert SHA256 in message


@pytest.mark.parametrize(
    ("act", "fields", "words"),
    [
        (sending(CONTENT, Content_Length=SIZE + 9), {}, "truncated, 10,000 of 10,009 bytes"),
        (sending(CONTENT[:-1], Content_Length=SIZE), {"size": SIZE}, "truncated, 9,999 of 10,000"),
        (sending(CONTENT[:-1]), {"size": SIZE}, "truncated, 9,999 of 10,000 bytes were received"),
        (sending(b""), {"size": SIZE}, "truncated, 0 of 10,000 bytes"),
        (reset, {}, "truncated, the connection ended in the middle"),
        (sending(CONTENT + b"!"), {"size": SIZE}, "sends more than the declared 10,000 bytes"),
        (endless, {"size": SIZE}, "sends more than the declared 10,000 bytes"),
        (endless, {}, "sends more than the allowed 20,000 bytes"),
        (sending(b"", Content_Length=10**12), {}, "announces 1,000,000,000,000 bytes, more than"),
        (sending(b"", Content_Length=SIZE + 1), {"size": SIZE}, "more than the declared 10,000"),
    ],
)
def test_lies_about_the_size_are_found_out(
    client: Client, monkeypatch: pytest.MonkeyPatch, act: Act, fields: dict[str, object], words: str
) -> None:
    monkeypatch.setattr(_download, "LIMITS", _download.Limits(read=30, total=60, size=20_000))
    message = client.fails(act, **fields)
    assert host(client) in message
    assert words in message


@pytest.mark.parametrize("status", [204, 206, 304, 403, 404, 500, 503])
def test_another_status_is_an_error(client: Client, status: int) -> None:
    message = client.fails(lambda handler: handler.answer(status))
    assert f"{host(client)} answered with HTTP status {status}" in message


@pytest.mark.parametrize("body", [b"", b"no such thing as HTTP\r\n\r\n", b"HTTP/1.1 ???\r\n\r\n"])
def test_what_is_not_http_is_an_error(client: Client, body: bytes) -> None:
    message = client.fails(lambda handler: handler.wfile.write(body) and None)
    assert f"{host(client)} " in message
    assert ("in valid HTTP" if body else "without an answer") in message
    assert "no such thing" not in message


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n"


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 2", HEAD, HEAD + b"\r\n", HEAD + b"\r\nage"])
def test_silence_ends_after_the_time_limit(
    client: Client, monkeypatch: pytest.MonkeyPatch, start: bytes
) -> None:
    monkeypatch.setattr(_download, "LIMITS", _download.Limits(read=0.3, total=10))
    began = time.monotonic()
    message = client.fails(hanging(start))
    assert f"{host(client)} sent nothing for 0.3 seconds" in message
    assert time.monotonic() - began < 8


@pytest.mark.parametrize("start", [b"HTTP/1.1 2", HEAD + b"X-Long: ", HEAD + b"\r\n"])
def test_a_drip_ends_after_the_total_time_limit(
    client: Client, monkeypatch: pytest.MonkeyPatch, start: bytes
) -> None:
    monkeypatch.setattr(_download, "LIMITS", _download.Limits(read=5, total=0.5))
    began = time.monotonic()
    assert f"{host(client)} took longer than 0.5 seconds" in client.fails(dripping(start))
    assert time.monotonic() - began < 8


def test_nobody_listens(client: Client) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        client.register(f"http://127.0.0.1:{silent.getsockname()[1]}/x")
        assert "cannot be reached (Connection refused)" in client.fails()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_five_redirects_are_followed_and_six_are_not(client: Client, status: int) -> None:
    acts = client.server.acts
    acts |= {f"/{step}": leading(f"{step + 1}", status) for step in range(5)}
    acts["/5"] = leading(f"{client.server.url}/good.csv?a=1#b", status)
    assert "more than 5 redirects" in client.fails(leading("/0", status))
    client.register("/1")
    assert client.locate().read_bytes() == CONTENT


def test_a_loop_of_redirects_ends(client: Client) -> None:
    client.server.acts["/b"] = leading("/act")
    assert "more than 5 redirects" in client.fails(leading("/b"))
    assert sum(client.server.requests.values()) == 6


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("file:///etc/passwd", "'file' is not a download scheme"),
        ("ftp://127.0.0.1/x", "'ftp' is not a download scheme"),
        ("data:text/csv,a", "'data' is not a download scheme"),
        ("http://192.0.2.1/x?key=secret", "http to 192.0.2.1 is not encrypted"),
        ("//192.0.2.1/x", "http to 192.0.2.1 is not encrypted"),
        ("http://me:secret@127.0.0.1/x", "user or password"),
        ("http://127.0.0.1:port/", "no valid host or port"),
        ("http://[::1/", ""),
        ("https:///x", "no valid host"),
    ],
)
def test_an_unsafe_redirect_is_not_followed(client: Client, location: str, words: str) -> None:
    message = client.fails(leading(location))
    assert f"{host(client)} redirects to an unsafe url" in message
    assert words in message
    assert "not followed" in message


def test_a_redirect_to_nowhere_is_an_error(client: Client) -> None:
    assert "redirects to nowhere" in client.fails(lambda handler: handler.answer(302))


def test_the_body_of_a_redirect_is_not_read(client: Client) -> None:
    def act(handler: Handler) -> None:
        handler.answer(302, Location="/good.csv")
        hanging(b"x")(handler)

    client.server.acts["/act"] = act
    client.register("/act")
    assert client.locate().read_bytes() == CONTENT


def test_a_damaged_file_is_downloaded_anew(client: Client) -> None:
    for damaged in (b"", CONTENT[:-1], CONTENT[:-1] + b"!"):
        client.locate().write_bytes(damaged)
        assert client.locate().read_bytes() == CONTENT
    assert client.server.requests == {"/good.csv": 4}


def test_a_damaged_file_stays_when_the_new_one_is_worse(client: Client) -> None:
    result = client.locate()
    result.write_bytes(b"damaged")
    client.server.acts["/good.csv"] = sending(b"worse")
    with pytest.raises(InputError, match="sent another file"):
        client.locate()
    assert list(client.files.iterdir()) == [result]
    assert result.read_bytes() == b"damaged"


def test_two_at_once_are_both_fine(client: Client) -> None:
    both = threading.Barrier(2, timeout=5)

    def act(handler: Handler) -> None:
        handler.answer(Content_Length=SIZE)
        handler.wfile.write(CONTENT[:50])
        both.wait()
        handler.wfile.write(CONTENT[50:])

    client.server.acts["/good.csv"] = act
    with ThreadPoolExecutor(2) as pool:
        paths = [future.result() for future in [pool.submit(client.locate) for _ in range(2)]]
    assert paths[0] == paths[1]
    assert paths[0].read_bytes() == CONTENT
    assert list(client.files.iterdir()) == paths[:1]


@pytest.mark.parametrize("intact", [True, False])
def test_a_file_that_another_process_holds_is_fine_if_intact(
    client: Client, monkeypatch: pytest.MonkeyPatch, intact: bool
) -> None:
    def replace(_: Path, target: Path) -> None:
        target.write_bytes(CONTENT if intact else b"damaged")
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", replace)
    if intact:
        assert client.locate().read_bytes() == CONTENT
    else:
        with pytest.raises(InputError, match="cannot be used"):
            client.locate()
    assert [path.name for path in client.files.iterdir()] == [f"x-{SHA256}.csv"]


def test_an_interrupt_leaves_nothing_behind(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        assert len(list(client.files.iterdir())) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(_benchmarks.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        client.locate()
    assert not list(client.files.iterdir())


def test_what_a_killed_download_left_is_removed_after_a_day(client: Client) -> None:
    client.files.mkdir(parents=True)
    old, young = client.files / ".petaudit-old", client.files / ".petaudit-young"
    for path, age in ((old, 90_000), (young, 60)):
        path.touch()
        os.utime(path, (time.time() - age,) * 2)
    client.locate()
    assert not old.exists()
    assert young.exists()


def test_proxies_are_not_asked_for_this_machine(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert client.locate().read_bytes() == CONTENT


def test_the_proxy_of_the_environment_is_asked_for_others(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", client.server.url)
    client.register("https://data.invalid/x?key=secret")
    message = client.fails()
    assert "data.invalid cannot be reached" in message
    assert "403" in message
    assert client.server.requests == {"CONNECT data.invalid:443": 1}


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_https_is_verified_and_never_left(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", "/CN=petaudit", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    plain, secure = client.server.url, client.server.url.replace("http", "https")
    client.register(f"{secure}/good.csv")
    assert "cannot be reached (" in client.fails()  # a server without TLS
    client.server.socket = context.wrap_socket(client.server.socket, server_side=True)
    assert "CERTIFICATE_VERIFY_FAILED" in client.fails()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    client.server.acts["/down"] = leading(f"{plain}/good.csv")
    client.register(f"{secure}/down")
    assert "redirects from https to http; not followed" in client.fails()
    client.server.acts["/stay"] = leading("/good.csv")
    client.register(f"{secure}/stay")
    assert client.locate().read_bytes() == CONTENT


@pytest.fixture
def announced(client: Client, monkeypatch: pytest.MonkeyPatch) -> Client:
    """The environment names registry and cache, as it does for commands and pipelines."""
    monkeypatch.setenv("PETAUDIT_BENCHMARKS", str(client.registry))
    monkeypatch.setenv("PETAUDIT_CACHE", str(client.cache))
    return client


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (sending(CONTENT[:-1], Content_Length=SIZE), "truncated, 9,999 of 10,000 bytes"),
        (sending(CONTENT + b"!"), "sends more than the declared 10,000 bytes"),
        (sending(b"", Content_Length=10**12), "announces 1,000,000,000,000 bytes, more than"),
        (sending(CONTENT[:-1] + b"!"), "sent another file than the registry describes"),
        (leading("file:///etc/passwd"), "redirects to an unsafe url"),
        (leading("/act"), "more than 5 redirects"),
        (hanging(HEAD + b"\r\nage"), "sent nothing for 0.3 seconds"),
        (lambda handler: handler.answer(404), "answered with HTTP status 404"),
    ],
)
def test_a_table_is_opened_from_a_good_server_only(
    announced: Client,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    act: Act,
    words: str,
) -> None:
    # Impatience only where it is the point: a busy machine may need 0.3 seconds to be honest.
    patience = 0.3 if "0.3 seconds" in words else 30
    monkeypatch.setattr(_download, "LIMITS", _download.Limits(read=patience, total=60))
    announced.server.acts["/act"] = act
    announced.register("/act?key=secret", size=SIZE)
    with pytest.raises(InputError) as caught:
        open_source("benchmark://X")
    assert str(caught.value).startswith(f"benchmark://x: {host(announced)}")
    assert words in str(caught.value)
    assert main(["check", "benchmark://x", "--qi", "age"]) == 2
    shown = capsys.readouterr()
    assert " ".join(words.split()) in " ".join(shown.err.split())
    assert "secret" not in shown.err + shown.out + str(caught.value)
    assert not list(announced.files.glob("*"))


def test_a_table_is_opened_once_it_is_downloaded_and_then_from_the_cache(
    announced: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced.server.acts["/moved"] = leading("/good.csv", 301)
    announced.register("/moved", size=SIZE)
    for _ in range(2):
        source = open_source("Benchmark://X")
        assert (source.name, source.columns, source.rows) == (
            "Benchmark://X",
            ("age", "income"),
            999,
        )
        assert source.paths == (announced.files / f"x-{SHA256}.csv",)
        assert source.fingerprint()["sha256"] == SHA256
        monkeypatch.setenv("PETAUDIT_OFFLINE", "1")
    assert announced.server.requests == {"/moved": 1, "/good.csv": 1}
    source.paths[0].write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"damaged in the cache .* while offline"):
        open_source("benchmark://x")


def test_a_schema_is_downloaded_and_is_no_table(announced: Client) -> None:
    announced.register(format="yaml")
    result = datasets.locate("benchmark://x")
    assert result == announced.files / f"x-{SHA256}.yaml"
    with pytest.raises(InputError) as caught:
        open_source("benchmark://x")
    assert str(caught.value) == f"benchmark://x is not a table but a schema: {result}"

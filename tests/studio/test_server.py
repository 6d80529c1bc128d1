"""Attacks on the server: who may come in, what may be sent, and what is left."""

from __future__ import annotations

import gzip
import os
import signal
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient
from tests.studio.conftest import PEOPLE, Running

from petaudit.cli import main
from petaudit.studio import server
from petaudit.studio.session import Studio


def test_only_the_printed_address_lets_in(running: Running) -> None:
    stranger = httpx.Client(base_url=running.base)
    for path in ("/", "/table", "/static/htmx.min.js", "/download/audit.yaml", "/?token=", "/job"):
        assert stranger.get(path).status_code == 403, path
    wrong = {"cookie": f"petaudit-studio-{running.base.rpartition(':')[2]}=guess"}
    assert stranger.get("/table", headers=wrong).status_code == 403
    opened = stranger.get(running.address)
    cookie = opened.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert stranger.get("/table").status_code == 200


def test_it_listens_on_this_machine_only(running: Running) -> None:
    assert running.base.startswith("http://127.0.0.1:")
    port = int(running.base.rpartition(":")[2])
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("no list of sockets")
    listening = [line.split()[1] for line in table.read_text().splitlines() if " 0A " in line]
    assert [own for own in listening if own.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1.evil.example"},
        {"host": "127.0.0.1:1"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_other_sites_get_nothing_done(running: Running, headers: dict[str, str]) -> None:
    before = running.take("audit.yaml")
    answer = running.client.post("/do/undo", data={"view": "table"}, headers=headers)
    assert answer.status_code in (403, 421)
    if "sec-fetch-site" not in headers:
        assert running.client.get("/table", headers=headers).status_code in (403, 421)
    assert running.take("audit.yaml") == before


def test_a_page_on_another_port_of_this_machine_reads_nothing(running: Running) -> None:
    assert running.client.get("/table", headers={"sec-fetch-site": "same-site"}).status_code == 403
    assert running.client.get("/table", headers={"sec-fetch-site": "none"}).status_code == 200


def test_a_post_without_an_origin_is_refused(running: Running) -> None:
    cookies = dict(running.client.cookies)
    bare = httpx.Client(base_url=running.base, cookies=cookies)
    assert bare.post("/do/undo").status_code == 403
    assert bare.put("/upload?name=a.csv", content=b"a\n1\n").status_code == 403
    assert bare.get("/table").status_code == 200


def test_every_answer_has_the_strict_policy(running: Running) -> None:
    for path in ("/table", "/static/studio.js", "/nowhere", "/download/audit.yaml"):
        headers = running.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/..%2F..%2Fpages.py",
        "/static/server.py",
        "/download/..%2Faudit.yaml",
        "/download/people.csv",
        "/do/nothing",
        "/..%2f..%2fetc%2fpasswd",
        "/upload",
    ],
)
def test_nothing_else_can_be_read(running: Running, path: str) -> None:
    assert running.client.get(path).status_code in (404, 405)


def test_uploads_stay_in_the_private_folder(studio: Studio) -> None:
    client = TestClient(server.Site(studio).app())
    for name in (
        *("../../escaped.csv", "/etc/escaped.csv", "..\\escaped.csv", ".escaped.csv"),
        "a%00.csv",
    ):
        answer = client.put(f"/upload?name={name}", content=PEOPLE.encode())
        assert answer.status_code == 204
        [kept] = studio.files.iterdir()
        assert kept.parent == studio.files
        assert not kept.name.startswith(".")
        kept.unlink()
    assert not stat.S_IMODE(studio.folder.stat().st_mode) & 0o077


def test_huge_endless_and_foreign_uploads_leave_nothing(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LARGEST_UPLOAD", 1_000)
    client = TestClient(server.Site(studio).app())
    endless = (b"x" * 600 for _ in range(3))
    assert client.put("/upload?name=a.csv", content=endless).status_code == 413
    assert client.put("/upload?name=b.csv", content=b"x" * 2_000).status_code == 413
    assert client.put("/upload?name=evil.html", content=b"<script>").status_code == 415
    assert [*studio.files.iterdir()] == []
    assert "evil.html" in client.get("/table").text
    huge = {"address": "x" * (2 << 20)}
    assert client.post("/do/open", data=huge).status_code == 404
    studio.close()
    assert not studio.folder.exists()


def test_uploads_of_one_name_do_not_replace_each_other(running: Running) -> None:
    def put(number: int) -> str:
        answer = running.client.put("/upload?name=same.csv&keep", content=f"a\n{number}\n".encode())
        return str(answer.text)

    # A file that is dropped twice is one file.
    assert put(8) == put(8) == "same.csv"
    with ThreadPoolExecutor(8) as pool:
        assert len({*pool.map(put, range(8))}) == 8


@pytest.mark.parametrize(
    "text", ["Loader: [1]", "Loader: {a: 5}", "Evaluator: 7", "Loader: {a: {filepath: b, x: 1}}"]
)
def test_a_pipeline_file_that_is_none_is_said(running: Running, tmp_path: Path, text: str) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(text)
    before = running.take("audit.yaml")
    assert 'role="alert"' in running.do("open", address=str(file))
    assert running.take("audit.yaml") == before


def test_hostile_names_and_cells_are_only_text(running: Running, tmp_path: Path) -> None:
    table = tmp_path / "<img src=x>.csv"
    table.write_text(
        '<script>alert(1)</script>,"a"" onload=""x",age\n'
        + "<b>bold</b>,{{ 7 * 7 }},30\n" * 8
        + "</textarea>,'; drop,31\n"
    )
    running.open(table)
    for view in ("table", "columns", "limits", "audit", "deidentify", "take"):
        page = running.page(view)
        assert "<script>alert" not in page
        assert "<b>bold" not in page
        assert 'onload="x' not in page
        assert "<img" not in page
    for _ in range(2):
        running.do("undo", view="table")


@pytest.mark.long
def test_fifty_clients_at_once(running: Running) -> None:
    def visit(number: int) -> int:
        client = running.another()
        hidden = {"view": "columns", "hide": "on"} if number % 2 else {"view": "columns"}
        codes = {
            client.get("/columns").status_code,
            client.post("/do/hide", data=hidden).status_code,
        }
        return max(codes)

    with ThreadPoolExecutor(50) as pool:
        assert {*pool.map(visit, range(50))} == {303}
    running.do("hide", view="columns")


def test_no_value_is_in_what_it_prints(running: Running) -> None:
    assert running.errors.read_text() == ""


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_however_it_ends(tmp_path: Path, people: Path, how: int) -> None:
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {seen}\n')
    browser.chmod(0o700)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("BROWSER", str(browser))
        started = Running(tmp_path, opens_browser=True)
    # An engine unpacks it on the disk.
    packed = tmp_path / "people.csv.gz"
    packed.write_bytes(gzip.compress(people.read_bytes()))
    started.open(packed)
    assert len(started.folders) == 1
    # The command line of the browser, which all users may see, has no token.
    address = seen.read_text().strip()
    page = Path(address.removeprefix("file://"))
    assert started.address not in address
    assert started.address in page.read_text()
    assert not stat.S_IMODE(page.stat().st_mode) & 0o077
    # In the middle of a run.
    started.client.get("/audit")
    os.kill(started.process.pid, how)
    started.process.wait(20)
    until = time.monotonic() + 20
    while started.folders and time.monotonic() < until:
        time.sleep(0.05)
    assert started.folders == []
    assert started.process.returncode == (-how if how == signal.SIGKILL else 0)
    assert started.errors.read_text() == ""


@pytest.mark.parametrize(
    ("given", "said"),
    [("nowhere.csv", "does not exist"), ("benchmark://none", "unknown benchmark")],
)
def test_a_table_that_is_not_there_is_said_at_once(given: str, said: str, capsys: Any) -> None:
    assert main(["studio", given, "--no-browser"]) == 2
    assert said in capsys.readouterr().err

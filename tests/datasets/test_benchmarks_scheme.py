"""What ``benchmark://name`` stands for, as far as no server is needed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from petaudit import datasets
from petaudit.datasets import _benchmarks, _download
from petaudit.errors import InputError

CONTENT = b"age;income\n39;<=50K\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
Registry = Callable[[str], Path]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of the caller's, a home that is empty, and no network."""
    for name in os.environ:
        if name.startswith(("PETAUDIT_", "XDG_")) or name == "LOCALAPPDATA":
            monkeypatch.delenv(name)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.setattr(_download, "fetch", lambda *_, **__: pytest.fail("it uses the network"))


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """A registry with one benchmark, its fields given, or with the text given."""

    def write(text: str) -> Path:
        path = tmp_path / "registry.yaml"
        path.write_text(text if "\n" in text else f"x: {{{text}}}", encoding="utf-8")
        return path

    return write


def fields(url: str = "https://data.invalid/x.csv", more: str = "", sha256: str = SHA256) -> str:
    return f"url: '{url}', sha256: '{sha256}'{more}"


def cached(cache: Path, name: str = "x", content: bytes = CONTENT, suffix: str = ".csv") -> Path:
    """Put a file into the cache as a download would, whose right content is CONTENT."""
    path = cache / "petaudit" / "benchmarks" / f"{name}-{SHA256}{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", datasets.names())
def test_bundled_tables_are_found_in_any_case(name: str) -> None:
    for address in (f"benchmark://{name}", f"BENCHMARK://{name.upper()}"):
        assert datasets.locate(address) == datasets.load(name).path


def test_the_bundled_schema_is_found() -> None:
    result = datasets.locate("benchmark://Adult-Income_Schema", offline=True)
    assert result == datasets.schemas()["adult-income_schema"]


def test_bundled_data_come_first(registry: Registry, tmp_path: Path) -> None:
    cached(tmp_path, "adult")
    path = registry(f"adult: {{{fields()}}}\n")
    result = datasets.locate("benchmark://adult", registry=path, cache=tmp_path)
    assert result == datasets.load("adult").path


@pytest.mark.parametrize(
    "name",
    [
        "a/b",
        "/adult",
        "adult/",
        "a\\b",
        "..",
        "a..b",
        "../adult",
        "a\0b",
        "adult\n",
        "a\x7f",
        "\x85",
    ],
)
def test_a_name_holds_no_path_and_no_control_characters(name: str) -> None:
    with pytest.raises(InputError, match="cannot contain a path or control characters") as caught:
        datasets.locate(f"benchmark://{name}")
    assert repr(name) in str(caught.value)


def test_a_name_has_1_to_100_characters() -> None:
    with pytest.raises(InputError, match="lacks a name"):
        datasets.locate("benchmark://")
    with pytest.raises(InputError, match="more than 100 characters") as caught:
        datasets.locate(f"benchmark://{'x' * 101}")
    assert len(str(caught.value)) < 200
    with pytest.raises(InputError, match="unknown benchmark"):
        datasets.locate(f"benchmark://{'x' * 100}")


@pytest.mark.parametrize(
    "address",
    ["", "adult", "benchmark:adult", "benchmark:/adult", "https://a.invalid/", "file:///x"],
)
def test_other_schemes_are_refused(address: str) -> None:
    with pytest.raises(InputError, match="is not a benchmark; one starts with benchmark://"):
        datasets.locate(address)


def test_an_unknown_name_lists_the_known_ones(registry: Registry, tmp_path: Path) -> None:
    path = registry(f"Mine: {{{fields()}}}\n")
    with pytest.raises(InputError) as caught:
        datasets.locate("benchmark://mime", registry=path, cache=tmp_path)
    message = str(caught.value)
    assert "unknown benchmark 'mime' (did you mean 'mine'?)" in message
    known = message.partition("the known ones are ")[2].split(", ")
    assert known == [*datasets.names(), "adult-income_schema", "mine"]


def test_without_a_registry_the_cached_ones_are_known_too(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'adult'") as caught:
        datasets.locate("benchmark://adlut", cache=tmp_path)
    assert "PETAUDIT_BENCHMARKS" in str(caught.value)
    cached(tmp_path, "adlu")
    with pytest.raises(InputError, match="adult-income_schema, adlu "):
        datasets.locate("benchmark://adlut", cache=tmp_path)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".csv.gz", ".yaml"])
def test_without_a_registry_the_cache_is_enough(tmp_path: Path, suffix: str) -> None:
    path = cached(tmp_path, suffix=suffix)
    assert datasets.locate("benchmark://X", cache=tmp_path) == path
    path.write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"benchmark://x: .* is damaged, and there is no registry"):
        datasets.locate("benchmark://x", cache=tmp_path)


def test_without_a_registry_two_versions_are_one_too_many(tmp_path: Path) -> None:
    cached(tmp_path)
    cached(tmp_path, suffix=".parquet")
    with pytest.raises(InputError, match="holds 2 versions of it; set a registry with"):
        datasets.locate("benchmark://x", cache=tmp_path)


def test_a_registry_says_which_names_there_are(registry: Registry, tmp_path: Path) -> None:
    cached(tmp_path, "other")
    with pytest.raises(InputError, match="unknown benchmark 'other'"):
        datasets.locate("benchmark://other", registry=registry(fields()), cache=tmp_path)


def test_the_environment_names_registry_and_cache(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PETAUDIT_BENCHMARKS", str(registry(fields())))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    homes = {"darwin": "Library/Caches", "win32": ".cache"}
    result = [cached(tmp_path / "home" / homes.get(sys.platform, ".cache"))]
    for variable in ("XDG_CACHE_HOME", "PETAUDIT_CACHE"):
        assert datasets.locate("benchmark://x") == result[-1]
        monkeypatch.setenv(variable, str(tmp_path / variable))
        result.append(cached(tmp_path / variable))
    assert datasets.locate("benchmark://x") == result[-1]
    assert len(set(result)) == 3
    argument = cached(tmp_path / "argument")
    assert datasets.locate("benchmark://x", cache=tmp_path / "argument") == argument


@pytest.mark.parametrize(
    ("platform", "folder"), [("linux", ".cache"), ("darwin", "Library/Caches"), ("win32", "Local")]
)
def test_the_cache_lies_where_the_system_keeps_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, folder: str
) -> None:
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "home" / "Local"))
    monkeypatch.setattr(sys, "platform", platform)
    path = cached(tmp_path / "home" / folder)
    assert datasets.locate("benchmark://x") == path


def test_no_home_is_an_error_that_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    def home() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", home)
    with pytest.raises(InputError, match="set a cache folder with PETAUDIT_CACHE"):
        datasets.locate("benchmark://x")
    assert datasets.locate("benchmark://adult").is_file()


@pytest.mark.parametrize("value", ["1", "true", "anything", None])
def test_offline_only_the_cache_is_used(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    path = registry(fields())
    if value:
        monkeypatch.setenv("PETAUDIT_OFFLINE", value)

    def locate() -> Path:
        return datasets.locate(
            "benchmark://x", registry=path, cache=tmp_path, offline=value is None
        )

    with pytest.raises(InputError, match=r"benchmark://x: it is not in the cache .* while offline"):
        locate()
    assert not (tmp_path / "petaudit").exists()
    cached(tmp_path, content=b"damaged")
    with pytest.raises(InputError, match=r"it is damaged in the cache .* while offline"):
        locate()
    intact = cached(tmp_path)
    assert locate() == intact


@pytest.mark.parametrize("value", ["", "0", "False"])
def test_offline_can_be_off(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    def fetch(*_: object, **__: object) -> str:
        raise InputError("the network was used")

    monkeypatch.setattr(_download, "fetch", fetch)
    monkeypatch.setenv("PETAUDIT_OFFLINE", value)
    with pytest.raises(InputError, match="benchmark://x: the network was used"):
        datasets.locate("benchmark://x", registry=registry(fields()), cache=tmp_path)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (fields(more=", sise: 3"), "unknown key 'sise' (did you mean 'size'?); keys are url,"),
        (fields(more=", 3: 3"), "unknown key '3'"),
        (f"sha256: '{SHA256}'", "benchmark 'x' has no key url"),
        ("url: 'https://data.invalid/x.csv'", "benchmark 'x' has no key sha256"),
        (f"url: 3, sha256: '{SHA256}'", "url is not text; quote it"),
        (f"url: 'https://a.invalid/x.csv', sha256: {'1' * 64}", "sha256 is not text; quote it"),
        (fields(sha256=SHA256[1:]), "sha256 must be 64 hexadecimal digits"),
        (fields(sha256="g" + SHA256[1:]), "sha256 must be 64 hexadecimal digits"),
        (fields(more=", size: 0"), "size must be an integer > 0 (bytes)"),
        (fields(more=", size: true"), "size must be an integer > 0 (bytes)"),
        (fields(more=", size: 1.5"), "size must be an integer > 0 (bytes)"),
        (fields(more=", format: parkuet"), "'parkuet' (did you mean 'parquet'?); formats are"),
        (fields(more=", format: [csv]"), "unknown format"),
        (fields("https://data.invalid/x"), "add format: parquet, format: csv or format: yaml"),
        (
            fields("https://data.invalid/x.yaml.gz"),
            "a schema cannot be compressed, but the url ends in .gz",
        ),
        (
            fields("https://data.invalid/x.gz", ", format: yaml"),
            "a schema cannot be compressed, but the url ends in .gz",
        ),
        (fields("htps://data.invalid/x.csv"), "'htps' is not a download scheme (did you mean"),
        (fields("file:///x.csv"), "'file' is not a download scheme; use https"),
        (fields("data.invalid/x.csv"), "the url has no scheme; it must start with https://"),
        (fields("http://data.invalid/x.csv"), "http to data.invalid is not encrypted; use https"),
        (fields("http://127.0.0.1.data.invalid/x.csv"), "is not encrypted"),
        (fields("http://127.1/x.csv"), "is not encrypted"),
        (fields("https://me:secret@data.invalid/x.csv"), "user or password is not accepted"),
        (fields("https://@data.invalid/x.csv"), "user or password is not accepted"),
        (fields("https://data.invalid:secret/x.csv"), "no valid host or port"),
        (fields("https:///x.csv"), "no valid host or port"),
        (fields("https://[::1/x.csv"), "no valid host or port"),
        (fields("https://data%2einvalid/x.csv"), "no valid host or port"),
        (fields("https://data.invalid/ x.csv"), "visible ASCII characters only"),
        (fields("https://dätä.invalid/x.csv"), "visible ASCII characters only"),
    ],
)
def test_a_faulty_entry_is_an_error(
    registry: Registry, tmp_path: Path, given: str, words: str
) -> None:
    path = registry(given)
    with pytest.raises(InputError) as caught:
        datasets.locate("benchmark://x", registry=path, cache=tmp_path)
    assert str(caught.value).startswith(f"{path}: benchmark 'x'")
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- x\n", "a registry must be a mapping of names to url and sha256"),
        ("x: y\n", "benchmark 'x' needs a mapping with url and sha256"),
        ("7: {}\n", "the name 7 is not text; quote it"),
        ("a/b: {}\n", "'a/b' is not a valid benchmark name"),
        ("a..b: {}\n", "'a..b' is not a valid benchmark name"),
        (f"{'x' * 101}: {{}}\n", "is not a valid benchmark name"),
        (f"x: {{{fields()}}}\nX: {{{fields()}}}\n", "duplicate benchmark 'x', in different case"),
        ("x: {}\nx: {}\n", "duplicate key: 'x'"),
        ("\n", "unknown benchmark 'x'"),
    ],
)
def test_a_faulty_registry_is_an_error(
    registry: Registry, tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        datasets.locate("benchmark://x", registry=registry(text), cache=tmp_path)
    assert words in str(caught.value)


def test_a_missing_registry_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml' does not exist"):
        datasets.locate("benchmark://x", registry=tmp_path / "none.yaml", cache=tmp_path)


@pytest.mark.parametrize(
    ("url", "more", "suffix"),
    [
        ("https://data.invalid/x.csv?v=1.parquet", "", ".csv"),
        ("https://data.invalid/X.PARQUET", "", ".parquet"),
        ("https://data.invalid/x.csv.gz", "", ".csv.gz"),
        ("https://data.invalid/x.gz", ", format: csv", ".csv.gz"),
        ("https://data.invalid/x.csv", ", format: parquet", ".parquet"),
        ("https://data.invalid/x.yaml", "", ".yaml"),
        ("https://data.invalid/x.YML?v=1", "", ".yaml"),
        ("https://data.invalid/x", ", format: yaml", ".yaml"),
        ("http://localhost:80/x", ", format: parquet", ".parquet"),
        ("http://[::1]/x", ", format: parquet, size: 20", ".parquet"),
    ],
)
def test_the_file_ends_as_its_format_says(
    registry: Registry, tmp_path: Path, url: str, more: str, suffix: str
) -> None:
    path = registry(fields(url, more, SHA256.upper()))
    result = cached(tmp_path, suffix=suffix)
    assert datasets.locate("benchmark://x", registry=path, cache=tmp_path) == result


def test_an_unusable_cache_folder_is_an_error(registry: Registry, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_bytes(b"")
    with pytest.raises(InputError) as caught:
        datasets.locate("benchmark://x", registry=registry(fields()), cache=blocked)
    assert f"the cache folder '{blocked}/petaudit/benchmarks' cannot be used" in str(caught.value)
    assert "set another with PETAUDIT_CACHE" in str(caught.value)
    with pytest.raises(InputError, match="unknown benchmark 'x'"):
        datasets.locate("benchmark://x", cache=blocked)


@pytest.mark.skipif(os.name != "posix", reason="it is about permissions")
@pytest.mark.parametrize("mode", [0o777, 0o755])
def test_nobody_else_can_write_to_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    path = cached(tmp_path)
    path.parent.chmod(mode)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "chmod", denied)
        if mode & 0o022:
            with pytest.raises(InputError, match=r"cannot be used \(Operation not permitted\)"):
                datasets.locate("benchmark://x", cache=tmp_path)
        else:
            assert datasets.locate("benchmark://x", cache=tmp_path) == path
    assert datasets.locate("benchmark://x", cache=tmp_path) == path
    assert path.parent.stat().st_mode & 0o777 == 0o700


def denied(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_a_folder_that_cannot_be_written_to_is_an_error(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulated: permissions do not stop the superuser, whom tests may run as."""
    monkeypatch.setattr(_benchmarks.tempfile, "mkstemp", denied)
    with pytest.raises(InputError, match=r"benchmark://x: the cache folder .* cannot be used"):
        datasets.locate("benchmark://x", registry=registry(fields()), cache=tmp_path)


def test_bundled_data_load_no_network_code() -> None:
    code = (
        "import sys; from petaudit import datasets; datasets.locate('benchmark://adult'); "
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"urllib.request", "http.client", "ssl", "yaml"}

"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "petaudit", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("petaudit")

LANGUAGE_VARIABLES = ("PETAUDIT_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE")


@pytest.fixture(autouse=True, scope="session")
def in_english() -> Iterator[None]:
    """Tests compare English text, whatever the language of the person who runs them."""
    with pytest.MonkeyPatch.context() as environment:
        for name in LANGUAGE_VARIABLES:
            environment.delenv(name, raising=False)
        yield


SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The reference tables beside the repository; tests that need them are skipped without."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the reference tables (../shared/data) are not here")
    return SHARED_DATA

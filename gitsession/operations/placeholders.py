"""Counting masked values in bytes that are about to be shown or written."""

from __future__ import annotations

import re
from collections.abc import Iterable

PLACEHOLDER = re.compile(rb"__REDACTED_[a-z0-9.-]+_[0-9a-f]{8,}__")


def masked_in(contents: Iterable[bytes]) -> int:
    """How many different values are masked in there."""
    return len({found for data in contents for found in PLACEHOLDER.findall(data)})

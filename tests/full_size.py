"""Marks tests that run only at full size, because another test is similar."""

from __future__ import annotations

import os
from typing import Final

import pytest

FULL: Final = os.environ.get("CARDROOM_FULL") == "1"
"""Whether all tests run, at full size."""
FULL_SIZE_ONLY: Final = pytest.mark.skipif(
    not FULL, reason="similar to another test; runs only at full size"
)

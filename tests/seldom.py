"""What is played at full size only, because another test is much like it."""

from __future__ import annotations

import os
from typing import Final

import pytest

SELDOM: Final = pytest.mark.skipif(
    os.environ.get("CARDROOM_FULL") != "1", reason="much like another; at full size only"
)

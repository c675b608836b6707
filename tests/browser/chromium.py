"""The browser that pages are tested and pictured in."""

from __future__ import annotations

from typing import Final

CHROMIUM: Final = "/usr/bin/chromium"
"""Debian's."""

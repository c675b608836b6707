"""Whole numbers in texts from outside, such as addresses and forms."""

from __future__ import annotations

from typing import Final

MAX_DIGITS: Final = 18
"""The maximum number of digits: such numbers fit in 64 bits and in every database. Python refuses
to convert texts of more than 4,300 digits."""


def whole_number(text: str | None, max_digits: int = MAX_DIGITS) -> int | None:
    """The number; None if the text is missing, too long or no whole number in ASCII digits."""
    if not text or not (text.isascii() and text.isdecimal()) or len(text) > max_digits:
        return None
    return int(text)

"""The error that an action raises to refuse a request."""

from __future__ import annotations

from typing import Literal

Code = Literal["invalid", "forbidden", "conflict", "duplicate", "not-yet", "unavailable"]
"""The REST interface answers 400 for `invalid`, 403 for `forbidden`, 503 for `unavailable`, and 409
for the others."""


class ActionError(ValueError):
    """A refusal: a sentence for people, a code for programs and perhaps the field at fault."""

    def __init__(
        self, message: str, code: Code = "invalid", field: str = "", detail: str = ""
    ) -> None:
        super().__init__(message)
        self.detail = detail
        """Lines to show beside the sentence; may be empty."""
        self.code: Code = code
        self.field = field

"""How an action refuses."""

from __future__ import annotations

from typing import Literal

Code = Literal["invalid", "forbidden", "conflict", "duplicate", "not-yet", "unavailable"]
"""invalid: 400, forbidden: 403, conflict, duplicate and not-yet: 409, unavailable: 503."""


class ActionError(ValueError):
    """An action is refused: a sentence for people, a code for programs, perhaps the field."""

    def __init__(
        self, message: str, code: Code = "invalid", field: str = "", shown: str = ""
    ) -> None:
        super().__init__(message)
        self.shown = shown
        """What to show beside the sentence, line by line; may be empty."""
        self.code: Code = code
        self.field = field

"""The scopes of tokens."""

from __future__ import annotations

from typing import Final

READ: Final = "read"
UPLOAD: Final = "upload"
ORGANIZE: Final = "organize"
MODERATE: Final = "moderate"
SCOPES: Final = {
    READ: "reading, including pages that only you may read",
    UPLOAD: "uploading and changing your bots",
    ORGANIZE: "entering and running tournaments",
    MODERATE: "moderating, if you are a moderator",
}
"""Each scope with its description."""
DEFAULT_SCOPES: Final = (READ, UPLOAD, ORGANIZE)
"""The scopes of a token that is created without a choice."""

"""The scopes of tokens."""

from __future__ import annotations

from typing import Final

READ: Final = "read"
UPLOAD: Final = "upload"
ORGANIZE: Final = "organize"
SCOPES: Final = {
    READ: "reading, also what only you may read",
    UPLOAD: "uploading and changing your bots",
    ORGANIZE: "entering and running tournaments",
}
"""Each scope with its description."""

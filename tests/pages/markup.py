"""The markup of a page, independent of its template's white space."""

from __future__ import annotations

import re

_BLOCKS = "caption|d[dlt]|div|figure|form|h[1-6]|li|main|nav|ol|option|p|section|t[dhr]|ul"


def flat(html: str) -> str:
    """The markup in one line, with only the white space that a browser shows."""
    html = re.sub(r"\s+", " ", html)
    html = re.sub(rf" ?(</?(?:{_BLOCKS})\b[^>]*>) ?", r"\1", html)
    return re.sub(r" (?=/?>)", "", html)

"""An extension of griffe: doctests in docstrings become code blocks."""

from __future__ import annotations

import re
from typing import Any, Final

from griffe import Extension, Object

_DOCTEST: Final = re.compile(r"^(>>> .*(?:\n.+)*)", re.MULTILINE)


class FencedDoctests(Extension):
    """Fences each doctest, because Markdown would render its lists as links."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Fence the doctests of one module, class or function."""
        if obj.docstring:
            obj.docstring.value = _DOCTEST.sub(r"```pycon\n\1\n```", obj.docstring.value)

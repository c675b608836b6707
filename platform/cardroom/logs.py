"""Lines of the site's logs: one for each message, whatever strangers put into it."""

from __future__ import annotations

import logging
from typing import Any

from bots.terminal import harmless, one_line


class Lines(logging.Formatter):
    """Escapes what would move a terminal's cursor, hide text, or begin a line of its own."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line."""
        return one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """The traceback below it."""
        return harmless(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's name
        """The stack below it."""
        return harmless(super().formatStack(stack_info))

"""The web server's own log, which quotes addresses and headers from strangers."""

from __future__ import annotations

from typing import Any

from gunicorn.glogging import Logger

from cardroom.logs import Lines


class WebLogger(Logger):  # type: ignore[misc]  # gunicorn brings no types
    """Gunicorn's logger with lines as the rest of the site writes them."""

    def setup(self, cfg: Any) -> None:
        """Give every handler our formatter, with its own words."""
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                words = getattr(handler.formatter, "_fmt", None)
                handler.setFormatter(Lines(words, self.datefmt))

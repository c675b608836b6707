"""Lines of logs: one for each message, whatever strangers put into it."""

from __future__ import annotations

import logging
import sys
from typing import Any

from gunicorn.config import Config

from bots.terminal import is_harmless
from cardroom.logs import Lines
from cardroom.web_logs import WebLogger

POISON = "\x1b[2J\x9b\u202e\n2026-11-22 INFO all is well"


def record(error: Any = None) -> logging.LogRecord:
    return logging.LogRecord("site", logging.INFO, "", 1, "Not found: %s", (POISON,), error)


def test_a_message_is_one_harmless_line(settings: Any) -> None:
    line = Lines("{levelname} {message}", style="{").format(record())
    assert line == r"INFO Not found: \x1b[2J\x9b\u202e\n2026-11-22 INFO all is well"
    assert settings.LOGGING["formatters"]["line"]["()"] == "cardroom.logs.Lines"


def test_a_traceback_keeps_its_lines() -> None:
    try:
        raise ValueError(POISON)
    except ValueError:
        text = Lines("%(message)s").format(record(sys.exc_info()))
    assert text.count("\n") > 2
    assert all(char == "\n" or is_harmless(char) for char in text)


def test_the_web_server_writes_such_lines_too() -> None:
    config = Config()
    config.set("accesslog", "-")
    logger = WebLogger(config)
    for log in (logger.error_log, logger.access_log):
        assert log.handlers
        assert all(isinstance(handler.formatter, Lines) for handler in log.handlers)
    formatter = logger.access_log.handlers[-1].formatter
    assert formatter is not None
    assert "\x1b" not in formatter.format(record())

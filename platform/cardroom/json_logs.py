"""Formats logs as one JSON object a line (`CARDROOM_LOG_FORMAT=json`)."""

from __future__ import annotations

from typing import Any, Final

from pythonjsonlogger.json import JsonFormatter

from cardroom.logs import without_secrets
from cardroom_base.core import log_context

TEXTS: Final[tuple[str, ...]] = ("time", "level", "logger", "message", "traceback", "stack_info")


class JsonLines(JsonFormatter):
    """Writes the `TEXTS` and the ids of `log_context.FIELDS` as ASCII, and no other attributes.

    JSON escapes all characters that could break a line or move a cursor.
    """

    def __init__(self) -> None:
        super().__init__(
            ["levelname", "name", "message"],
            rename_fields={"levelname": "level", "name": "logger", "exc_info": "traceback"},
            timestamp="time",
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """The fields in their order, without secrets."""
        values = {name: log_data[name] for name in TEXTS if name in log_data}
        texts = {
            name: without_secrets(value) if isinstance(value, str) else value
            for name, value in values.items()
        }
        ids = {name: log_data[name] for name in log_context.FIELDS if name in log_data}
        return {**texts, **log_context.current_fields(), **ids}

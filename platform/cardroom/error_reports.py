"""Reports errors of the program to Sentry, if `CARDROOM_SENTRY_DSN` is set."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import sentry_sdk

from cardroom.logs import unreachable_part, without_secrets
from cardroom_base.core import log_context


def start(dsn: str) -> None:
    """Report unhandled errors and lines of level ERROR from now on.

    Local variables, bodies of requests and earlier lines of the log are not sent, because they may
    contain cards, tokens and bots' sources.
    """
    sentry_sdk.init(
        dsn=dsn,
        release=version("cardroom"),
        before_send=_clean_event,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        trace_propagation_targets=[],
    )


def _clean_event(event: Any, hint: dict[str, Any]) -> Any:
    """The event without secrets, and with the ids of JSON logs as tags.

    None if the database or the broker is unavailable: that is not an error of the program, and
    metrics show it.
    """
    _, error, _ = hint.get("exc_info") or (None, None, None)
    if unreachable_part(error):
        return None
    for field in ("user", "extra", "breadcrumbs"):
        event.pop(field, None)
    if request := event.get("request"):
        event["request"] = {name: request[name] for name in ("method", "url") if name in request}
    ids = {name: str(value) for name, value in log_context.current_fields().items()}
    event["tags"] = {**event.get("tags", {}), **ids}
    return _without_secrets(event)


def _without_secrets(value: Any) -> Any:
    """The same JSON without secrets of links, as in logs."""
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return {key: _without_secrets(part) for key, part in value.items()}
    return [_without_secrets(part) for part in value] if isinstance(value, list | tuple) else value

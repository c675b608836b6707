"""Celery's URL and connection options for the message broker."""

from __future__ import annotations

from typing import Any, Final

REDIS_SCHEMES: Final = ("redis", "rediss", "redis+socket", "sentinel")


def celery_url(url: str) -> str:
    """The broker's address in Celery's form.

    redis-py uses another scheme for a Unix socket, and checks certificates by default.
    """
    scheme, separator, rest = url.partition("://")
    if scheme == "unix":
        return f"redis+socket{separator}{rest.replace('?db=', '?virtual_host=')}"
    if scheme == "rediss" and "ssl_cert_reqs=" not in rest:
        return f"{url}{'&' if '?' in rest else '?'}ssl_cert_reqs=required"
    return url


def transport_options(url: str) -> dict[str, Any]:
    """Options that kombu needs for the broker at this address; times in seconds."""
    if url.partition("://")[0] not in REDIS_SCHEMES:
        return {"confirm_publish": True}
    return {
        # The database has the work, so Redis need not store unacknowledged messages. If it did, a
        # process of the worker would block at its next acknowledgement while Redis is silent.
        "ack_emulation": False,
        "socket_timeout": 3.0,
        "socket_connect_timeout": 2.0,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "queue_order_strategy": "round_robin",
        "max_retries": 0,  # a sender does not retry: the outbox keeps the message
    }

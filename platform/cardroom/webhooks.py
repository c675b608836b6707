"""Sends notifications to the webhooks of accounts, in the format of Standard Webhooks
(https://www.standardwebhooks.com) or of Discord.

`cardroom_base.db.notifications.notify` records the deliveries. A delivery is sent at least once:
if this process dies before it has stored the response, the delivery is sent again with the same id.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import re
import secrets
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Min

from cardroom import outbound
from cardroom.notification_texts import word_notifications
from cardroom_base.core.safe_text import escape
from cardroom_base.db import database
from cardroom_base.db.db_time import Now, now
from cardroom_base.db.notifications import notify
from cardroom_base.models import Notification, Webhook, WebhookDelivery
from tournaments.visibility import Viewer

log = logging.getLogger(__name__)

DELAYS: Final = (60, 300, 900, 3600, 7200, 18000, 36000)
"""Seconds before the second attempt and each further one: 8 attempts within 19 hours."""
BATCH: Final = outbound.MAX_LOOKUPS
"""Deliveries that are sent at the same time, at most one to each account."""
BATCH_STARTS_SECONDS: Final = 3.0
"""Seconds after which `send_due` starts no further batch, so that the housekeeper can stop in time:
a batch lasts as long as its slowest receiver."""
MAX_DISCORD: Final = 2000
"""The maximum length of a message to Discord, in characters."""
MAX_DISCORD_TEXT: Final = 600
"""The maximum length of a notification's text in it, in characters; escaping may double it."""
NOT_SENT: Final = "The site could not send this."
TEST_TEXT: Final = "This is a test of your webhook."
GONE: Final = {
    Webhook.Format.STANDARD: frozenset({410}),
    Webhook.Format.DISCORD: frozenset({401, 404, 410}),
}
"""The statuses with which a receiver refuses all further deliveries. Discord sends 401 or 404 if a
webhook was deleted, and restricts senders who try such a webhook again."""


@dataclass(frozen=True, slots=True)
class _Message:
    url: str
    body: bytes
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Outcome:
    response: outbound.HostResponse | None
    trouble: str
    """Why the attempt failed, as a sentence; empty if it succeeded."""
    milliseconds: int


def new_secret() -> str:
    """A random key for signatures."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def signature(secret: str, key: str, seconds: int, body: bytes) -> str:
    """The header `webhook-signature` of a message."""
    content = f"{key}.{seconds}.".encode() + body
    digest = hmac.digest(base64.b64decode(secret.removeprefix("whsec_")), content, hashlib.sha256)
    return "v1," + base64.b64encode(digest).decode()


def send_due() -> int:
    """Send the deliveries that are due; return the number of attempts."""
    attempts = 0
    deadline = time.monotonic() + BATCH_STARTS_SECONDS
    while time.monotonic() < deadline:
        count = send_batch()
        if not count:
            break
        attempts += count
    return attempts


def send_batch() -> int:
    """Send the oldest due delivery of each account; return the number of attempts."""
    jobs = [job for pk in _due() if (job := WebhookDelivery.objects.take(pk=pk))]
    # Read each with its current webhook; a deleted webhook has no deliveries.
    rows = WebhookDelivery.objects.filter(pk__in=[job.pk for job in jobs])
    rows = rows.select_related("webhook", "notification")
    deliveries = list(rows.annotate(staff=F("webhook__user__is_staff")))
    if not deliveries:
        return 0
    messages = [_try_message(delivery) for delivery in deliveries]
    with ThreadPoolExecutor(1) as thread:  # this one may have an event loop
        outcomes = thread.submit(asyncio.run, _send_all(messages)).result()
    for delivery, outcome in zip(deliveries, outcomes, strict=True):
        _store(delivery, outcome)
    return len(deliveries)


def _due() -> list[int]:
    """The oldest due delivery of each account, so that no account delays the others."""
    free = WebhookDelivery.objects.free().filter(
        webhook__state=Webhook.State.ON, webhook__user__is_active=True
    )
    firsts = free.order_by().values("webhook__user").annotate(first=Min("pk")).order_by("first")
    return list(firsts.values_list("first", flat=True)[:BATCH])


async def _send_all(messages: Sequence[_Message | None]) -> list[_Outcome]:
    return await asyncio.gather(*map(_send, messages))


async def _send(message: _Message | None) -> _Outcome:
    """Send a message. Any failure, also one to write it (None), becomes part of the outcome."""
    start = time.monotonic()
    response, trouble = None, ""
    if message is None:
        return _Outcome(None, NOT_SENT, 0)
    try:
        response = await outbound.post(message.url, message.body, message.headers)
    except (outbound.ForbiddenAddressError, outbound.NoResponseError) as error:
        trouble = str(error)
    except Exception:  # a bug must not prevent storing the rest of the batch
        log.exception("A webhook's message could not be sent.")
        trouble = NOT_SENT
    else:
        if not 200 <= response.status < 300:
            trouble = outbound.status_text(response.status)
    return _Outcome(response, trouble, round((time.monotonic() - start) * 1000))


def _store(delivery: WebhookDelivery, outcome: _Outcome) -> None:
    """Store the outcome of an attempt; end the delivery, or plan its next attempt."""
    response = outcome.response
    status = response.status if response else None
    fields: dict[str, Any] = {
        "sent": Now(),
        "status": status,
        "answer": escape(response.text)[:500] if response else "",
        "milliseconds": outcome.milliseconds,
        "trouble": outcome.trouble,
    }
    if not outcome.trouble:
        delivery.finish(**fields)
        Webhook.objects.filter(pk=delivery.webhook_id).update(succeeded=Now())
    elif delivery.notification_id is None:
        delivery.finish(**fields)
    elif not _is_gone(delivery.webhook, status) and delivery.tries <= len(DELAYS):
        wait = min(response.retry_after, DELAYS[-1]) if response else 0.0
        delivery.retry(**fields, not_before=Now(max(DELAYS[delivery.tries - 1], wait)))
        _pause(delivery.webhook_id, wait)
    else:
        _fail(delivery, fields)


def _is_gone(webhook: Webhook, status: int | None) -> bool:
    return status in GONE[Webhook.Format(webhook.format)]


def _pause(webhook: int, seconds: float) -> None:
    """Send the waiting deliveries of a webhook no sooner than after these seconds."""
    waiting = WebhookDelivery.objects.filter(webhook=webhook, finished=None, lease_until=None)
    waiting.filter(not_before__lt=Now(seconds)).update(not_before=Now(seconds))


@transaction.atomic
def _fail(delivery: WebhookDelivery, fields: dict[str, Any]) -> None:
    """Mark a delivery as failed; switch its webhook off, unless a later one succeeded."""
    # Lock the webhook first, like the actions that change it.
    webhook = Webhook.objects.select_for_update().filter(pk=delivery.webhook_id).first()
    if not delivery.finish(**fields) or webhook is None or webhook.state != Webhook.State.ON:
        return
    later_success = webhook.succeeded is not None and webhook.succeeded > delivery.created
    if later_success and not _is_gone(webhook, fields["status"]):
        return
    webhook.state = Webhook.State.FAILED
    webhook.save(update_fields=["state"])
    drop_waiting(webhook)
    notify({webhook.user_id}, Notification.Kind.WEBHOOK, subject=delivery.pk)


def drop_waiting(webhook: Webhook) -> None:
    """End the waiting deliveries of a webhook that was switched off."""
    webhook.deliveries.filter(finished=None).update(
        finished=Now(), lease_until=None, trouble="The webhook was switched off."
    )


# --- messages -------------------------------------------------------------------------------------


def _try_message(delivery: WebhookDelivery) -> _Message | None:
    """The message of a delivery; None if a bug prevents it, so that the others are sent."""
    return database.try_piece(f"Webhook delivery {delivery.pk}", _message, delivery)


def _message(delivery: Any) -> _Message:
    """The message of a delivery: the notification as its account sees it now.

    `delivery` is annotated with `staff`, whether the account is staff.
    """
    webhook, notification = delivery.webhook, delivery.notification
    kind, text, address, at = "test", TEST_TEXT, "", delivery.created
    data: dict[str, Any] = {}
    if notification is not None:
        viewer = Viewer(webhook.user_id, delivery.staff)
        [worded] = word_notifications([notification], viewer)
        kind, text, at = worded.kind, worded.text, worded.at
        address = webhook.origin + worded.address if worded.address else ""
        data["id"] = worded.id
    data |= {"kind": kind, "text": text, "address": address}
    if webhook.format == Webhook.Format.DISCORD:
        return _Message(webhook.url, _to_json(_discord_message(text, address)), _JSON)
    body = _to_json({"type": f"notification.{kind}", "timestamp": at.isoformat(), "data": data})
    key, seconds = delivery.message_id, int(now().timestamp())
    headers = {
        "webhook-id": key,
        "webhook-timestamp": str(seconds),
        "webhook-signature": signature(webhook.secret, key, seconds, body),
    }
    return _Message(webhook.url, body, _JSON | headers)


_JSON: Final = {"Content-Type": "application/json", "User-Agent": "Cardroom-Webhooks"}


def _to_json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()


def _discord_message(text: str, address: str) -> dict[str, Any]:
    """A message as Discord's JSON, in which no name formats the text or mentions anybody."""
    if len(text) > MAX_DISCORD_TEXT:
        text = text[: MAX_DISCORD_TEXT - 1] + "…"
    content = re.sub(r"([\\*_~`|<>#@:()\[\]-])", r"\\\1", text)
    if address and len(content) + len(address) + 3 <= MAX_DISCORD:
        content += f"\n<{address}>"
    return {"content": content, "allowed_mentions": {"parse": []}}

"""Actions of webhooks: create, change, test, delete."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction

from cardroom import outbound
from cardroom.webhooks import drop_waiting, new_secret
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now
from cardroom_base.db.quotas import lock_account_quotas
from cardroom_base.models import Notification, Webhook, WebhookDelivery

MAX_WEBHOOKS: Final = 10
"""The maximum number of webhooks per account."""
TEST_SECONDS: Final = 10
"""The minimum number of seconds between two tests of a webhook."""
State = Webhook.State


@transaction.atomic
def create_webhook(
    user: User, url: str, kinds: Collection[str], format_: str, origin: str
) -> Webhook:
    """Create a webhook. `origin`: scheme and host of this site, for links in its messages."""
    lock_account_quotas(user.pk)
    if Webhook.objects.filter(user=user).count() >= MAX_WEBHOOKS:
        raise ActionError(
            f"You have {MAX_WEBHOOKS} webhooks; delete one that you do not need.", "conflict"
        )
    return Webhook.objects.create(
        user=user,
        url=_checked_url(url),
        secret=new_secret(),
        kinds=_checked_kinds(kinds),
        format=format_,
        origin=origin,
    )


@transaction.atomic
def change_webhook(
    webhook: Webhook,
    *,
    url: str | None = None,
    kinds: Collection[str] | None = None,
    on: bool | None = None,
) -> Webhook:
    """Change the given fields. A webhook that is switched off drops its waiting deliveries."""
    webhook = Webhook.objects.select_for_update().get(pk=webhook.pk)
    if url is not None:
        webhook.url = _checked_url(url)
    if kinds is not None:
        webhook.kinds = _checked_kinds(kinds)
    if on is not None and on != (webhook.state == State.ON):
        webhook.state = State.ON if on else State.OFF
        if not on:
            drop_waiting(webhook)
    webhook.save(update_fields=["url", "kinds", "state"])
    return webhook


def rotate_secret(webhook: Webhook) -> str:
    """Give a webhook a new secret, which signs all further messages."""
    webhook.secret = new_secret()
    webhook.save(update_fields=["secret"])
    return webhook.secret


@transaction.atomic
def send_test(webhook: Webhook) -> WebhookDelivery:
    """Record a test message. The site sends it like a notification, but does not repeat it if it
    fails."""
    webhook = Webhook.objects.select_for_update().get(pk=webhook.pk)
    if webhook.state != State.ON:
        raise ActionError("This webhook is off; switch it on.", "conflict")
    recent = webhook.deliveries.filter(notification=None, created__gt=Now(-TEST_SECONDS))
    waiting = webhook.deliveries.filter(notification=None, finished=None)
    if recent.exists() or waiting.exists():
        raise ActionError(
            f"The last test is less than {TEST_SECONDS} seconds old, or has not been sent yet.",
            "conflict",
        )
    return WebhookDelivery.objects.create(webhook=webhook)


def delete_webhook(webhook: Webhook) -> None:
    """Delete a webhook and its deliveries."""
    webhook.delete()


def _checked_url(url: str) -> str:
    try:
        return str(outbound.checked_url(url.strip()))
    except outbound.ForbiddenAddressError as error:
        raise ActionError(str(error), field="url") from error


def _checked_kinds(kinds: Collection[str]) -> list[Any]:
    known_kinds = [kind for kind in Notification.Kind.values if kind in kinds]
    if not known_kinds or len(known_kinds) < len(set(kinds)):
        raise ActionError(
            f"kinds must be one or more of {', '.join(Notification.Kind.values)}.", field="kinds"
        )
    return known_kinds

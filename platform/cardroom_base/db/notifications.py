"""Stores notifications for accounts, each once, in the transaction of their event."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.contrib.auth import get_user_model
from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from cardroom_base.db.db_time import Now
from cardroom_base.models import Notification, Webhook, WebhookDelivery

KEEP: Final = timedelta(days=90)
"""How long notifications are kept."""
KEEP_DELIVERIES: Final = timedelta(days=30)
"""How long deliveries to webhooks are kept."""


def notify(
    users: Collection[int | None],
    kind: Notification.Kind,
    *,
    tournament: int = 0,
    subject: int = 0,
    staff: bool = False,
    by: int | None = None,
) -> None:
    """Notify these accounts (primary keys) if they are active and do not have this notification
    yet, and record the deliveries to their webhooks.

    `staff`: notify all staff, too. `by`: the account whose quota it counts toward.
    """
    accounts = get_user_model().objects.filter(is_active=True)
    recipients = accounts.filter(pk__in={user for user in users if user is not None})
    if staff:
        recipients |= accounts.filter(is_staff=True)
    rows = Notification.objects.filter(kind=kind, tournament=tournament, subject=subject)
    new = recipients.filter(~Exists(rows.filter(user=OuterRef("pk"))))
    # In order, so that two transactions that notify the same accounts cannot deadlock.
    keys = list(new.order_by("pk").values_list("pk", flat=True))
    Notification.objects.bulk_create(
        [
            Notification(user_id=key, kind=kind, tournament=tournament, subject=subject, by_id=by)
            for key in keys
        ],
        batch_size=500,
        ignore_conflicts=True,
    )
    active = Webhook.objects.filter(user__in=keys, state=Webhook.State.ON).order_by("pk")
    webhooks = [
        (webhook, user)
        for webhook, user, kinds in active.values_list("pk", "user", "kinds")
        if kind in kinds
    ]
    if not webhooks:
        return
    notification_of = dict(
        rows.filter(user__in={user for _, user in webhooks}).values_list("user", "pk")
    )
    WebhookDelivery.objects.bulk_create(
        [
            WebhookDelivery(webhook_id=webhook, notification_id=notification_of[user])
            for webhook, user in webhooks
            if user in notification_of
        ],
        batch_size=500,
        ignore_conflicts=True,
    )


def unread_count() -> Combinable:
    """The number of an account's unread notifications, to annotate accounts."""
    rows = Notification.objects.filter(user=OuterRef("pk"), read__isnull=True)
    counts = rows.order_by().values("user").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counts), 0)


def mark_read(user: int, until: int | None = None) -> int:
    """Mark an account's notifications as read, up to the primary key `until`; return how many."""
    rows = Notification.objects.filter(user=user, read__isnull=True)
    if until is not None:
        rows = rows.filter(pk__lte=until)
    return rows.update(read=Now())


def purge() -> int:
    """Delete old notifications and deliveries; return their number."""
    deliveries = WebhookDelivery.objects.filter(created__lt=Now() - KEEP_DELIVERIES)
    return deliveries.delete()[0] + Notification.objects.filter(at__lt=Now() - KEEP).delete()[0]

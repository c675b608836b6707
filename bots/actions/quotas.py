"""Quotas of authors, from the settings; staff are exempt."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings

from bots.models import Bot, BotVersion
from cardroom_base.db.db_time import Now

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DAY = timedelta(hours=24)


def bot_refusal(owner: User | None) -> str:
    """Why this owner cannot create another bot; empty if they can."""
    if owner is None or owner.is_staff:
        return ""
    limit = settings.MAX_BOTS
    if Bot.objects.filter(owner=owner).count() < limit:
        return ""
    return (
        f"You have {limit} bots, which is the limit; upload a new version of one of them instead."
    )


def upload_refusal(owner: User | None) -> str:
    """Why this owner cannot upload a version now; empty if they can."""
    if owner is None or owner.is_staff:
        return ""
    versions = BotVersion.objects.filter(bot__owner=owner)
    limit = settings.MAX_WAITING_CHECKS
    unchecked = (BotVersion.Status.QUEUED, BotVersion.Status.CHECKING)
    if versions.filter(status__in=unchecked).count() >= limit:
        return (
            f"{limit} of your versions are waiting for their checks, which is the limit; wait "
            "until one of them is finished."
        )
    limit = settings.MAX_VERSIONS_PER_DAY
    if versions.filter(created__gt=Now() - DAY).count() >= limit:
        return (
            f"You have uploaded {limit} versions within 24 hours, which is the limit; "
            "check versions at home with `cardroom check`, and upload again later."
        )
    return ""

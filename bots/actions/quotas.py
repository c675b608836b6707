"""Quotas of authors, from the settings; staff are exempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from bots.models import Bot, BotVersion
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now
from cardroom_base.db.quotas import DAY, lock_account_quotas

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def refuse_too_many_bots(owner: User | None) -> None:
    """ActionError if this owner cannot create another bot."""
    if owner is None or owner.is_staff:
        return
    lock_account_quotas(owner.pk)
    limit = settings.MAX_BOTS
    if Bot.objects.filter(owner=owner).count() >= limit:
        raise ActionError(
            f"You have {limit} bots, which is the limit; upload a new version of one of them "
            "instead.",
            "conflict",
        )


def refuse_too_many_uploads(owner: User | None) -> None:
    """ActionError if this owner cannot upload a version now."""
    if owner is None or owner.is_staff:
        return
    lock_account_quotas(owner.pk)
    versions = BotVersion.objects.filter(bot__owner=owner)
    limit = settings.MAX_WAITING_CHECKS
    unchecked = (BotVersion.Status.QUEUED, BotVersion.Status.CHECKING)
    if versions.filter(status__in=unchecked).count() >= limit:
        raise ActionError(
            f"{limit} of your versions are waiting for their checks, which is the limit; wait "
            "until one of them is finished.",
            "conflict",
        )
    limit = settings.MAX_VERSIONS_PER_DAY
    if versions.filter(created__gt=Now() - DAY).count() >= limit:
        raise ActionError(
            f"You have uploaded {limit} versions within 24 hours, which is the limit; "
            "check versions at home with `cardroom check`, and upload again later.",
            "conflict",
        )

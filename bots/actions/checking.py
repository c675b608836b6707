"""Checks of versions: workers take them, tell how they go, and say whether the version is ready."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from bots.actions.keeping import activate
from bots.models import Bot, BotVersion, Check
from bots.outbox import announce

TRIAL_TASK = "tournaments.tasks.try_candidate"
"""Bots know no tournaments: that a candidate is ready is only announced here."""


@transaction.atomic
def begin_check(version: int, worker: str) -> Check | None:
    """Take the check of the version with this primary key; None when there is nothing to do.

    The answer's `tries` is the token that the later calls must show: who has lost the lease to
    another worker has an older one. After `MAX_ATTEMPTS` lost workers the version is rejected.
    """
    check = _open_check(version)
    now = timezone.now()
    if check is None or (check.lease_until is not None and check.lease_until > now):
        return None
    if check.tries >= settings.MAX_ATTEMPTS:
        _close_check(
            check,
            BotVersion.Status.REJECTED,
            f"The check could not be finished in {check.tries} tries. {check.summary} "
            "Ask the site's staff, or upload the version again.",
        )
        return None
    check.tries += 1
    check.worker = worker
    check.started = now
    check.lease_until = now + timedelta(seconds=settings.LEASE_SECONDS)
    check.steps = []
    check.save()
    _set_status(check, BotVersion.Status.CHECKING)
    return check


def heartbeat_check(check: Check) -> bool:
    """Renew the lease; False when the check has gone to another worker."""
    lease = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
    return bool(_mine(check).update(lease_until=lease))


def save_check_steps(check: Check, steps: list[dict[str, Any]]) -> bool:
    """Show the steps so far, and renew the lease; False when the check has gone to another."""
    lease = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
    return bool(_mine(check).update(steps=steps, lease_until=lease))


@transaction.atomic
def finish_check(
    check: Check,
    verdict: Literal["ready", "rejected"],
    *,
    steps: list[dict[str, Any]],
    summary: str,
    log: str = "",
) -> bool:
    """Store what the check found; the first ready version of a bot becomes active.

    False, and nothing stored, when the check has gone to another worker or is finished.
    """
    current = _open_check(check.version_id)
    if current is None or current.tries != check.tries:
        return False
    current.steps = steps
    current.log = log
    _close_check(current, BotVersion.Status(verdict), summary)
    return True


@transaction.atomic
def release_check(check: Check, cause: str) -> bool:
    """Give a check back that this machine could not do (no sandbox, a stop); another will."""
    current = _open_check(check.version_id)
    if current is None or current.tries != check.tries:
        return False
    current.lease_until = None
    current.summary = cause
    current.save(update_fields=["lease_until", "summary"])
    _set_status(current, BotVersion.Status.QUEUED)
    return True


def unfinished_checks() -> list[int]:
    """Primary keys of versions whose check nobody holds: for the sweep."""
    free = Check.objects.filter(finished__isnull=True).exclude(lease_until__gt=timezone.now())
    return list(free.values_list("version_id", flat=True))


def _mine(check: Check) -> Any:
    return Check.objects.filter(pk=check.pk, tries=check.tries, finished__isnull=True)


def _open_check(version: int) -> Check | None:
    checks = Check.objects.select_for_update(of=("self",)).select_related("version__bot")
    return checks.filter(version_id=version, finished__isnull=True).first()


def _set_status(check: Check, status: BotVersion.Status) -> None:
    check.version.status = status
    check.version.save(update_fields=["status"])


def _close_check(check: Check, status: BotVersion.Status, summary: str) -> None:
    check.finished = timezone.now()
    check.lease_until = None
    check.summary = summary
    check.save()
    _set_status(check, status)
    if status != BotVersion.Status.READY:
        return
    bot = Bot.objects.select_for_update().get(pk=check.version.bot_id)
    if bot.active_version_id is None:
        activate(bot, check.version)
    elif check.version.candidate:
        announce(TRIAL_TASK, version=check.version_id)

"""Checks of versions: workers take them, report progress, and say whether the version is ready."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from bots.actions.keeping import activate
from bots.actions.uploading import CHECK_TASK
from bots.models import Bot, BotVersion, Check, host_of
from bots.workers import isolation_summary
from cardroom_base.core import backoff
from cardroom_base.db.db_time import Now, lease
from cardroom_base.db.outbox import announce

TRIAL_TASK = "tournaments.tasks.try_candidate"
"""This app knows no tournaments; it only announces here that a candidate is ready."""


@transaction.atomic
def begin_check(version: int, worker: str) -> Check | None:
    """Take the check of the version with this primary key; None when there is nothing to do.

    The answer's `tries` is the token that the later calls must show: a worker that has lost the
    lease to another has an older one. After `MAX_ATTEMPTS` lost workers the version is rejected.
    A machine on which the check has just failed leaves it to others, if there are any.
    """
    check = _open_check(version, free=True)
    if check is None:
        return None
    if _better_elsewhere(check, worker):
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
    check.started = Now()
    check.lease_until = lease()
    check.steps = []
    check.save()
    _set_status(check, BotVersion.Status.CHECKING)
    return check


def heartbeat_check(check: Check) -> bool:
    """Renew the lease; False when the check has gone to another worker."""
    return bool(_mine(check).update(lease_until=lease()))


def save_check_steps(check: Check, steps: list[dict[str, Any]]) -> bool:
    """Show the steps so far, and renew the lease; False when the check has gone to another."""
    return bool(_mine(check).update(steps=steps, lease_until=lease()))


@transaction.atomic
def finish_check(
    check: Check,
    verdict: Literal["ready", "rejected"],
    *,
    steps: list[dict[str, Any]],
    summary: str,
    log: str = "",
    formats: Sequence[str] = (),
) -> bool:
    """Store what the check found; the first ready version of a bot becomes active.

    `formats`: patterns of what it plays from now on; none: what it claimed.

    False, and nothing stored, when the check has gone to another worker or is finished.
    """
    current = _open_check(check.version_id)
    if current is None or current.tries != check.tries:
        return False
    current.steps = steps
    current.log = log
    if formats:
        current.version.formats = list(formats)
        current.version.save(update_fields=["formats"])
    _close_check(current, BotVersion.Status(verdict), summary)
    return True


@transaction.atomic
def release_check(check: Check, cause: str, *, counted: bool = True) -> bool:
    """Give back a check that this machine could not do (no sandbox, a stop); another will do it.

    `counted`: whether it was a try; then the check rests, longer each time. If it was not, the
    worker's later calls for it are refused.
    """
    current = _open_check(check.version_id)
    if current is None or current.tries != check.tries:
        return False
    current.lease_until = Now() + backoff.delay(current.tries) if counted else None
    current.summary = cause
    current.tries -= not counted
    current.save(update_fields=["lease_until", "summary", "tries"])
    _set_status(current, BotVersion.Status.QUEUED)
    if not counted:
        announce(CHECK_TASK, version=check.version_id)
    return True


@transaction.atomic
def pass_on_check(version: int) -> bool:
    """Tell other machines of a check that this one cannot do; False when there are none."""
    others = bool(isolation_summary.well())
    if others:
        announce(CHECK_TASK, version=version)
    return others


def unfinished_checks() -> list[int]:
    """Primary keys of versions whose check nobody holds and is not resting: for the sweep."""
    open_ = Check.objects.filter(finished__isnull=True)
    return list(_free(open_).values_list("version_id", flat=True))


def _better_elsewhere(check: Check, worker: str) -> bool:
    """Whether this machine was the last to fail at this check, and another one is well."""
    here = host_of(worker)
    failed_here = bool(check.summary) and host_of(check.worker) == here
    return failed_here and any(node.host != here for node in isolation_summary.well())


def _mine(check: Check) -> Any:
    return Check.objects.filter(pk=check.pk, tries=check.tries, finished__isnull=True)


def _open_check(version: int, *, free: bool = False) -> Check | None:
    """The check, locked, if it is not finished; with `free`, only if nobody holds it."""
    checks = Check.objects.select_for_update(of=("self",)).select_related("version__bot")
    checks = checks.filter(version_id=version, finished__isnull=True)
    return (_free(checks) if free else checks).first()


def _free(checks: QuerySet[Check]) -> QuerySet[Check]:
    return checks.exclude(lease_until__gt=Now())


def _set_status(check: Check, status: BotVersion.Status) -> None:
    check.version.status = status
    check.version.save(update_fields=["status"])


def _close_check(check: Check, status: BotVersion.Status, summary: str) -> None:
    check.finished = Now()
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

"""Checks of versions: workers take them, report progress, and store the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from django.conf import settings
from django.db import transaction

from bots import isolation_summary
from bots.actions.editing import activate
from bots.actions.uploading import CHECK_TASK
from bots.models import Bot, BotVersion, Check, host_of
from bots.sandbox import libraries
from cardroom_base.db.db_time import Now
from cardroom_base.db.notifications import notify
from cardroom_base.db.outbox import announce
from cardroom_base.models import Notification

TRIAL_TASK = "tournaments.tasks.try_candidate"
"""The task that is announced when a candidate is ready; this app does not import tournaments."""


@transaction.atomic
def begin_check(version: int, worker: str) -> Check | None:
    """Take the check of the version with this primary key; None if there is nothing to do.

    After `MAX_ATTEMPTS` tries the version is rejected. A machine on which the check has just failed
    leaves it to other machines, if any can do it.
    """
    checks = Check.objects.select_related("version__bot").filter(version_id=version)
    waiting = checks.free().first()
    if waiting is None or _should_run_elsewhere(waiting, worker):
        return None
    check = checks.take(worker, waiting.pk)
    if check is None:
        return None
    if check.tries > settings.MAX_ATTEMPTS:
        finish_check(
            check,
            "rejected",
            steps=check.steps,
            log=check.log,
            summary=f"The check could not be finished in {settings.MAX_ATTEMPTS} tries. "
            f"{check.summary} Ask the site's staff, or upload the version again.",
        )
        return None
    check.renew(started=Now(), steps=[])
    _set_status(check, BotVersion.Status.CHECKING)
    return check


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
    """Store a check's verdict; the first ready version of a bot becomes active.

    `formats`: patterns of the formats that the version may play; by default those it claims.

    Returns False and stores nothing if another worker has the check, or it is finished.
    """
    if not check.finish(steps=steps, log=log, summary=summary):
        return False
    version = BotVersion.objects.select_related("bot").get(pk=check.version_id)
    version.status = verdict
    version.formats = list(formats) or version.formats
    version.save(update_fields=["status", "formats"])
    if verdict == "ready":
        _activate_or_try(version)
    notify({version.bot.owner_id}, Notification.Kind.CHECKED, subject=version.pk)
    return True


@transaction.atomic
def release_check(check: Check, cause: str, *, counted: bool = True) -> bool:
    """Give back a check that this machine could not do (no sandbox, a stop) to other machines.

    `counted`: whether it counts as a try; each try delays the next one longer.
    """
    if not (check.retry(summary=cause) if counted else check.give_back(summary=cause)):
        return False
    _set_status(check, BotVersion.Status.QUEUED)
    if not counted:
        announce(CHECK_TASK, version=check.version_id)
    return True


@transaction.atomic
def pass_on_check(version: int) -> bool:
    """Announce a check that this machine cannot do to others; False if there are none."""
    has_others = bool(isolation_summary.healthy_isolated_workers())
    if has_others:
        announce(CHECK_TASK, version=version)
    return has_others


def unfinished_checks() -> list[int]:
    """Primary keys of versions whose checks can be taken; housekeeping announces them again."""
    return list(Check.objects.free().values_list("version_id", flat=True))


def _should_run_elsewhere(check: Check, worker: str) -> bool:
    """Whether another healthy machine should do this check.

    It should if this machine has just failed at it or lacks a library that the bot needs, and the
    other machine has all libraries.
    """
    own_host = host_of(worker)
    needs = check.version.needed
    failed_here = bool(check.summary) and host_of(check.worker) == own_host
    if not failed_here and not libraries.missing(needs):
        return False
    other_nodes = [
        node for node in isolation_summary.healthy_isolated_workers() if node.host != own_host
    ]
    return any(node.runtimes.keys() >= set(needs) for node in other_nodes)


def _set_status(check: Check, status: BotVersion.Status) -> None:
    check.version.status = status
    check.version.save(update_fields=["status"])


def _activate_or_try(version: BotVersion) -> None:
    """Activate a bot's first ready version; announce a candidate for its trial."""
    bot = Bot.objects.select_for_update().get(pk=version.bot_id)
    if bot.active_version_id is None:
        activate(bot, version)
    elif version.candidate:
        announce(TRIAL_TASK, version=version.pk)

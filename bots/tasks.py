"""Celery tasks of the bots app."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutdown
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, connections

from bots import actions, store
from bots.check import Step, check_bot
from bots.models import Check
from bots.outcome import RefereeError
from bots.sandbox import Sandbox, SandboxUnavailable, detect

log = logging.getLogger(__name__)

REPORT_SECONDS = 60
"""How often a worker says that it lives, and how it isolates bots."""


@shared_task(bind=True, name=actions.CHECK_TASK)
def check_version(self: Any, version: int) -> str:
    """Check one version, if nobody else does and it still needs it."""
    isolation = detect()
    if isolation.level == "none":
        log.error("Version %d cannot be checked on this machine: %s", version, isolation.reason)
        return "no sandbox"
    check = actions.begin_check(version, self.request.hostname or "")
    if check is None:
        return "nothing to do"
    return run_check(check)


def run_check(check: Check) -> str:
    """Do a check that has been begun, and store what it finds; its verdict."""
    steps: list[dict[str, Any]] = []

    def show(done: list[Step]) -> None:
        steps[:] = [step.as_json() for step in done]
        if not actions.save_check_steps(check, steps):
            raise _Lost

    try:
        with _Heartbeat(check), Sandbox(warm=2) as sandbox:
            package = store.fetch(check.version.package_id)
            report = check_bot(package, sandbox=sandbox, on_step=show)
    except _Lost:
        return "left to another worker"
    except (SandboxUnavailable, RefereeError, OperationalError, InterfaceError) as error:
        log.exception("Version %d could not be checked.", check.version_id)
        actions.release_check(check, f"It could not be checked yet: {error}")
        return "released"
    steps = [step.as_json() for step in report.steps]
    actions.finish_check(
        check,
        "ready" if report.ok else "rejected",
        steps=steps,
        summary=report.summary,
        log=report.log,
    )
    return "ready" if report.ok else "rejected"


class _Lost(Exception):  # noqa: N818 - what happened, not an error of this worker
    """The check has gone to another worker."""


class _Heartbeat:
    """Renews a check's lease while a long step says nothing."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="check-lease", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(settings.HEARTBEAT_SECONDS):
            try:
                actions.heartbeat_check(self._check)
            except (OperationalError, InterfaceError) as error:
                log.warning("The lease of a check cannot be renewed now: %s", error)
                connection.close()
        connection.close()


# --- what a worker tells of its machine ----------------------------------------------------------


@worker_ready.connect
def _ready(sender: Any = None, **_: Any) -> None:
    """A worker that runs bots begins: it says so now and from time to time."""
    if {"matches", "checks"} & set(sender.app.amqp.queues.consume_from):
        sender.timer.call_repeatedly(REPORT_SECONDS, _report, (sender,))
        _report(sender)


def _report(worker: Any) -> None:
    isolation = detect()
    with suppress(DatabaseError):  # the next one will tell
        actions.report_worker(worker.hostname, isolation, worker.pool.num_processes)
    connections.close_all()  # a process of the pool that is started later must not share them


@worker_shutdown.connect
def _shut_down(sender: Any = None, **_: Any) -> None:
    with suppress(DatabaseError):
        actions.forget_worker(sender.hostname)

"""Celery tasks of the bots app."""

from __future__ import annotations

import logging
import os
import threading
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down
from django.conf import settings
from django.db import Error, connection, connections

from bots import actions, package_store
from bots.actions import unfinished_checks
from bots.check.check import check_bot
from bots.check.report import CheckStep
from bots.models import Check
from bots.sandbox import Limits, detect, pick_cpu, sandbox_on_one_core, tmpfs
from bots.workers import health
from bots.workers.health import Failure, Health
from cardroom_base.core import drain
from cardroom_base.db import database, schema_number
from cardroom_base.db.jobs import LeaseLost
from cardroom_base.db.outbox import announce

log = logging.getLogger(__name__)

REPORT_SECONDS = 60
"""Seconds between two reports of a worker on itself and its machine."""


@shared_task(bind=True, name=actions.CHECK_TASK)
@database.pause_if_unavailable
def check_version(self: Any, version: int) -> str:
    """Check one version, unless its check is taken or finished."""
    return _check(version, self.request.hostname or "")


def check_waiting(node: str) -> str:
    """Check the first version whose check is free."""
    for version in unfinished_checks():
        if (verdict := _check(version, node)) != "nothing to do":
            return verdict
    return "nothing to do"


def process_index() -> int:
    """0, 1, … among the processes of this worker's pool."""
    from billiard.process import current_process

    return int(getattr(current_process(), "index", 0) or 0)


def _check(version: int, node: str) -> str:
    if drain.draining():
        announce(actions.CHECK_TASK, version=version)
        return "left to another worker"
    if schema_number.pause_if_incompatible():
        return "another schema"
    process = health.of_process(f"{node}/{os.getpid()}")
    isolation = detect()
    if isolation.level == "none":
        log.error("Version %d cannot be checked on this machine: %s", version, isolation.reason)
        if actions.pass_on_check(version):
            process.plan_pause()
            process.wait_until_ready()
        return "no sandbox"
    check = actions.begin_check(version, node)
    if check is None:
        return "nothing to do"
    verdict = run_check(check, process)
    process.wait_until_ready()
    return verdict


def run_check(check: Check, process: Health) -> str:
    """Run a check that this worker has taken, and store it; returns the verdict."""
    steps: list[dict[str, Any]] = []

    def store_progress(progress: list[CheckStep]) -> None:
        steps[:] = [step.as_json() for step in progress]
        if not check.renew(steps=steps):
            raise LeaseLost

    try:
        # Bots of other processes cannot notice on which core this process computes.
        core = pick_cpu(process_index())
        with (
            _Heartbeat(check),
            sandbox_on_one_core(Limits(), trusted=False, warm=2, cpu=core) as sandbox,
        ):
            package = package_store.fetch(check.version.package_id)
            formats = tuple(check.version.formats)
            is_restricted = formats != package.manifest.formats
            report = check_bot(
                package,
                sandbox=sandbox,
                patterns=formats if is_restricted else None,
                on_step=store_progress,
                on_poll=drain.stop_if_time_is_up,
            )
    except LeaseLost:
        return "left to another worker"
    except drain.Stopped as stop:
        actions.release_check(check, str(stop), counted=False)
        return "given back"
    except Exception as error:
        if database.means_unavailable(error):
            raise  # the lease expires, and another worker takes the check
        log.exception("Version %d could not be checked.", check.version_id)
        counted = process.judge(Failure(("check", check.version_id), str(error), _author(check)))
        actions.release_check(check, f"The check failed on one machine: {error}", counted=counted)
        return "released"
    steps = [step.as_json() for step in report.steps]
    actions.finish_check(
        check,
        "ready" if report.ok else "rejected",
        steps=steps,
        summary=report.summary,
        log=report.log,
        formats=() if is_restricted else report.formats,
    )
    if not report.ok:
        return "rejected"
    process.succeeded()
    return "ready"


def _author(check: Check) -> frozenset[int]:
    owner = check.version.bot.owner_id
    return frozenset() if owner is None else frozenset({owner})


class _Heartbeat:
    """Renews a check's lease during long steps."""

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
                self._check.renew()
            except Error as error:
                log.warning(
                    "The lease of a check is not renewed. %s", database.unavailable_text(error)
                )
                database.drop_connection()
        connection.close()


# --- reports of a worker on its machine ----------------------------------------------------------


@worker_ready.connect
def _report_start(sender: Any = None, **_: Any) -> None:
    """If the starting worker runs bots, store a report on it now and once a minute."""
    if {"matches", "checks"} & set(sender.app.amqp.queues.consume_from):
        with database.skip_if_unavailable():  # troubles of an earlier worker of this name are over
            actions.report_recovery(sender.hostname)
        sender.timer.call_repeatedly(REPORT_SECONDS, _report, (sender,))
        _report(sender)
        tmpfs.release()  # each of the pool's processes makes its own copies of the files


def _report(worker: Any) -> None:
    isolation = detect()
    with database.skip_if_unavailable():  # the next report comes soon
        actions.report_worker(worker.hostname, isolation, worker.pool.num_processes)
    connections.close_all()  # a process of the pool that is started later must not share them


# --- draining -------------------------------------------------------------------------------------

POLL_SECONDS = 2
"""Seconds between two queries of a worker about whether it must drain."""


@worker_ready.connect
def _poll_drain(sender: Any = None, **_: Any) -> None:
    """Start polling whether to drain, in a worker that runs bots."""
    queues = tuple(sender.app.amqp.queues.consume_from)
    if {"matches", "checks"} & set(queues):
        sender.timer.call_repeatedly(POLL_SECONDS, _drain_or_resume, (sender, queues))
        _drain_or_resume(sender, queues)


def _drain_or_resume(worker: Any, queues: tuple[str, ...]) -> None:
    """Stop consuming messages if staff drain this worker, so that they reach other workers; resume
    when the drain ends."""
    if drain.stopping():
        return
    answer: list[bool] = []
    try:
        with database.skip_if_unavailable():  # the next poll comes soon
            answer.append(actions.is_draining(worker.hostname))
    finally:
        connections.close_all()
    if not answer:
        return
    [must_drain] = answer
    if not must_drain and drain.draining():
        drain.resume()
        if drain.stopping():  # a signal has come since the query
            return
        for queue in queues:
            worker.add_task_queue(queue)
    if not must_drain:
        return
    # On each poll, because a broker that was unavailable may have missed a cancellation.
    for queue in tuple(worker.app.amqp.queues.consume_from):
        worker.cancel_task_queue(queue)
    if not drain.draining():
        drain.begin(settings.DRAIN_SECONDS)
        _report(worker)  # shows staff that the worker has noticed


@worker_shutting_down.connect
def _end_soon(**_: Any) -> None:
    """On SIGTERM or Ctrl-C: let the processes finish what they can; then Celery ends them."""
    drain.begin(settings.DRAIN_SECONDS, stops=True)


@worker_shutdown.connect
def _shut_down(sender: Any = None, **_: Any) -> None:
    with database.skip_if_unavailable():
        actions.forget_worker(sender.hostname)

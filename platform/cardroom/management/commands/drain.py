"""`manage.py drain`: drain workers on any machine, or have them resume."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from bots.actions import drain_worker, resume_worker
from cardroom_base.core.errors import ActionError
from tournaments.queue.workers import Worker, workers

POLL_SECONDS = 1.0
"""Seconds between two reads of the workers' unfinished work."""


class Command(BaseCommand):
    help = (
        "Drain a worker: it finishes short work, gives back the rest, and takes no more until it "
        "is resumed or stopped. Without a name: list the workers."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("worker", nargs="*", help="its name, such as worker@host")
        parser.add_argument("--all", action="store_true", help="every worker")
        parser.add_argument("--resume", action="store_true", help="have it take work again")
        parser.add_argument(
            "--no-wait", action="store_true", help="do not wait until it is drained"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        rows = workers()
        names = [worker.node.name for worker in rows] if options["all"] else options["worker"]
        if not names:
            for worker in rows:
                self.stdout.write(_status_line(worker))
            if not rows:
                self.stdout.write("No worker has been heard from in the last five minutes.")
            return
        change = resume_worker if options["resume"] else drain_worker
        try:
            for name in names:
                change(name, "manage.py drain")
        except ActionError as error:
            raise CommandError(str(error)) from error
        if options["resume"]:
            self.stdout.write(f"{', '.join(names)}: will take work again within seconds.")
        elif not options["no_wait"]:
            self._wait(set(names))

    def _wait(self, names: set[str]) -> None:
        """Print the workers' unfinished work until there is none."""
        deadline = time.monotonic() + settings.DRAIN_SECONDS + settings.LEASE_SECONDS
        last_lines: dict[str, str] = {}
        for name in sorted(names - {worker.node.name for worker in workers()}):
            self.stdout.write(f"{name}: no report for five minutes; it will drain when it is back")
        while True:
            # The work of a worker that ended or is silent ends with its lease.
            rows = [worker for worker in workers() if worker.node.name in names]
            for worker in rows:
                line = _status_line(worker)
                if last_lines.get(worker.node.name) != line:
                    self.stdout.write(line)
                    self.stdout.flush()
                last_lines[worker.node.name] = line
            busy = [worker.node.name for worker in rows if worker.state != "drained"]
            if not busy:
                return
            if time.monotonic() > deadline:
                raise CommandError(
                    f"These workers did not drain in time: {', '.join(busy)}. Look at their logs."
                )
            time.sleep(POLL_SECONDS)


def _status_line(worker: Worker) -> str:
    return f"{worker.node.name}: {worker.state}, unfinished work: {worker.held.words}"

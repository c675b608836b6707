"""`manage.py up`: run the whole site with one command."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connections

from bots.sandbox import cores
from cardroom import services
from cardroom.embedded_broker import NoBrokerError, remove_folder
from cardroom.supervisor import StartFailedError, Supervisor, stop_on_signals


class Command(BaseCommand):
    help = "Start broker, workers and web server; keep them running until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        try:
            with running(self, host, port, options["workers"]) as supervisor:
                _say(self, f"Cardroom runs at {address(host, port)}. Press Ctrl-C to stop it.")
                serve(supervisor)
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")


def add_arguments(parser: ArgumentParser) -> None:
    """The options that `up` and `demo` share."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="port of the web server (8000)")
    parser.add_argument(
        "--workers",
        type=int,
        default=cores(),
        help="processes that play matches (one per processor that this program may use)",
    )


def address(host: str, port: int) -> str:
    """The site's address for a browser."""
    name = "localhost" if host in {"127.0.0.1", "0.0.0.0", ""} else host  # noqa: S104 - compared
    return f"http://{name}:{port}/"


def prepare() -> None:
    """Bring the database, the rules in force and the static files up to date."""
    try:
        call_command("migrate", interactive=False, verbosity=0)
        call_command("adopt_rules")
    except OperationalError as error:
        raise CommandError(f"The database cannot be used: {error}") from error
    services.collect_static()


@contextmanager
def running(
    command: BaseCommand, host: str, port: int | None, workers: int
) -> Iterator[Supervisor]:
    """Run the site's services until the block ends, however it ends.

    port: None for no web server.
    """
    stop_on_signals()
    try:
        with services.lock("without a web server" if port is None else address(host, port)):
            if port is not None:
                services.refuse_taken_port(host, port)
            prepare()
            services.preload(serves=port is not None)
            connections.close_all()  # the services open their own connections
            supervisor = services.site(host, port, workers, partial(_say, command))
            supervisor.start()
            try:
                yield supervisor
            finally:
                supervisor.stop()
                remove_folder(Path(settings.EMBEDDED_SOCKET))
    except (
        services.AlreadyRunningError,
        services.PortTakenError,
        NoBrokerError,
        StartFailedError,
    ) as error:
        raise CommandError(str(error)) from error


def _say(command: BaseCommand, text: str) -> None:
    """Print without buffering, because people follow the log."""
    command.stdout.write(text)
    command.stdout.flush()


def serve(supervisor: Supervisor) -> None:
    """Run the services until a signal stops them."""
    while True:
        supervisor.tick()
        time.sleep(0.2)

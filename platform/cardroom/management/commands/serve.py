"""`manage.py serve`: the web server, for pages and REST."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError

from cardroom import web


class Command(BaseCommand):
    help = "Serve pages and REST, until SIGTERM or Ctrl-C."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (8000)")
        parser.add_argument("--socket", type=Path, help="Unix socket to listen on instead")

    def handle(self, *_args: Any, **options: Any) -> None:
        host, port, path = options["host"], options["port"], options["socket"]
        try:
            listener = web.listen(host, port, path)
        except OSError as error:
            address = path or f"{host}:{port}"
            raise CommandError(
                f"The server cannot listen on {address}: {error.strerror}."
            ) from error
        try:
            from cardroom.wsgi import application  # builds the site
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        web.serve(application, listener)

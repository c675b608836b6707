"""The processes of a site: the command of each, and the service whose user and settings it has.

`manage.py run NAME` starts one. The units for systemd and the compose file call `run`; `up` uses
the same commands.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings

from bots.sandbox import cores

HOUSEKEEPING_THREADS: Final = 4
"""Three of the housekeeper's tasks may be long; the fourth thread is for all others."""
_CELERY: Final = ("celery", "--app", "cardroom")
_WORKER: Final = (*_CELERY, "worker", "--loglevel", "INFO", "--without-gossip", "--without-mingle")


@dataclass(frozen=True, slots=True)
class SiteProgram:
    """A process of a site."""

    purpose: str
    arguments: tuple[str, ...]
    """A module of Python and its arguments."""
    service: str
    """Its user is `cardroom-SERVICE`, and its settings are in SERVICE.env."""
    stop_seconds: int = 15
    """Seconds that it needs to stop with default settings."""
    runs_bots: bool = False
    """Whether it runs bots, and so needs a sandbox."""


PROGRAMS: Final[Mapping[str, SiteProgram]] = {
    "web": SiteProgram("serves pages and REST", ("cardroom", "serve"), "web"),
    "worker": SiteProgram(
        "plays matches, checks bots, makes analyses",
        (*_WORKER, "--hostname", "worker@%h", "--queues", "matches,checks"),
        "worker",
        stop_seconds=35,
        runs_bots=True,
    ),
    "tables": SiteProgram(
        "runs the bots of people's tables",
        (*_WORKER, "--hostname", "tables@%h", "--queues", "tables", "--pool", "threads"),
        "tables",
        runs_bots=True,
    ),
    "housekeeping": SiteProgram(
        "advances tournaments, sends messages, fits ratings, finds lost work",
        (
            *(*_WORKER, "--hostname", "housekeeping@%h", "--queues", "housekeeping"),
            *("--pool", "threads", "--concurrency", str(HOUSEKEEPING_THREADS)),
        ),
        "housekeeping",
    ),
    "beat": SiteProgram(
        "sends the housekeeper's tasks when they are due",
        (*_CELERY, "beat", "--loglevel", "INFO"),
        "housekeeping",
    ),
}
SERVICES: Final = tuple(dict.fromkeys(program.service for program in PROGRAMS.values()))


def command(name: str, *options: str) -> list[str]:
    """The command of a program; `options` override its usual ones."""
    arguments = [sys.executable, "-m", *PROGRAMS[name].arguments]
    if name == "worker":  # Celery's default also counts cores that this service may not use
        arguments += ["--concurrency", str(cores())]
    if name == "tables":
        arguments += ["--concurrency", str(settings.TABLE_WORKERS)]
    return [*arguments, *options]


def environment() -> dict[str, str]:
    """Variables that give a program the same settings and sources in any directory.

    `up` has run Django's checks, which import all pages, so the programs skip them.
    """
    root = Path(settings.BASE_DIR)
    roots = [str(root), str(root / "platform")] if settings.IN_CHECKOUT else []
    paths = [*roots, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "cardroom.settings"),
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "CARDROOM_VAR": str(settings.VAR_DIR),
        "PYTHONUNBUFFERED": "1",
        "CELERY_SKIP_CHECKS": "1",
    }

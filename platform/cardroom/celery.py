"""The Celery application: tasks are found in the apps' `tasks` modules and in `housekeeping`."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_process_init, worker_ready
from django.conf import settings

from cardroom.checks import log_at_start
from cardroom.processes import die_with_parent
from cardroom_base.core.garbage import settle

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cardroom.settings")

app = Celery("cardroom")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["cardroom"], related_name="housekeeping")


@worker_init.connect
def use_own_temporary_folder(sender: Any = None, **_: Any) -> None:
    """What a killed worker leaves in its own temporary folder, the next one of its name removes;
    one that ends in good order leaves no folder.

    In the shared one nobody would remove the pool's folder or those of bots without isolation.
    """
    folder = Path(settings.VAR_DIR) / "tmp" / sender.hostname.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    tempfile.tempdir = str(folder)
    atexit.register(_remove, folder, os.getpid())


def _remove(folder: Path, owner: int) -> None:
    """As the last thing that the worker does; not what processes do that it forked."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


@worker_init.connect
def _settle(**_: Any) -> None:
    """All tasks are loaded, and no process is forked yet."""
    settle()


@worker_ready.connect
def _tell_how_it_runs(**_: Any) -> None:
    """Show mistyped settings and slow rules in the log."""
    log_at_start()


@worker_process_init.connect
def _end_with_the_worker(**_: Any) -> None:
    """Let the processes of a killed worker end with it."""
    die_with_parent()

"""The Celery application: tasks are found in the apps' `tasks` modules and in `housekeeping`."""

import atexit
import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any, Final

from celery import Celery
from celery.signals import beat_init, worker_init, worker_process_init, worker_ready
from django.conf import settings

from cardroom.processes import die_with_parent
from cardroom.system_checks import log_at_start
from cardroom_base.core.file_limit import raise_file_limit
from cardroom_base.core.garbage import freeze_current_objects
from cardroom_base.core.log_context import set_worker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cardroom.settings")

_FILES: Final = 16_384
"""Files that a worker or a table host may have open; some systems allow only 1,024 by default."""

app = Celery("cardroom")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["cardroom"], related_name="housekeeping")


@worker_init.connect
def use_own_temporary_folder(sender: Any = None, **_: Any) -> None:
    """Give each worker its own temporary folder, which it removes at its end.

    If the worker is killed, its successor of the same name removes the folder. In the shared
    temporary folder, nobody would remove the files of the pool or of bots without isolation.
    """
    folder = Path(settings.VAR_DIR) / "tmp" / sender.hostname.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    tempfile.tempdir = str(folder)
    atexit.register(_remove, folder, os.getpid())


def _remove(folder: Path, owner: int) -> None:
    """Remove the folder when the process `owner` ends; its forked processes also call this."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


@worker_init.connect
def _name_in_logs(sender: Any = None, **_: Any) -> None:
    set_worker(sender.hostname)


@worker_init.connect
def _allow_files(**_: Any) -> None:
    """Allow many open files: each seat has pipes, and a program may request 16 more."""
    raise_file_limit(_FILES)


@worker_init.connect
def _tune_collector(**_: Any) -> None:
    """Freeze the objects of all loaded tasks before processes are forked."""
    freeze_current_objects()


@worker_ready.connect
def _log_settings(**_: Any) -> None:
    """Log mistyped settings and slow rules."""
    log_at_start()


@beat_init.connect
def _stop_on_sigterm(sender: Any = None, **_: Any) -> None:
    """Let beat end on SIGTERM even if something swallows the `SystemExit` of Celery's handler.

    redis-py does: the `finally` clause of its reader fails on a half-read reply; beat logs that
    error and continues.
    """

    def stop(*_: object) -> None:
        sender.stop()
        raise SystemExit  # ends the sleep between two messages

    signal.signal(signal.SIGTERM, stop)


@worker_process_init.connect
def _die_with_worker(**_: Any) -> None:
    """Let the kernel end this process if its worker is killed."""
    die_with_parent()

"""The Celery application: tasks are found in the apps' `tasks` modules."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_process_init
from django.conf import settings

from cardroom.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cardroom.settings")

app = Celery("cardroom")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def use_own_temporary_folder(sender: Any = None, **_: Any) -> None:
    """What a killed worker leaves in its temporary folder the next one of its name removes.

    In the common one nobody would: neither the pool's folder nor those of bots without isolation.
    """
    folder = Path(settings.VAR_DIR) / "tmp" / sender.hostname.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    tempfile.tempdir = str(folder)


@worker_process_init.connect
def _end_with_the_worker(**_: Any) -> None:
    """A killed worker leaves no process behind that goes on playing."""
    die_with_parent()

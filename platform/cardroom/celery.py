"""The Celery application: tasks are found in the apps' `tasks` modules."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_embedded_init, worker_process_init

from cardroom.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cardroom.settings")

app = Celery("cardroom")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@beat_embedded_init.connect
@worker_process_init.connect
def _end_with_the_worker(**_: Any) -> None:
    """A killed worker leaves no process behind that goes on playing."""
    die_with_parent()

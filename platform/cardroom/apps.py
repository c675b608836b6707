from django.apps import AppConfig
from django.conf import settings


class CardroomConfig(AppConfig):
    name = "cardroom"
    verbose_name = "Cardroom"

    def ready(self) -> None:
        """Connect the signal handler of account names, register the checks, create the Celery
        application before the tasks, and start error reports."""
        from cardroom import (
            celery,  # noqa: F401 - becomes the current application
            system_checks,  # noqa: F401 - registers them
        )
        from cardroom.actions import accounts  # noqa: F401 - connects to the signal

        if settings.SENTRY_DSN:
            from cardroom import error_reports

            error_reports.start(settings.SENTRY_DSN)

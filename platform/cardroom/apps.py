from django.apps import AppConfig


class CardroomConfig(AppConfig):
    name = "cardroom"
    verbose_name = "Cardroom"

    def ready(self) -> None:
        """Connect the signal handler of account names, register the checks, and make the Celery
        application the one that tasks belong to."""
        from cardroom import (
            celery,  # noqa: F401 - becomes the current application
            checks,  # noqa: F401 - registers them
        )
        from cardroom.actions import accounts  # noqa: F401 - connects to the signal

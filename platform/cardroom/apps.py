from django.apps import AppConfig


class CardroomConfig(AppConfig):
    name = "cardroom"
    verbose_name = "Cardroom"

    def ready(self) -> None:
        """Connect the signal handler of account names, and register the checks."""
        from cardroom import checks  # noqa: F401 - registers them
        from cardroom.actions import accounts  # noqa: F401 - connects to the signal

"""The site's settings, but for a host that never comes to an end (`slow`)."""

from cardroom.settings import *  # noqa: F403 - the settings, but for what follows

SLOW_HOST = True
CELERY_IMPORTS = ("tests.play.slow",)

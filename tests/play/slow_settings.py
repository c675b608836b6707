"""The site's settings for a host that finishes no work (`slow`)."""

from cardroom.settings import *  # noqa: F403 - all settings, then two more

SLOW_HOST = True
CELERY_IMPORTS = ("tests.play.slow",)

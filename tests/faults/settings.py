"""A site that notices failures sooner, so that a test need not wait a minute for a lease."""

from cardroom.settings import *  # noqa: F403 - the settings, but for what follows
from cardroom.settings import CELERY_BEAT_SCHEDULE

LEASE_SECONDS = 6
HEARTBEAT_SECONDS = 1
# Somebody kills workers on purpose here, over and over; nobody is to give up because of it.
MAX_ATTEMPTS = 1000
MAX_LOST = 1000
CELERY_BEAT_SCHEDULE["sweep"]["schedule"] = 2.0
CELERY_BEAT_SCHEDULE["relay"]["schedule"] = 2.0

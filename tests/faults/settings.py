"""A site that notices failures sooner, so that a test need not wait a minute for a lease."""

import os

# Before the site's settings are read: seconds within a transaction until the server ends it.
os.environ.setdefault("CARDROOM_DB_IDLE", "5")
os.environ.setdefault("CARDROOM_DRAIN_SECONDS", "1")

from cardroom.settings import *  # noqa: F403 - the settings, but for what follows
from cardroom.settings import CELERY_BEAT_SCHEDULE

# A sick machine is one whose bubblewrap fails, and what forks sandboxes asks it only once.
WARM_SANDBOXES = 0
LEASE_SECONDS = 6
HEARTBEAT_SECONDS = 1
for name in ("sweep", "relay"):
    CELERY_BEAT_SCHEDULE[name]["schedule"] = 2.0
# Nobody reads tables and exports here, and each time they are kept a process starts.
CELERY_BEAT_SCHEDULE["keep"]["schedule"] = 60.0

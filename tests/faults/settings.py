"""A site that notices failures sooner, so that a test need not wait a minute for a lease."""

import os

# Before the site's settings are read.
os.environ.setdefault("CARDROOM_DRAIN_SECONDS", "1")

from cardroom.settings import *  # noqa: F403 - the settings, but for what follows
from cardroom.settings import CELERY_BEAT_SCHEDULE, DATABASES

# A sick machine is one whose bubblewrap fails, and what forks sandboxes asks it only once.
WARM_SANDBOXES = 0
if "options" in DATABASES["default"]["OPTIONS"]:  # PostgreSQL
    DATABASES["default"]["OPTIONS"]["options"] += " -c idle_in_transaction_session_timeout=5s"
LEASE_SECONDS = 6
HEARTBEAT_SECONDS = 1
for name in ("sweep", "relay"):
    CELERY_BEAT_SCHEDULE[name]["schedule"] = 2.0
# Nobody reads tables and exports here, and each time they are kept a process starts.
CELERY_BEAT_SCHEDULE["keep"]["schedule"] = 3600.0

"""A site that notices failures sooner, so that tests need not wait a minute for a lease."""

import os

# Set this before importing the site's settings.
os.environ.setdefault("CARDROOM_DRAIN_SECONDS", "1")

from cardroom.settings import *  # noqa: F403 - settings that are overridden below
from cardroom.settings import CELERY_BEAT_SCHEDULE, DATABASES

# Faults make bubblewrap fail, and a fork server would call it only once.
WARM_SANDBOXES = 0
if "options" in DATABASES["default"]["OPTIONS"]:  # PostgreSQL
    DATABASES["default"]["OPTIONS"]["options"] += " -c idle_in_transaction_session_timeout=5s"
LEASE_SECONDS = 6
HEARTBEAT_SECONDS = 1
for name in ("sweep", "relay"):
    CELERY_BEAT_SCHEDULE[name]["schedule"] = 2.0
# These tests read no standings and no exports, and each caching starts a process.
CELERY_BEAT_SCHEDULE["keep"]["schedule"] = 3600.0

"""The site's settings in tests: a var/ folder of their own, no broker, quick passwords."""

import atexit
import os
import shutil
import tempfile

# The sources are what is tested, by other programs that tests start, too.
os.environ.setdefault("CARDROOM_COMPILE", "0")
# Before the site's settings are read: no test may touch the data of a site on this machine.
if "CARDROOM_VAR" not in os.environ:
    os.environ["CARDROOM_VAR"] = tempfile.mkdtemp(prefix="cardroom-test-")
    atexit.register(shutil.rmtree, os.environ["CARDROOM_VAR"], ignore_errors=True)

from cardroom.settings import *  # noqa: F403 - the settings, but for what follows
from cardroom.settings import DATABASES, STATIC_ROOT, STORAGES, VAR_DIR

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_BROKER_URL = "memory://"
CELERY_BROKER_TRANSPORT_OPTIONS = {}
WARM_SANDBOXES = 0
# What tests have analysed they ask for.
UNASKED_ANALYSES_PER_DAY = 0
# Nothing is collected for tests.
STORAGES = STORAGES | {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}
STATIC_ROOT.mkdir(exist_ok=True)

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # In a file: threads that share one in memory would share its transactions, too.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}

"""Settings of a site in tests: a temporary var/ folder, no broker, fast password hashes."""

import atexit
import os
import shutil
import tempfile

# Tests and the programs that they start run the sources.
os.environ.setdefault("CARDROOM_COMPILE", "0")
# Set this before importing the site's settings, so that no test touches a real site's data.
if "CARDROOM_VAR" not in os.environ:
    os.environ["CARDROOM_VAR"] = tempfile.mkdtemp(prefix="cardroom-test-")
    atexit.register(shutil.rmtree, os.environ["CARDROOM_VAR"], ignore_errors=True)

from cardroom.settings import *  # noqa: F403 - settings that are overridden below
from cardroom.settings import DATABASES, STATIC_ROOT, STORAGES, VAR_DIR

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_BROKER_URL = "memory://"
CELERY_BROKER_TRANSPORT_OPTIONS = {}
WARM_SANDBOXES = 0
# Tests request their analyses.
AUTOMATIC_ANALYSES_PER_DAY = 0
# Tests do not collect static files.
STORAGES = STORAGES | {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}
STATIC_ROOT.mkdir(exist_ok=True)

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Use a file, because threads that share a database in memory also share its transactions.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
elif DATABASES["default"]["ENGINE"].endswith("postgresql"):
    # Copying tables takes less time than migrating.
    DATABASES["default"]["TEST"] = {"TEMPLATE": DATABASES["default"]["NAME"]}

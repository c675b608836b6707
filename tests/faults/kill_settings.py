"""A site whose parts are killed over and over: nobody is to give up because of it."""

from tests.faults.settings import *  # noqa: F403 - the settings, but for what follows

MAX_ATTEMPTS = 1000
MAX_LOST = 1000
WARM_SANDBOXES = 4

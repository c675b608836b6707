"""A site whose parts are killed again and again: no work may become stuck because of it."""

from tests.faults.settings import *  # noqa: F403 - settings that are overridden below

MAX_ATTEMPTS = 1000
MAX_LOST = 1000
WARM_SANDBOXES = 4

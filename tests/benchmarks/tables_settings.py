"""The site's settings, but for how many tables one may make within an hour."""

from typing import Any

from cardroom.settings import *  # noqa: F403 - the settings, but for what follows
from cardroom.settings import REST_FRAMEWORK

RATES: Any = REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
REST_FRAMEWORK = {**REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {**RATES, "table": "100000/hour"}}

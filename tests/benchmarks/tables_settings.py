"""Settings of a site on which one client may create many tables within an hour."""

from typing import Any

from cardroom.settings import *  # noqa: F403 - settings that are overridden below
from cardroom.settings import REST_FRAMEWORK

RATES: Any = REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
REST_FRAMEWORK = {**REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {**RATES, "table": "100000/hour"}}

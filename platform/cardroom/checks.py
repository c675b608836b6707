"""What `manage.py check` reports about the site: settings that are ignored."""

from __future__ import annotations

import logging
import os
from typing import Any

from django.core import checks

from cardroom import environment

_log = logging.getLogger(__name__)


@checks.register
def ignored_settings(**_: Any) -> list[checks.CheckMessage]:
    """A warning for each environment variable that looks like a setting but is not one.

    Every command of `manage.py` prints it before it begins.
    """
    return [
        checks.Warning(sentence, id="cardroom.W001") for sentence in environment.ignored(os.environ)
    ]


def log_ignored_settings() -> None:
    """Say the same in the log, for web servers and workers, which print no checks."""
    for sentence in environment.ignored(os.environ):
        _log.warning(sentence)

"""What `manage.py check` tells of the site: settings that are ignored."""

from __future__ import annotations

import logging
import os
from typing import Any

from django.core import checks

from cardroom import environment

_log = logging.getLogger(__name__)


@checks.register
def ignored_settings(**_: Any) -> list[checks.CheckMessage]:
    """A warning for each variable of the environment that looks like a setting and is none.

    Every command of `manage.py` prints it before it begins.
    """
    return [
        checks.Warning(sentence, id="cardroom.W001") for sentence in environment.ignored(os.environ)
    ]


def log_ignored_settings() -> None:
    """Say the same in the log, for web servers and workers, which print no checks."""
    for sentence in environment.ignored(os.environ):
        _log.warning(sentence)

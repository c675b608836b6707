"""What `manage.py check` reports about the site: settings that are ignored or do not fit."""

from __future__ import annotations

import logging
import os
from typing import Any

from django.conf import settings
from django.core import checks

from cardroom import environment
from cardroom.addresses import NO_PROXY

_log = logging.getLogger(__name__)


@checks.register
def ignored_settings(**_: Any) -> list[checks.CheckMessage]:
    """A warning for each environment variable that looks like a setting but is not one.

    Every command of `manage.py` prints it before it begins.
    """
    return [
        checks.Warning(sentence, id="cardroom.W001") for sentence in environment.ignored(os.environ)
    ]


@checks.register(checks.Tags.security, deploy=True)
def https_needs_a_proxy(**_: Any) -> list[checks.CheckMessage]:
    """An error where HTTPS is on and no proxy is trusted: the web server would not start."""
    missing = settings.HTTPS and not settings.TRUSTED_PROXIES
    return [checks.Error(NO_PROXY, id="cardroom.E001")] if missing else []


def log_ignored_settings() -> None:
    """Say the same in the log, for web servers and workers, which print no checks."""
    for sentence in environment.ignored(os.environ):
        _log.warning(sentence)

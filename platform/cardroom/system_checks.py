"""Checks for `manage.py check`: settings, and whether the rules are compiled."""

from __future__ import annotations

import logging
import os
from typing import Any

from django.conf import settings
from django.core import checks

from cardroom import environment
from cardroom.addresses import NO_PROXY
from cardroom_base.core import compiled

_log = logging.getLogger(__name__)


@checks.register
def ignored_settings(**_: Any) -> list[checks.CheckMessage]:
    """A warning for each unknown environment variable with our prefix.

    Every command of `manage.py` prints it before it begins.
    """
    return [
        checks.Warning(sentence, id="cardroom.W001")
        for sentence in environment.unknown_variables(os.environ)
    ]


@checks.register(checks.Tags.security, deploy=True)
def https_needs_a_proxy(**_: Any) -> list[checks.CheckMessage]:
    """An error if HTTPS is on and no proxy is trusted, because the web server would not start."""
    lacks_proxy = settings.HTTPS and not settings.TRUSTED_PROXIES
    return [checks.Error(NO_PROXY, id="cardroom.E001")] if lacks_proxy else []


@checks.register("rules", deploy=True)
def rules_are_compiled(**_: Any) -> list[checks.CheckMessage]:
    """A warning if the rules are interpreted, which is several times slower."""
    kind = compiled.kind()
    if kind.word == "compiled" or kind.reason == compiled.SWITCHED_OFF:
        return []
    hint = (
        "Run scripts/setup.sh, or `python hatch_build.py`, as the owner of the program's files, "
        "with a C compiler at hand; or install a wheel."
    )
    return [checks.Warning(f"The rules run {kind}.", hint, id="cardroom.W002")]


def log_at_start() -> None:
    """Log whether the rules are compiled, and the ignored settings, for services that print no
    checks: web servers, housekeeper and workers."""
    kind = compiled.kind()
    slow = kind.word != "compiled" and kind.reason != compiled.SWITCHED_OFF
    _log.log(logging.WARNING if slow else logging.INFO, "The rules run %s.", kind)
    for sentence in environment.unknown_variables(os.environ):
        _log.warning(sentence)

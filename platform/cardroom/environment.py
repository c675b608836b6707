"""The environment: every variable of the site, what it may hold, and its default.

All are read at once, so that somebody who mistyped three hears of all three. The table in
docs/04-operations.md has the same variables; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

import dj_database_url
from kombu.transport import TRANSPORT_ALIASES

BROKERS: Final = ("redis", "rediss", "unix", "redis+socket")
PREFIX: Final = "CARDROOM_"
LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class WrongEnvironment(SystemExit):
    """Variables with wrong values, each with what is right."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable."""

    read: Callable[[str], Any]
    """Its value; ValueError if that is wrong."""

    right: str
    """What it may hold, as the end of "must be …"."""

    default: Any = None
    """None: the settings decide."""

    blank: bool = False
    """Whether an empty text is a value; otherwise it counts as if the variable were not set."""


def read(environ: Mapping[str, str]) -> dict[str, Any]:
    """The values of all variables; WrongEnvironment lists all that are wrong."""
    values: dict[str, Any] = {}
    wrong = []
    for name, variable in VARIABLES.items():
        text = environ.get(name)
        if text is None or not (text.strip() or variable.blank):
            values[name] = variable.default
            continue
        try:
            values[name] = variable.read(text.strip())
        except ValueError:
            shown = "***" if name in SECRET else repr(text[:80])
            wrong.append(f"  {name}={shown}: must be {variable.right}.")
    if wrong:
        raise WrongEnvironment("\n".join(["These variables of the environment are wrong:", *wrong]))
    return values


def ignored(environ: Mapping[str, str]) -> list[str]:
    """A sentence for each unknown variable that begins as ours do, such as CARDROOM_HOST.

    They do not keep a site from starting: a newer or an older program may know them.
    """
    ours = {name.removeprefix(PREFIX): name for name in VARIABLES}
    sentences = []
    for name in sorted(environ):
        if not name.startswith(PREFIX) or name in VARIABLES or name in ELSEWHERE:
            continue
        near = get_close_matches(name.removeprefix(PREFIX), ours, n=1, cutoff=0.8)
        hint = f" Did you mean {ours[near[0]]}?" if near else ""
        sentences.append(f"There is no setting {name[:80]}: it is ignored.{hint}")
    return sentences


def _whole(low: int, default: int, unit: str = "") -> Variable:
    def check(text: str) -> int:
        number = int(text) if text.isascii() else low - 1
        if number < low:
            raise ValueError(text)
        return number

    of = f" of {unit}" if unit else ""
    return Variable(check, f"a whole number{of}, {low} or more, such as {default}", default)


def _switch() -> Variable:
    words = {"1": True, "0": False}

    def check(text: str) -> bool:
        if text not in words:
            raise ValueError(text)
        return words[text]

    return Variable(check, "1 or 0", default=False)


def _level(text: str) -> str:
    if text not in LEVELS:
        raise ValueError(text)
    return text


def _amount(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError(text)
    return number


def _database(text: str) -> str:
    dj_database_url.parse(text)
    return text


def _broker(text: str) -> str:
    scheme, found, _ = text.partition("://")
    if not found or scheme not in BROKERS:
        raise ValueError(text)
    return text


def _any_broker(text: str) -> str:
    scheme, found, _ = text.partition("://")
    if not found or scheme not in TRANSPORT_ALIASES:
        raise ValueError(text)
    return text


def _words(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise ValueError(text)
    return words


def _proxies(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word != "unix":
            ip_network(word)
    return words


def _time_of_day(text: str) -> str:
    if text and not re.fullmatch("([01][0-9]|2[0-3]):[0-5][0-9]", text):
        raise ValueError(text)
    return text


ELSEWHERE: Final = frozenset({"CARDROOM_CGROUP", "CARDROOM_COMPILE", "CARDROOM_TOKEN"})
"""Read by sandboxes, by `cardroom_base.core.compiled` and by the command line."""
SECRET: Final = frozenset(
    {"DATABASE_URL", "REDIS_URL", "CARDROOM_BROKER_URL", "CARDROOM_SECRET_KEY"}
)
"""Their values may hold passwords and are not shown."""
VARIABLES: Final[Mapping[str, Variable]] = {
    "DATABASE_URL": Variable(_database, "an address such as postgres://user:password@host/name"),
    "CARDROOM_DB_IDLE": _whole(0, 20, "seconds"),
    "CARDROOM_DB_LOCK": _whole(0, 10, "seconds"),
    "CARDROOM_DB_STATEMENT": _whole(0, 60, "seconds"),
    "REDIS_URL": Variable(
        _broker, "an address such as redis://host:6379/0, rediss://… or unix:///path", ""
    ),
    "CARDROOM_BROKER_URL": Variable(
        _any_broker, "an address that Celery knows, such as amqp://user:password@host//", ""
    ),
    "CARDROOM_VAR": Variable(Path, "a folder"),
    "CARDROOM_HOSTS": Variable(
        _words,
        "host names with commas between them, such as cards.example.org",
        ["localhost", "127.0.0.1", "[::1]"],
    ),
    "CARDROOM_SECRET_KEY": Variable(str, "a long random text"),
    "CARDROOM_HTTPS": _switch(),
    "CARDROOM_TRUSTED_PROXIES": Variable(
        _proxies,
        "addresses and networks with commas between them, such as 10.0.0.7,10.0.1.0/24, or unix",
        [],
    ),
    "CARDROOM_HSTS": _whole(0, 365 * 86400, "seconds"),
    "CARDROOM_DRAIN_SECONDS": Variable(_amount, "a number of seconds, such as 20", 20.0),
    "CARDROOM_WORKERS_ELSEWHERE": _switch(),
    "CARDROOM_DUMP_AT": Variable(
        _time_of_day, "a time of day such as 03:15, or empty", "03:15", blank=True
    ),
    "CARDROOM_DUMP_DIR": Variable(Path, "a folder"),
    "CARDROOM_DUMPS_KEPT": _whole(1, 7),
    "CARDROOM_MAX_PLAYING_PER_AUTHOR": _whole(0, 64),
    "CARDROOM_MAX_ACTIVE_TOURNAMENTS": _whole(0, 20),
    "CARDROOM_MAX_ENTRIES_PER_AUTHOR": _whole(0, 16),
    "CARDROOM_MAX_BOTS": _whole(0, 50),
    "CARDROOM_MAX_VERSIONS_PER_DAY": _whole(0, 200),
    "CARDROOM_MAX_WAITING_CHECKS": _whole(0, 10),
    "CARDROOM_MAX_CHALLENGES": _whole(0, 3),
    "CARDROOM_MAX_CHALLENGES_PER_DAY": _whole(0, 40),
    "CARDROOM_MAX_ANALYSES_PER_DAY": _whole(0, 20),
    "CARDROOM_ANALYSIS_PLAYOUTS": _whole(2, 400),
    "CARDROOM_UNASKED_ANALYSES_PER_DAY": _whole(0, 6),
    "CARDROOM_MAX_WAITING_EXPORTS": _whole(0, 20),
    "CARDROOM_EXPORTS_KEPT_DAYS": Variable(_amount, "a number of days, such as 7", 7.0),
    "CARDROOM_MAX_EXPORTS_MB": _whole(0, 2048),
    "CARDROOM_TABLE_WORKERS": _whole(1, 4),
    "CARDROOM_TABLE_MEMORY_MB": Variable(
        _whole(64, 2048).read, "a whole number of megabytes, 64 or more, such as 2048"
    ),
    "CARDROOM_MAX_TABLES_PER_GUEST": _whole(0, 5),
    "CARDROOM_MAX_TABLES_PER_ADDRESS": _whole(0, 40),
    "CARDROOM_MAX_TABLES_PER_ACCOUNT": _whole(0, 20),
    "CARDROOM_RESTING_TABLES_KEPT_DAYS": Variable(_amount, "a number of days, such as 7", 7.0),
    "CARDROOM_FINISHED_TABLES_KEPT_DAYS": Variable(_amount, "a number of days, such as 90", 90.0),
    "CARDROOM_LOG": Variable(_level, f"one of {', '.join(LEVELS)}", "INFO"),
    "CARDROOM_DEBUG": _switch(),
}
"""Every variable by its name."""

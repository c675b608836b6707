"""Parses the site's environment variables, and reports wrong values.

`cardroom.settings` reads the variables; the table in docs/04-operations.md describes them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, MutableMapping
from difflib import get_close_matches
from importlib.util import find_spec
from ipaddress import ip_network
from typing import Final, cast
from urllib.parse import urlsplit

import dj_email_url
from environs import Env, EnvValidationError, ValidationError, validate
from kombu.transport import TRANSPORT_ALIASES

REDIS: Final = ("redis", "rediss", "unix", "redis+socket")
PREFIX: Final = "CARDROOM_"
READ_ELSEWHERE: Final = frozenset(
    {
        "CARDROOM_CGROUP",
        "CARDROOM_COMPILE",
        "CARDROOM_JOBS",
        "CARDROOM_LIBRARIES",
        "CARDROOM_TOKEN",
    }
)
"""Variables that are not settings: sandboxes, `core.compiled` and the command line read them."""
SECRET: Final = frozenset(
    {
        "DATABASE_URL",
        "REDIS_URL",
        "CARDROOM_BROKER_URL",
        "CARDROOM_MAIL_URL",
        "CARDROOM_METRICS_TOKEN",
        "CARDROOM_OIDC_SECRET",
        "CARDROOM_SECRET_KEY",
        "CARDROOM_SENTRY_DSN",
        "CARDROOM_SIGNUP_CODE",
    }
)
"""Variables that may contain passwords; error messages omit their values."""
at_least: Final = validate.Range
NOT_NEGATIVE: Final = at_least(0)
TIME_OF_DAY: Final = validate.Regexp(
    "(([01][0-9]|2[0-3]):[0-5][0-9])?$", error="Must be a time of day such as 03:15, or empty."
)
TOKEN: Final = validate.Regexp(
    r"[!-~]{16,}$", error="Must have at least 16 characters, without spaces, all of them ASCII."
)
CODE: Final = validate.Regexp(
    r"[!-~]{6,}$", error="Must have at least 6 characters, without spaces, all of them ASCII."
)
ORGANIZERS: Final = validate.OneOf(["all", "group"])
SIGNUP: Final = validate.OneOf(["open", "code", "provider", "closed"])
LOG_FORMAT: Final = validate.OneOf(["text", "json"])
LEVEL: Final = validate.OneOf(["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"])


class WrongEnvironment(SystemExit):
    """Variables with wrong values, each with the reason."""


env: Final = Env(eager=False)
"""Collects errors until `seal`."""


def broker(text: str) -> None:
    """Validate the address of any broker that Celery knows."""
    _scheme(text, TRANSPORT_ALIASES, "amqp")


def redis(text: str) -> None:
    """Validate the address of a Redis server."""
    _scheme(text, REDIS, "redis")


def _scheme(text: str, schemes: Container[str], example: str) -> None:
    scheme, separator, _ = text.partition("://")
    if not separator or scheme not in schemes:
        raise ValidationError(f"Must be an address such as {example}://user:password@host.")


def mail(text: str) -> None:
    """Validate the address of a server that sends mail."""
    _scheme(text, dj_email_url.SCHEMES, "submission")


def issuer(text: str) -> None:
    """Validate the address of a provider of OpenID Connect."""
    _scheme(text, {"https"}, "https")


def sentry(text: str) -> None:
    """Validate the address of a project in Sentry, whose library must be installed."""
    url = urlsplit(text)
    if url.scheme not in {"http", "https"} or not (url.username and url.path.strip("/")):
        raise ValidationError("Must be an address such as https://key@sentry.example.org/1.")
    if find_spec("sentry_sdk") is None:
        raise ValidationError("Needs the library sentry-sdk: install the extra `sentry`.")


def words(texts: list[str]) -> None:
    """Validate a list of words, none of which may be empty."""
    if not all(texts):
        raise ValidationError("Must be words, separated by commas.")


def proxies(texts: list[str]) -> None:
    """Validate addresses and networks of proxies; `unix` is a proxy on a Unix socket."""
    networks([text for text in texts if text != "unix"], ", or unix")


def networks(texts: list[str], others: str = "") -> None:
    """Validate addresses and networks; `others`: further possible values, for the error."""
    for text in texts:
        try:
            ip_network(text)
        except ValueError:
            reason = f"must be an address, a network such as 10.0.1.0/24{others}."
            raise ValidationError(f"{text[:80]!r} {reason}") from None


def drop_blank(environ: MutableMapping[str, str], *, keep: Iterable[str] = ()) -> None:
    """Drop our variables with a blank value: compose files pass unset variables as blanks.

    keep: names whose value may be blank.
    """
    for name in _own_variables(environ):
        if not environ[name].strip():
            del environ[name]
            if name in keep:
                environ[name] = ""


def seal(environ: Mapping[str, str]) -> None:
    """Finish reading; raise WrongEnvironment with all wrong variables, if there are any."""
    try:
        env.seal()
    except EnvValidationError as error:
        lines = ["These variables of the environment are wrong:"]
        reasons_by_name = cast("dict[str, list[str]]", error.error_messages)
        for name, reasons in reasons_by_name.items():
            value = "***" if name in SECRET else repr(environ.get(name, "")[:80])
            lines.append(f"  {name}={value}: {' '.join(map(str, reasons))}")
        raise WrongEnvironment("\n".join(lines)) from None


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """A sentence for each unknown variable with our prefix, such as CARDROOM_HOST.

    They do not keep a site from starting, because a newer or older program may use them.
    """
    names = {name.removeprefix(PREFIX): name for name in env.dump()}
    sentences = []
    for name in sorted(_own_variables(environ) - {*names.values(), *SECRET, *READ_ELSEWHERE}):
        matches = get_close_matches(name.removeprefix(PREFIX), names, n=1, cutoff=0.8)
        hint = f" Did you mean {names[matches[0]]}?" if matches else ""
        sentences.append(f"There is no setting {name[:80]}: it is ignored.{hint}")
    return sentences


def _own_variables(environ: Mapping[str, str]) -> set[str]:
    return {name for name in environ if name.startswith(PREFIX) or name in SECRET}

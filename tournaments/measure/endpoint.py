"""Requests to an OpenAI-compatible chat endpoint, whose answers are not trusted.

The size and duration of an answer are limited, redirects are not followed, and the key is removed
from every text that comes back, because an endpoint may echo it.
"""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from bots.cli.common import UsageError
from cardroom_base.core.safe_text import one_line
from engine.json_text import JSONError, parse_json

if TYPE_CHECKING:
    import httpx

PATH: Final = "/chat/completions"
MAX_ANSWER: Final = 1_000_000
"""Maximum number of bytes of an answer."""
MAX_REPLY: Final = 20_000
"""Characters of a reply that are kept: the last ones."""
MAX_WAIT_S: Final = 300.0
"""The longest wait before another attempt, even if `Retry-After` is longer."""
_FIRST_WAIT_S: Final = 1.0
_MAX_TOKENS: Final = 10**9
_MIN_KEY_LENGTH: Final = 8
"""Minimum length of a key that is removed from texts; shorter ones are words such as `none`."""
_TEMPORARY_STATUSES: Final = {408, 409, 425, 429}
"""Statuses after which another attempt may succeed, beside 5xx."""


class EndpointError(Exception):
    """The endpoint failed permanently; the message is for people and contains no key."""


class Interrupted(Exception):  # noqa: N818 - not an error
    """The run is stopping, so no request was sent."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's text, and its cost in tokens and time."""

    text: str
    cut: bool
    """Whether the endpoint cut it off at a length limit."""
    prompt_tokens: int | None
    completion_tokens: int | None
    ms: int


@dataclass(slots=True)
class Endpoint:
    """A chat endpoint with a model; its methods may be called from several threads."""

    url: str
    model: str
    key: str = field(repr=False)
    """Empty: requests have no Authorization header."""
    parameters: Mapping[str, Any]
    """Further fields of each request."""
    timeout_s: float
    attempts: int
    """Maximum requests for one question."""
    stopping: Event
    """Set when the run stops; then no further request is sent."""
    warn: Callable[[str], None] = lambda _: None
    """Called once, with the reason, when a request has failed for the first time and will be
    repeated."""
    first_wait_s: float = _FIRST_WAIT_S
    _warned: bool = False
    _lock: Lock = field(default_factory=Lock)
    _not_before: float = 0.0
    """No request is sent before this `time.monotonic`, because the endpoint asked to wait."""
    _client: httpx.Client | None = None

    def ask(
        self,
        messages: Sequence[Mapping[str, str]],
        on_request: Callable[[], None],
        on_failure: Callable[[str], None],
    ) -> Reply:
        """The reply to these messages.

        `on_request` is called before each request and may raise; `on_failure` after each failed
        request. Raises EndpointError, or Interrupted before a request if `stopping` is set.
        """
        for attempt in range(1, self.attempts + 1):
            self._wait_until_allowed()
            on_request()
            try:
                return self._send(messages)
            except _TemporaryError as error:
                reason = self._clean(str(error))
                on_failure(reason)
                if attempt == self.attempts:
                    raise EndpointError(_final_text(attempt, reason)) from None
                self._warn_once(reason)
                wait = error.wait_s
                if wait is None:
                    wait = self.first_wait_s * 2 ** (attempt - 1)
                elif error.for_all:
                    self._delay_requests(min(wait, MAX_WAIT_S))
                if self.stopping.wait(min(wait, MAX_WAIT_S)):
                    raise Interrupted from None
            except EndpointError as error:
                on_failure(str(error))
                raise
        raise AssertionError

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()

    def _warn_once(self, reason: str) -> None:
        with self._lock:
            warned, self._warned = self._warned, True
        if not warned:
            self.warn(reason)

    def _wait_until_allowed(self) -> None:
        with self._lock:
            wait = self._not_before - time.monotonic()
        if self.stopping.wait(max(wait, 0.0)):
            raise Interrupted

    def _delay_requests(self, seconds: float) -> None:
        with self._lock:
            self._not_before = max(self._not_before, time.monotonic() + seconds)

    def _send(self, messages: Sequence[Mapping[str, str]]) -> Reply:
        import httpx

        start = time.monotonic()
        # Compressed, a short answer could expand into a very long one.
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        content = {**self.parameters, "model": self.model, "messages": list(messages)}
        try:
            http = self._http()
            request = http.build_request("POST", self.url, headers=headers, json=content)
            with closing(http.send(request, stream=True)) as response:
                body = self._body(response, start + self.timeout_s)
        except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise EndpointError(self._clean(f"--endpoint is not an address: {error}.")) from None
        except (httpx.HTTPError, OSError, ValueError) as error:
            # Without `from None` a traceback could show the request with its key.
            raise _TemporaryError(f"{type(error).__name__} {error}".strip()) from None
        if not response.is_success:
            self._raise_for_status(response, body)
        return self._reply(body, round((time.monotonic() - start) * 1000))

    def _http(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    timeout=self.timeout_s,
                    verify=ssl.create_default_context(),
                    limits=httpx.Limits(max_connections=None, max_keepalive_connections=64),
                )
            return self._client

    def _body(self, response: httpx.Response, deadline: float) -> bytes:
        body = bytearray()
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > MAX_ANSWER:
                raise _TemporaryError(f"The answer is longer than {MAX_ANSWER:,} bytes.")
            if time.monotonic() > deadline:
                raise _TemporaryError(f"The answer took longer than {self.timeout_s:g} s.")
        return bytes(body)

    def _raise_for_status(self, response: httpx.Response, body: bytes) -> None:
        """Raise the error for a status other than 2xx."""
        status = response.status_code
        message = self._clean(
            _joined(f"{status} {response.reason_phrase}".strip(), _error_message(body))
        )
        if response.has_redirect_location:
            target = self._clean(str(response.headers["Location"]))
            raise EndpointError(
                f"The endpoint answered {status} and redirects to {target}. Redirects are not "
                "followed, because the key must not go elsewhere: name the right address with "
                "--endpoint."
            )
        if status in _TEMPORARY_STATUSES or status >= 500:
            wait = _retry_after_seconds(response.headers)
            raise _TemporaryError(message, wait, for_all=status in {429, 503})
        raise EndpointError(f"The endpoint answered {message}")

    def _reply(self, body: bytes, ms: int) -> Reply:
        try:
            answer = parse_json(body, MAX_ANSWER, allow_lone_surrogates=True)
            [choice, *_] = answer["choices"]
            content, finish = choice["message"].get("content"), choice.get("finish_reason")
            usage = answer.get("usage")
        except (JSONError, AttributeError, KeyError, TypeError, ValueError):
            start = body[:200].decode("utf-8", "replace")
            raise _TemporaryError(_joined("The answer is not a chat completion", start)) from None
        if isinstance(content, list):  # some endpoints send parts
            content = "".join(
                part["text"]
                for part in content
                if isinstance(part, dict) and isinstance(part.get("text"), str)
            )
        text = content if isinstance(content, str) else ""
        # A lone surrogate cannot be written to a file.
        text = text.encode("utf-8", "replace").decode()
        return Reply(
            self._without_key(text)[-MAX_REPLY:],
            finish == "length",
            _tokens(usage, "prompt_tokens"),
            _tokens(usage, "completion_tokens"),
            ms,
        )

    def _clean(self, text: str) -> str:
        """A message of the endpoint as one harmless line without the key."""
        return one_line(self._without_key(text), 500)

    def _without_key(self, text: str) -> str:
        return text.replace(self.key, "[key]") if len(self.key) >= _MIN_KEY_LENGTH else text


class _TemporaryError(Exception):
    """A failure after which another attempt may succeed."""

    def __init__(self, words: str, wait_s: float | None = None, *, for_all: bool = False) -> None:
        """`wait_s`: the wait that the endpoint asks for; `for_all`: whether all requests wait."""
        super().__init__(words)
        self.wait_s = wait_s
        self.for_all = for_all


def address(endpoint: str) -> str:
    """The address for requests, from an endpoint's base or full address; UsageError if it is not
    an address, or contains a password."""
    try:
        parts = urlsplit(endpoint)
        is_address = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:  # a wrong port or IPv6 address
        is_address = False
    if not is_address:
        raise UsageError("--endpoint is an address such as https://api.example.com/v1.")
    if parts.username is not None or parts.password is not None:
        raise UsageError("--endpoint must not contain a password; use --key-env.")
    path = parts.path.rstrip("/")
    return parts._replace(path=path if path.endswith(PATH) else path + PATH, fragment="").geturl()


def is_private(url: str) -> bool:
    """Whether requests to this address are private: https, or this machine."""
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in {"localhost", "127.0.0.1", "::1"}


def key_from(variable: str, *, required: bool) -> str:
    """The key in an environment variable; empty if it is not set. UsageError names no key."""
    key = os.environ.get(variable, "").strip()
    if required and not key:
        # The message omits the name, which may be the key itself, given by mistake.
        raise UsageError("--key-env takes the name of an environment variable that is set.")
    if not (key.isascii() and (key.isprintable() or not key)) or " " in key:
        raise UsageError("The environment variable contains no key: a key is ASCII without spaces.")
    return key


def _final_text(attempts: int, reason: str) -> str:
    if attempts == 1:
        return f"The endpoint failed: {reason}"
    return f"The endpoint failed {attempts} times; the last failure: {reason}"


def _joined(words: str, detail: str) -> str:
    """The words, a colon and the detail; without a detail, the words as a sentence."""
    return f"{words}: {detail.strip()}" if detail.strip() else f"{words}."


def _error_message(body: bytes) -> str:
    """The message of an error's body."""
    try:
        error = parse_json(body, MAX_ANSWER, allow_lone_surrogates=True)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (JSONError, KeyError, TypeError, ValueError):
        return body[:200].decode("utf-8", "replace")


def _retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The wait that a `Retry-After` header asks for, in seconds or as a date; None without one."""
    text = headers.get("Retry-After", "")
    if len(text) <= 12 and text.isascii() and text.replace(".", "", 1).isdecimal():
        return float(text)
    try:
        # The endpoint's own clock, because this machine's may be off.
        wait_end, server_time = (
            parsedate_to_datetime(date).replace(tzinfo=UTC) for date in (text, headers["Date"])
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return max((wait_end - server_time).total_seconds(), 0.0)


def _tokens(usage: object, name: str) -> int | None:
    number = usage.get(name) if isinstance(usage, dict) else None
    valid = isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= _MAX_TOKENS
    return number if valid else None

"""Send requests to other people's servers: http(s) only, with limits on time and redirects."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from bots.cli.common import UsageError
from bots.limits import MAX_ANSWER_S, MAX_REDIRECTS

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 30.0
"""Seconds within which a server must accept or send some bytes."""


@contextmanager
def send(
    method: str,
    url: str,
    *,
    name: str,
    headers: Mapping[str, str],
    redirects: bool = False,
    **content: Any,
) -> Iterator[httpx.Response]:
    """Send a request and yield the server's answer, whose body `chunks` reads.

    Raises UsageError if no answer comes. `name` replaces the address in messages. A request with a
    token must not follow redirects. `content`: httpx's `params`, `json`, `data`, `files`.
    """
    import httpx  # the import takes a third of a second, and most commands send no request

    try:
        with client() as http:
            request = http.build_request(method, url, headers=headers, **content)
            # Compressed, a short answer could expand into a very long one.
            request.headers["Accept-Encoding"] = "identity"
            with closing(
                _send_following(http, request, MAX_REDIRECTS if redirects else 0)
            ) as response:
                yield response
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, ImportError) as error:
        raise UsageError(f"{name} cannot be reached: {_reason(error)}.") from None
    except httpx.UnsupportedProtocol:
        raise UsageError(f"{name} is not an address: it names no host.") from None
    except (httpx.InvalidURL, ValueError) as error:
        raise UsageError(f"{name} is not an address: {_reason(error)}.") from None
    except (httpx.HTTPError, OSError) as error:
        raise UsageError(f"{name} cannot be read: {_reason(error)}.") from None


def client() -> httpx.Client:
    """An HTTP client with the environment's proxies and the system's certificates."""
    import httpx

    return httpx.Client(timeout=TIMEOUT_S, verify=ssl.create_default_context())


def chunks(response: httpx.Response, name: str, seconds: float = MAX_ANSWER_S) -> Iterator[bytes]:
    """The body in chunks, whose total size the caller limits. Raises UsageError after `seconds`."""
    deadline = time.monotonic() + seconds
    for chunk in response.iter_raw():
        yield chunk
        if time.monotonic() > deadline:
            raise UsageError(f"{name} took longer than {seconds:.0f} s to answer.")


def _send_following(http: httpx.Client, request: httpx.Request, redirects: int) -> httpx.Response:
    """The answer after at most `redirects` redirects, none of them from https to http."""
    import httpx

    try:
        response = http.send(request, stream=True)
    except (httpx.InvalidURL, ValueError) as error:
        raise httpx.RemoteProtocolError(f"it redirects to an invalid address ({error})") from None
    next_request = response.next_request
    if not redirects or next_request is None:
        return response
    if next_request.url.scheme not in {request.url.scheme, "https"}:
        return response
    response.close()
    return _send_following(http, next_request, redirects - 1)


def _reason(error: Exception) -> str:
    return str(error).rstrip(".") or type(error).__name__

"""Asking other people's servers: http(s) only, bounded in time and redirects."""

from __future__ import annotations

import http.client
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

from bots.cli.common import UsageError
from bots.limits import MAX_ANSWER_S, MAX_REDIRECTS
from cardroom_base.core.request_limits import KIB

PATIENCE_S = 30.0
"""Seconds until a server must have said something."""
PIECE = 64 * KIB
Redirects = type[urllib.request.HTTPRedirectHandler]


class Heard(http.client.HTTPConnection):
    """A connection that still reads the answer of a server that closes in the middle of a request.

    A server that refuses a body for its length answers at once. Then sending fails, and what
    matters is the answer that has already come.
    """

    refused: OSError | None = None

    def send(self, data: Any) -> None:
        """As in the parent, until the other side takes no more."""
        if self.refused is None:
            try:
                super().send(data)
            except (BrokenPipeError, ConnectionResetError) as error:
                self.refused = error

    def getresponse(self) -> http.client.HTTPResponse:
        """The answer; where there is none, the error of sending."""
        try:
            return super().getresponse()
        except (ConnectionError, http.client.HTTPException) as error:
            raise self.refused or error from None


class HeardSafely(Heard, http.client.HTTPSConnection):
    """The same for https."""


class OverHTTP(urllib.request.HTTPHandler):
    """Opens http addresses with `Heard`."""

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """The answer."""
        return self.do_open(Heard, req)


class OverHTTPS(urllib.request.HTTPSHandler):
    """Opens https addresses with `HeardSafely`, with the usual certificates."""

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """The answer."""
        return self.do_open(HeardSafely, req)


class Moves(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but never from https to http, nor to anything else."""

    max_redirections = MAX_REDIRECTS

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """The next request; None makes the answer an error."""
        before, after = (urllib.parse.urlsplit(url).scheme for url in (req.full_url, newurl))
        if after not in {before, "https"}:
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Stays(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: a request that carries a token is for one site only."""

    def redirect_request(self, *_: Any) -> None:
        """Makes every redirect an error."""


def answer(
    request: urllib.request.Request, redirects: Redirects, seconds: float = MAX_ANSWER_S
) -> Iterator[bytes]:
    """What a server answers, piece by piece; the caller counts the bytes.

    UsageError when it takes longer than `seconds`, else what urllib raises.
    """
    until = time.monotonic() + seconds
    with _opener(redirects).open(request, timeout=PATIENCE_S) as found:
        while piece := found.read1(PIECE):  # what has come so far, to notice a server that drips
            yield piece
            if time.monotonic() > until:
                raise UsageError(f"{request.host} takes longer than {seconds:.0f} s to answer.")


def _opener(redirects: Redirects) -> urllib.request.OpenerDirector:
    """What opens http and https addresses, and no others."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.UnknownHandler,
        OverHTTP,
        OverHTTPS,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
        redirects,
    ):
        opener.add_handler(handler())
    return opener

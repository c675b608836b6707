"""Answers supervisors and monitors: `/healthz` and `/readyz`.

They ask a process by its own address over plain HTTP, so `Probes` answers before the site's host
name and HTTPS are checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from cardroom import reachable
from cardroom_base.db import schema


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """Whether this process answers at all; asks nothing else."""
    return _private(HttpResponse("ok\n", content_type="text/plain"))


@require_safe
def readyz(_request: HttpRequest) -> HttpResponse:
    """Whether database and broker answer; if not, 503 and a list of what is not ready."""
    parts = [{"part": part, "reason": reason} for part, reason in reachable.not_ready().items()]
    status = 503 if parts else 200
    return _private(JsonResponse({"ready": not parts, "not_ready": parts}, status=status))


VIEWS: Final[Mapping[str, Callable[[HttpRequest], HttpResponse]]] = {
    "healthz": healthz,
    "readyz": readyz,
}
"""By address, without the slash at the beginning."""


class Probes:
    """Answers the addresses in `VIEWS`; these requests leave no line in the access log."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        schema.number()  # read it now: an update may change the files

    def __call__(self, request: HttpRequest) -> HttpResponse:
        view = VIEWS.get(request.path_info[1:])
        return self.get_response(request) if view is None else view(request)


def _private(response: HttpResponse) -> HttpResponse:
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response

"""Answers requests of supervisors and monitors: `/healthz`, `/readyz` and `/metrics`.

Supervisors and monitors use a process's own address and plain HTTP, so `Probes` answers before the
site checks host name and HTTPS.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from ipaddress import ip_network
from typing import Final

from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseForbidden,
    HttpResponseNotFound,
    JsonResponse,
)
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from cardroom import reachable
from cardroom.addresses import parse_address
from cardroom_base.db import database, schema_number

log = logging.getLogger(__name__)


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """Whether this process answers; checks nothing else."""
    return _private(HttpResponse("ok\n", content_type="text/plain"))


@require_safe
def readyz(_request: HttpRequest) -> HttpResponse:
    """Whether database and broker answer; if not, 503 and a list of the parts that do not."""
    parts = [{"part": part, "reason": reason} for part, reason in reachable.troubles().items()]
    status = 503 if parts else 200
    return _private(JsonResponse({"ready": not parts, "not_ready": parts}, status=status))


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics for Prometheus; 404 if the site offers none, 403 if this client may not read them."""
    if not (settings.METRICS_TOKEN or settings.METRICS_NETWORKS):
        return _private(HttpResponseNotFound("There are no metrics.\n", content_type="text/plain"))
    if not _may_read(request):
        address = request.META.get("REMOTE_ADDR")
        log.warning("Metrics are refused to %s.", address, extra={"kind": "metrics"})
        return _private(HttpResponseForbidden("Send the token.\n", content_type="text/plain"))
    from cardroom.metrics import exposition  # most processes never need it

    try:
        text, content_type = exposition(request.headers.get("Accept", ""))
    except Exception as error:
        if not database.means_unavailable(error):
            raise
        log.warning(database.unavailable_text(error))
        message = "The database is busy or unavailable.\n"
        return _private(HttpResponse(message, content_type="text/plain", status=503))
    return _private(HttpResponse(text, content_type=content_type))


def _may_read(request: HttpRequest) -> bool:
    """Whether the request has the token, or comes from one of the networks."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    expected = settings.METRICS_TOKEN
    if expected and scheme.lower() == "bearer" and constant_time_compare(token.strip(), expected):
        return True
    address = parse_address(request.META.get("REMOTE_ADDR", ""))
    networks = map(ip_network, settings.METRICS_NETWORKS)
    return address is not None and any(address in network for network in networks)


VIEWS: Final[Mapping[str, Callable[[HttpRequest], HttpResponse]]] = {
    "healthz": healthz,
    "readyz": readyz,
    "metrics": metrics,
}
"""By path, without the slash at the beginning."""


class Probes:
    """Answers the addresses in `VIEWS`; these requests leave no line in the access log."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        schema_number.program_number()  # read it now: an update may change the files

    def __call__(self, request: HttpRequest) -> HttpResponse:
        view = VIEWS.get(request.path_info[1:])
        return self.get_response(request) if view is None else view(request)


def _private(response: HttpResponse) -> HttpResponse:
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response

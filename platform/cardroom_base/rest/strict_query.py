"""Refuses unknown names in a query, which would otherwise be ignored silently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from rest_framework.generics import ListAPIView

from cardroom_base.rest.keyset import CURSOR
from cardroom_base.rest.pagination import PAGING
from cardroom_base.rest.problem_details import MEDIA_TYPE, problem
from cardroom_base.rest.strict_body import unknown_names


class KnownParameters:
    """Answers 400 to parameters that an address of the REST interface does not have.

    Lists have their filters, `ordering` and pagination; a view lists further parameters in `query`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, *_: Any) -> HttpResponse | None:
        """Refuse unknown parameters; Django calls this before each view."""
        view_class = getattr(view, "cls", None)
        if not request.GET or view_class is None or not request.path.startswith("/api/v1/"):
            return None
        errors = unknown_names(
            request.GET, known_parameters(view_class, request.method or ""), "parameter"
        )
        if not errors:
            return None
        detail = " ".join(f"{name}: {sentence}" for name, [sentence] in errors.items())
        body = problem(400, detail, code="invalid", instance=request.path, errors=errors)
        return JsonResponse(body, status=400, content_type=MEDIA_TYPE)


def known_parameters(view: type[Any], method: str) -> list[str]:
    """The parameters that a view accepts; only safe methods have any."""
    if method not in {"GET", "HEAD", "OPTIONS"}:
        return []
    query = list(getattr(view, "query", ()))
    if not issubclass(view, ListAPIView):
        return query
    filters = getattr(view, "filterset_class", None)
    query += filters.base_filters if filters else ()
    if getattr(view, "ordering_fields", None):
        query.append("ordering")
    if getattr(view, "by_key", False):
        query.append(CURSOR)
    return [*query, *(PAGING if view.pagination_class else ())]

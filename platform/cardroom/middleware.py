"""What every answer of the site carries."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
# Swagger UI draws itself with inline styles and one inline script.
_DOCS_POLICY = _POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'").replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)


class ContentSecurityPolicy:
    """No inline script or style, no third-party request: a bot's name or log cannot become code."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        policy = _DOCS_POLICY if request.path.startswith(("/api/docs/", "/admin/")) else _POLICY
        response.headers.setdefault("Content-Security-Policy", policy)
        return response

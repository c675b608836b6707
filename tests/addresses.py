"""Lists the addresses of the site, from its URL patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver


def flatten(patterns: Any, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    """The patterns below these, each with its whole route."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from flatten(pattern.url_patterns, prefix + str(pattern.pattern))
        else:
            yield prefix + str(pattern.pattern), pattern


def addresses() -> list[tuple[str, URLPattern]]:
    """The site's own addresses, without the addresses of Django's administration."""
    return [
        (route.replace("/^", "/"), pattern)  # equals `route` of a resolved request
        for route, pattern in flatten(get_resolver().url_patterns)
        if not route.startswith(("admin/", "api/^"))
    ]


def views() -> Iterator[tuple[str, list[str], Any]]:
    """Views of the REST interface: path as in the OpenAPI document, methods, view."""
    for route, pattern in addresses():
        view = getattr(pattern.callback, "cls", None)
        if view is not None and route.startswith("api/v1/"):
            path = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route).replace("{pk}", "{id}")
            methods = ("get", "post", "put", "patch", "delete")
            yield path, [method.upper() for method in methods if hasattr(view, method)], view

"""Every address of the site, from its URL patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver


def patterns(found: Any, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address of the site, with its view."""
    for each in found:
        if isinstance(each, URLResolver):
            yield from patterns(each.url_patterns, prefix + str(each.pattern))
        else:
            yield prefix + str(each.pattern), each


def addresses() -> list[tuple[str, URLPattern]]:
    """The site's own addresses, without those of Django's administration."""
    return [
        (route.replace("/^", "/"), each)  # as a resolved request has it
        for route, each in patterns(get_resolver().url_patterns)
        if not route.startswith(("admin/", "api/^"))
    ]


def views() -> Iterator[tuple[str, list[str], Any]]:
    """Views of the REST interface: path as in the OpenAPI document, methods, view."""
    for route, each in addresses():
        view = getattr(each.callback, "cls", None)
        if view is not None and route.startswith("api/v1/"):
            path = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route).replace("{pk}", "{id}")
            verbs = ("get", "post", "put", "patch", "delete")
            yield path, [verb.upper() for verb in verbs if hasattr(view, verb)], view

"""A template tag for addresses that people share."""

from __future__ import annotations

from typing import Any

from django import template

register = template.Library()


@register.simple_tag(takes_context=True)
def absolute_url(context: dict[str, Any], path: str) -> str:
    """The full address of a path of this site."""
    address: str = context["request"].build_absolute_uri(path)
    return address

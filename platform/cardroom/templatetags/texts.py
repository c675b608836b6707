"""A template filter for Markdown that users write."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from cardroom.display.markdown import html_of

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    return html_of(text)

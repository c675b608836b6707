"""Moments to come, in templates."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from bots.moments import now

register = template.Library()


@register.filter
def clock(moment: datetime) -> SafeString:
    """A moment to come, as exactly as one can tell: `18:40 UTC`, on other days `2026-11-29`."""
    far = moment - now() > timedelta(hours=20)
    shown = f"{moment:%Y-%m-%d}" if far else f"{moment:%H:%M} UTC"
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="minutes"), shown)

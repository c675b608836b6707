"""How long something takes, in templates."""

from __future__ import annotations

from datetime import timedelta

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from bots.moments import now
from cardroom.pages.waiting import about

register = template.Library()


@register.filter
def for_hours(hours: float) -> str:
    """How long that is: `about 20 minutes`."""
    return about(hours * 3600)


@register.filter
def hours_from_now(hours: float) -> SafeString:
    """When that will be."""
    moment = now() + timedelta(hours=min(hours, 24 * 365))
    shown = f"{moment:%H:%M} UTC" if hours < 20 else f"{moment:%Y-%m-%d}"
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="minutes"), shown)

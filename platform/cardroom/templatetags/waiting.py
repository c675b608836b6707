"""Moments to come and how long something takes, in templates."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from bots.moments import now
from cardroom.pages.waiting import about

register = template.Library()


@register.filter
def clock(moment: datetime) -> SafeString:
    """A moment to come, as exactly as one can tell: `18:40 UTC`, on other days `2026-11-29`.

    The site's script puts the reader's own time in its place.
    """
    far = moment - now() > timedelta(hours=20)
    shown = f"{moment:%Y-%m-%d}" if far else f"{moment:%H:%M} UTC"
    return format_html(
        '<time datetime="{}" data-shown="{}">{}</time>',
        moment.isoformat(timespec="minutes"),
        "date" if far else "time",
        shown,
    )


@register.filter
def for_hours(hours: float) -> str:
    """How long that is: `about 20 minutes`."""
    return about(hours * 3600)


@register.filter
def hours_from_now(hours: float) -> SafeString:
    """When that will be, a year from now at most."""
    return clock(now() + timedelta(hours=min(hours, 24 * 365)))

"""Template filters for future moments and durations."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from cardroom.display.numbers import rough_duration
from cardroom_base.db.db_time import now

register = template.Library()


@register.filter
def clock(moment: datetime | None) -> SafeString:
    """A moment as `18:40 UTC`, with the date unless it is today; a script localises it."""
    if moment is None:
        return mark_safe("–")
    text = f"{moment:%H:%M} UTC"
    if moment.date() != now().date():
        text = f"{moment.day} {moment:%b}, {text}"
    return format_html(
        '<time datetime="{}" data-clock>{}</time>', moment.isoformat(timespec="seconds"), text
    )


@register.filter
def rough_hours(hours: float) -> str:
    """A number of hours as text: `about 20 minutes`."""
    return rough_duration(hours * 3600)


@register.filter
def hours_from_now(hours: float) -> SafeString:
    """The moment after this many hours, at most a year from now."""
    return clock(now() + timedelta(hours=min(hours, 24 * 365)))

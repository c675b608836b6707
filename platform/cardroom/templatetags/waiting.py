"""Moments to come and how long something takes, in templates."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from cardroom.pages.common.wait_text import about
from cardroom_base.db.db_time import now

register = template.Library()


@register.filter
def clock(moment: datetime | None) -> SafeString:
    """When something was, or is to come, as a clock shows it: `18:40 UTC`, on other days with the
    date. A script puts it into the reader's zone."""
    if moment is None:
        return mark_safe("–")
    text = f"{moment:%H:%M} UTC"
    if moment.date() != now().date():
        text = f"{moment.day} {moment:%b}, {text}"
    return format_html(
        '<time datetime="{}" data-clock>{}</time>', moment.isoformat(timespec="seconds"), text
    )


@register.filter
def for_hours(hours: float) -> str:
    """How long that is: `about 20 minutes`."""
    return about(hours * 3600)


@register.filter
def hours_from_now(hours: float) -> SafeString:
    """When that will be, a year from now at most."""
    return clock(now() + timedelta(hours=min(hours, 24 * 365)))

"""Template tags for authors' names with links to their pages, and for what accounts may do."""

from __future__ import annotations

from typing import Any

from django import template
from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from cardroom.templatetags.ui import named
from tournaments.organizing import may_create_tournaments

register = template.Library()


@register.simple_tag
def author(user: User | None, site: str = "Cardroom") -> str | SafeString:
    """The name of a bot's owner or a tournament's organizer, linked; the site's name without a
    user.

    A closed account has no page, so its name is no link.
    """
    if user is None:
        return site
    if not user.is_active:
        return named(user.username)
    address = reverse("author", args=[user.username])
    return format_html('<a class="plain" href="{}">{}</a>', address, named(user.username))


@register.simple_tag(takes_context=True)
def may_create(context: Any) -> bool:
    """Whether the page offers to create a tournament; people who are not logged in may learn more
    at the form, unless only a group may."""
    user = context["request"].user
    return may_create_tournaments(user) or (settings.ORGANIZERS == "all")

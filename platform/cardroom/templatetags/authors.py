"""Template tags for authors' names with links to their pages, and for a permission."""

from __future__ import annotations

from typing import Any

from django import template
from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from cardroom.templatetags.ui import with_lang
from tournaments.organizing import may_create_tournaments

register = template.Library()


@register.simple_tag
def author(user: User | None, site: str = "Cardroom") -> str | SafeString:
    """The name of a bot's owner or a tournament's organizer, linked to their page.

    Without a user, the name of the site. A closed account has no page, so its name is no link.
    """
    if user is None:
        return site
    if not user.is_active:
        return with_lang(user.username)
    address = reverse("author", args=[user.username])
    return format_html('<a class="plain" href="{}">{}</a>', address, with_lang(user.username))


@register.simple_tag(takes_context=True)
def may_create(context: Any) -> bool:
    """Whether to offer the creation of a tournament. If all accounts may create one, visitors get
    the offer, too, and log in first."""
    user = context["request"].user
    return may_create_tournaments(user) or (settings.ORGANIZERS == "all")

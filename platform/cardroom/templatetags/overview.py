"""Template tags for a tournament's overview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from tournaments.models import Entry

if TYPE_CHECKING:
    from cardroom.pages.tournaments.overview import RoundCell

register = template.Library()

_TINTS: Final = {"W": "h5", "D": "h3", "L": "h1", "live": "live", "wait": "wait"}


@register.simple_tag
def round_cell(cell: RoundCell, matches: str, tournament: str, bot: str) -> SafeString:
    """A cell of the table *round by round* with a link to its matches; in Python for speed."""
    content = format_html(
        '<b aria-hidden="true">{}</b><i class="opt" aria-hidden="true">{}</i>'
        '<span class="vh">{}</span>',
        cell.letter,
        cell.against,
        cell.words,
    )
    tint = _TINTS[cell.kind]
    if not cell.opponent:
        return format_html('<span class="cell {}">{}</span>', tint, content)
    address = f"{matches}?tournament={tournament}&bot={bot}&against={cell.opponent}&state=all"
    return format_html('<a class="cell {}" href="{}">{}</a>', tint, address, content)


@register.simple_tag
def places_moved(places: int | None) -> SafeString:
    """The places gained or lost since the round before, as an arrow and a number."""
    if not places:
        return mark_safe("")
    direction, arrow = ("up", "▲") if places > 0 else ("down", "▼")
    return format_html(
        '<span class="moved {}"><span aria-hidden="true">{}{}</span>'
        '<span class="vh"> {} {} since the round before</span></span>',
        direction,
        arrow,
        abs(places),
        direction,
        abs(places),
    )


@register.filter
def has_bot_of(entry: Entry, user: Any) -> bool:
    """Whether a bot of the entry belongs to the user."""
    if not getattr(user, "is_authenticated", False):
        return False
    return any(bot.owner_id == user.pk for bot, _ in entry.members())

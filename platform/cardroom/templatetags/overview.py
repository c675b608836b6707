"""Template tags for a tournament's overview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django import template
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString, mark_safe

from cardroom.display.numbers import fraction
from cardroom.templatetags.ui import bot_link, signed, state, with_lang
from tournaments.reading.entry_names import EntryNames

if TYPE_CHECKING:
    from cardroom.pages.tournaments.overview import OverviewRow, RoundCell
    from cardroom.pages.tournaments.progress import Standing

register = template.Library()

_TINTS: Final = {"W": "h5", "D": "h3", "L": "h1", "live": "live", "wait": "wait"}
"""The CSS class of each kind of `RoundCell`."""


@register.simple_tag
def round_cells(line: OverviewRow, matches: str, tournament: str) -> SafeString:
    """The cells of a row of the table *round by round* with links to their matches.

    `matches`: the address of the list of matches. `tournament`: its slug. In Python for speed.
    """
    start = escape(f"{matches}?tournament={tournament}&bot={line.entry.members[0].slug}&against=")
    return mark_safe("".join(_round_cell(cell, start) for cell in line.cells))  # noqa: S308 - made of escaped parts


def _round_cell(cell: RoundCell, start: str) -> str:
    content = (
        f'<b aria-hidden="true">{cell.letter}</b><i class="opt" aria-hidden="true">{cell.against}'
        f'</i><span class="vh">{escape(cell.words)}</span>'
    )
    css_class = f"cell {_TINTS[cell.kind]}"
    if not cell.opponent:
        return f'<td class="x"><span class="{css_class}">{content}</span></td>'
    address = f"{start}{escape(cell.opponent)}&amp;state=all"
    return f'<td class="x"><a class="{css_class}" href="{address}">{content}</a></td>'


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


@register.simple_tag
def figure_cells(standing: Standing) -> SafeString:
    """The last cells of a row of the standings, from the deal groups to the faults."""
    row = standing.row
    void = f' <abbr title="void deal groups">+{row.void}</abbr>' if row.void else ""
    faults = state("fault", str(row.faults)) if row.faults else '<span class="quiet">0</span>'
    figures = (row.won, row.drawn, row.lost, signed(row.difference))
    cells = (*figures, *map(fraction, standing.values), faults)
    optional = "".join(f'<td class="n opt">{cell}</td>' for cell in cells)
    return mark_safe(f'<td class="n quiet">{row.groups}{void}</td>{optional}')  # noqa: S308 - numbers and a chip


@register.simple_tag
def entry_links(entry: EntryNames, *, mine: bool) -> SafeString:
    """The name of an entry with links to its bots. `mine`: whether the viewer's bot is in it."""
    if len(entry.members) == 1:
        links = bot_link(entry.members[0], entry.title, "bot")
    else:
        bots = ", ".join(bot_link(member, member.name, "plain") for member in entry.members)
        title = conditional_escape(with_lang(entry.title))
        links = f'<b>{title}</b> <span class="small">{bots}</span>'
    chip = ' <span class="chip brass">yours</span>' if mine else ""
    return mark_safe(links + chip)  # noqa: S308 - made of escaped parts


@register.filter
def has_bot_of(entry: EntryNames, user: Any) -> bool:
    """Whether a bot of the entry belongs to the user."""
    if not getattr(user, "is_authenticated", False):
        return False
    return any(member.owner == user.pk for member in entry.members)

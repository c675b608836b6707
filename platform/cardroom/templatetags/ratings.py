"""Cells and sentences of the rating table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe

from cardroom.pages.common.numbers import counted, plural
from cardroom.pages.common.plots import share_heat
from cardroom.templatetags.ui import named, rating
from tournaments.reading.rating_table import Duel, RatedVersion
from tournaments.reading.ratings import RatingLead

register = template.Library()

FEW: Final = 20
"""Matches below which a share of the points says little."""
EVEN: Final = range(46, 55)
"""Points of a hundred."""


@register.simple_tag
def rating_cells(
    row: RatedVersion, columns: Sequence[tuple[RatedVersion, str]], pool: str
) -> SafeString:
    """The cells of a row, each with the way to the comparison of the two bots; here, because cells
    are many."""
    met = {meeting.bot: meeting for meeting in row.against}
    cells = (_cell(row, column.bot, met.get(column.bot), pool) for column, _ in columns)
    return mark_safe("".join(cells))  # noqa: S308 - made of escaped parts


def _cell(row: RatedVersion, column: str, meeting: Duel | None, pool: str) -> str:
    if row.bot == column:
        return '<td class="x"><span class="cell self"></span></td>'
    if meeting is None:
        return '<td class="x"><span class="cell wait">–</span></td>'
    label = f"{escape(row.name)} against {escape(meeting.name)}"
    return (
        f'<td class="x"><a class="cell h{share_heat(meeting.percent)}{_few(meeting)}"'
        f' href="{_comparison(row, meeting, pool)}"'
        f' aria-label="{label}: {meeting.percent} of 100, {counted(meeting.matches, "match")}">'
        f"{meeting.percent}</a></td>"
    )


def _comparison(row: RatedVersion, meeting: Duel, pool: str) -> str:
    query = urlencode({"a": row.bot, "b": meeting.bot, "pool": pool})
    return escape(f"head-to-head/?{query}")  # from the page of ratings


def _few(meeting: Duel) -> str:
    return " few" if meeting.matches < FEW else ""


@register.simple_tag
def opponents(row: RatedVersion, pool: str) -> SafeString:
    """Those it beats, is even with and loses to, with its points of a hundred, as paragraphs."""
    groups = {"Beats": "b", "Even with": "e", "Loses to": "l"}
    by_title: dict[str, list[SafeString]] = {title: [] for title in groups}
    for meeting in row.against:
        above, below = meeting.percent >= EVEN.stop, meeting.percent < EVEN.start
        title = "Beats" if above else "Loses to" if below else "Even with"
        link = format_html(
            '<a class="{}{}" href="{}">{} <span class="num">{}</span></a>',
            groups[title],
            _few(meeting),
            mark_safe(_comparison(row, meeting, pool)),  # noqa: S308 - escaped
            named(meeting.name),
            meeting.percent,
        )
        by_title[title].append(link)
    return format_html_join(
        "",
        '<p class="vs"><span class="quiet">{}</span>{}</p>',
        ((title, mark_safe("".join(links))) for title, links in by_title.items() if links),  # noqa: S308 - as above
    )


@register.filter
def moved(change: float | None) -> SafeString:
    """A change of a rating; None: it had none before."""
    if change is None:
        return format_html('<span class="quiet">{}</span>', "new")
    if not round(change):
        return mark_safe("0")
    name, arrow = ("up", "▲") if change > 0 else ("down", "▼")
    return format_html('<span class="{}">{} {}</span>', name, arrow, rating(abs(change)))


@register.filter
def settled(lead: RatingLead) -> str:
    """Whether a lead is certain, or what would make it so."""
    if lead.groups == 0:
        return "clear"
    if lead.groups is not None:
        return f"about {rough(lead.groups)} more deal {plural('group', lead.groups)}"
    return "not clear yet" if lead.low is None else "too close to tell"


@register.filter
def rough(count: int) -> str:
    """A number rounded up to two digits: `1,600`."""
    step = 10 ** max(0, len(str(count)) - 2)
    return f"{-(-count // step) * step:,}"

"""Cells and sentences of the rating table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from django import template
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString, mark_safe

from bots.models import Bot
from cardroom.display.numbers import count_of, plural
from cardroom.display.plots import share_heat
from cardroom.templatetags.ui import rating, with_lang
from tournaments.reading.rating_table import Duel, RatedVersion
from tournaments.reading.ratings import RatingLead

register = template.Library()

MIN_MATCHES: Final = 20
"""A share of the points from fewer matches says little, so the page greys it out."""
EVEN_PERCENTAGES: Final = range(46, 55)
"""The percentages of the points at which two bots count as even."""


@register.simple_tag
def rating_cells(
    row: RatedVersion, columns: Sequence[tuple[RatedVersion, str]], pool: str
) -> SafeString:
    """The cells of a row, each with a link to the comparison of two bots; in Python for speed."""
    duels = {duel.bot: duel for duel in row.against}
    cells = (_cell(row, column.bot, duels.get(column.bot), pool) for column, _ in columns)
    return mark_safe("".join(cells))  # noqa: S308 - made of escaped parts


def _cell(row: RatedVersion, column: str, duel: Duel | None, pool: str) -> str:
    if row.bot == column:
        return '<td class="x"><span class="cell self"></span></td>'
    if duel is None:
        return '<td class="x"><span class="cell wait">–</span></td>'
    label = f"{escape(row.name)} against {escape(duel.name)}"
    return (
        f'<td class="x"><a class="cell h{share_heat(duel.percent)}{_few_class(duel)}"'
        f' href="{_comparison_address(row, duel, pool)}"'
        f' aria-label="{label}: {duel.percent} of 100, {count_of(duel.matches, "match")}">'
        f"{duel.percent}</a></td>"
    )


def _comparison_address(row: RatedVersion, duel: Duel, pool: str) -> str:
    """The address of a comparison, relative to the page of ratings; no part needs quoting."""
    return escape(f"head-to-head/?a={row.bot}&b={duel.bot}&pool={pool}")


def _few_class(duel: Duel) -> str:
    return " few" if duel.matches < MIN_MATCHES else ""


@register.simple_tag
def opponents(row: RatedVersion, pool: str) -> SafeString:
    """Paragraphs with the bots that the row's bot beats, is even with, or loses to, each with the
    percentage of the points that the row's bot won."""
    links: dict[str, list[str]] = {"Beats": [], "Even with": [], "Loses to": []}
    for duel in row.against:
        above, below = duel.percent >= EVEN_PERCENTAGES.stop, duel.percent < EVEN_PERCENTAGES.start
        title = "Beats" if above else "Loses to" if below else "Even with"
        css_class = f"{title[0].lower()}{_few_class(duel)}"
        name = conditional_escape(with_lang(duel.name))
        links[title].append(
            f'<a class="{css_class}" href="{_comparison_address(row, duel, pool)}">'
            f'{name} <span class="num">{duel.percent}</span></a>'
        )
    return mark_safe(  # noqa: S308 - made of escaped parts
        "".join(
            f'<p class="vs"><span class="quiet">{title}</span>{"".join(group)}</p>'
            for title, group in links.items()
            if group
        )
    )


@register.simple_tag
def bot_options(bots: Iterable[tuple[str, str]], chosen: Bot | None) -> SafeString:
    """Options of a choice between bots: slugs and names; in Python, because there are thousands."""
    chosen_slug = chosen.slug if chosen else None
    options = (
        f'<option value="{escape(slug)}"{" selected" if slug == chosen_slug else ""}>'
        f"{escape(name)}</option>"
        for slug, name in bots
    )
    return mark_safe("".join(options))  # noqa: S308 - made of escaped parts


@register.filter
def rating_change(change: float | None) -> SafeString:
    """A change of a rating as an arrow and a number; None if there was no rating before."""
    if change is None:
        return format_html('<span class="quiet">{}</span>', "new")
    if not round(change):
        return mark_safe("0")
    name, arrow = ("up", "▲") if change > 0 else ("down", "▼")
    return format_html('<span class="{}">{} {}</span>', name, arrow, rating(abs(change)))


@register.filter
def lead_certainty(lead: RatingLead) -> str:
    """Whether a lead is certain, or else the number of deal groups that would make it certain."""
    if lead.groups == 0:
        return "clear"
    if lead.groups is not None:
        return f"about {rounded_up(lead.groups)} more {plural('group', lead.groups)}"
    return "not clear yet" if lead.low is None else "too close to call"


@register.filter
def rounded_up(count: int) -> str:
    """A number rounded up to two digits: `1,600`."""
    step = 10 ** max(0, len(str(count)) - 2)
    return f"{-(-count // step) * step:,}"

"""Template tags of the design: icons, state chips, numbers as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import conditional_escape, escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from bots.models import WorkerNode
from cardroom.display.numbers import fraction, interval
from cardroom.display.script_modules import modules_of, renderer_of
from cardroom_base.db import schema_number
from cardroom_base.db.db_time import now
from engine import Format, registry
from engine.english import seat_name
from tournaments.reading.entry_names import Member

if TYPE_CHECKING:
    from cardroom.pages.tournaments.progress import CrossCell, CrossRow, CrossTable
    from tournaments.reading.entry_names import EntryNames

register = template.Library()

ICONS: Final[Mapping[str, str]] = {
    "ring": "M6 .5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zm0 1.6a3.9 3.9 0 1 1 0 7.8 3.9 3.9 0 0"
    " 1 0-7.8z",
    "half": "M6 .5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zm0 1.6v7.8a3.9 3.9 0 0 1 0-7.8z",
    "tick": "M4.6 10.2.9 6.5l1.5-1.5 2.2 2.2L9.6 2l1.5 1.5z",
    "triangle": "M6 .6 11.8 11H.2zM5.3 4.4v3.2h1.4V4.4zm0 4.1v1.4h1.4V8.5z",
    "bars": "M1.5 1.5h3.4v9H1.5zM7.1 1.5h3.4v9H7.1z",
    "lozenge": "M6 .5 11.5 6 6 11.5 .5 6z",
    "struck": "M6 .5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM2.2 6c0-.8.3-1.6.7-2.2l5.3 5.3A3.8"
    " 3.8 0 0 1 2.2 6zm6.9 2.2L3.8 2.9a3.8 3.8 0 0 1 5.3 5.3z",
}
"""SVG paths in a box of 12 × 12."""

STATES: Final[Mapping[str, tuple[str, str]]] = {
    "draft": ("", "ring"),
    "open": ("", "ring"),
    "running": ("run", "half"),
    "cancelled": ("", "struck"),
    "waiting": ("", "ring"),
    "queued": ("", "ring"),
    "playing": ("run", "half"),
    "checking": ("run", "half"),
    "ok": ("ok", "tick"),
    "ready": ("ok", "tick"),
    "active": ("ok", "tick"),
    "finished": ("ok", "tick"),
    "stored": ("ok", "tick"),
    "overruled": ("", "struck"),
    "promoted": ("ok", "tick"),
    "delivered": ("ok", "tick"),
    "on": ("ok", "tick"),
    "off": ("", "struck"),
    "rejected": ("bad", "triangle"),
    "abandoned": ("", "struck"),
    "failed": ("bad", "triangle"),
    "lost": ("bad", "triangle"),
    "fault": ("bad", "triangle"),
    "late": ("warn", "bars"),
    "stuck": ("warn", "bars"),
    "void": ("", "struck"),
    "at work": ("run", "half"),
    "idle": ("", "ring"),
    "draining": ("warn", "bars"),
    "drained": ("", "struck"),
    "ill": ("bad", "triangle"),
}
"""Tint and icon of each state of bots, tournaments, matches, attempts, checks, workers, webhooks
and deliveries."""

SIDE_SHAPES: Final = (
    "M6 .5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 1 1 0-11z",
    "M6 0 11.5 6 6 12 .5 6z",
    "M6 .8 12 11.2H0z",
    "M1 1h10v10H1z",
)
"""Disc, lozenge, triangle, square: the shapes of sides 0 to 3, which further sides repeat."""


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon as decoration; a word always accompanies it."""
    return format_html(
        '<svg viewBox="0 0 12 12" aria-hidden="true"><path d="{}" fill-rule="evenodd"/></svg>',
        ICONS[name],
    )


@register.simple_tag
def state(name: str, words: str = "") -> SafeString:
    """The chip of a state: its icon and its name, or other text."""
    tint, icon_name = STATES.get(name, ("", "ring"))
    return format_html(
        '<span class="chip{}">{}{}</span>',
        f" {tint}" if tint else "",
        icon(icon_name),
        words or name,
    )


@register.simple_tag
def side_shape(side: int) -> SafeString:
    """The shape that marks a side, in addition to its colour."""
    return format_html(
        '<svg class="side" viewBox="0 0 12 12" aria-hidden="true"><path d="{}"/></svg>',
        SIDE_SHAPES[side % len(SIDE_SHAPES)],
    )


@register.simple_tag
def columns(*heads: str) -> SafeString:
    """The header row of a table, from the columns' titles.

    Classes may come before a title: `"n opt|Moves"`.
    """
    cells = []
    for head in heads:
        classes, _, name = head.rpartition("|")
        attribute = format_html(' class="{}"', classes) if classes else ""
        cells.append((attribute, name))
    row = format_html_join("", '<th scope="col"{}>{}</th>', cells)
    return format_html("<thead><tr>{}</tr></thead>", row)


@register.simple_tag
def modules(*entries: str, game: str = "") -> SafeString:
    """Script elements, and links that make a browser load all imported modules in parallel.

    `game`: the game whose table the page draws, or the text of a format of that game.
    """
    renderer = (renderer_of(game.partition("/")[0]),) if game else ()
    links = ((static(name),) for name in (*renderer, *modules_of(*entries, *renderer)))
    scripts = ((static(name),) for name in entries)
    return format_html_join("", '<link rel="modulepreload" href="{}">', links) + format_html_join(
        "", '<script src="{}" type="module"></script>', scripts
    )


_JAPANESE: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@register.filter
def with_lang(name: str) -> str:
    """The name; if it contains Japanese characters, marked as Japanese."""
    if not _JAPANESE.search(name):
        return name
    return format_html('<span lang="ja">{}</span>', name)


def bot_link(bot: Member, name: str, css_class: str) -> str:
    """A link to a bot with its version, as HTML. `name`: the text of the link."""
    address = reverse("bot", args=[bot.slug])
    text = conditional_escape(with_lang(name))
    link = f'<a class="{css_class}" href="{address}">{text}</a>'
    return f'{link}<span class="ver">v{bot.version}</span>'


_SUITS: Final[Mapping[str, str]] = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}


@register.filter
def colour_suits(text: str) -> SafeString:
    """The sentence with coloured suit symbols and without line breaks inside cards."""
    parts = re.split("([A2-9JQK]?|10)([♠♥♦♣])", escape(text))
    cards = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    return mark_safe(  # noqa: S308 - made of escaped parts
        parts[0]
        + "".join(
            f'<span class="nb">{rank}<span class="t-{_SUITS[suit]}">{suit}</span></span>{words}'
            for rank, suit, words in cards
        )
    )


@register.filter
def seat_label(seat: int, text: str) -> str:
    """The name of a seat: ``South``; its number from 1 if the format no longer exists."""
    try:
        return seat_name(Format.parse(text).seats, seat)
    except (ValueError, LookupError):
        return f"seat {seat + 1}"


@register.filter
def game_title(text: str) -> str:
    """The title of a format's game: *Spoon Eye*; its code if the game no longer exists."""
    name = text.partition("/")[0]
    try:
        return registry.game(name).title
    except ValueError:
        return name


@register.filter
def whole(value: float | None) -> str:
    """A rounded number with a true minus sign; a dash for None."""
    return "–" if value is None else f"{round(value):,d}".replace("-", "−")


@register.filter
def rating(value: float | None) -> str:
    """A rating as a whole number without separators: `1520`, `−30`."""
    return whole(value).replace(",", "")


register.filter(interval)


@register.filter
def short_duration(value: float) -> str:
    """A duration in seconds as text: `20 ms`, `1.3 s`."""
    return f"{value * 1000:.0f} ms" if value < 0.1 else f"{value:.1f} s"


@register.filter
def signed(value: float | None) -> str:
    """A rounded number with its sign; zero has none."""
    return whole(value) if not value or round(value) <= 0 else f"+{whole(value)}"


@register.filter
def signed_decimal(value: float) -> str:
    """A number with its sign and one decimal, for mean scores: `+12.5`, `−0.3`."""
    return f"{value:+.1f}".replace("-", "−") if round(value, 1) else "0"


@register.filter
def percent(value: float | None) -> str:
    """A share from 0 to 1 in percent: `58 %`."""
    return "–" if value is None else f"{100 * value:.0f} %"


register.filter("points", fraction)


@register.filter
def ms_in_seconds(value: int | None) -> str:
    """Milliseconds as text in seconds: `1 s`, `0.25 s`."""
    return "–" if value is None else f"{value / 1000:g} s"


@register.filter
def schema_problem(node: WorkerNode, database: int) -> str:
    """Why a worker waits if its schema number differs from the database's; else empty."""
    return schema_number.incompatibility(database, node.schema)


@register.filter
def ago(moment: datetime | None) -> SafeString:
    """The time since a moment as text, with the moment as a tooltip and for scripts."""
    if moment is None:
        return mark_safe("–")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(timespec="seconds"),
        f"{moment:%Y-%m-%d %H:%M} UTC",
        _time_ago((now() - moment).total_seconds(), moment),
    )


def _time_ago(seconds: float, moment: datetime) -> str:
    """The time since a moment as text: `5 min ago`; after 30 days, the date of the moment."""
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min ago"
    if seconds < 86400:
        return f"{int(seconds // 3600)} h ago"
    if seconds < 30 * 86400:
        return f"{int(seconds // 86400)} d ago"
    return f"{moment:%Y-%m-%d}"


@register.simple_tag
def cross_cells(cross: CrossTable, line: CrossRow, matches: str, tournament: str) -> SafeString:
    """The cells of a row of the cross table, with links to their matches.

    `matches`: the address of the list of matches. `tournament`: its slug. There are many cells, so
    they are written in Python and their common parts are escaped once.
    """
    slug = line.entry.members[0].slug
    start = format_html("{}?tournament={}&amp;bot={}&amp;against=", matches, tournament, slug)
    pairs = zip(line.cells, cross.rows, strict=True)
    cells = [_cross_cell(cell, start, other.entry) for cell, other in pairs]
    return mark_safe("".join(cells))  # noqa: S308 - made of escaped parts


def _cross_cell(cell: CrossCell, start: str, other: EntryNames) -> str:
    if cell.points is None:
        return _EMPTY_CELLS[cell.kind]
    live = cell.kind == "live"
    label = f"{cell.groups}{' so far' if live else ''} against {escape(other.title)}"
    address = f"{start}{escape(other.members[0].slug)}{'&amp;state=all' if live else ''}"
    return (
        f'<td class="x"><a class="cell {cell.kind}" href="{address}">'
        f'{fraction(cell.points)}<span class="vh"> of {label}</span></a></td>'
    )


_EMPTY_CELLS: Final[Mapping[str, str]] = {
    "self": '<td class="x"><span class="cell self"></span></td>',
    "wait": '<td class="x"><span class="cell wait">–</span></td>',
}

"""Template tags for the numbers on pages of people's tables."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from cardroom.display.plots import Bar
from cardroom.templatetags.ui import signed, signed_decimal, whole
from cardroom_tables.my_games import PersonSkill

register = template.Library()


def _viewer_side(comparison: Mapping[str, Any]) -> int:
    """The viewer's side, or else the first person's. If the sides formed during play, the points
    are by seat, so this is a seat."""
    people = comparison["people"] or [0]
    seat = people[0] if comparison["seat"] is None else comparison["seat"]
    sides = comparison["sides"]
    if len(comparison["own"]["points"]) != len(sides):
        return int(seat)
    return next(side for side, seats in enumerate(sides) if seat in seats)


def _viewer_first(comparison: Mapping[str, Any], points: list[int]) -> list[int]:
    """The points by side, with the viewer's side first."""
    viewer = _viewer_side(comparison)
    others = (score for side, score in enumerate(points) if side != viewer)
    return [points[viewer], *others]


@register.simple_tag
def own_points(comparison: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    """The points of the deal at one table, with the viewer's first: `4 – 7`."""
    return " – ".join(whole(score) for score in _viewer_first(comparison, table["points"]))


def _difference(comparison: Mapping[str, Any], points: list[int]) -> int:
    """The points by which the viewer's side is ahead of the best other side."""
    own, *others = _viewer_first(comparison, points)
    return own - max(others)


@register.simple_tag
def luck_sentence(comparison: Mapping[str, Any]) -> str:
    """A sentence that compares the viewer with the house bots that played the same cards."""
    house = [table for table in comparison["others"] if table["name"]]
    others = [_difference(comparison, table["points"]) for table in house]
    if not others:
        return "Nobody else has played these cards."
    mean, own = fmean(others), _difference(comparison, comparison["own"]["points"])
    leads = f"house bots led by {signed_decimal(mean)} on average, you by {whole(own)}"
    sentence = f"With these cards, {leads}"
    if own > mean:
        return f"{sentence}: you played them better."
    return f"{sentence}: the cards were not to blame." if own < mean else f"{sentence}: the same."


@register.simple_tag
def cards_sentence(comparison: Mapping[str, Any]) -> str:
    """A sentence that compares the viewer's cards with other shuffles; empty if unknown."""
    luck, viewer = comparison["luck"], _viewer_side(comparison)
    if viewer >= len(luck):
        return ""
    worth = luck[viewer]
    if abs(worth) < 0.05:  # the sentence has one decimal
        return "They were average: played out many times, this seat does as well as the others."
    ahead = "ahead of" if worth > 0 else "behind"
    return (
        f"They were {'good' if worth > 0 else 'poor'}: played out many times, this seat is "
        f"{abs(worth):.1f} points {ahead} its average over other shuffles."
    )


@register.simple_tag
def points_table(comparison: Mapping[str, Any]) -> SafeString:
    """The viewer's points from each line of the score sheet at each table, then the sums."""
    viewer = _viewer_side(comparison)
    tables = [comparison["own"], *comparison["others"]]
    heads = ["You", *(table["title"] for table in comparison["others"])]
    sheets = [_points_by_line(table["sheet"], viewer) for table in tables]
    names = list(dict.fromkeys(name for sheet in sheets for name in sheet))
    rows = [(name, _cells([sheet.get(name, 0) for sheet in sheets])) for name in names]
    sums = [("This seat", _cells([table["points"][viewer] for table in tables]))]
    best_others = [
        max(points for side, points in enumerate(table["points"]) if side != viewer)
        for table in tables
    ]
    return format_html(
        '<table class="fits"><caption class="vh">Points of this deal</caption><thead><tr>'
        '<th scope="col">Points of this deal</th>{}</tr></thead><tbody>{}</tbody>'
        "<tfoot>{}</tfoot></table>",
        format_html_join("", '<th scope="col" class="n">{}</th>', ((head,) for head in heads)),
        _rows(rows),
        _rows([*sums, ("The others", _cells(best_others))]),
    )


def _points_by_line(sheet: Mapping[str, Any], side: int) -> dict[str, int]:
    """The points of one side, by the text of each line; empty for games without lines."""
    lines = sheet.get("lines", []) if isinstance(sheet, Mapping) else []
    return {
        line["for"][:1].upper() + line["for"][1:]: line["points"][side]
        for line in lines
        if len(line["points"]) > side
    }


def _cells(numbers: list[int]) -> SafeString:
    texts = ((whole(number) if number else "–",) for number in numbers)
    return format_html_join("", '<td class="n">{}</td>', texts)


def _rows(rows: list[tuple[str, SafeString]]) -> SafeString:
    return format_html_join("", '<tr><th scope="row">{}</th>{}</tr>', rows)


@register.simple_tag
def skill_bar(skill: PersonSkill) -> dict[str, Any]:
    """The context of `parts/_bar.html`.

    ``bar``: the worth of the person's play; ``axis``: with 0 in the middle; ``rows``: labels and
    points; ``played`` and ``error``: numbers with as many decimals as the error justifies.
    """
    max_points = 1.1 * (abs(skill.played) + skill.error) or 1
    text, digits = (signed, 0) if skill.error >= 10 else (signed_decimal, 1)

    def x(points: float) -> float:
        return round(120 + 120 * points / max_points, 1)

    low, high = x(skill.played - skill.error), x(skill.played + skill.error)
    return {
        "bar": Bar(low, x(skill.played), high, f"M{low} 6V14M{high} 6V14"),
        "axis": {"grid": "M120 0V20"},
        "rows": [
            ("As it was scored", text(skill.ahead)),
            ("The cards alone", text(skill.cards)),
        ],
        "played": text(skill.played),
        "error": f"{skill.error:,.{digits}f}",
    }

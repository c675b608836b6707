"""Cells of lists of matches, written in Python because a page has hundreds of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from cardroom.templatetags.ui import bot_link, side_shape, whole, with_lang

if TYPE_CHECKING:
    from cardroom.pages.common.queries import SideRow

register = template.Library()


@register.simple_tag
def side_names(sides: Iterable[SideRow]) -> SafeString:
    """Each side's shape, team and bots with links to their pages."""
    names = (
        f'<span class="team{_won(side)}">{side_shape(side.index)} {_team(side)}'
        f"{' &amp; '.join(bot_link(bot, bot.name, 'plain') for bot in side.players)}</span>"
        for side in sides
    )
    return mark_safe(" ".join(names))  # noqa: S308 - made of escaped parts


@register.simple_tag
def side_scores(sides: Iterable[SideRow]) -> SafeString:
    """The score of each side of a finished match."""
    scores = (f'<span class="score{_won(side)}">{whole(side.score)}</span>' for side in sides)
    return mark_safe('<span class="dash"> – </span>'.join(scores))  # noqa: S308 - numbers


def _won(side: SideRow) -> str:
    return " won" if side.won else ""


def _team(side: SideRow) -> str:
    return f"{conditional_escape(with_lang(side.team))}: " if side.team else ""

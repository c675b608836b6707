"""Template tags for games and formats as text and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from bots.package.manifest import describe as claimed
from bots.sheets.rule_sheets import Piece
from bots.sheets.tiles import tile
from cardroom.display.format_names import cards_of, words
from cardroom.display.rule_pictures import pieces

register = template.Library()


@register.filter
def in_words(text: str) -> str:
    """A format as text: `Canasta in pairs`."""
    return str(words(text))


@register.filter
def plays(patterns: Sequence[str]) -> str:
    """The games of a bot with these patterns: `Royal Cassino and Canasta`."""
    return claimed(patterns)


@register.filter
def step_title(step: Mapping[str, Any]) -> str | SafeString:
    """The title of a check's step; formats are text, with their code as tooltip."""
    name = step["name"]
    if "/" not in name:
        return str(step["title"])
    return format_html('It plays <span title="{}">{}</span>', name, in_words(name))


@register.simple_tag
def game_link(text: str, css: str = "plain") -> SafeString:
    """A format's text with a link to the game's page; its code is the tooltip."""
    format_words = words(text)
    if not format_words.game:
        return format_html("<code>{}</code>", text)
    address = reverse("game", args=[format_words.game])
    return format_html(
        '<a class="{}" href="{}" title="{}">{}</a>', css, address, text, str(format_words)
    )


@register.simple_tag
def game_picture(game: str) -> SafeString:
    """A few cards that represent a game, as decoration next to its name."""
    cards = format_html_join(
        "",
        '<svg class="card" viewBox="0 0 100 140"><use href="{}#{}"/></svg>',
        ((static("cardroom/cards.svg"), card) for card in cards_of(game)),
    )
    return format_html('<span class="gamepic" aria-hidden="true">{}</span>', cards)


@register.simple_tag
def tile_picture(game: str) -> SafeString:
    """The picture of a game's tile; backs of cards if it has none."""
    return pieces(list(tile(game).picture) or [Piece(("?", "?", "?"))], "en")

"""Template tags for games and formats as text and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from bots.package.manifest import describe as describe_patterns
from bots.sheets.rule_sheets import Piece
from bots.sheets.tiles import tile
from cardroom.display.format_names import cards_of, format_words
from cardroom.display.rule_pictures import draw_picture

register = template.Library()


@register.filter
def format_text(text: str) -> str:
    """A format as text: `Canasta in pairs`; its code if the site does not have its game."""
    return str(format_words(text))


@register.filter
def played_games(patterns: Sequence[str]) -> str:
    """The games that a bot with these patterns plays: `Royal Cassino and Canasta`."""
    return describe_patterns(patterns)


@register.filter
def step_title(step: Mapping[str, Any]) -> str | SafeString:
    """The title of a check's step. For a match, the format as text with its code as a tooltip."""
    name = step["name"]
    if "/" not in name:
        return str(step["title"])
    return format_html('It plays <span title="{}">{}</span>', name, format_text(name))


@register.simple_tag
def format_link(text: str, css: str = "plain") -> SafeString:
    """A format as text with a link to the game's page and its code as a tooltip."""
    words = format_words(text)
    if not words.game:
        return format_html("<code>{}</code>", text)
    address = reverse("game", args=[words.game])
    return format_html('<a class="{}" href="{}" title="{}">{}</a>', css, address, text, str(words))


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
    """The picture of a game's tile; three card backs if it has none."""
    return draw_picture(list(tile(game).picture) or [Piece(("?", "?", "?"))], "en")

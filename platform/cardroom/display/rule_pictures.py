"""The pictures in rule sheets: lines of cards and text, drawn with the cards of the site."""

from __future__ import annotations

from typing import Final

from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from bots.sheets.rule_sheets import Piece, picture
from engine.cards import CODE, name

_SUITS_JA: Final = {"S": "スペード", "H": "ハート", "D": "ダイヤ", "C": "クラブ"}
_RANKS_JA: Final = {"T": "10"}


def draw_pictures(block: str, language: str) -> SafeString:
    """A block of a sheet with one picture per line; empty lines are omitted."""
    lines = [picture(line) for line in block.splitlines() if line.strip()]
    paragraphs = format_html_join(
        "", '<p class="picture">{}</p>', ((draw_picture(line, language),) for line in lines)
    )
    return format_html('<div class="pictures">{}</div>', paragraphs)


def draw_picture(line: list[Piece], language: str) -> SafeString:
    """One picture: cards with text between them."""
    return format_html_join(
        "",
        "{}",
        (
            (
                _pile(piece.cards, language)
                if piece.cards
                else format_html("<span>{}</span>", piece.words),
            )
            for piece in line
        ),
    )


def _pile(cards: tuple[str, ...], language: str) -> SafeString:
    images = format_html_join("", "{}", ((_card(card, language),) for card in cards))
    return images if len(cards) == 1 else format_html('<span class="fan">{}</span>', images)


def _card(text: str, language: str) -> SafeString:
    symbol = "back" if text == "?" else text
    return format_html(
        '<svg class="card" viewBox="0 0 100 140" role="img" aria-label="{}">'
        '<use href="{}#{}"/></svg>',
        spoken_name(text, language),
        static("cardroom/cards.svg"),
        symbol,
    )


def spoken_name(text: str, language: str = "en") -> str:
    """The name of a card for screen readers: ``nine of hearts``, ``ハートの9``."""
    if text == "?":
        return "裏向きのカード" if language == "ja" else "face-down card"
    if language == "ja" and text.startswith("X"):
        return f"ジョーカー{text[1:]}"
    if language == "ja":
        return f"{_SUITS_JA[text[1]]}の{_RANKS_JA.get(text[0], text[0])}"
    return name(CODE[text])

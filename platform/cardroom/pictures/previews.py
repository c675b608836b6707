"""The picture of a shared link: cards on felt above a title and one sentence.

It has 1200 × 630 pixels, the usual size of an Open Graph picture. Sites also show it
300 pixels wide, so no text is smaller than 24 pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from cardroom.pictures.drawing import (
    FELT,
    FELT_BRASS,
    FELT_INK_2,
    INK,
    INK_2,
    MARK,
    RATIO,
    SANS,
    SERIF,
    SHEET,
    WELL,
    Picture,
    serif_width,
)
from engine import Format
from engine.cards import CardGroup

WIDTH: Final = 1200
HEIGHT: Final = 630
MARGIN: Final = 56
MAX_LINE: Final = 60
"""Length limit of a line of text."""

_FELT_HEIGHT: Final = 472  # the lower edge of the felt
_MAX_CARD, _MIN_CARD = 128, 54  # width of a card
_STEP: Final = 1.1  # distance of cards side by side, in card widths
_FANNED_STEP: Final = 0.46
_GAP: Final = 0.5  # between groups
_BASELINE: Final = 546  # baseline of the title
_TITLE: Final = 820  # width available to the title
_SIZES: Final = (54, 46, 38, 32, 27, 24)
_SHAPE, _SPACE = 0.72, 0.3  # a side's shape, a gap between words; relative to the text's size

View = Mapping[str, Any]


class PreviewSide(NamedTuple):
    """A side in the title; `score` is empty before the end."""

    name: str
    score: str = ""


class Preview(NamedTuple):
    """The text and cards of a preview.

    `sides`: two sides replace the title. `game`: such as ``Cassino for two``. `hand` and `groups`:
    the cards, with the hand first. `hand_owner`: the name of the hand's player.
    """

    title: str
    sentence: str
    game: str = ""
    sides: Sequence[PreviewSide] = ()
    hand_owner: str = ""
    hand: CardGroup | None = None
    groups: Sequence[CardGroup] = ()


def hand_of(view: View) -> CardGroup | None:
    """The hand of the seat to act, or None if no seat is to act or hands are hidden."""
    seat = view.get("to_act")
    hands = view.get("hands")
    if seat is None or not hands or not hands[seat]:
        return None
    cards = tuple(hands[seat])
    return CardGroup("holds", cards, fanned=len(cards) > 4)


def groups_of(view: View) -> list[CardGroup]:
    """The cards on the table of a spectators' view, as the game groups them (`Game.preview`)."""
    groups = Format.parse(view["format"]).spec.preview(view)
    return [group for group in groups if group.cards]


def draw(preview: Preview) -> Picture:
    """The picture of a preview."""
    picture = Picture(WIDTH, HEIGHT, FELT)
    _draw_felt(picture, preview)
    picture.rect(0, _FELT_HEIGHT, WIDTH, HEIGHT - _FELT_HEIGHT, SHEET)
    picture.rect(0, _FELT_HEIGHT, WIDTH, 6, MARK)
    _draw_title(picture, preview)
    picture.text(cut(preview.sentence), MARGIN, 592, 29, INK_2)
    _draw_name(picture, preview.game)
    return picture


def cut(text: str, limit: int = MAX_LINE) -> str:
    """The text, cut at a space to at most `limit` characters."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


# --- the felt -------------------------------------------------------------------------------------


def _draw_felt(picture: Picture, preview: Preview) -> None:
    hand, groups = preview.hand, list(preview.groups)
    if hand is not None:
        hand = hand._replace(label=cut(f"{preview.hand_owner} holds".strip(), 24))
    rows = _rows(hand, groups)
    if not rows:
        _draw_emblem(picture)
        return
    room = _FELT_HEIGHT / len(rows)
    for index, row in enumerate(rows):
        _draw_row(picture, row, index * room, room, hand=hand)


def _rows(hand: CardGroup | None, groups: list[CardGroup]) -> list[list[CardGroup]]:
    """One row if everything in it is legible, else the table above the hand."""
    row = [*([hand] if hand else []), *groups]
    if not row:
        return []
    if len(row) == 1 or _card_width(row, _FELT_HEIGHT) >= _MAX_CARD * 0.75:
        return [row]
    if not hand:
        half = (len(row) + 1) // 2
        return [row[:half], row[half:]]
    return [groups, [hand]] if groups else [[hand]]


def _card_width(row: Sequence[CardGroup], room: float) -> float:
    """The width of the row's cards in pixels. `room`: the height for the row, in pixels."""
    units = sum(map(_group_units, row)) + _GAP * (len(row) - 1)
    across = (WIDTH - 2 * MARGIN) / units
    return max(_MIN_CARD, min(_MAX_CARD, across, (room - 90) / RATIO))


def _group_units(group: CardGroup) -> float:
    """The width of a group in card widths, at least that of its label."""
    step = _FANNED_STEP if group.fanned else _STEP
    return max(1 + step * (len(group.cards) - 1), 1.3)


def _draw_row(
    picture: Picture, row: Sequence[CardGroup], top: float, room: float, hand: CardGroup | None
) -> None:
    """Draw a row of groups. Fanned groups lie in a well, except the hand."""
    width = _card_width(row, room)
    total = width * (sum(map(_group_units, row)) + _GAP * (len(row) - 1))
    x = max(MARGIN, (WIDTH - total) / 2)
    y = top + (room - width * RATIO) / 2 + 16
    for group in row:
        if x + width > WIDTH - MARGIN / 2:
            return  # no room: the first groups matter most
        group_width = width * _group_units(group)
        if group.fanned and group is not hand:
            picture.rect(x - 12, y - 12, group_width + 24, width * RATIO + 24, WELL, radius=12)
        picture.text(group.label, x, y - 22, 26, FELT_INK_2, family=SANS)
        step = width * (_FANNED_STEP if group.fanned else _STEP)
        for index, card in enumerate(group.cards):
            picture.card(card, x + index * step, y, width)
        x += group_width + _GAP * width


def _draw_emblem(picture: Picture) -> None:
    """Draw four aces on a felt without cards to show."""
    for index, card in enumerate(("AS", "AH", "AC", "AD")):
        picture.card(card, WIDTH / 2 - 2 * 140 + index * 141 + 6, 147, _MAX_CARD)
    picture.rect(MARGIN, 28, WIDTH - 2 * MARGIN, 4, FELT_BRASS)
    picture.rect(MARGIN, _FELT_HEIGHT - 32, WIDTH - 2 * MARGIN, 4, FELT_BRASS)


# --- the text -------------------------------------------------------------------------------------


def _draw_title(picture: Picture, preview: Preview) -> None:
    """Draw the two sides with their shapes and scores, or the title, as large as space allows."""
    pieces = _sides(preview.sides) if len(preview.sides) == 2 else [cut(preview.title)]
    size = next((size for size in _SIZES if _title_width(pieces, size) <= _TITLE), _SIZES[-1])
    x: float = MARGIN
    for piece in pieces:
        if isinstance(piece, int):
            picture.shape(piece, x + size * 0.3, _BASELINE - size * 0.32, size * 0.54, INK)
            x += size * _SHAPE
        else:
            picture.text(piece, x, _BASELINE, size, INK, family=SERIF, bold=True)
            x += serif_width(piece, size) + size * _SPACE


def _sides(sides: Sequence[PreviewSide]) -> list[str | int]:
    """The pieces of the title: texts, and the number of a side for its shape."""
    first, second = (cut(side.name, 24) for side in sides)
    score = f"{sides[0].score} – {sides[1].score}" if sides[0].score else "–"
    return [0, first, score, 1, second]


def _title_width(pieces: Sequence[str | int], size: int) -> float:
    texts = [piece for piece in pieces if isinstance(piece, str)]
    shapes = (len(pieces) - len(texts)) * _SHAPE
    spaces = (len(texts) - 1) * _SPACE
    return sum(serif_width(text, size) for text in texts) + size * (shapes + spaces)


def _draw_name(picture: Picture, game: str) -> None:
    """Draw the site's logo and name, and the game's title below."""
    right = WIDTH - MARGIN
    name = "Cardroom"
    picture.logo(right - serif_width(name, 38) - 44, 518, 42)
    picture.text(name, right, 552, 38, INK, family=SERIF, bold=True, anchor="end")
    picture.text(cut(game, 26), right, 592, 26, INK_2, anchor="end")

"""The picture of a shared link: cards on felt above a title and one sentence.

It has 1200 × 630 pixels, the size that sites expect of an Open Graph picture. Sites also show it
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
LINE: Final = 60
"""Length limit of a line of text."""

_FOOT: Final = 472  # the lower edge of the felt
_LARGEST, _SMALLEST = 128, 54  # width of a card
_APART: Final = 1.1  # distance of cards side by side, in card widths
_FANNED: Final = 0.46
_GAP: Final = 0.5  # between groups
_BASE: Final = 546  # baseline of the title
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

    `sides`: if there are two, they form the title, else `title` does. `game`: such as ``Cassino for
    two``. `hand` and `groups`: the cards, with the hand first; `holds`: the name of the hand's
    owner.
    """

    title: str
    sentence: str
    game: str = ""
    sides: Sequence[PreviewSide] = ()
    holds: str = ""
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
    _felt(picture, preview)
    picture.rect(0, _FOOT, WIDTH, HEIGHT - _FOOT, SHEET)
    picture.rect(0, _FOOT, WIDTH, 6, MARK)
    _title(picture, preview)
    picture.text(cut(preview.sentence), MARGIN, 592, 29, INK_2)
    _name(picture, preview.game)
    return picture


def cut(words: str, most: int = LINE) -> str:
    """The text, cut at a space to at most this many characters."""
    if len(words) <= most:
        return words
    return words[: most - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


# --- the felt -------------------------------------------------------------------------------------


def _felt(picture: Picture, preview: Preview) -> None:
    hand, groups = preview.hand, list(preview.groups)
    if hand is not None:
        hand = hand._replace(label=cut(f"{preview.holds} holds".strip(), 24))
    rows = _rows(hand, groups)
    if not rows:
        _emblem(picture)
        return
    room = _FOOT / len(rows)
    for index, row in enumerate(rows):
        _row(picture, row, index * room, room, marked=hand)


def _rows(hand: CardGroup | None, groups: list[CardGroup]) -> list[list[CardGroup]]:
    """One row if everything in it is legible, else the table above the hand."""
    together = [*([hand] if hand else []), *groups]
    if not together:
        return []
    if len(together) == 1 or _card_width(together, _FOOT) >= _LARGEST * 0.75:
        return [together]
    if not hand:
        half = (len(together) + 1) // 2
        return [together[:half], together[half:]]
    return [groups, [hand]] if groups else [[hand]]


def _card_width(row: Sequence[CardGroup], room: float) -> float:
    units = sum(map(_units, row)) + _GAP * (len(row) - 1)
    across = (WIDTH - 2 * MARGIN) / units
    return max(_SMALLEST, min(_LARGEST, across, (room - 90) / RATIO))


def _units(group: CardGroup) -> float:
    """The width of a group in card widths, at least that of its label."""
    step = _FANNED if group.fanned else _APART
    return max(1 + step * (len(group.cards) - 1), 1.3)


def _row(
    picture: Picture, row: Sequence[CardGroup], top: float, room: float, marked: CardGroup | None
) -> None:
    width = _card_width(row, room)
    total = width * (sum(map(_units, row)) + _GAP * (len(row) - 1))
    x = max(MARGIN, (WIDTH - total) / 2)
    y = top + (room - width * RATIO) / 2 + 16
    for group in row:
        if x + width > WIDTH - MARGIN / 2:
            return  # no room: the first groups matter most
        wide = width * _units(group)
        if group.fanned and group is not marked:
            picture.rect(x - 12, y - 12, wide + 24, width * RATIO + 24, WELL, radius=12)
        picture.text(group.label, x, y - 22, 26, FELT_INK_2, family=SANS)
        step = width * (_FANNED if group.fanned else _APART)
        for index, card in enumerate(group.cards):
            picture.card(card, x + index * step, y, width)
        x += wide + _GAP * width


def _emblem(picture: Picture) -> None:
    """The picture without cards to show: four aces."""
    for index, card in enumerate(("AS", "AH", "AC", "AD")):
        picture.card(card, WIDTH / 2 - 2 * 140 + index * 141 + 6, 147, _LARGEST)
    picture.rect(MARGIN, 28, WIDTH - 2 * MARGIN, 4, FELT_BRASS)
    picture.rect(MARGIN, _FOOT - 32, WIDTH - 2 * MARGIN, 4, FELT_BRASS)


# --- the words ------------------------------------------------------------------------------------


def _title(picture: Picture, preview: Preview) -> None:
    """The two sides with their shapes and scores, or the title, as large as space allows."""
    pieces = _sides(preview.sides) if len(preview.sides) == 2 else [cut(preview.title, LINE)]
    size = next((size for size in _SIZES if _across(pieces, size) <= _TITLE), _SIZES[-1])
    x: float = MARGIN
    for piece in pieces:
        if isinstance(piece, int):
            picture.shape(piece, x + size * 0.3, _BASE - size * 0.32, size * 0.54, INK)
            x += size * _SHAPE
        else:
            picture.text(piece, x, _BASE, size, INK, family=SERIF, bold=True)
            x += serif_width(piece, size) + size * _SPACE


def _sides(sides: Sequence[PreviewSide]) -> list[str | int]:
    """Text, and for a shape the number of its side."""
    first, second = (cut(side.name, 24) for side in sides)
    score = f"{sides[0].score} – {sides[1].score}" if sides[0].score else "–"
    return [0, first, score, 1, second]


def _across(pieces: Sequence[str | int], size: int) -> float:
    words = [piece for piece in pieces if isinstance(piece, str)]
    shapes = (len(pieces) - len(words)) * _SHAPE
    spaces = (len(words) - 1) * _SPACE
    return sum(serif_width(text, size) for text in words) + size * (shapes + spaces)


def _name(picture: Picture, game: str) -> None:
    right = WIDTH - MARGIN
    name = "Cardroom"
    picture.sign(right - serif_width(name, 38) - 44, 518, 42)
    picture.text(name, right, 552, 38, INK, family=SERIF, bold=True, anchor="end")
    picture.text(cut(game, 26), right, 592, 26, INK_2, anchor="end")

"""Pictures of cards: positions, colours, sizes of text, and animations."""

from __future__ import annotations

import random
from io import BytesIO
from itertools import pairwise
from typing import Any

import pytest
from PIL import Image

from cardroom.pictures import animation
from cardroom.pictures.drawing import FELT, Picture, serif_width
from cardroom.pictures.previews import (
    HEIGHT,
    MAX_LINE,
    WIDTH,
    Preview,
    PreviewSide,
    cut,
    draw,
    groups_of,
    hand_of,
)
from engine import Format, Match
from engine.game import Game

GAMES = (
    "cassino/standard/1v1",
    "canasta/classic/2v2",
    "spoon-eye/standard/1v1",
    "zwicker/grupp/1v1",
    "paks/standard/1v1",
)
FELT_RGB = tuple(int(FELT[i : i + 2], 16) for i in (1, 3, 5))


def open_png(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("RGB")


def colours(image: Image.Image, box: tuple[int, int, int, int]) -> set[Any]:
    counts = image.crop(box).getcolors(maxcolors=1 << 24) or []
    return {colour for _, colour in counts}


def is_red(colour: tuple[int, int, int]) -> bool:
    return colour[0] > 150 and colour[1] < 60 and colour[2] < 60


def test_a_card_is_drawn_at_its_position_in_its_colour() -> None:
    picture = Picture(400, 200, FELT)
    picture.card("9H", 20, 20, 100)
    picture.card("9S", 220, 20, 100)
    image = open_png(picture.png())
    assert image.getpixel((10, 10)) == image.getpixel((170, 100)) == FELT_RGB
    assert any(map(is_red, colours(image, (20, 20, 120, 160))))
    assert not any(map(is_red, colours(image, (220, 20, 320, 160))))


def test_an_unknown_card_is_drawn_as_a_back() -> None:
    cards = [Picture(140, 180, FELT) for _ in range(2)]
    cards[0].card("back", 20, 20, 100)
    cards[1].card("<script>", 20, 20, 100)
    assert cards[0].png() == cards[1].png()


@pytest.mark.parametrize("text", ["<b>", "a & b", "\x00\x1b", "]]>", "\ud800"])
def test_names_cannot_become_markup(text: str) -> None:
    picture = Picture(300, 60, "#ffffff")
    picture.text(text, 10, 40, 30, "#000000")
    assert "<b>" not in picture.svg()
    assert open_png(picture.png()).size == (300, 60)


@pytest.mark.parametrize("form", GAMES)
def test_positions_of_every_game_are_drawn_inside_the_felt(form: str) -> None:
    match, chance = Match(Format.parse(form), seed="picture"), random.Random(form)
    count = 0
    for _ in range(60):
        if match.turn is None:
            break
        match.play(chance.choice(match.legal_moves()))
        view = match.view(None)
        hand, groups = hand_of(view), groups_of(view)
        cards = [card for group in (*groups, *([hand] if hand else [])) for card in group.cards]
        assert all(isinstance(card, str) and card for card in cards)
        count += bool(hand) and bool(groups)
    assert count > 10
    image = open_png(draw(Preview("x", "y", hand=hand_of(view), groups=groups_of(view))).png())
    assert image.size == (WIDTH, HEIGHT)
    edge = colours(image, (0, 0, 12, 460)) | colours(image, (WIDTH - 12, 0, WIDTH, 460))
    assert edge == {FELT_RGB}


def test_a_game_without_a_preview_shows_only_the_hand() -> None:
    view = {"game": "sixth", "to_act": 0, "hands": [["9H"], []]}
    assert Game().preview(view) == []
    assert hand_of(view) is not None
    assert hand_of({"game": "sixth", "to_act": None}) is None


def test_long_names_are_drawn_smaller_to_fit() -> None:
    names = ("Longest of all bots ever", "An even longer name than that one")
    image = open_png(
        draw(Preview("", "", sides=[PreviewSide(name, "12345") for name in names])).png()
    )
    paper = image.getpixel((WIDTH - 20, HEIGHT - 20))
    assert colours(image, (WIDTH - 320, 500, WIDTH - 290, 560)) == {paper}


def test_text_is_cut_between_words() -> None:
    assert cut("one two three", 13) == "one two three"
    assert cut("one two three", 10) == "one two…"
    assert len(cut("x" * 200)) <= MAX_LINE
    assert serif_width("mm", 54) > serif_width("m", 54) > 0


def test_an_animation_has_a_frame_for_each_position() -> None:
    previews = [Preview(str(number), "") for number in range(3)]
    image: Any = Image.open(BytesIO(animation.animate(previews)))
    assert (image.format, image.n_frames, image.size) == ("WEBP", 3, (600, 315))
    with pytest.raises(ValueError, match="without a position"):
        animation.animate([])


@pytest.mark.parametrize("count", [1, 2, 39, 40, 41, 80, 500])
def test_frames_of_long_deals_are_evenly_spaced_up_to_the_end(count: int) -> None:
    frames = animation.evenly_spaced(count)
    assert len(frames) <= animation.MAX_FRAMES
    assert frames[-1] == count - 1
    assert len({b - a for a, b in pairwise(frames)}) <= 1

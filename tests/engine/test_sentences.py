"""Every sentence of every game, told to each seat: *you lay*, never *you lays*, nor one's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest

from engine import Format, Match, all_formats
from engine.cards import RANK_PLURALS, SUIT_NAMES
from engine.declarations import PLACES
from engine.english import make_telling, sentence_for
from engine.frames import opening_frames, play_with_frames
from engine.game import Telling
from engine.registry import BUILT_IN
from tests.engine.behaviour import other_formats

NOUNS = {
    *RANK_PLURALS,
    *SUIT_NAMES,
    *("aces", "black", "cards", "hands", "its", "masts", "paks", "points", "suits", "threes"),
    *(
        "belongs",
        "it's",
        "lies",
        "scores",
        "throws",
        "was",
        "this",
        "is",
        "his",
        "yes",
        "as",
        "nests",
        "pass",
    ),
}
"""Words in s that are no verb of the seat spoken to: plurals, and verbs of things and of sides."""
MOVES = 160


def test_the_subject_is_you_with_all_its_verbs() -> None:
    told = make_telling(4, "@2 ~goes out, ~passes and ~has ~their own; @0's mast stays.")
    assert told.sentence == "North goes out, passes and has their own; South's mast stays."
    assert sentence_for(told, 4, 2) == "You go out, pass and have your own; South's mast stays."
    assert sentence_for(told, 4, 0) == "North goes out, passes and has their own; your mast stays."
    assert sentence_for(told, 4, None) == told.sentence


def test_what_is_not_marked_is_told_to_everybody() -> None:
    plain = Telling("South does something.")
    assert sentence_for(plain, 2, 0) == plain.sentence


@pytest.mark.parametrize("fmt", all_formats(), ids=str)
def test_no_sentence_has_a_verb_of_the_third_person_after_you(fmt: Format) -> None:
    _look(fmt)


@pytest.mark.parametrize("game", BUILT_IN)
def test_nor_with_any_option(game: str) -> None:
    spec = next(fmt.spec for fmt in all_formats() if fmt.game == game)
    for fmt in other_formats(spec):
        _look(fmt, 40)


def _look(fmt: Format, most: int = MOVES) -> None:
    for seat, sentence, telling in _told(fmt, most):
        assert telling.marked or not re.search(_places(fmt), telling.sentence), telling
        assert f"{PLACES[fmt.seats][seat]} " not in sentence + " ", sentence
        if not sentence.startswith("You "):
            continue
        words = re.findall(r"[\w']+", sentence.partition(": ")[0])
        odd = [word for word in words if word.endswith("s") and not word.endswith("'s")]
        assert set(odd) <= NOUNS, sentence


def _told(fmt: Format, most: int) -> Iterator[tuple[int, str, Telling]]:
    """Each sentence of a match played by chance, as told to each seat."""
    match, rng = Match(fmt, seed="addressed"), Random(str(fmt))
    seats = range(fmt.seats)
    frames = [opening_frames(match, seats)]
    while match.turn is not None and len(match.moves) < most:
        frames += play_with_frames(match, rng.choice(match.legal_moves()), seats)
    for event in match.logged_since(0):
        telling = fmt.spec.tell(fmt, event)
        for seat in seats:
            yield seat, sentence_for(telling, fmt.seats, seat), telling
    shown = " ".join(frame[seat]["sentence"] for frame in frames for seat in seats)
    assert "You " in shown


def _places(fmt: Format) -> str:
    return rf"\b({'|'.join(PLACES[fmt.seats])})\b"

"""Every sentence of every game for each seat: *you lay*, never *you lays* or the seat's name."""

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
"""Words in s that are no verbs of the addressed seat: plurals, verbs of things and sides."""
MOVES = 160


def test_the_addressed_seat_is_you_with_all_its_verbs() -> None:
    telling = make_telling(4, "@2 ~goes out, ~passes and ~has ~their own; @0's mast stays.")
    assert telling.sentence == "North goes out, passes and has their own; South's mast stays."
    assert sentence_for(telling, 4, 2) == "You go out, pass and have your own; South's mast stays."
    assert (
        sentence_for(telling, 4, 0) == "North goes out, passes and has their own; your mast stays."
    )
    assert sentence_for(telling, 4, None) == telling.sentence


def test_unmarked_sentences_are_the_same_for_all() -> None:
    telling = Telling("South does something.")
    assert sentence_for(telling, 2, 0) == telling.sentence


@pytest.mark.parametrize("fmt", all_formats(), ids=str)
def test_no_sentence_has_a_verb_of_the_third_person_after_you(fmt: Format) -> None:
    _check_sentences(fmt)


@pytest.mark.parametrize("game", BUILT_IN)
def test_no_sentence_has_such_a_verb_with_any_option(game: str) -> None:
    spec = next(fmt.spec for fmt in all_formats() if fmt.game == game)
    for fmt in other_formats(spec):
        _check_sentences(fmt, 40)


def _check_sentences(fmt: Format, max_moves: int = MOVES) -> None:
    for seat, sentence, telling in _sentences(fmt, max_moves):
        assert telling.marked or not re.search(_places(fmt), telling.sentence), telling
        assert f"{PLACES[fmt.seats][seat]} " not in sentence + " ", sentence
        if not sentence.startswith("You "):
            continue
        spoken = re.findall(r"[\w']+", sentence.partition(": ")[0])
        odd = [verb for verb in spoken if verb.endswith("s") and not verb.endswith("'s")]
        assert set(odd) <= NOUNS, sentence


def _sentences(fmt: Format, max_moves: int) -> Iterator[tuple[int, str, Telling]]:
    """Each sentence of a random match, as each seat gets it."""
    match, rng = Match(fmt, seed="addressed"), Random(str(fmt))
    seats = range(fmt.seats)
    frames = [opening_frames(match, seats)]
    while match.turn is not None and len(match.moves) < max_moves:
        frames += play_with_frames(match, rng.choice(match.legal_moves()), seats)
    for event in match.logged_since(0):
        telling = fmt.spec.tell(fmt, event)
        for seat in seats:
            yield seat, sentence_for(telling, fmt.seats, seat), telling
    text = " ".join(frame[seat]["sentence"] for frame in frames for seat in seats)
    assert "You " in text


def _places(fmt: Format) -> str:
    return rf"\b({'|'.join(PLACES[fmt.seats])})\b"

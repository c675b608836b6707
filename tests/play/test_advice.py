"""Hints as sentences."""

from __future__ import annotations

from random import Random

import pytest

from cardroom_tables.advice import advice
from engine import Match, all_formats
from engine.move_options import decide
from engine.move_parts import Composed
from engine.registry import BUILT_IN


def _paks() -> Match:
    match = Match("paks/standard/1v1", seed="advice")
    rng = Random(1)
    while not any(move.startswith("steal") for move in match.legal_moves()):
        match.play(rng.choice(match.legal_moves()))
    return match


def test_a_hint_names_move_and_expectation() -> None:
    match = _paks()
    assert match.turn is not None
    offers = decide(match, match.turn).offers
    steal = next(offer for offer in offers if offer.move.startswith("steal"))
    note = f"-6.6 points this deal, 45% to win. Next {steal.move}: -3.8."
    hint = advice("end", note, offers)
    assert hint.sentence == "The house would end the turn."
    assert hint.why.startswith("Stealing ")
    assert " is worth 3.8 points less. It expects you to be 6.6 points behind" in hint.why
    assert hint.why.endswith("in this deal, and to win 45 times out of 100.")


@pytest.mark.parametrize(
    ("note", "sentence"),
    [
        (
            "+1.0 points this deal, 60% to win.",
            "It expects you to be 1.0 point ahead in this deal, and to win 60 times out of 100.",
        ),
        (
            "+0.0 points this deal, 50% to win.",
            "It expects you to be level in this deal, and to win 50 times out of 100.",
        ),
        ("I have a plan.", ""),
        ("", ""),
    ],
)
def test_the_expectation_in_words(note: str, sentence: str) -> None:
    match = _paks()
    assert advice("end", note, decide(match, match.turn or 0).offers).why == sentence


def test_a_game_without_deeds_has_a_plain_sentence() -> None:
    composed = Composed((), "You play 7.")
    assert composed.deed == ""
    hint = advice("9", "", [])
    assert hint.sentence == "The house would play 9."


@pytest.mark.parametrize("game", BUILT_IN)
def test_sentences_contain_no_notation(game: str) -> None:
    fmt = next(fmt for fmt in all_formats() if fmt.game == game)
    match, rng = Match(fmt, seed="advice"), Random(2)
    for _ in range(60):
        if match.turn is None:
            return
        moves = match.legal_moves()
        offers = decide(match, match.turn).offers
        note = f"+0.4 points this deal, 51% to win. Next {moves[-1]}: +0.2."
        text = " ".join(advice(moves[0], note, offers))
        for sign in ("%", ">", "=", "You ", "-0", "+0"):
            assert sign not in text, text
        match.play(rng.choice(moves))

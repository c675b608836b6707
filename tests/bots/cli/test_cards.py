"""Cards in the terminal."""

from __future__ import annotations

from bots.cli.cards import coloured


def test_cards_are_shown_by_their_suits_and_words_are_left_alone() -> None:
    assert coloured("TDx[2C+2H:2],AS X15 XX KSO").plain == "T♦x[2♣+2♥:2],A♠ ★15 XX KSO"
    assert coloured("HANDS 10C").plain == "HANDS 10C"

"""Cards in the terminal."""

from __future__ import annotations

from bots.cli.cards import coloured


def test_only_cards_are_drawn_with_suits() -> None:
    assert coloured("TDx[2C+2H:2],AS X15 XX KSO").plain == "T♦x[2♣+2♥:2],A♠ ★15 XX KSO"
    assert coloured("HANDS 10C").plain == "HANDS 10C"

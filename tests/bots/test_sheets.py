"""Rule sheets in several languages."""

from __future__ import annotations

from bots.sheets import LANGUAGES, languages, rule_sheet
from engine.registry import BUILT_IN


def test_every_game_of_ours_has_a_sheet() -> None:
    for game in BUILT_IN:
        assert (rule_sheet(game) or "").startswith("## ")


def test_a_language_without_a_sheet_is_not_offered() -> None:
    assert languages("cassino") == list(LANGUAGES)
    assert languages("no-such-game") == []
    assert rule_sheet("cassino", "xx") is None

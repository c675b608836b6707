"""The expert as a bot: its clock, levels and notes. Other tests cover its search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bots.limits import PackageError
from bots.referee import house
from engine import Match
from engine.search import LEVELS, level
from tests.seeds.playing import load_module


def start_bot(match: Match, seat: int, level: int = 0, folder: Path | None = None) -> Any:
    module: Any = load_module("expert")
    if folder is not None:
        module.LEVEL = folder / "level.txt"
        module.LEVEL.write_text(str(level))
    bot = module.Bot()
    bot.start({"format": str(match.format), "seat": seat, "rng": "r", "clock": {"move_ms": 40}})
    return bot


def test_a_level_differs_only_by_a_file() -> None:
    expert_files = house.load("expert").files
    for number in LEVELS:
        files = house.load(f"expert-{number}").files
        assert files["level.txt"] == str(number).encode()
        assert {name: files[name] for name in expert_files} == dict(expert_files)
    with pytest.raises(PackageError):
        house.load("expert-6")


def test_a_level_is_repeatable(tmp_path: Path) -> None:
    match = Match("cassino/standard/1v1", "level")
    assert match.turn is not None
    answers = []
    for _ in range(2):
        bot = start_bot(match, match.turn, 4, tmp_path)
        bot.seconds = 60  # so that the number of playouts ends the search on any machine
        answers.append(bot.choose(match.view(match.turn), match.legal_moves()))
    assert answers[0] == answers[1]
    assert answers[0]["move"] in match.legal_moves()
    assert "to win" in answers[0]["note"]


def test_without_a_level_the_clock_ends_the_search() -> None:
    match = Match("zwicker/grupp/1v1", "clock")
    assert match.turn is not None
    bot = start_bot(match, match.turn)
    assert bot.level.playouts > level(LEVELS[-1], "zwicker").playouts
    answer = bot.choose(match.view(match.turn), match.legal_moves())
    assert answer["move"] in match.legal_moves()


def test_a_single_legal_move_is_played_without_search() -> None:
    match = Match("cassino/standard/1v1", "only")
    bot = start_bot(match, 0)
    assert bot.choose({}, ["6C"]) == "6C"

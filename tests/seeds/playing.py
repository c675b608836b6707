"""House bots at a table without processes: what the tests of the house share."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import seeds
from engine import Format, Match
from tournaments.deal_groups import MatchResult, group_score, group_seed, rotations

FOLDER = Path(next(iter(seeds.__path__))) / "bots"


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"house_{name}", FOLDER / name / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def play(fmt: Format, seed: str, names: Sequence[str]) -> Match:
    """A match between house bots (by seat) without processes; every answer must be legal."""
    match = Match(fmt, seed)
    bots: list[Any] = []
    told = [0] * len(names)  # events, by seat
    for seat, name in enumerate(names):
        bot = module(name).Bot()
        bot.start({"format": str(fmt), "seat": seat, "rng": f"{seed}-{seat}"})
        bots.append(bot)
    while match.turn is not None:
        seat = match.turn
        if hasattr(bots[seat], "event"):
            for event in match.events(seat, told[seat]):
                bots[seat].event(event)
            told[seat] = match.logged
        match.play(bots[seat].choose(match.view(seat), match.legal_moves()))
    return match


def points(fmt: Format, names: Sequence[str], groups: int) -> float:
    """Mean points of the first bot over deal groups."""
    total = 0.0
    for number in range(groups):
        results = []
        for seats in rotations(fmt.sides, names):
            result = play(fmt, group_seed("house", number), seats).result
            assert result is not None
            entrants = tuple(seats[side[0]] for side in fmt.sides)
            results.append(MatchResult(entrants, tuple(result["scores"]), tuple(result["ranks"])))
        score = group_score(results)
        total += score.points[score.entrants.index(names[0])]
    return total / groups


def solved(match: Match, seat: int) -> float:
    """The score ahead of `seat` at the end, by plain minimax without cuts: all cards are known."""
    if match.turn is None:
        return match.scores[seat] - match.scores[1 - seat]
    values = []
    for move in match.legal_moves():
        after = match.copy()
        after.step(move)
        values.append(solved(after, seat))
    return max(values) if match.turn == seat else min(values)

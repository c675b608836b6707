"""Plays matches between house bots without processes."""

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


def load_module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"house_{name}", FOLDER / name / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def play(fmt: Format, seed: str, names: Sequence[str]) -> Match:
    """Play a match between house bots, named by seat; all their moves must be legal."""
    match = Match(fmt, seed)
    bots: list[Any] = []
    event_counts = [0] * len(names)  # by seat
    for seat, name in enumerate(names):
        bot = load_module(name).Bot()
        bot.start({"format": str(fmt), "seat": seat, "rng": f"{seed}-{seat}"})
        bots.append(bot)
    while match.turn is not None:
        seat = match.turn
        if hasattr(bots[seat], "event"):
            for event in match.events(seat, event_counts[seat]):
                bots[seat].event(event)
            event_counts[seat] = match.logged
        match.play(bots[seat].choose(match.view(seat), match.legal_moves()))
    return match


def mean_points(fmt: Format, names: Sequence[str], groups: int) -> float:
    """The first bot's mean points over deal groups."""
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


def minimax_value(match: Match, seat: int) -> float:
    """The final lead of `seat` with perfect play and open cards, by minimax without pruning."""
    if match.turn is None:
        return match.scores[seat] - match.scores[1 - seat]
    values = []
    for move in match.legal_moves():
        after = match.copy()
        after.step(move)
        values.append(minimax_value(after, seat))
    return max(values) if match.turn == seat else min(values)

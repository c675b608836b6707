"""Matches at home with random results."""

from __future__ import annotations

from random import Random
from typing import cast

from bots.referee.outcome import MatchOutcome
from tournaments.course.divisions import result_of_rotation
from tournaments.deal_groups import members
from tournaments.home import HomeTournament, PlannedMatch, PlayedMatch, Setup


def random_outcome(setup: Setup, match: PlannedMatch, rng: Random) -> PlayedMatch:
    """A random result in which all sides have different scores."""
    sides = [setup.side(team) for team in match.teams]
    scores = rng.sample(range(100), len(sides))
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    result = result_of_rotation(sides, match.turn - 1, scores, ranks, ())
    players = tuple(tuple(str(name) for name in members(side)) for side in result.entrants)
    return PlayedMatch(match, cast(MatchOutcome, None), result, players)


def play_through(setup: Setup, lot: str = "lot") -> HomeTournament:
    """Play the whole tournament."""
    course, rng = HomeTournament(setup), Random(lot)
    while waiting := course.next_matches():
        course.add_results([random_outcome(setup, match, rng) for match in waiting])
    return course

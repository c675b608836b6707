"""Measures fits of ratings against openskill's PlackettLuce, on the same results in one run.

    python -m tests.benchmarks.fits [results]

The default is 100,000 and a million results. openskill rates one result after the other, so it is
measured on 20,000 of them. Our time includes counting the results and computing intervals, and is
the median of three rounds.
"""

from __future__ import annotations

import sys
import time
from statistics import median

from openskill.models import PlackettLuce, PlackettLuceRating

from tests.benchmarks.measure import Ratio
from tests.tournaments.ratings.simulate import Ladder, Played, results_of
from tests.tournaments.ratings.times import CASES, refit
from tournaments.ratings.blocks import EMPTY

SAMPLE = 20_000
ROUNDS = 3
MUST = {100_000: "6 ×", 1_000_000: "8 ×"}


def run(sizes: tuple[int, ...] = tuple(MUST)) -> list[Ratio]:
    """One line for each table form and number of results."""
    lines = []
    for name, ladder in CASES.items():
        peer = openskill_rate(ladder)
        for size in sizes:
            ours = median(
                fit.results / (fit.counting + fit.fitting)
                for fit in (refit(ladder, size) for _ in range(ROUNDS))
            )
            what = f"results of {name} fitted, of {size:,}"
            must = MUST.get(size, "")
            lines.append(Ratio(what, "/CPU s", ours, peer, "openskill's PlackettLuce", must))
    return lines


def openskill_rate(ladder: Ladder) -> float:
    """Results that openskill rates per second of processor time."""
    played = results_of(ladder, SAMPLE)
    model = PlackettLuce()
    ratings = [model.rating() for _ in range(ladder.entrants)]
    matches = _matches(played)[:SAMPLE]
    start = time.process_time()
    for teams, ranks in matches:
        new_ratings = model.rate([[ratings[bot] for bot in team] for team in teams], ranks=ranks)
        _store(ratings, teams, new_ratings)
    return len(matches) / (time.process_time() - start)


def _matches(played: Played) -> list[tuple[list[list[int]], list[float]]]:
    """The teams of bots and their ranks in each result."""
    teams = [
        [[bot for bot in side if bot != EMPTY] for side in sides] for sides in played.sides.tolist()
    ]
    return list(zip(teams, played.ranks.astype(float).tolist(), strict=True))


def _store(
    ratings: list[PlackettLuceRating],
    teams: list[list[int]],
    new_ratings: list[list[PlackettLuceRating]],
) -> None:
    for team, team_ratings in zip(teams, new_ratings, strict=True):
        for bot, rating in zip(team, team_ratings, strict=True):
            ratings[bot] = rating


if __name__ == "__main__":
    for line in run((int(sys.argv[1]),) if len(sys.argv) > 1 else tuple(MUST)):
        print(f"{line.what}: {line.ours:,.0f} {line.unit}, {line.ratio:.1f} × {line.peer_name}")

"""Synthetic ladders: entrants of known strength, results drawn from the model."""

from dataclasses import dataclass, replace

import numpy as np

from tournaments.pairing.round_robin import round_robin
from tournaments.ratings.elo import SCALE, START
from tournaments.ratings.fit import fit
from tournaments.ratings.table import Floats, Ints, Table

NATURAL = np.log(10) / SCALE
"""One Elo point in natural units."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """What is drawn: how many entrants, how wide, how they meet."""

    entrants: int
    sides: int
    groups: int
    """Deal groups for every fixture of a round robin."""
    rotated: bool = False
    """Whether a group plays one match for every rotation of the sides."""
    luck: float = 0.0
    """Standard deviation, in Elo points, of what the cards of a group do for each side."""
    ties: float = 0.0
    """Sides whose latent results are closer than this (natural units) tie."""
    spread: float = 200.0
    """Standard deviation of the true ratings, in Elo points."""


def draw(ladder: Ladder, seed: int) -> tuple[Floats, Table]:
    """(true ratings with mean `START`, the results drawn from them)."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, ladder.spread, ladder.entrants)
    truth += START - truth.mean()
    rounds = round_robin(ladder.entrants, ladder.sides, seed=str(seed))
    fixtures = np.array([f for round_ in rounds for f in round_ for _ in range(ladder.groups)])
    members, groups = [], []
    latent = []
    luck = rng.normal(0, ladder.luck, fixtures.shape) if ladder.luck else 0.0
    for turn in range(ladder.sides if ladder.rotated else 1):
        seated = np.roll(fixtures, turn, axis=1)
        members.append(seated)
        groups.append(np.arange(len(fixtures)))
        latent.append(NATURAL * (truth[seated] + luck) + rng.gumbel(size=seated.shape))
    ranks = _ranks(np.concatenate(latent), ladder.ties)
    table = Table.of_arrays(
        range(ladder.entrants), np.concatenate(members), ranks, np.concatenate(groups)
    )
    return truth, table


def _ranks(latent: Floats, ties: float) -> Ints:
    """Ranks from latent results (high is good); neighbours closer than `ties` share a rank."""
    order = np.argsort(-latent, axis=1)
    ahead = -np.diff(np.take_along_axis(latent, order, axis=1), axis=1) > ties
    sorted_ranks = np.ones(latent.shape, dtype=np.int64)
    for place in range(1, latent.shape[1]):
        new = ahead[:, place - 1]
        sorted_ranks[:, place] = np.where(new, place + 1, sorted_ranks[:, place - 1])
    ranks = np.empty_like(sorted_ranks)
    np.put_along_axis(ranks, order, sorted_ranks, axis=1)
    return ranks


def coverage(ladder: Ladder, ladders: int) -> tuple[int, int]:
    """(how many 95 % intervals hold the truth, how many there were) over many ladders.

    Luck of the cards pulls results towards even: ratings then estimate what a very long tournament
    would show, so that is the truth to hold, not the strengths that were put in.
    """
    held = total = 0
    for seed in range(ladders):
        strengths, table = draw(ladder, seed)
        truth = dict(enumerate(strengths))
        if ladder.luck:
            _, long = draw(replace(ladder, groups=100 * ladder.groups), seed)
            truth = {int(e): r.rating for e, r in fit(long, prior_sd=3000).ratings.items()}
        for entrant, rating in fit(table).ratings.items():
            held += rating.low <= truth[int(entrant)] <= rating.high
            total += 1
    return held, total

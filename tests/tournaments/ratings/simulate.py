"""Synthetic ladders: entrants of known strength, results drawn from the model."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tournaments.pairing.round_robin import round_robin
from tournaments.ratings.blocks import EMPTY
from tournaments.ratings.elo import SCALE, START
from tournaments.ratings.fit import fit
from tournaments.ratings.result_arrays import Floats, Ints, RatingTable

NATURAL = np.log(10) / SCALE
"""One Elo point in natural units."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """Parameters of a simulated ladder."""

    entrants: int
    sides: int
    groups: int
    """Deal groups for every pairing of a round robin; with rotating partners as many in all as if
    everybody were to partner everybody so often."""
    rotated: bool = False
    """Whether a group plays one match for every rotation of the sides."""
    luck: float = 0.0
    """Standard deviation, in Elo points, of the effect of a group's cards on each side."""
    ties: float = 0.0
    """Sides whose latent results are closer than this (natural units) tie."""
    spread: float = 200.0
    """Standard deviation of the true ratings, in Elo points."""
    seats: tuple[int, ...] = ()
    """Seats of each side; empty: what their number is makes no difference (copies)."""
    partners: Literal["copies", "fixed", "rotating"] = "copies"
    bonds: float = 0.0
    """Standard deviation, in Elo points, of teams' bonds over their members' mean."""
    effects: float = 0.0
    """Elo points between the first side and the last; the others are evenly between."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A ladder's truth and its results."""

    truth: Floats
    """[entrants]: true ratings with mean `START`."""
    bonds: dict[tuple[int, ...], float]
    """Elo points, by the team's members in order."""
    table: RatingTable

    def team(self, members: tuple[int, ...]) -> float:
        """The true rating of a team."""
        return float(self.truth[list(members)].mean()) + self.bonds[members]


def draw(ladder: Ladder, seed: int) -> Drawn:
    """Results of a ladder."""
    played = play(ladder, seed)
    return Drawn(played.truth, played.bonds, played.table(ladder.entrants))


@dataclass(frozen=True, slots=True)
class Played:
    """A ladder's truth and its results, not yet counted."""

    truth: Floats
    bonds: dict[tuple[int, ...], float]
    """As in `Drawn`."""
    sides: Ints
    ranks: Ints
    groups: Ints
    """In the form for `Table.from_arrays`."""

    def table(self, entrants: int) -> RatingTable:
        """The results, counted."""
        return RatingTable.from_arrays(range(entrants), self.sides, self.ranks, self.groups, "form")


def play(ladder: Ladder, seed: int) -> Played:
    """Results of a ladder as arrays."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, ladder.spread, ladder.entrants)
    truth += START - truth.mean()
    teams = _teams(ladder, seed)
    bond_of = _Bonds(ladder.bonds, np.random.default_rng([seed, 1]))
    members, groups, latent = [], [], []
    luck = rng.normal(0, ladder.luck, teams.shape[:2]) if ladder.luck else 0.0
    effects = np.linspace(ladder.effects / 2, -ladder.effects / 2, ladder.sides)
    for turn in range(ladder.sides if ladder.rotated else 1):
        seated = np.roll(teams, turn, axis=1)
        for side, seats in enumerate(ladder.seats):
            seated[:, side, seats:] = EMPTY
        members.append(seated)
        groups.append(np.arange(len(teams)))
        real = seated != EMPTY
        strength = np.where(real, truth[seated], 0).sum(axis=2) / real.sum(axis=2)
        # The cards' luck goes with the side's place in the order of entrants.
        elo = strength + bond_of.all(seated) + effects + luck
        latent.append(NATURAL * elo + rng.gumbel(size=elo.shape))
    ranks = _ranks(np.concatenate(latent), ladder.ties)
    return Played(truth, bond_of.known, np.concatenate(members), ranks, np.concatenate(groups))


def results_of(ladder: Ladder, at_least: int) -> Played:
    """A ladder extended to at least a number of results."""
    once = len(play(ladder, 1).groups)
    return play(replace(ladder, groups=ladder.groups * -(-at_least // once)), 1)


def _teams(ladder: Ladder, seed: int) -> Ints:
    """[groups, sides, members]: the members of each side in the first match of each group."""
    width = max(ladder.seats, default=1) if ladder.partners != "copies" else 1
    if ladder.partners == "rotating":
        rng = np.random.default_rng([seed, 2])
        count = ladder.groups * ladder.entrants * (ladder.entrants - 1)
        count //= ladder.sides * width * max(width - 1, 1)
        places = rng.permuted(np.tile(np.arange(ladder.entrants), (count, 1)), axis=1)
        return places[:, : ladder.sides * width].reshape(count, ladder.sides, width)
    rounds = round_robin(ladder.entrants // width, ladder.sides, seed=str(seed))
    deal_groups = np.array([f for round_ in rounds for f in round_ for _ in range(ladder.groups)])
    return deal_groups[:, :, None] * width + np.arange(width)


class _Bonds:
    """Draws the bond of each team when it first plays."""

    def __init__(self, sd: float, rng: np.random.Generator) -> None:
        self.known: dict[tuple[int, ...], float] = {}
        self._sd, self._rng = sd, rng

    def all(self, seated: Ints) -> Floats:
        """[games, sides] in Elo points."""
        flat = np.sort(seated.reshape(-1, seated.shape[2]), axis=1)
        rows, indices = np.unique(flat, axis=0, return_inverse=True)
        bonds = [self._of(tuple(int(m) for m in row if m != EMPTY)) for row in rows]
        return np.array(bonds)[indices.reshape(-1)].reshape(seated.shape[:2])

    def _of(self, team: tuple[int, ...]) -> float:
        if len(team) < 2:
            return 0.0
        if team not in self.known:
            self.known[team] = float(self._rng.normal(0, self._sd)) if self._sd else 0.0
        return self.known[team]


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


@dataclass(frozen=True, slots=True)
class Coverage:
    """The number of 95 % intervals, and of those that contain the truth."""

    held: int = 0
    total: int = 0
    teams_held: int = 0
    teams: int = 0

    def __add__(self, other: "Coverage") -> "Coverage":
        """The sum of both."""
        return Coverage(
            self.held + other.held,
            self.total + other.total,
            self.teams_held + other.teams_held,
            self.teams + other.teams,
        )


def coverage(ladder: Ladder, ladders: int) -> Coverage:
    """Measure the 95 % intervals of many ladders."""
    return sum((measure_ladder(ladder, seed) for seed in range(ladders)), Coverage())


def measure_ladder(ladder: Ladder, seed: int) -> Coverage:
    """The 95 % intervals of one ladder.

    Luck of the cards pulls results towards even: ratings then estimate what a very long tournament
    would show, so that is the truth to hold, not the strengths that were put in.
    """
    ladder_results = draw(ladder, seed)
    truth = dict(enumerate(ladder_results.truth))
    if ladder.luck:
        long_run = draw(replace(ladder, groups=100 * ladder.groups), seed)
        truth = {int(e): r.rating for e, r in fit(long_run.table, prior_sd=3000).ratings.items()}
    fitted = fit(ladder_results.table)
    ratings, teams = fitted.ratings.values(), fitted.teams
    return Coverage(
        held=sum(r.contains(truth[int(r.entrant)]) for r in ratings),
        total=len(ratings),
        teams_held=sum(
            t.low <= ladder_results.team(tuple(map(int, t.members))) <= t.high for t in teams
        ),
        teams=len(teams),
    )

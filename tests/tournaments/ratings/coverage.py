"""How many 95 % intervals hold the truth in pools that mix formats, lengths, games and styles.

`python -m tests.tournaments.ratings.coverage [ladders of each [part of a name]]` prints the table.
A bot's truth is its distance from the average of the pool's bots in the unit of the fit, a standard
match; over several games it is the mean of these distances. Where results do not follow the model
(luck of the cards, styles), it is what forty times as many results would show.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from tests.tournaments.ratings.simulate import NATURAL, _ranks
from tournaments.pairing.round_robin import round_robin
from tournaments.ratings.blocks import Block
from tournaments.ratings.fit import fit
from tournaments.ratings.overall import overall
from tournaments.ratings.result_arrays import Floats, Ints, RatingTable

LONG = 40
"""Factor of results that show the truth."""


@dataclass(frozen=True, slots=True)
class RoundRobins:
    """Round robins of one format."""

    form: str
    sides: int
    groups: int
    """Deal groups of each pairing."""
    slope: float = 1.0
    luck: float = 0.0
    """Standard deviation, in Elo points, of the effect of a group's cards on each side."""
    players: tuple[int, ...] = ()
    """Bots; empty: all."""


@dataclass(frozen=True, slots=True)
class Line:
    """A kind of pool."""

    cups: tuple[RoundRobins, ...]
    bots: int = 12
    spread: float = 200.0
    """Standard deviation of the true ratings, in Elo points."""
    styles: float = 0.0
    """Elo points by which styles beat each other in a circle."""
    apart: float = 0.0
    """Elo points added to the strengths of the first half and subtracted from the others."""
    names: dict[int, str] = field(default_factory=dict)
    """Names of bots that are anchors."""
    truth: dict[int, float] = field(default_factory=dict)
    """Their true ratings."""
    by_game: float = 0.0
    """Standard deviation, in Elo points, of a bot's strength between games."""


def _nominal(step: float) -> dict[int, float]:
    return {level - 1: 1500 + step * (level - 3) for level in range(1, 6)}


LEVELS = {level - 1: f"house:expert-{level}" for level in range(1, 6)}
FIRST, LAST = tuple(range(8)), tuple(range(4, 12))

LINES = {
    "two and four sides": Line(
        (
            RoundRobins("g/v/1v1", 2, 4, players=FIRST),
            RoundRobins("g/v/ffa4", 4, 4, slope=0.7, players=LAST),
        )
    ),
    "one form with more luck": Line(
        (
            RoundRobins("g/v/1v1", 2, 6, players=FIRST),
            RoundRobins("g/v/ffa3", 3, 3, slope=0.8, luck=300.0, players=LAST),
        )
    ),
    "one deal and four deals": Line(
        (
            RoundRobins("g/v/1v1", 2, 4, players=FIRST),
            RoundRobins("g/v/1v1?deals=1", 2, 4, slope=0.5, players=LAST),
        )
    ),
    "one deal only": Line((RoundRobins("g/v/1v1?deals=1", 2, 4, slope=0.5),)),
    "three lengths": Line(
        (
            RoundRobins("g/v/1v1", 2, 3),
            RoundRobins("g/v/1v1?deals=1", 2, 3, slope=0.5),
            RoundRobins("g/v/1v1?deals=9", 2, 3, slope=1.5, players=LAST),
        )
    ),
    "far apart, three groups": Line((RoundRobins("g/v/1v1", 2, 3),), bots=2, spread=0, apart=300.0),
    "far apart, ten groups": Line((RoundRobins("g/v/1v1", 2, 10),), bots=2, spread=0, apart=300.0),
    "far apart, nearly certain": Line(
        (RoundRobins("g/v/1v1", 2, 100),), bots=2, spread=0, apart=500.0
    ),
    "wide, one group": Line((RoundRobins("g/v/1v1", 2, 1),), bots=6, spread=400.0),
    "wide, two groups": Line((RoundRobins("g/v/1v1", 2, 2),), bots=8, spread=400.0),
    "anchors off by half a step": Line(
        (RoundRobins("g/v/1v1", 2, 4),), names=LEVELS, truth=_nominal(225.0)
    ),
    "two games": Line(
        (RoundRobins("g/v/1v1", 2, 12), RoundRobins("h/v/1v1", 2, 2, players=LAST)), by_game=240.0
    ),
    "three games of different sizes": Line(
        (
            RoundRobins("g/v/1v1", 2, 8, players=FIRST),
            RoundRobins("h/v/ffa3", 3, 2),
            RoundRobins("i/v/1v1", 2, 3, players=LAST),
        ),
        by_game=120.0,
    ),
    "three sides, styles": Line((RoundRobins("g/v/ffa3", 3, 3),), styles=150.0),
    "four sides, styles": Line((RoundRobins("g/v/ffa4", 4, 3),), styles=150.0),
    "two sides, styles": Line((RoundRobins("g/v/1v1", 2, 4),), styles=150.0),
}


@dataclass(frozen=True, slots=True)
class Covered:
    """Results for each bot of a line."""

    held: Ints
    """[bots]: intervals that held the truth."""
    ladders: int = 0

    def __add__(self, other: Covered) -> Covered:
        """The sum of both."""
        return Covered(self.held + other.held, self.ladders + other.ladders)

    @property
    def share(self) -> float:
        """The share of intervals of all bots that contain the truth."""
        return float(self.held.mean() / self.ladders)

    @property
    def lowest(self) -> float:
        """The share for the bot whose intervals contain the truth most rarely."""
        return float(self.held.min() / self.ladders)


def strengths(line: Line, rng: np.random.Generator) -> Floats:
    """True strengths: [bots], in Elo points."""
    truth = rng.normal(0, line.spread, line.bots) + 1200
    truth += np.where(np.arange(line.bots) < line.bots // 2, line.apart, -line.apart)
    for bot, points in line.truth.items():
        truth[bot] = points
    return truth


def block(
    line: Line, cup: RoundRobins, number: int, truth: Floats, rng: np.random.Generator
) -> Block:
    """The results of a cup; every deal group is played once for each rotation of the sides."""
    players = np.array(cup.players or range(line.bots))
    rounds = round_robin(len(players), cup.sides, seed=str(rng.integers(1 << 30)))
    paired = np.array(
        [pairing for round_ in rounds for pairing in round_ for _ in range(cup.groups)]
    )
    angle = 2 * np.pi * np.arange(line.bots) / line.bots * 5
    luck = rng.normal(0, cup.luck, paired.shape) if cup.luck else 0.0
    members, latent = [], []
    for turn in range(cup.sides):
        seated = np.roll(players[paired], turn, axis=1)
        style_advantage = np.sin(angle[seated][:, :, None] - angle[seated][:, None]).sum(axis=2)
        elo = truth[seated] + line.styles * style_advantage / (cup.sides - 1) + luck
        members.append(seated)
        latent.append(cup.slope * NATURAL * elo + rng.gumbel(size=elo.shape))
    ranks = _ranks(np.concatenate(latent), 0.0)
    groups = np.tile(np.arange(len(paired)), cup.sides) + number * 10**7
    return Block.from_arrays(line.bots, np.concatenate(members), ranks, groups, cup.form)


def table(line: Line, truth: Floats, rng: np.random.Generator, times: int = 1) -> RatingTable:
    """The results of a ladder."""
    cups = [replace(cup, groups=cup.groups * times) for cup in line.cups]
    blocks = [block(line, cup, n, truth, rng) for n, cup in enumerate(cups)]
    return RatingTable.from_blocks(names(line), blocks)


def names(line: Line) -> list[str]:
    """Names by bot."""
    return [line.names.get(bot, f"bot {bot:02}") for bot in range(line.bots)]


def measure_ladder(line: Line, seed: int) -> Covered:
    """Measure the intervals of one ladder."""
    rng = np.random.default_rng(seed)
    truth = strengths(line, rng)
    fits, real, has_played = [], np.zeros(line.bots), np.zeros(line.bots)
    for game in sorted({cup.form.partition("/")[0] for cup in line.cups}):
        game_line = replace(line, cups=tuple(cup for cup in line.cups if cup.form.startswith(game)))
        own_truth = truth + rng.normal(0, line.by_game, line.bots) if line.by_game else truth
        fits.append(fit(table(game_line, own_truth, rng)))
        in_fit = np.array([name in fits[-1].ratings for name in names(line)])
        real[in_fit] += _truth(game_line, own_truth, in_fit, rng)
        has_played += in_fit
    real /= has_played
    ratings = overall(fits).ratings
    # Not all bots play all games, and each game's average has the same number.
    centre = 1200.0 if len(fits) > 1 else np.mean([rating.rating for rating in ratings.values()])
    contained = [
        ratings[n].contains(place) for n, place in zip(names(line), real + centre, strict=True)
    ]
    return Covered(np.array(contained, dtype=np.int64), 1)


def _truth(
    line: Line, truth: Floats, present: NDArray[np.bool_], rng: np.random.Generator
) -> Floats:
    """Distances from the average of the bots that play, in standard matches."""
    if line.styles or any(cup.luck for cup in line.cups):
        fitted = fit(table(line, truth, rng, LONG), prior_sd=3000)
        playing = [name for name, plays in zip(names(line), present, strict=True) if plays]
        real = np.array([fitted.ratings[name].rating for name in playing])
        return np.asarray(real - real.mean())
    standard = [cup.slope for cup in line.cups if "?" not in cup.form]
    unit = np.log(standard or [cup.slope for cup in line.cups]).mean()
    return np.asarray((truth[present] - truth[present].mean()) * np.exp(unit))


def coverage(line: Line, ladders: int) -> Covered:
    """Measure the intervals of many ladders."""
    start = Covered(np.zeros(line.bots, dtype=np.int64))
    return sum((measure_ladder(line, seed) for seed in range(ladders)), start)


def main() -> None:
    ladders = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    output = Table(title=f"How many 95 % intervals hold the truth, {ladders} ladders a line")
    for column in ("pool", "all bots", "lowest bot"):
        output.add_column(column)
    for name, line in LINES.items():
        if part in name:
            result = coverage(line, ladders)
            shares = [f"{100 * share:.1f} %" for share in (result.share, result.lowest)]
            output.add_row(name, *shares)
            print(name, *shares, file=sys.stderr, flush=True)
    Console(width=100).print(output)


if __name__ == "__main__":
    main()

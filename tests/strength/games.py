"""Deal groups: the same shuffles with the seats changed, by as many processes as are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from math import log10, sqrt
from time import process_time

from engine import Format, Match
from tests.strength.players import player
from tournaments.deal_groups import group_seed, rotations


@dataclass(frozen=True)
class Group:
    """One deal group: what the first player was ahead of the others' mean, and its time."""

    number: int
    ahead: float
    decisions: int
    seconds: float


@dataclass
class Tally:
    """Groups so far. A group is won by who is ahead over all its matches; equal is half."""

    ahead: list[float]
    decisions: int = 0
    seconds: float = 0.0

    def add(self, group: Group) -> None:
        self.ahead.append(group.ahead)
        self.decisions += group.decisions
        self.seconds += group.seconds

    @property
    def won(self) -> float:
        return sum(1.0 if lead > 0 else 0.5 if lead == 0 else 0.0 for lead in self.ahead)

    @property
    def share(self) -> float:
        return self.won / len(self.ahead)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % of the share, by Wilson."""
        n, p, z = len(self.ahead), self.share, 1.96
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return middle - half, middle + half

    def elo(self, share: float) -> float:
        """A share of groups as a difference of ratings; as if half a group were lost, or won."""
        half = 0.5 / len(self.ahead)
        share = min(1 - half, max(half, share))
        return 400 * log10(share / (1 - share))

    @property
    def mean(self) -> float:
        return sum(self.ahead) / len(self.ahead)

    @property
    def error(self) -> float:
        """95 % of the mean, half its width."""
        n, mean = len(self.ahead), self.mean
        if n < 2:
            return float("nan")
        return 1.96 * sqrt(sum((lead - mean) ** 2 for lead in self.ahead) / (n - 1) / n)


def play_group(fmt_text: str, one: str, other: str, seed: str, number: int) -> Group:
    """All matches of one group: `one` on each side in turn, `other` on all others."""
    fmt = Format.parse(fmt_text)
    entrants = [0, *range(1, len(fmt.sides))]
    ahead, decisions, seconds = 0.0, 0, 0.0
    for seats in rotations(fmt.sides, entrants):
        table = Table(fmt, seats, one, other, seed, number)
        table.play()
        ahead += lead(fmt, table.match, seats)
        decisions, seconds = decisions + table.decisions, seconds + table.seconds
    return Group(number, ahead, decisions, seconds)


class Table:
    """One match of a group. `seats`: by seat its entrant, 0 for `one`.

    `decisions`, `seconds`: of entrant 0, where there was a choice.
    """

    def __init__(
        self, fmt: Format, seats: tuple[int, ...], one: str, other: str, seed: str, number: int
    ) -> None:
        self.seats = seats
        self.match = Match(fmt, group_seed(seed, number))
        self.players = [
            player(other if entrant else one, str(fmt), seat, f"{seed}-{number}", self.match)
            for seat, entrant in enumerate(seats)
        ]
        self.told = [0] * fmt.seats
        self.decisions = 0
        self.seconds = 0.0

    def play(self) -> None:
        """To the end."""
        while self.match.turn is not None:
            self.match.play(self.choose(self.match.turn))

    def choose(self, seat: int) -> str:
        """The move of the seat's player."""
        match, mine = self.match, self.players[seat]
        for event in match.events(seat, self.told[seat]):
            mine.event(event)
        self.told[seat] = match.logged
        legal = match.legal_moves()
        begun = process_time()
        move = mine.choose(match.view(seat), legal)
        if self.seats[seat] == 0 and len(legal) > 1:
            self.decisions += 1
            self.seconds += process_time() - begun
        return move


def lead(fmt: Format, match: Match, seats: tuple[int, ...]) -> float:
    """How far entrant 0 is ahead of the mean of the others."""
    scores = match.scores
    if len(scores) == len(fmt.sides):
        owners = [seats[side[0]] for side in fmt.sides]
    else:
        owners = list(seats)
    own = [score for score, owner in zip(scores, owners, strict=True) if owner == 0]
    others = [score for score, owner in zip(scores, owners, strict=True) if owner]
    return sum(own) / len(own) - sum(others) / len(others)


def play(
    fmt: str, one: str, other: str, *, groups: int, jobs: int = 1, seed: str = "strength"
) -> Iterator[Group]:
    """Groups as they end."""
    if jobs == 1:
        for number in range(groups):
            yield play_group(fmt, one, other, seed, number)
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [
            pool.submit(play_group, fmt, one, other, seed, number) for number in range(groups)
        ]
        for done in as_completed(waiting):
            yield done.result()

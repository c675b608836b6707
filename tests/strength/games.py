"""Plays deal groups, the same shuffles with other seats, in one or several processes."""

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
class GroupOutcome:
    """One deal group: the first player's lead over the others' mean, its decisions and its time."""

    number: int
    ahead: float
    decisions: int
    seconds: float


@dataclass
class GroupTotals:
    """The groups so far. A player that leads over all matches wins a group; a draw counts half."""

    ahead: list[float]
    decisions: int = 0
    seconds: float = 0.0

    def add(self, group: GroupOutcome) -> None:
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
        """The 95 % interval of the share, by Wilson."""
        n, p, z = len(self.ahead), self.share, 1.96
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return middle - half, middle + half

    def elo(self, share: float) -> float:
        """The difference of ratings for a share of groups.

        At least half a group counts as lost, and half a group as won.
        """
        half = 0.5 / len(self.ahead)
        share = min(1 - half, max(half, share))
        return 400 * log10(share / (1 - share))

    @property
    def mean(self) -> float:
        return sum(self.ahead) / len(self.ahead)

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval of the mean."""
        n, mean = len(self.ahead), self.mean
        if n < 2:
            return float("nan")
        return 1.96 * sqrt(sum((lead - mean) ** 2 for lead in self.ahead) / (n - 1) / n)


def play_group(fmt_text: str, one: str, other: str, seed: str, number: int) -> GroupOutcome:
    """Play the matches of one group: `one` on each side in turn, `other` on all others."""
    fmt = Format.parse(fmt_text)
    entrants = [0, *range(1, len(fmt.sides))]
    ahead, decisions, seconds = 0.0, 0, 0.0
    for seats in rotations(fmt.sides, entrants):
        table = GroupMatch(fmt, seats, one, other, seed, number)
        table.play()
        ahead += lead(fmt, table.match, seats)
        decisions, seconds = decisions + table.decisions, seconds + table.seconds
    return GroupOutcome(number, ahead, decisions, seconds)


class GroupMatch:
    """One match of a group.

    seats: the entrant of each seat, 0 for `one`.
    decisions, seconds: entrant 0's decisions with several legal moves, and their time.
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
        self.event_counts = [0] * fmt.seats
        self.decisions = 0
        self.seconds = 0.0

    def play(self) -> None:
        while self.match.turn is not None:
            self.match.play(self.choose(self.match.turn))

    def choose(self, seat: int) -> str:
        """The move of the seat's player."""
        match, player = self.match, self.players[seat]
        for event in match.events(seat, self.event_counts[seat]):
            player.event(event)
        self.event_counts[seat] = match.logged
        legal = match.legal_moves()
        start = process_time()
        move = player.choose(match.view(seat), legal)
        if self.seats[seat] == 0 and len(legal) > 1:
            self.decisions += 1
            self.seconds += process_time() - start
        return move


def lead(fmt: Format, match: Match, seats: tuple[int, ...]) -> float:
    """The lead of entrant 0 over the mean of the others."""
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
) -> Iterator[GroupOutcome]:
    """Play groups, and yield each when it ends."""
    if jobs == 1:
        for number in range(groups):
            yield play_group(fmt, one, other, seed, number)
        return
    with ProcessPoolExecutor(jobs) as pool:
        futures = [
            pool.submit(play_group, fmt, one, other, seed, number) for number in range(groups)
        ]
        for future in as_completed(futures):
            yield future.result()

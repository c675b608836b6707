"""Deal groups: the same shuffles played once for every rotation of the sides.

A deal group has one pairing of entrants, one seed, and as many matches as the table has sides. A
seat has the same cards in every match, but from match to match the entrants move on by one side. So
each entrant plays each side's cards once, and luck of the deal cancels. Standings and fitted
ratings count groups, because matches of one group are not independent.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Entrant: TypeAlias = str | int
"""At home a bot's name; on a site an entry's primary key."""

SideEntrants: TypeAlias = Entrant | tuple[Entrant, ...]
"""Who plays on a side of the table: one entrant (a bot or a fixed team) or, if partners rotate, the
tuple of bots that are partners in this match."""

_SEED_LABEL = b"cardroom-group-1"


@dataclass(frozen=True, slots=True)
class MatchResult:
    """One finished match. `entrants`, `scores` and `ranks` have an element for each side, in the
    format's order."""

    entrants: tuple[SideEntrants, ...]

    scores: tuple[float, ...]
    """Scores; more is better."""

    ranks: tuple[int, ...]
    """Ranks; 1 is best, equal ranks are ties (1, 1, 3). A side with a fault is last
    (`engine.results.with_faults`)."""

    faulting_sides: tuple[int, ...] = ()
    """The indices of the sides that committed a fault."""

    def __post_init__(self) -> None:
        """Refuse results whose fields are inconsistent."""
        sides = len(self.entrants)
        if sides < 2 or len(self.scores) != sides or len(self.ranks) != sides:
            raise ValueError(
                "A match result needs entrant, score and rank for each of two or more sides; "
                f"got {sides} entrants, {len(self.scores)} scores and {len(self.ranks)} ranks."
            )
        if len(set(self.entrants)) != sides:
            raise ValueError(f"Every side needs an entrant of its own; got {self.entrants}.")
        if any(not 0 <= side < sides for side in self.faulting_sides):
            raise ValueError(
                f"Faulting sides must be among 0 to {sides - 1}; got {self.faulting_sides}."
            )
        if any(self.ranks[side] < max(self.ranks) for side in self.faulting_sides):
            raise ValueError(
                f"Faulting sides must rank last; sides {self.faulting_sides} do not in "
                f"{self.ranks}."
            )


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The outcome of a deal group. Each tuple has an element for each entrant."""

    entrants: tuple[SideEntrants, ...]
    """The entrants in the order of the group's first match."""

    points: tuple[float, ...]
    """Mean points over the group's matches, from 0 (always last) to 1 (always first)."""

    ranks: tuple[int, ...]
    """Ranks by points: 1 is best, equal ranks are ties (1, 1, 3)."""

    differences: tuple[float, ...]
    """Score differences (`score_differences`), summed over the group's matches."""

    fault_counts: tuple[int, ...]
    """The number of the group's matches in which the entrant committed a fault."""

    matches: int
    """Finished matches."""


def rotations(sides: Sequence[Sequence[int]], entrants: Sequence[T]) -> list[tuple[T, ...]]:
    """The seatings of a deal group: one tuple per match, one entrant per seat.

    `sides` are the format's sides (seats of each), `entrants` one entrant per side. In match r
    entrant i plays side (i + r) mod n, with a copy of its bot in each of that side's seats.

    In the n cyclic rotations each entrant plays each side's cards, and each side's place in the
    order of play, exactly once. Neighbours are not balanced: with three sides or more each entrant
    keeps the same ones. Another group of the same entrants may list them in another order.

    Raises ValueError if the number of entrants is not the number of sides.
    """
    return seatings(sides, [(entrant,) for entrant in entrants])


def seatings(
    sides: Sequence[Sequence[int]], teams: Sequence[Sequence[T]], turn: int = 0
) -> list[tuple[T, ...]]:
    """The seatings of teams: one tuple per match, one member per seat.

    `teams` are the members of each side. A single member sits on every seat of its side; a larger
    team has a member for each seat of the widest side. `turn`, such as the number of the deal
    group, shifts the members by that number of seats: over several groups partners change places,
    and if sides have different numbers of seats, different members sit out.

    Raises ValueError if the number of teams is not the number of sides, if a team has neither one
    member nor as many as the widest side has seats, or if the sides do not contain each seat
    0, 1, 2, … exactly once.
    """
    if len(teams) != len(sides):
        raise ValueError(f"This table has {len(sides)} sides; {len(teams)} entrants were given.")
    places = {seat: (i, j) for i, side in enumerate(sides) for j, seat in enumerate(side)}
    if sorted(places) != list(range(sum(len(side) for side in sides))):
        raise ValueError(f"Each seat 0, 1, 2, … must belong to exactly one side; got {sides}.")
    max_seats = max(len(side) for side in sides)
    if any(len(team) not in {1, max_seats} for team in teams):
        raise ValueError(f"A team at this table must have 1 or {max_seats} members.")
    count = len(sides)
    return [
        tuple(_member(teams[(i - r) % count], j + turn) for i, j in _places_by_seat(places))
        for r in range(count)
    ]


def _places_by_seat(places: dict[int, tuple[int, int]]) -> list[tuple[int, int]]:
    return [places[seat] for seat in range(len(places))]


def _member(team: Sequence[T], place: int) -> T:
    return team[place % len(team)]


def members(side: SideEntrants) -> tuple[Entrant, ...]:
    return side if isinstance(side, tuple) else (side,)


def random_seed() -> str:
    """A secret of 128 random bits: 32 hexadecimal digits."""
    return secrets.token_hex(16)


def group_seed(tournament_seed: str, *parts: str | int) -> str:
    """The seed of a deal group in a tournament with a chosen seed: 32 hexadecimal digits.

    `parts` identify the group: round, pairing, number of the group. The seed is a hash, so it
    reveals nothing about other groups; with the tournament's seed all of them can be computed.
    """
    digest = hashlib.sha256(_SEED_LABEL)
    for part in (tournament_seed, *parts):
        text = str(part).encode()
        digest.update(len(text).to_bytes(8, "big") + text)
    return digest.hexdigest()[:32]


def match_points(ranks: Sequence[int]) -> tuple[float, ...]:
    """Points of each side: the share of the other sides that rank behind it; ties count half.

    Among two sides a win gives 1, a tie ½, a loss 0; among four sides the second gets 2/3.
    """
    others = len(ranks) - 1
    points = []
    for rank in ranks:
        behind = sum(rank < other for other in ranks)
        level = sum(rank == other for other in ranks) - 1
        points.append((behind + level / 2) / others)
    return tuple(points)


def score_differences(result: MatchResult) -> tuple[float, ...]:
    """Each side's score minus the mean score of the other sides.

    After a fault the platform plays for the side, so its score says little. Therefore a faulting
    side gets at most 0, and each other side at least 0.
    """
    total, others = sum(result.scores), len(result.scores) - 1
    raw = [score - (total - score) / others for score in result.scores]
    if not result.faulting_sides:
        return tuple(raw)
    faulting_sides = set(result.faulting_sides)
    return tuple(
        min(difference, 0.0) if i in faulting_sides else max(difference, 0.0)
        for i, difference in enumerate(raw)
    )


def group_score(matches: Sequence[MatchResult]) -> GroupScore:
    """The outcome of a deal group so far.

    `matches` are its finished matches; others may still be missing. An entrant's points are its
    mean match points. Score differences break ties in the standings; they do not decide a group.

    Raises ValueError if there is no match, or the matches have different entrants.
    """
    if not matches:
        raise ValueError("A deal group needs at least one finished match.")
    entrants = matches[0].entrants
    points = dict.fromkeys(entrants, 0.0)
    differences = dict.fromkeys(entrants, 0.0)
    fault_counts = dict.fromkeys(entrants, 0)
    for match in matches:
        if set(match.entrants) != set(entrants):
            raise ValueError(
                f"The matches of a deal group must have the same entrants; got {entrants} and "
                f"{match.entrants}."
            )
        shares = match_points(match.ranks)
        margins = score_differences(match)
        for side, entrant in enumerate(match.entrants):
            points[entrant] += shares[side]
            differences[entrant] += margins[side]
            fault_counts[entrant] += side in match.faulting_sides
    means = tuple(_rounded(points[entrant] / len(matches)) for entrant in entrants)
    return GroupScore(
        entrants=entrants,
        points=means,
        ranks=tuple(1 + sum(other > mean for other in means) for mean in means),
        differences=tuple(differences[entrant] for entrant in entrants),
        fault_counts=tuple(fault_counts[entrant] for entrant in entrants),
        matches=len(matches),
    )


def _rounded(value: float) -> float:
    """Round, so that equal points from different sums are equal."""
    return round(value, 9)

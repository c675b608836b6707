"""Deal groups: the same shuffles played once for every rotation of the sides.

A deal group is the unit of a tournament: one pairing of entrants, one seed, as many matches as the
table has sides. In every match the same cards come to the same seats, but the entrants move on by
one side, so that over the group each entrant plays each side's cards once and luck of the deal
cancels. Standings and ratings therefore count groups; matches of one group are not independent.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Entrant: TypeAlias = str | int
"""Whatever names an entrant: a bot's name at home, a primary key on a site."""

Side: TypeAlias = Entrant | tuple[Entrant, ...]
"""Who plays a side: an entrant (a bot or a fixed team), or several whose partnership changes."""

_SEED_LABEL = b"cardroom-group-1"


@dataclass(frozen=True, slots=True)
class MatchResult:
    """One finished match, side by side: who played the side, its score, its rank, its fault."""

    entrants: tuple[Side, ...]
    """Who plays each side, in the order of the format's sides."""

    scores: tuple[float, ...]
    """The score of each side; more is better."""

    ranks: tuple[int, ...]
    """The rank of each side: 1 is best, equal ranks are ties (1, 1, 3). They are final: a side with
    a fault is last (`engine.results.with_faults`)."""

    faults: tuple[int, ...] = ()
    """The sides (indices) that made a fault."""

    def __post_init__(self) -> None:
        """Refuse results whose columns do not fit together."""
        sides = len(self.entrants)
        if sides < 2 or len(self.scores) != sides or len(self.ranks) != sides:
            raise ValueError(
                "A match result needs one entrant, one score and one rank for each of two or more "
                f"sides; got {sides}, {len(self.scores)} and {len(self.ranks)}."
            )
        if len(set(self.entrants)) != sides:
            raise ValueError(f"Every side needs an entrant of its own; got {self.entrants}.")
        if any(not 0 <= side < sides for side in self.faults):
            raise ValueError(f"Faulting sides must be among 0 to {sides - 1}; got {self.faults}.")
        if any(self.ranks[side] < max(self.ranks) for side in self.faults):
            raise ValueError(f"Faulting sides are last; {self.faults} have ranks {self.ranks}.")


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The outcome of a deal group, one entry per entrant in every tuple."""

    entrants: tuple[Side, ...]
    """The entrants, in the order of the group's first match."""

    points: tuple[float, ...]
    """Mean points over the group's matches, from 0 (always last) to 1 (always first)."""

    ranks: tuple[int, ...]
    """Ranks by points: 1 is best, equal ranks are ties (1, 1, 3)."""

    differences: tuple[float, ...]
    """Score difference summed over the group's matches (see `score_differences`)."""

    faults: tuple[int, ...]
    """In how many of the group's matches the entrant made a fault."""

    matches: int
    """How many matches were counted."""


def rotations(sides: Sequence[Sequence[int]], entrants: Sequence[T]) -> list[tuple[T, ...]]:
    """Who sits where in each match of a deal group: one tuple per match, one entrant per seat.

    `sides` are the format's sides (seats of each), `entrants` one entrant per side. In match r
    entrant i plays side (i + r) mod n, with a copy of its bot in each of that side's seats.

    n cyclic rotations are enough to cancel what a group should cancel: each entrant plays each
    side's cards, and each side's place in the order of play, exactly once; the n! arrangements of
    the sides would do the same (n-1)! times over. One thing they do not balance: with three sides
    or more everybody keeps the same neighbour (who plays before whom), as the cyclic order of the
    entrants stays. Another group of the same entrants may list them in another order instead.

    Raises ValueError when the number of entrants is not the number of sides.
    """
    return seatings(sides, [(entrant,) for entrant in entrants])


def seatings(
    sides: Sequence[Sequence[int]], teams: Sequence[Sequence[T]], turn: int = 0
) -> list[tuple[T, ...]]:
    """The same for teams: one tuple per match, one member per seat.

    `teams` are the members of each side. A team of one sits on every seat of its side; a larger one
    has a member for each seat of the widest side. `turn` (the number of the deal group, say) moves
    the members on by so many seats, so that over several groups partners change places, and at
    tables whose sides differ in width another member rests.
    Raises ValueError when the number of teams is not the number of sides, or a team is too small.
    """
    if len(teams) != len(sides):
        raise ValueError(f"This table has {len(sides)} sides; {len(teams)} entrants were given.")
    places = {seat: (i, j) for i, side in enumerate(sides) for j, seat in enumerate(side)}
    if sorted(places) != list(range(sum(len(side) for side in sides))):
        raise ValueError(f"Sides must share out the seats 0, 1, 2, … once each; got {sides}.")
    widest = max(len(side) for side in sides)
    if any(len(team) not in {1, widest} for team in teams):
        raise ValueError(f"A team at this table has 1 or {widest} members.")
    n = len(sides)
    return [
        tuple(_member(teams[(i - r) % n], j + turn) for i, j in _in_order(places)) for r in range(n)
    ]


def _in_order(places: dict[int, tuple[int, int]]) -> list[tuple[int, int]]:
    return [places[seat] for seat in range(len(places))]


def _member(team: Sequence[T], place: int) -> T:
    return team[place % len(team)]


def members(side: Side) -> tuple[Entrant, ...]:
    """The entrants of a side."""
    return side if isinstance(side, tuple) else (side,)


def drawn_seed() -> str:
    """A secret that nobody can know or guess: 32 hexadecimal digits, 128 bits."""
    return secrets.token_hex(16)


def group_seed(tournament_seed: str, *parts: str | int) -> str:
    """The match seed of a deal group where the tournament's was chosen: 32 hexadecimal digits.

    `parts` name the group inside the tournament (round, pairing, number of the group). A hash, so
    that a match seed tells nothing about those of other groups; whoever knows the tournament's seed
    knows them all.
    """
    digest = hashlib.sha256(_SEED_LABEL)
    for part in (tournament_seed, *parts):
        text = str(part).encode()
        digest.update(len(text).to_bytes(8, "big") + text)
    return digest.hexdigest()[:32]


def match_points(ranks: Sequence[int]) -> tuple[float, ...]:
    """Points of each side from the ranks: the share of the other sides it left behind.

    A win of two sides is 1, a tie ½, a loss 0; of four sides the second has 2/3.
    """
    others = len(ranks) - 1
    return tuple(
        (sum(rank < other for other in ranks) + (sum(rank == other for other in ranks) - 1) / 2)
        / others
        for rank in ranks
    )


def score_differences(result: MatchResult) -> tuple[float, ...]:
    """Each side's score less the mean score of the other sides.

    In a match with faults the difference never speaks for a faulting side, nor against the others:
    what the platform's fallback won or lost in its place is not theirs.
    """
    total, others = sum(result.scores), len(result.scores) - 1
    raw = [score - (total - score) / others for score in result.scores]
    if not result.faults:
        return tuple(raw)
    guilty = set(result.faults)
    return tuple(min(d, 0.0) if i in guilty else max(d, 0.0) for i, d in enumerate(raw))


def group_score(matches: Sequence[MatchResult]) -> GroupScore:
    """The outcome of a deal group from its finished matches, complete or not.

    An entrant's points are its mean match points; the score difference is kept beside them, for
    breaking ties in the standings, and does not decide a group: a game won by much is one game.

    Raises ValueError when there is no match or the matches are not of the same entrants.
    """
    if not matches:
        raise ValueError("A deal group needs at least one finished match.")
    entrants = matches[0].entrants
    points = dict.fromkeys(entrants, 0.0)
    differences = dict.fromkeys(entrants, 0.0)
    faults = dict.fromkeys(entrants, 0)
    for match in matches:
        if set(match.entrants) != set(entrants):
            raise ValueError(
                f"The matches of a deal group need the same entrants; got {entrants} and "
                f"{match.entrants}."
            )
        shares = match_points(match.ranks)
        margins = score_differences(match)
        for side, entrant in enumerate(match.entrants):
            points[entrant] += shares[side]
            differences[entrant] += margins[side]
            faults[entrant] += side in match.faults
    means = tuple(_clean(points[entrant] / len(matches)) for entrant in entrants)
    return GroupScore(
        entrants=entrants,
        points=means,
        ranks=tuple(1 + sum(other > mean for other in means) for mean in means),
        differences=tuple(differences[entrant] for entrant in entrants),
        faults=tuple(faults[entrant] for entrant in entrants),
        matches=len(matches),
    )


def _clean(value: float) -> float:
    """Round off the last bits, so that equal points reached by different sums are equal."""
    return round(value, 9)

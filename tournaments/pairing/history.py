"""Points, meetings and byes so far, for systems that pair by points."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from tournaments.pairing.types import Meeting, Pairing, State
from tournaments.unplayed import void_share

_SCALE = 10_000
"""A score is the points times this, rounded, because sums of floats that should be equal may differ
by a rounding error."""


@dataclass(frozen=True, slots=True)
class PairingHistory:
    """Points, meetings and byes of the rounds of a state."""

    points: tuple[float, ...]
    """Points of each entrant, including those for byes and void deal groups."""

    byes: tuple[int, ...]
    """By entrant: number of rounds sat out."""

    meetings: Counter[Pairing]
    """By pair (smaller index first): number of meetings as opponents."""

    partnerships: Counter[Pairing]
    """By pair: number of meetings as partners."""

    @property
    def scores(self) -> list[int]:
        """The points as whole numbers."""
        return [round(points * _SCALE) for points in self.points]

    @classmethod
    def from_state(cls, state: State) -> "PairingHistory":
        """Read the rounds of a state; meetings without a group that counts are ignored."""
        meetings: Counter[Pairing] = Counter()
        partnerships: Counter[Pairing] = Counter()
        for meeting in (meeting for round_ in state.rounds for meeting in round_):
            if not meeting.groups:
                continue
            for are_partners, pair in _pairs(state, meeting):
                (partnerships if are_partners else meetings)[pair] += 1
        return cls(_points(state), _bye_counts(state), meetings, partnerships)


def _points(state: State) -> tuple[float, ...]:
    """Points by entrant, as in the standings."""
    points_by_entrant = [0.0] * state.entrants
    groups, void = [0] * state.entrants, [0] * state.entrants
    for meeting in (meeting for round_ in state.rounds for meeting in round_):
        teams = state.teams(meeting.entrants)
        for side, points in zip(teams, meeting.points or (0.0,) * len(teams), strict=True):
            for entrant in side:
                points_by_entrant[entrant] += points
                groups[entrant] += meeting.groups
                void[entrant] += meeting.void if state.scoring > 1 else 0
    return tuple(
        points + bye + void_groups * void_share(points, counted_groups)
        for bye, points, counted_groups, void_groups in zip(
            byes(state), points_by_entrant, groups, void, strict=True
        )
    )


def byes(state: State) -> tuple[float, ...]:
    """Each entrant's points for byes."""
    return tuple(count * bye_points(state) for count in _bye_counts(state))


def bye_points(state: State) -> float:
    """Points of a bye.

    At a table of two entrants a bye counts as winning all deal groups: it goes to an entrant low in
    the standings, who needs the points most. At wider tables several entrants may sit out each
    round; for each of them a bye counts as winning half of the deal groups.
    """
    return state.groups * (1.0 if state.seats == 2 else 0.5)


def _bye_counts(state: State) -> tuple[int, ...]:
    """By entrant: the rounds that it sat out between its entry and its departure. If the time of a
    departure is unknown, only rounds before the entrant's last pairing count."""
    counts = [0] * state.entrants
    since_pairing = [0] * state.entrants  # rounds sat out since the last pairing
    present = range(state.entrants) if state.present is None else state.present
    departures = {
        entrant: rounds for entrant, rounds in state.departures.items() if entrant not in present
    }
    for number, round_ in enumerate(state.rounds):
        playing = {entrant for meeting in round_ for entrant in meeting.entrants}
        for entrant in range(state.entrants):
            if number < state.arrivals.get(entrant, 0):
                continue
            if entrant in departures:
                counts[entrant] += number < departures[entrant] and entrant not in playing
                continue
            if entrant in playing:
                counts[entrant] += since_pairing[entrant]
                since_pairing[entrant] = 0
            else:
                since_pairing[entrant] += 1
    for entrant in present:
        counts[entrant] += since_pairing[entrant]
    return tuple(counts)


def _pairs(state: State, meeting: Meeting) -> Iterator[tuple[bool, Pairing]]:
    """(whether they are partners, the pair) for every two entrants at a table."""
    side_of = {
        entrant: index
        for index, side in enumerate(state.teams(meeting.entrants))
        for entrant in side
    }
    for pair in combinations(sorted(side_of), 2):
        yield side_of[pair[0]] == side_of[pair[1]], pair

"""Ladder: an endless system that pairs for the most information about ratings.

Newcomers, with fewer than `first` deal groups, come first; then the entrants with the least certain
ratings. Each gets the opponents with the highest information. For a rating difference with variance
v and win probability p, a meeting reduces the uncertainty by ½ log(1 + p (1 - p) v k²) (the gain of
Bayesian D-optimal design, Chaloner & Verdinelli 1995; k converts Elo points to natural units).
Unfinished meetings count as if they had already contributed.

A round fills the free places of the queue. It avoids recent opponents if there are others. Rotating
partners are drawn by lot.
"""

import random
from collections import Counter
from math import erf, inf, log, log1p, pi, sqrt

from tournaments.pairing.designs import shuffled
from tournaments.pairing.types import (
    Meeting,
    Pairing,
    PairingStep,
    Places,
    RatingSystem,
    Setting,
    State,
    setting,
)
from tournaments.ratings.elo import SCALE, START, Z95

UNSURE = 686.0
"""Half of the 95 % interval of an entrant without results, according to the fits' prior."""

_NATURAL = log(10) / SCALE
"""One Elo point in natural units."""

_SETTINGS = (
    Setting(
        "ahead",
        "Pairings ahead",
        32,
        1,
        1000,
        "How many pairings may wait or be in play at the same time.",
    ),
    Setting(
        "each", "Pairings of an entry", 8, 1, 100, "How many of these pairings an entry may be in."
    ),
    Setting(
        "first",
        "First deal groups",
        50,
        0,
        1000,
        "How many deal groups a newcomer gets at first; they are played before all others.",
    ),
    Setting(
        "rest",
        "Opponents before a rematch",
        5,
        0,
        100,
        "How many others an entry meets before a rematch, if there are enough.",
    ),
    Setting(
        "enough",
        "Enough deal groups",
        0,
        0,
        100_000,
        "After this many deal groups an entry plays only if it is chosen as an opponent, so that a "
        "ladder without newcomers rests. 0 means no limit.",
    ),
)


def pair(state: State) -> PairingStep:
    """Pairings for the free places of the queue; none if too few places are free.

    Newcomers take each free place immediately, and places are reserved for their next pairings.
    Without newcomers, half of the places must be free first, to allow a choice of opponents.
    """
    ladder = _Ladder(state)
    ahead = setting(_SETTINGS, state.settings, "ahead")
    free_places = ahead - ladder.waiting
    free_entrants = ladder.free_entrants()
    if free_places <= 0 or len(free_entrants) < state.seats:
        return PairingStep()
    if ladder.waiting > ahead // 2 and ladder.newcomers.isdisjoint(free_entrants):
        return PairingStep()
    round_: list[Pairing] = []
    reserved = sum(ladder.newcomer_pairings.values())
    for leader in ladder.leaders_in_order(free_entrants):
        reserved_here = 0 if leader in ladder.newcomers else reserved
        if len(round_) + reserved_here >= free_places or len(free_entrants) < state.seats:
            break
        if leader in free_entrants:
            table = ladder.choose_table(leader, free_entrants)
            free_entrants.difference_update(table)
            reserved -= sum(entrant in ladder.newcomer_pairings for entrant in table)
            round_.append(ladder.in_random_order(table))
    return PairingStep((tuple(round_),)) if round_ else PairingStep()


def newcomers(state: State) -> frozenset[int]:
    """Entrants with fewer than `first` deal groups."""
    first = setting(_SETTINGS, state.settings, "first")
    present = range(state.entrants) if state.present is None else state.present
    groups = _groups(state)
    return frozenset(entrant for entrant in present if groups[entrant] < first)


def places(state: State) -> Places:
    """Places by rating; entrants without deal groups share the last place."""
    ratings = state.ratings or (START,) * state.entrants
    groups = _groups(state)
    levels: dict[tuple[int, float], list[int]] = {}
    for entrant in range(state.entrants):
        key = (0, -ratings[entrant]) if groups[entrant] else (1, 0.0)
        levels.setdefault(key, []).append(entrant)
    return [tuple(levels[key]) for key in sorted(levels)]


def information(difference: float, variance: float) -> float:
    """The information of a meeting in nats, for a rating difference (Elo) with this variance.

    The expected outcome is a logistic curve blurred by the variance (MacKay 1992).
    """
    natural = variance * _NATURAL**2
    blurred = difference * _NATURAL / sqrt(1 + pi * natural / 8)
    p = 0.5 * (1 + erf(blurred * sqrt(pi) / 4))
    return 0.5 * log1p(p * (1 - p) * natural)


def _groups(state: State) -> tuple[int, ...]:
    """Deal groups assigned to each entrant."""
    if state.played:
        return state.played
    counts: Counter[int] = Counter()
    for meeting in _meetings(state):
        counts.update(meeting.entrants)
    return tuple(counts[entrant] * state.groups for entrant in range(state.entrants))


def _meetings(state: State) -> list[Meeting]:
    """The meetings in the state, oldest first."""
    return [meeting for round_ in state.rounds for meeting in round_]


class _Ladder:
    """The ladder before a round."""

    def __init__(self, state: State) -> None:
        self.state = state
        number = state.before + len(state.rounds) + 1
        self.rng = random.Random(f"ladder {state.seed} {number}")
        self.groups = _groups(state)
        self.newcomers = newcomers(state)
        unfinished = [meeting for meeting in _meetings(state) if meeting.open]
        self.waiting = len(unfinished)
        self.open = Counter(entrant for meeting in unfinished for entrant in meeting.entrants)
        self.newcomer_pairings = self._newcomer_pairings()
        self.ratings = state.ratings or (START,) * state.entrants
        errors = state.errors or (UNSURE,) * state.entrants
        self.variances = [self._variance(i, error) for i, error in enumerate(errors)]
        self.recent = self._recent()

    def _newcomer_pairings(self) -> dict[int, int]:
        """The number of further pairings that each newcomer could have now."""
        first = setting(_SETTINGS, self.state.settings, "first")
        max_pairings = setting(_SETTINGS, self.state.settings, "each")
        counts = {
            entrant: min(
                max_pairings - self.open[entrant],
                -((self.groups[entrant] - first) // self.state.groups),
            )
            for entrant in self.newcomers
        }
        return {entrant: number for entrant, number in counts.items() if number > 0}

    def _variance(self, entrant: int, error: float) -> float:
        """Expected variance of the rating after all unfinished meetings, at even odds."""
        variance = (error / Z95) ** 2
        precision = self.open[entrant] * self.state.groups * _NATURAL**2 / 4
        return variance / (1 + precision * variance)

    def _recent(self) -> list[dict[int, int]]:
        """By entrant: a number for each recent opponent, higher for a later meeting."""
        others = self.state.entrants if self.state.present is None else len(self.state.present)
        # Leave a choice of half of the others, also on a small ladder.
        max_rounds = min(setting(_SETTINGS, self.state.settings, "rest"), (others - 1) // 2)
        recent: list[dict[int, int]] = [{} for _ in range(self.state.entrants)]
        for meeting in reversed(_meetings(self.state)):
            for entrant in meeting.entrants:
                if entrant >= 0 and len(recent[entrant]) < max_rounds:
                    for other in meeting.entrants:
                        if other != entrant:
                            recent[entrant].setdefault(other, max_rounds - len(recent[entrant]))
        return recent

    def free_entrants(self) -> set[int]:
        """Entrants that can be paired now."""
        present = range(self.state.entrants) if self.state.present is None else self.state.present
        max_pairings = setting(_SETTINGS, self.state.settings, "each")
        return {entrant for entrant in present if self.open[entrant] < max_pairings}

    def leaders_in_order(self, free_entrants: set[int]) -> list[int]:
        """The free entrants with fewer than `enough` deal groups, in the order of pairing.

        Newcomers come first, beginning with the fewest deal groups; then the others, beginning with
        the least certain rating.
        """
        group_limit = setting(_SETTINGS, self.state.settings, "enough") or inf
        leaders = sorted(entrant for entrant in free_entrants if self.groups[entrant] < group_limit)

        def order(entrant: int) -> tuple[bool, float, int]:
            if entrant in self.newcomers:
                return False, self.groups[entrant], 0
            return True, -self.variances[entrant], self.groups[entrant]

        return sorted(shuffled(leaders, self.rng), key=order)

    def choose_table(self, leader: int, free_entrants: set[int]) -> list[int]:
        """The leader and its opponents, chosen one by one for the lowest cost."""
        seated = [leader]
        candidates = shuffled(sorted(free_entrants - {leader}), self.rng)
        while len(seated) < self.state.seats:
            best = min(candidates, key=lambda other: self._cost(seated, other))
            seated.append(best)
            candidates.remove(best)
        return seated

    def _cost(self, seated: list[int], other: int) -> tuple[int, int, float]:
        """The cost of seating `other`: (pairs to keep apart, recency of the last meeting, minus
        information)."""
        apart_pairs = sum(
            (min(member, other), max(member, other)) in self.state.apart for member in seated
        )
        recency = max(
            max(self.recent[member].get(other, 0), self.recent[other].get(member, 0))
            for member in seated
        )
        gain = sum(
            information(
                self.ratings[member] - self.ratings[other],
                self.variances[member] + self.variances[other],
            )
            for member in seated
        )
        return apart_pairs, recency, -gain

    def in_random_order(self, table: list[int]) -> Pairing:
        """The table in random order of the sides."""
        return tuple(shuffled(table, self.rng))


SYSTEM = RatingSystem(
    name="ladder",
    title="ladder",
    summary="Runs until the organizer ends it; bots come, change and go. Newcomers play first, "
    "then bots with the least certain ratings, against about equals. Ranks by rating.",
    pair=pair,
    settings=_SETTINGS,
    wide_tables=True,
    rotating_partners=True,
    allows_leaving=True,
    newcomers=newcomers,
    places=places,
)

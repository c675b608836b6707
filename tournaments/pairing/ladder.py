"""Ladder: goes on until it is ended, and pairs those whose meeting tells most.

Newcomers, which have had fewer than `first` deal groups, come before all others; then those whose
rating is least sure. Each is given the opponents that promise the most information. A result says
much where it is open and where ratings are unsure: for a difference of ratings with variance v,
and win probability p, a meeting lowers the uncertainty by ½ log(1 + p (1 - p) v k²) (the gain of
Bayesian D-optimal design, Chaloner & Verdinelli 1995; k turns Elo points into natural units).
Meetings that are waiting or being played count as if they had already told it.

A round is as many pairings as may wait together. Recent opponents are left out while there are
others. Partners, where they change, are drawn by lot.
"""

import random
from collections import Counter
from math import erf, inf, log, log1p, pi, sqrt

from tournaments.pairing.designs import shuffled
from tournaments.pairing.types import (
    Meeting,
    Pairing,
    Places,
    RatingSystem,
    Setting,
    State,
    Step,
    setting,
)
from tournaments.ratings.elo import SCALE, START, Z95

UNSURE = 686.0
"""Half of the 95 % interval of an entrant without results: only the fits' prior."""

_NATURAL = log(10) / SCALE
"""One Elo point in natural units."""

_SETTINGS = (
    Setting("ahead", "Pairings ahead", 32, 1, 1000, "How many wait or are played at once."),
    Setting("each", "Pairings of one", 8, 1, 100, "How many of these may involve the same entry."),
    Setting(
        "first",
        "First deal groups",
        50,
        0,
        1000,
        "How many deal groups a newcomer gets before all others; they are played first.",
    ),
    Setting(
        "rest",
        "Rest of a pair",
        5,
        0,
        100,
        "How many others an entry meets before it meets the same one again, if there are enough.",
    ),
    Setting(
        "enough",
        "Deal groups enough",
        0,
        0,
        100_000,
        "After so many deal groups an entry only plays when it is chosen as an opponent, so that a "
        "ladder without newcomers rests. 0: there are never enough.",
    ),
)


def pair(state: State) -> Step:
    """A round of pairings for the places that are free; none when enough are waiting.

    Newcomers take every place as it becomes free, and places are kept for their next pairings.
    Without newcomers, half of the places must become free first, for a choice of opponents.
    """
    ladder = _Ladder(state)
    ahead = setting(_SETTINGS, state.settings, "ahead")
    room = ahead - ladder.waiting
    free = ladder.free()
    if room <= 0 or len(free) < state.seats:
        return Step()
    if ladder.waiting > ahead // 2 and ladder.newcomers.isdisjoint(free):
        return Step()
    round_: list[Pairing] = []
    kept = sum(ladder.wanted.values())
    for leader in ladder.in_turn(free):
        kept_here = 0 if leader in ladder.newcomers else kept
        if len(round_) + kept_here >= room or len(free) < state.seats:
            break
        if leader in free:
            table = ladder.table(leader, free)
            free.difference_update(table)
            kept -= sum(entrant in ladder.wanted for entrant in table)
            round_.append(ladder.seated(table))
    return Step((tuple(round_),)) if round_ else Step()


def newcomers(state: State) -> frozenset[int]:
    """Entrants who are still to get deal groups before all others."""
    first = setting(_SETTINGS, state.settings, "first")
    here = range(state.entrants) if state.present is None else state.present
    groups = _groups(state)
    return frozenset(entrant for entrant in here if groups[entrant] < first)


def places(state: State) -> Places:
    """By rating; all who have not played share a place behind those who have."""
    ratings = state.ratings or (START,) * state.entrants
    groups = _groups(state)
    levels: dict[tuple[int, float], list[int]] = {}
    for entrant in range(state.entrants):
        key = (0, -ratings[entrant]) if groups[entrant] else (1, 0.0)
        levels.setdefault(key, []).append(entrant)
    return [tuple(levels[key]) for key in sorted(levels)]


def information(difference: float, variance: float) -> float:
    """What a meeting tells, in nats, when ratings are so far apart (Elo), with this variance.

    The expected outcome is that of a logistic curve blurred by the variance (MacKay 1992).
    """
    natural = variance * _NATURAL**2
    blurred = difference * _NATURAL / sqrt(1 + pi * natural / 8)
    p = 0.5 * (1 + erf(blurred * sqrt(pi) / 4))
    return 0.5 * log1p(p * (1 - p) * natural)


def _groups(state: State) -> tuple[int, ...]:
    """Deal groups that each entrant has been given."""
    if state.played:
        return state.played
    counts: Counter[int] = Counter()
    for meeting in _meetings(state):
        counts.update(meeting.entrants)
    return tuple(counts[entrant] * state.groups for entrant in range(state.entrants))


def _meetings(state: State) -> list[Meeting]:
    """All meetings that are known, oldest first."""
    return [meeting for round_ in state.rounds for meeting in round_]


class _Ladder:
    """What is known before a round."""

    def __init__(self, state: State) -> None:
        self.state = state
        number = state.before + len(state.rounds) + 1
        self.rng = random.Random(f"ladder {state.seed} {number}")
        self.groups = _groups(state)
        self.newcomers = newcomers(state)
        unfinished = [meeting for meeting in _meetings(state) if meeting.open]
        self.waiting = len(unfinished)
        self.open = Counter(entrant for meeting in unfinished for entrant in meeting.entrants)
        self.wanted = self._wanted()
        self.ratings = state.ratings or (START,) * state.entrants
        errors = state.errors or (UNSURE,) * state.entrants
        self.variances = [self._variance(i, error) for i, error in enumerate(errors)]
        self.recent = self._recent()

    def _wanted(self) -> dict[int, int]:
        """How many more pairings each newcomer could have now."""
        first = setting(_SETTINGS, self.state.settings, "first")
        each = setting(_SETTINGS, self.state.settings, "each")
        wanted = {
            entrant: min(
                each - self.open[entrant], -((self.groups[entrant] - first) // self.state.groups)
            )
            for entrant in self.newcomers
        }
        return {entrant: number for entrant, number in wanted.items() if number > 0}

    def _variance(self, entrant: int, error: float) -> float:
        """Variance of the rating once all that waits has been played (at even odds)."""
        variance = (error / Z95) ** 2
        told = self.open[entrant] * self.state.groups * _NATURAL**2 / 4
        return variance / (1 + told * variance)

    def _recent(self) -> list[dict[int, int]]:
        """The last opponents of each entrant; the higher the number, the later."""
        others = self.state.entrants if self.state.present is None else len(self.state.present)
        # Half of the others stay to choose from, also on a small ladder.
        rest = min(setting(_SETTINGS, self.state.settings, "rest"), (others - 1) // 2)
        recent: list[dict[int, int]] = [{} for _ in range(self.state.entrants)]
        for meeting in reversed(_meetings(self.state)):
            for entrant in meeting.entrants:
                if entrant >= 0 and len(recent[entrant]) < rest:
                    for other in meeting.entrants:
                        if other != entrant:
                            recent[entrant].setdefault(other, rest - len(recent[entrant]))
        return recent

    def free(self) -> set[int]:
        """Who can be paired now."""
        here = range(self.state.entrants) if self.state.present is None else self.state.present
        each = setting(_SETTINGS, self.state.settings, "each")
        return {entrant for entrant in here if self.open[entrant] < each}

    def in_turn(self, free: set[int]) -> list[int]:
        """Who is given opponents: newcomers with the fewest groups, then the least known of those
        who have not had enough."""
        enough = setting(_SETTINGS, self.state.settings, "enough") or inf
        leaders = sorted(entrant for entrant in free if self.groups[entrant] < enough)

        def turn(entrant: int) -> tuple[bool, float, int]:
            if entrant in self.newcomers:
                return False, self.groups[entrant], 0
            return True, -self.variances[entrant], self.groups[entrant]

        return sorted(shuffled(leaders, self.rng), key=turn)

    def table(self, leader: int, free: set[int]) -> list[int]:
        """The leader, and those whose meetings with it, and with each other, tell most."""
        seated = [leader]
        left = shuffled(sorted(free - {leader}), self.rng)
        while len(seated) < self.state.seats:
            best = min(left, key=lambda other: self._cost(seated, other))
            seated.append(best)
            left.remove(best)
        return seated

    def _cost(self, seated: list[int], other: int) -> tuple[int, int, float]:
        """Gravest first: they should stay apart, they have just met, they tell little."""
        apart = sum((min(one, other), max(one, other)) in self.state.apart for one in seated)
        again = max(
            max(self.recent[one].get(other, 0), self.recent[other].get(one, 0)) for one in seated
        )
        told = sum(
            information(
                self.ratings[one] - self.ratings[other],
                self.variances[one] + self.variances[other],
            )
            for one in seated
        )
        return apart, again, -told

    def seated(self, table: list[int]) -> Pairing:
        """The table side by side."""
        return tuple(shuffled(table, self.rng))


SYSTEM = RatingSystem(
    name="ladder",
    title="ladder",
    summary="Goes on until the organizer ends it; bots come, change and go. Newcomers play first, "
    "then those with the least certain ratings, against about equals. Ranks by rating.",
    pair=pair,
    settings=_SETTINGS,
    wide=True,
    rotating=True,
    leaving=True,
    newcomers=newcomers,
    places=places,
)

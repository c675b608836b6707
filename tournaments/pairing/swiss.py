"""Swiss: all entrants play every round, against opponents with about as many points.

`matching` pairs tables of two entrants. It minimizes, gravest first, pairs to keep apart, rematches
and differences of points. Among equal points the upper half of the seeds meets the lower half, as
in FIDE's Dutch system. `tabling` seats wider tables and rotating partners. Starting sides need no
balance, because deal groups rotate the sides.

The bye goes to an entrant with the fewest byes: the one with the fewest points, among equals the
last seed. At tables of two, another entrant with the fewest byes gets it if that avoids a rematch.
`history.bye_points` defines its points.

A late entrant is paired from the next round on, as the last seed. The rounds before are no byes and
give no points (FIDE Handbook, C.04.2).
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

from tournaments.pairing.history import PairingHistory, byes
from tournaments.pairing.matching import Cost, pairs_of_least_cost
from tournaments.pairing.tabling import seat_tables
from tournaments.pairing.types import Meeting, PairingStep, Round, Setting, State, System, setting

MAX_ENTRANTS = 512
"""Maximum number of entrants; more would take too long to pair."""

_SETTINGS = (
    Setting(
        "rounds",
        "Rounds",
        0,
        0,
        100,
        "The number of rounds; 0 means that it depends on the number of entrants.",
    ),
)


def round_count(state: State) -> int:
    """The number of rounds.

    The default is ⌈log n⌉ + 2, to the base of the number of sides: after ⌈log n⌉ rounds at most one
    entrant has won all, and two more rounds order the others. At tables of two it never forces
    rematches. With rotating partners it is multiplied by the number of partners, because a result
    says less about each of them.
    """
    chosen = setting(_SETTINGS, state.settings, "rounds")
    if chosen:
        return chosen
    rounds = 0
    while state.sides**rounds < state.entrants:
        rounds += 1
    rounds = (rounds + 2) * max(state.table)
    if state.seats == 2:
        return min(rounds, state.entrants - 1 + state.entrants % 2)
    return rounds


def pair(state: State) -> PairingStep:
    """The next round; empty after the last one, or if too few entrants are present."""
    present = frozenset(range(state.entrants)) if state.present is None else state.present
    if not state.rounds:
        _check(state, len(present))
    if len(state.rounds) >= round_count(state) or len(present) < state.seats:
        return PairingStep()
    key = (state.entrants, state.table, state.seed, state.rounds, state.apart, state.groups)
    times = tuple(tuple(sorted(counts.items())) for counts in (state.departures, state.arrivals))
    return PairingStep((_round(*key, present, *times, state.scoring),))


def takes_late(state: State) -> bool:
    """Whether another round follows, and the Swiss has room."""
    present_count = state.entrants if state.present is None else len(state.present)
    return len(state.rounds) < round_count(state) and present_count < MAX_ENTRANTS


@lru_cache(maxsize=32)
def _round(
    entrants: int,
    sizes: tuple[int, ...],
    seed: str,
    rounds: tuple[tuple[Meeting, ...], ...],
    apart: frozenset[tuple[int, int]],
    groups: int,
    present: frozenset[int],
    departures: tuple[tuple[int, int], ...],
    arrivals: tuple[tuple[int, int], ...],
    scoring: int,
) -> Round:
    """The round after `rounds`. Cached, because `count_valid_rounds` computes all rounds again."""
    state = State(
        entrants,
        len(sizes),
        seed,
        rounds,
        sizes=sizes,
        apart=apart,
        groups=groups,
        present=present,
        departures=dict(departures),
        arrivals=dict(arrivals),
        scoring=scoring,
    )
    history = PairingHistory.from_state(state)
    order = sorted(present, key=lambda entrant: (-history.scores[entrant], entrant))
    lot = f"swiss {state.seed} {len(state.rounds) + 1}"
    if state.seats == 2:
        return _by_matching(state, order, history, lot)
    sitting_out = sorted(order, key=lambda entrant: _bye_key(history, entrant))
    sitting_out = sitting_out[: len(order) % state.seats]
    playing = [entrant for entrant in order if entrant not in sitting_out]
    return tuple(seat_tables(state, playing, history, lot))


def _check(state: State, present: int) -> None:
    if present < state.seats:
        raise ValueError(
            f"A Swiss needs {state.seats} entrants or more at this table; there are {present}."
        )
    if present > MAX_ENTRANTS:
        raise ValueError(f"A Swiss takes at most {MAX_ENTRANTS} entrants; there are {present}.")


def _bye_key(history: PairingHistory, entrant: int) -> tuple[int, int, int]:
    """The sort key of entrants for the bye, first in line first."""
    return history.byes[entrant], history.scores[entrant], -entrant


def _by_matching(state: State, order: list[int], history: PairingHistory, lot: str) -> Round:
    """Pairs of the entrants in `order`, best first; for an odd number one has the bye."""
    playing = list(order)
    if len(order) % 2:
        playing.remove(min(order, key=lambda entrant: _bye_key(history, entrant)))
    costs = _Costs(state, playing, history)
    pairs = pairs_of_least_cost(playing, costs.cost_of_new, lot)
    if pairs is None and len(order) == len(playing):
        pairs = pairs_of_least_cost(playing, costs.cost_of_any, lot)
    elif pairs is None:
        costs = _Costs(state, order, history)
        pairs = pairs_of_least_cost([*order, costs.bye], costs.cost_of_any, lot)
    rank = {entrant: index for index, entrant in enumerate(order)}
    ranked_pairs = [sorted(pair, key=rank.__getitem__) for pair in pairs or () if max(pair) in rank]
    return tuple((a, b) for a, b in sorted(ranked_pairs, key=lambda pair: rank[pair[0]]))


class _Costs:
    """Costs of the pairs of a round."""

    def __init__(self, state: State, order: Sequence[int], history: PairingHistory) -> None:
        """`order`: the entrants to pair, best first."""
        self.apart = state.apart
        self.history = history
        self.scores = history.scores
        entered = (state.arrivals.get(i, 0) <= len(state.rounds) for i in range(state.entrants))
        self.bye = max(sum(entered), 1 + max(order))
        """A dummy player; its partner has the bye. Later entrants do not change its number, on
        which the draw by lot depends."""
        self.fewest_byes = min(history.byes[entrant] for entrant in order)
        self.lowest_score = min(self.scores[entrant] for entrant in order)
        self.places: dict[int, tuple[int, int]] = {}
        """By entrant: (its index among the entrants with the same score, their number)."""
        for _, equals in groupby(order, key=self.scores.__getitem__):
            group = list(equals)
            self.places |= {entrant: (i, len(group)) for i, entrant in enumerate(group)}

    def cost_of_new(self, a: int, b: int) -> Cost | None:
        """The cost of a pair that may meet and has not met; None for other pairs."""
        if (a, b) in self.apart or self.history.meetings[a, b]:
            return None
        return self._difference_cost(a, b)

    def cost_of_any(self, a: int, b: int) -> Cost | None:
        """The cost of any pair, or of the bye; None if others have had fewer byes."""
        if b == self.bye:
            if self.history.byes[a] > self.fewest_byes:
                return None
            return 0, 0, 0, self.scores[a] - self.lowest_score, 0, 0
        meetings = self.history.meetings[a, b]
        apart, difference_cost = (a, b) in self.apart, self._difference_cost(a, b)
        return apart, meetings > 0, meetings * meetings, 0, *difference_cost

    def _difference_cost(self, a: int, b: int) -> Cost:
        """The squared difference of scores, and the squared distance from the ideal opponent."""
        difference = abs(self.scores[a] - self.scores[b])
        (i, n), (j, m) = self.places[a], self.places[b]
        if not difference:
            return 0, (abs(i - j) - n // 2) ** 2
        if self.scores[a] < self.scores[b]:
            i, j, n = j, i, m
        # The last of the upper group floats down and meets the first of the lower group.
        return difference**2, (n - 1 - i + j) ** 2


SYSTEM = System(
    name="swiss",
    title="Swiss",
    summary="Everybody plays every round, against opponents with about as many points, without "
    "avoidable rematches.",
    pair=pair,
    settings=_SETTINGS,
    wide_tables=True,
    rotating_partners=True,
    by_results=True,
    allows_leaving=True,
    late=takes_late,
    byes=byes,
)

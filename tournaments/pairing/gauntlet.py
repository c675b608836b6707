"""Gauntlet: the first seeds are challengers and meet all others equally often.

Challengers do not meet each other; the others meet each other at wider tables only. Each wider
table has one challenger; the others take turns in a drawn order, so that each of them sits equally
often with every challenger. All rounds are known at the start.
"""

import random
from math import gcd

from tournaments.pairing.designs import arrange_rounds, shuffled
from tournaments.pairing.types import Pairing, PairingStep, Round, Setting, State, System, setting

MAX_MEETINGS = 20_000
"""Maximum pairings of a gauntlet; more would be slow to compute."""

_SETTINGS = (
    Setting(
        "challengers", "Challengers", 1, 1, 16, "How many of the first seeds meet all the others."
    ),
    Setting(
        "meetings",
        "Meetings",
        1,
        1,
        100,
        "How often a challenger meets each other entrant, at least.",
    ),
)


def pair(state: State) -> PairingStep:
    """All rounds before the first, nothing afterwards."""
    if state.rounds:
        return PairingStep()
    challengers = setting(_SETTINGS, state.settings, "challengers")
    meetings = setting(_SETTINGS, state.settings, "meetings")
    _check(state, challengers, meetings)
    rng = random.Random(f"gauntlet {state.seed}")
    rounds: list[Round] = []
    for _ in range(meetings):
        rounds += _turn_rounds(state, challengers, rng)
    return PairingStep(tuple(rounds))


def tables_per_challenger(others: int, sides: int) -> int:
    """Tables of a challenger in a turn: the smallest number that seats all others equally often."""
    return others // gcd(others, sides - 1)


def _check(state: State, challengers: int, meetings: int) -> None:
    min_entrants = challengers + state.sides - 1
    if state.entrants < min_entrants:
        raise ValueError(
            f"A gauntlet with {challengers} of the seeds as challengers needs {min_entrants} "
            f"entrants or more at this table; there are {state.entrants}."
        )
    tables = tables_per_challenger(state.entrants - challengers, state.sides)
    if challengers * tables * meetings > MAX_MEETINGS:
        raise ValueError(
            f"That gauntlet would have {challengers * tables * meetings:,} pairings; the maximum "
            f"is {MAX_MEETINGS:,}. Choose fewer challengers or meetings."
        )


def _turn_rounds(state: State, challengers: int, rng: random.Random) -> list[Round]:
    """Rounds in which every challenger meets all the others equally often."""
    order = shuffled(list(range(challengers, state.entrants)), rng)
    if state.sides == 2:
        return _pair_rounds(challengers, order)
    size = state.sides - 1
    tables: list[Pairing] = []
    for challenger in range(challengers):
        opponents = shuffled(order, rng)
        for table in range(tables_per_challenger(len(opponents), state.sides)):
            places = (place % len(opponents) for place in range(table * size, (table + 1) * size))
            tables.append((challenger, *(opponents[place] for place in places)))
    return arrange_rounds(tables, state.entrants)


def _pair_rounds(challengers: int, others: list[int]) -> list[Round]:
    """Rounds of pairs, as few as possible: in a round, challengers meet neighbours in `others`.

    With more challengers than others, challengers sit out in turn.
    """
    length = max(challengers, len(others))
    rounds: list[Round] = []
    for turn in range(length):
        places = [(challenger, (turn + challenger) % length) for challenger in range(challengers)]
        in_use = (pair for pair in places if pair[1] < len(others))
        rounds.append(tuple((challenger, others[place]) for challenger, place in in_use))
    return rounds


SYSTEM = System(
    name="gauntlet",
    title="gauntlet",
    summary="One or several first seeds meet all others equally often; the others meet each other "
    "only to fill wide tables. All rounds are known at the start.",
    pair=pair,
    settings=_SETTINGS,
    wide_tables=True,
)

"""Trial: a candidate against the stable version, and both against the field.

The first entrant is the candidate, the second the stable version, the others are the field. With
two sides most pairings are candidate against stable; then each of the two meets the same opponent
from the field. At wider tables both versions sit at every table, and the others take turns.
The trial is endless; the site ends it by a sequential test (`tournaments.ratings.sprt`).
"""

import random

from tournaments.pairing.types import OpenEnded, Pairing, PairingStep, Setting, State, setting

CANDIDATE, STABLE = 0, 1
DIRECT = 4
"""At two sides: the number of direct meetings in a row before both meet the field."""

_SETTINGS = (
    Setting(
        "ahead",
        "Pairings ahead",
        8,
        1,
        64,
        "How many pairings may wait or be in play at the same time.",
    ),
)


def pair(state: State) -> PairingStep:
    """Rounds of one pairing each, until `ahead` pairings are open."""
    if state.entrants < max(state.sides, 2):
        raise ValueError(
            f"A trial at {state.sides} sides needs {state.sides} entrants; there are "
            f"{state.entrants}."
        )
    open_meetings = sum(meeting.open for round_ in state.rounds for meeting in round_)
    free_places = setting(_SETTINGS, state.settings, "ahead") - open_meetings
    first = state.before + len(state.rounds)
    return PairingStep(tuple((_pairing(state, first + number),) for number in range(free_places)))


def _pairing(state: State, number: int) -> Pairing:
    """The pairing of round `number`, counted from 0; it depends on no result."""
    entrants = (
        _two_sided_pairing(state, number) if state.sides == 2 else _wide_pairing(state, number)
    )
    order = list(entrants)
    random.Random(f"trial {state.seed} {number}").shuffle(order)
    return tuple(order)


def _two_sided_pairing(state: State, number: int) -> Pairing:
    field = state.entrants - 2
    if not field:
        return (CANDIDATE, STABLE)
    lap, place = divmod(number, DIRECT + 2)
    if place < DIRECT:
        return (CANDIDATE, STABLE)
    return (CANDIDATE if place == DIRECT else STABLE, 2 + lap % field)


def _wide_pairing(state: State, number: int) -> Pairing:
    """Both versions and the next ones of the field, each equally often."""
    field, others = state.entrants - 2, state.sides - 2
    first = number * others
    return (CANDIDATE, STABLE, *(2 + (first + i) % field for i in range(others)))


SYSTEM = OpenEnded(
    name="trial",
    title="trial",
    summary=(
        "A candidate version meets the stable one and the field until it is clear whether it is "
        "better."
    ),
    pair=pair,
    settings=_SETTINGS,
    wide_tables=True,
)

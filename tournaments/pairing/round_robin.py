"""Round robin: every entrant meets every other equally often.

Two sides use the circle method (Kirkman 1847), with n - 1 rounds for even n, and n rounds for odd
n, in which each entrant sits out once. With more sides, every combination of entrants plays if
there are at most `MAX_GROUPS` combinations. Otherwise a balanced cyclic design (`designs`) is used,
in which all pairs meet λ or λ + 1 times and all entrants play equally often. `whist` pairs rotating
partners.
"""

import random
from itertools import combinations
from math import comb

from tournaments.pairing import designs
from tournaments.pairing.types import (
    MeetingTable,
    Pairing,
    PairingStep,
    Round,
    Setting,
    State,
    System,
    setting,
)
from tournaments.pairing.whist import whist_rounds

MAX_GROUPS = 200
"""At three sides or more: if there are at most this many combinations of entrants, all play."""

MAX_SIDES = 8
"""The widest table (`ffa8`)."""

MAX_ENTRANTS = 256
"""Maximum at two sides; more entrants would mean tens of thousands of pairings."""

MAX_ENTRANTS_AT_WIDER_TABLES = 64
"""Maximum at three sides or more; balanced schedules are tested up to here."""


_SETTINGS = (
    Setting(
        "meetings",
        "Meetings",
        1,
        1,
        100,
        "How often each pair meets; 2 means a double round robin.",
    ),
)


def round_robin(entrants: int, sides: int, *, seed: str, meetings: int = 1) -> list[Round]:
    """All rounds of a round robin, with pairings of `sides` entrants (indices from 0).

    Two sides: every pair meets exactly `meetings` times. More sides: every combination of entrants
    plays `meetings` times; with more than `MAX_GROUPS` combinations all pairs meet λ or λ + 1
    times, λ at least `meetings`. No entrant plays twice in a round, and all sit out equally often.
    `seed` decides the entrants' numbers in the scheme and the order of the rounds.

    Raises ValueError if there are fewer entrants than sides, or a number is out of range.
    """
    _check(entrants, sides, meetings)
    rng = random.Random(f"round-robin {seed}")
    numbers = designs.shuffled(list(range(entrants)), rng)
    rounds: list[Round] = []
    for turn, scheme in enumerate(_scheme(entrants, sides, meetings)):
        for round_ in designs.shuffled(scheme, rng):
            renumbered = ([numbers[i] for i in pairing] for pairing in round_)
            rounds.append(tuple(_rotate(pairing, turn) for pairing in renumbered))
    return rounds


def pair(state: State) -> PairingStep:
    """All rounds at the start, none afterwards."""
    if state.rounds:
        return PairingStep()
    meetings = setting(_SETTINGS, state.settings, "meetings")
    if state.seats > state.sides:
        rounds = whist_rounds(state.entrants, state.table, seed=state.seed, meetings=meetings)
    else:
        rounds = round_robin(state.entrants, state.sides, seed=state.seed, meetings=meetings)
    return PairingStep(tuple(rounds))


def meeting_table(rounds: list[Round], entrants: int | None = None) -> MeetingTable:
    """The meetings of every pair of entrants in `rounds`."""
    return MeetingTable.from_rounds(rounds, entrants)


def _check(entrants: int, sides: int, meetings: int) -> None:
    if not 2 <= sides <= MAX_SIDES:
        raise ValueError(f"A pairing must have 2 to {MAX_SIDES} sides, not {sides}.")
    if not 1 <= meetings <= 100:
        raise ValueError(f"Entrants must meet 1 to 100 times, not {meetings}.")
    if entrants < sides:
        entered = {0: "none has", 1: "1 has"}.get(entrants, f"{entrants} have")
        raise ValueError(f"This format needs {sides} entrants or more; {entered} entered.")
    max_entrants = MAX_ENTRANTS if sides == 2 else MAX_ENTRANTS_AT_WIDER_TABLES
    if entrants > max_entrants:
        raise ValueError(
            f"A round robin at tables of {sides} sides takes at most {max_entrants} entrants; "
            f"{entrants} have entered."
        )


def _scheme(entrants: int, sides: int, meetings: int) -> list[list[Round]]:
    """The rounds of each repetition; numbers stand for the entrants."""
    if sides == 2:
        return [_circle(entrants)] * meetings
    if comb(entrants, sides) <= MAX_GROUPS:
        pairings = list(combinations(range(entrants), sides))
        return [designs.arrange_rounds(pairings, entrants)] * meetings
    blocks = designs.balanced_pairings(entrants, sides, meetings)
    return [designs.arrange_rounds(list(blocks), entrants)]


def _circle(entrants: int) -> list[Round]:
    """Rounds of pairs by the circle method; one of an odd number sits out in each round."""
    size = entrants + entrants % 2
    rounds: list[Round] = []
    for turn in range(size - 1):
        # Entrant size-1 (a bye, if the number is odd) stays; the others rotate.
        first: Pairing = (size - 1, turn) if turn % 2 else (turn, size - 1)
        others = [
            ((turn + step) % (size - 1), (turn - step) % (size - 1)) for step in range(1, size // 2)
        ]
        rounds.append(tuple(pair for pair in (first, *others) if max(pair) < entrants))
    return rounds


def _rotate(pairing: list[int], turn: int) -> Pairing:
    """The pairing with its sides rotated by `turn`, so that each meeting begins differently."""
    shift = turn % len(pairing)
    return tuple(pairing[shift:] + pairing[:shift])


SYSTEM = System(
    name="round-robin",
    title="round robin",
    summary="Everybody meets everybody equally often. All rounds are known at the start.",
    pair=pair,
    settings=_SETTINGS,
    wide_tables=True,
    rotating_partners=True,
)

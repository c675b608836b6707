"""Pairing systems: compute pairings from results. Pure and deterministic by seed.

A system is a module of this package with a `SYSTEM`. Its `pair` gets the rounds so far with their
results (`State`) and returns the rounds that can be created now. A round robin returns all rounds
in the first step; a system that depends on results returns one round at a time. An empty step means
that the system is complete; an endless system returns it if it cannot pair now.

Rounds are computed from the results before them. After a result is withdrawn,
`count_valid_rounds` counts the rounds that are still valid.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType

from tournaments.pairing import (
    double_knockout,
    gauntlet,
    knockout,
    ladder,
    round_robin,
    swiss,
    trial,
)
from tournaments.pairing.types import (
    BracketNode,
    Meeting,
    MeetingTable,
    OpenEnded,
    Pairing,
    PairingStep,
    Places,
    RatingSystem,
    Round,
    Setting,
    State,
    System,
    split_sides,
)

SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        system.name: system
        for system in (
            round_robin.SYSTEM,
            gauntlet.SYSTEM,
            swiss.SYSTEM,
            knockout.SYSTEM,
            double_knockout.SYSTEM,
            ladder.SYSTEM,
        )
    }
)
"""Pairing systems by the name that tournaments store."""


OWN_SYSTEMS: Mapping[str, System] = MappingProxyType({trial.SYSTEM.name: trial.SYSTEM})
"""Systems of the site's hidden tournaments; organizers cannot choose them."""


def get_system(name: str) -> System:
    """The pairing system called `name`; ValueError if there is none."""
    if name in OWN_SYSTEMS:
        return OWN_SYSTEMS[name]
    if name not in SYSTEMS:
        raise ValueError(f"There is no pairing system “{name}”; there are: {', '.join(SYSTEMS)}.")
    return SYSTEMS[name]


def next_step(system: System, state: State) -> PairingStep:
    """The next step of a system; empty if too few entrants are present for a table.

    ValueError if the system rejects the state.
    """
    present = state.entrants
    if system.allows_leaving and state.present is not None:
        present = len(state.present)
    return PairingStep() if present < state.seats and not system.endless else system.pair(state)


def count_valid_rounds(system: System, state: State) -> int:
    """The number of the state's rounds that still follow from the results before them.

    No round is valid after one that still needs deal groups. Rounds after an open meeting count as
    valid, because its result is not known. An entrant that has since left counts as present up to
    its last round. After void deal groups, a round is also valid if it follows by version 1 of the
    scoring, which earlier versions of this code used. All rounds of an endless system are valid.
    """
    if system.endless:
        return len(state.rounds)
    valid = 0
    while valid < len(state.rounds):
        if any(meeting.open for round_ in state.rounds[:valid] for meeting in round_):
            return len(state.rounds)
        state_before = replace(
            state, rounds=state.rounds[:valid], present=_present_after(state, valid)
        )
        later = [tuple(meeting.entrants for meeting in round_) for round_ in state.rounds[valid:]]
        steps = [next_step(system, state_before)]
        if any(meeting.void for round_ in state_before.rounds for meeting in round_):
            steps.append(next_step(system, replace(state_before, scoring=1)))
        fitting_count = max(_count_fitting(step, later) for step in steps)
        valid += fitting_count
        if fitting_count < len(steps[0].rounds) or not fitting_count:
            break
    return valid


def _count_fitting(step: PairingStep, later: Sequence[Round]) -> int:
    """The number of rounds at the start of `later` that equal those of the step."""
    if step.more:
        return 0
    pairs = zip(step.rounds, later, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _present_after(state: State, valid: int) -> frozenset[int] | None:
    """The entrants that could be paired after `valid` rounds: all that had entered, and are present
    now, left later or were paired later."""
    not_yet_entered = {entrant for entrant, before in state.arrivals.items() if before > valid}
    if state.present is None:
        return frozenset(range(state.entrants)) - not_yet_entered if not_yet_entered else None
    later = (meeting for round_ in state.rounds[valid:] for meeting in round_)
    left_later = {entrant for entrant, after in state.departures.items() if after > valid}
    paired_later = {i for meeting in later for i in meeting.entrants if i >= 0}
    return (state.present | left_later | paired_later) - not_yet_entered


__all__ = [
    "OWN_SYSTEMS",
    "SYSTEMS",
    "BracketNode",
    "Meeting",
    "MeetingTable",
    "OpenEnded",
    "Pairing",
    "PairingStep",
    "Places",
    "RatingSystem",
    "Round",
    "Setting",
    "State",
    "System",
    "count_valid_rounds",
    "get_system",
    "next_step",
    "split_sides",
]

"""Pairing systems: results in, pairings out; pure, deterministic by seed.

A system is a module of this package with a `SYSTEM`. Its `pair` gets what has been paired, with the
results (`State`), and returns the rounds that can be created now: a round robin returns all of
them at once and then nothing, a system that depends on results returns one round at a time. A step
without rounds means that it is complete.

Rounds are a function of the results before them. So a result that is taken back takes with it
whatever no longer follows: `follows` says how much stays.
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
    Meeting,
    MeetingTable,
    Node,
    OpenEnded,
    Pairing,
    Places,
    RatingSystem,
    Round,
    Setting,
    State,
    Step,
    System,
    split,
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
"""Every pairing system by the name under which tournaments keep it."""


OWN_SYSTEMS: Mapping[str, System] = MappingProxyType({trial.SYSTEM.name: trial.SYSTEM})
"""Systems of tournaments that the site makes itself; organizers cannot choose them."""


def get_system(name: str) -> System:
    """The pairing system called `name`; ValueError names those that can be chosen."""
    if name in OWN_SYSTEMS:
        return OWN_SYSTEMS[name]
    if name not in SYSTEMS:
        raise ValueError(f"There is no pairing system “{name}”; there are: {', '.join(SYSTEMS)}.")
    return SYSTEMS[name]


def next_step(system: System, state: State) -> Step:
    """The next step of a system; an empty one if too few entrants are left for a table.

    ValueError if the system refuses the state.
    """
    here = state.entrants
    if system.leaving and state.present is not None:
        here = len(state.present)
    return Step() if here < state.seats and not system.endless else system.pair(state)


def follows(system: System, state: State) -> int:
    """How many of the state's rounds are what the system pairs from the results before them.

    A system that asks for more deal groups in a round is not done with it: nothing follows yet.
    An entrant that has since left counts as present up to its last round. After void deal groups a
    round may also be as the rules before would have it: it was paired by them then.
    """
    if system.endless:
        return len(state.rounds)
    kept = 0
    while kept < len(state.rounds):
        before = replace(state, rounds=state.rounds[:kept], present=_present(state, kept))
        later = [tuple(each.entrants for each in round_) for round_ in state.rounds[kept:]]
        steps = [next_step(system, before)]
        if any(meeting.void for round_ in before.rounds for meeting in round_):
            steps.append(next_step(system, replace(before, scoring=1)))
        fitting = max(_fitting(step, later) for step in steps)
        kept += fitting
        if fitting < len(steps[0].rounds) or not fitting:
            break
    return kept


def _fitting(step: Step, later: Sequence[Round]) -> int:
    """How many of these rounds are those of the step."""
    if step.more:
        return 0
    pairs = zip(step.rounds, later, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _present(state: State, kept: int) -> frozenset[int] | None:
    """The entrants that could be paired after `kept` rounds: all that are here, left or were
    paired later."""
    if state.present is None:
        return None
    later = (meeting for round_ in state.rounds[kept:] for meeting in round_)
    stayed = {entrant for entrant, after in state.left.items() if after > kept}
    return state.present | stayed | {i for meeting in later for i in meeting.entrants if i >= 0}


__all__ = [
    "OWN_SYSTEMS",
    "SYSTEMS",
    "Meeting",
    "MeetingTable",
    "Node",
    "OpenEnded",
    "Pairing",
    "Places",
    "RatingSystem",
    "Round",
    "Setting",
    "State",
    "Step",
    "System",
    "follows",
    "get_system",
    "next_step",
    "split",
]

"""Pairing systems: standings in, pairings out; pure, deterministic by seed.

A system is a module of this package with a function `pair(state)`. It gets what has been paired and
what came of it (`State`) and returns the rounds that can be created now: a round robin returns all
of them at once and then nothing, a system that depends on results returns one round at a time. An
empty list means that the tournament is complete.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tournaments.pairing import round_robin
from tournaments.pairing.types import Cost, Fixture, MeetingTable, Round, State

System = Callable[[State], list[Round]]

SYSTEMS: Mapping[str, System] = MappingProxyType({"round-robin": round_robin.pair})
"""Every pairing system by the name under which tournaments keep it."""


def get_system(name: str) -> System:
    """The pairing system called `name`; ValueError names those that exist."""
    if name not in SYSTEMS:
        raise ValueError(
            f"There is no pairing system “{name}”; there are: {', '.join(sorted(SYSTEMS))}."
        )
    return SYSTEMS[name]


__all__ = [
    "SYSTEMS",
    "Cost",
    "Fixture",
    "MeetingTable",
    "Round",
    "State",
    "System",
    "get_system",
]

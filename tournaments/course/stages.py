"""The plan of a tournament: its stages, and who plays in which part of them. Pure.

Stages follow each other: the best of one play the next. A stage may be split into divisions of
entrants who meet only among themselves (groups before a final, say).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tournaments.pairing import OWN_SYSTEMS, get_system
from tournaments.pairing.types import System

T = TypeVar("T")

MAX_STAGES = 4
MAX_DIVISIONS = 32
MAX_GROUPS = 1000
"""Deal groups of one pairing."""
KEYS = ("system", "settings", "groups", "take", "divisions")


@dataclass(frozen=True, slots=True)
class Plan:
    """One stage, before it is played."""

    system: str = "round-robin"
    settings: Mapping[str, int] = field(default_factory=dict)
    groups: int = 2
    """Deal groups of each pairing."""

    take: int = 0
    """How many entrants of the stage before play this one; 0 in the first: all."""

    divisions: int = 1

    @property
    def pairing(self) -> System:
        """Its pairing system."""
        return get_system(self.system)


def parse_stages(value: object) -> list[Plan]:
    """The stages of a list of objects with the keys of `KEYS`; ValueError says what is wrong."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        raise ValueError("Stages are a list of one object or more, each with a system.")
    if len(value) > MAX_STAGES:
        raise ValueError(f"A tournament has {MAX_STAGES} stages at most; there are {len(value)}.")
    return [_parse(number, each) for number, each in enumerate(value, 1)]


def _parse(number: int, value: object) -> Plan:
    if not isinstance(value, Mapping):
        raise ValueError(f"Stage {number} must be an object with the keys {', '.join(KEYS)}.")  # noqa: TRY004 - bad input is a ValueError throughout
    if unknown := [str(key) for key in value if key not in KEYS]:
        raise ValueError(f"Stage {number} has no {unknown[0]}; there are: {', '.join(KEYS)}.")
    name = str(value.get("system", "round-robin"))
    if name in OWN_SYSTEMS:
        raise ValueError(f"A {name} is made by the site, not chosen by organizers.")
    system = get_system(name)
    settings = value.get("settings", {})
    if not isinstance(settings, Mapping):
        raise ValueError(f"The settings of stage {number} must be an object of numbers.")  # noqa: TRY004 - as above
    if system.endless and number > 1:
        raise ValueError(f"A {system.title} goes on for ever: it can be the only stage.")
    return Plan(
        system.name,
        system.checked(settings),
        _number(number, value, "groups", 2, 1, MAX_GROUPS),
        _number(number, value, "take", 0, 0 if number == 1 else 2, 10_000) if number > 1 else 0,
        _number(number, value, "divisions", 1, 1, MAX_DIVISIONS),
    )


def _number(
    stage: int, value: Mapping[object, object], key: str, default: int, low: int, high: int
) -> int:
    found = value.get(key, default)
    if isinstance(found, bool) or not isinstance(found, int) or not low <= found <= high:
        raise ValueError(f"{key} of stage {stage} must be a number from {low} to {high}.")
    return found


def check_stages(plans: Sequence[Plan], sides: int, *, rotating: bool = False) -> None:
    """ValueError where these stages cannot be played at a table of so many sides."""
    for number, plan in enumerate(plans, 1):
        system = plan.pairing
        if sides > 2 and not system.wide:
            raise ValueError(f"A {system.title} is for two sides; this format has {sides}.")
        if rotating and not system.rotating:
            raise ValueError(f"A {system.title} cannot change partners; choose copies or teams.")
        if system.endless and len(plans) > 1:
            raise ValueError(f"A {system.title} goes on for ever: it can be the only stage.")
        after = plans[number] if number < len(plans) else None
        if after is not None and after.take % plan.divisions:
            raise ValueError(
                f"Stage {number + 1} takes {after.take} from {plan.divisions} divisions; "
                "the same number must come from each."
            )
        if after is not None and after.take and plan.take and after.take > plan.take:
            raise ValueError(
                f"Stage {number + 1} takes {after.take}, but only {plan.take} play stage {number}."
            )


def check_entrants(plans: Sequence[Plan], entrants: int, seats: int) -> None:
    """ValueError where some division would have too few entrants for a table of so many."""
    for number, plan in enumerate(plans, 1):
        parts = divide(range(entrants), plan.divisions)
        if min(map(len, parts)) < seats:
            raise ValueError(
                f"Stage {number} would have {entrants} entries in {plan.divisions} "
                f"division{'' if plan.divisions == 1 else 's'}; each needs {seats} or more."
            )
        if number < len(plans):
            entrants = len(qualified(parts, plans[number].take or entrants))


def divide(entrants: Sequence[T], divisions: int) -> list[list[T]]:
    """Split by seeds in snake order, so that all divisions are about as strong."""
    parts: list[list[T]] = [[] for _ in range(divisions)]
    for index, entrant in enumerate(entrants):
        row, place = divmod(index, divisions)
        parts[place if row % 2 == 0 else divisions - 1 - place].append(entrant)
    return parts


def qualified(ranked: Sequence[Sequence[T]], take: int) -> list[T]:
    """The best of each division, in the order of their seeds for the next stage.

    The winners of the divisions come first, then the seconds, …
    """
    each = take // len(ranked)
    rows = [
        [division[place] for division in ranked if place < len(division)] for place in range(each)
    ]
    return [entrant for row in rows for entrant in row]

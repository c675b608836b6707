"""Parse and check the stages of a tournament, and assign entrants to divisions. Pure.

The best entrants of each stage advance to the next stage. A stage may have divisions, such as four
parts of a preliminary round. Each division is paired separately.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from cardroom_base.core.fields import FieldError, WholeNumber
from tournaments.pairing import OWN_SYSTEMS, get_system
from tournaments.pairing.types import System

T = TypeVar("T")

MAX_STAGES = 4
MAX_DIVISIONS = 32
MAX_TAKE = 10_000
MAX_GROUPS = 1000
"""Deal groups of one pairing."""
KEYS = ("system", "settings", "groups", "take", "divisions")


@dataclass(frozen=True, slots=True)
class StagePlan:
    """The settings of a stage."""

    system: str = "round-robin"
    settings: Mapping[str, int] = field(default_factory=dict)
    groups: int = 2
    """Deal groups of each pairing."""

    take: int = 0
    """Entrants that advance from the stage before; 0 for the first stage, which all play."""

    divisions: int = 1

    @property
    def pairing(self) -> System:
        return get_system(self.system)


def parse_stages(value: object) -> list[StagePlan]:
    """Parse a list of objects with the keys `KEYS`; FieldError for an invalid value."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        raise FieldError(
            "Stages must be a list of one or more objects, each with a system.", "stages"
        )
    if len(value) > MAX_STAGES:
        raise FieldError(
            f"A tournament has at most {MAX_STAGES} stages; there are {len(value)}.", "stages"
        )
    plans = []
    for index, stage in enumerate(value):
        try:
            plans.append(
                _parse_stage(index + 1, stage, f" of stage {index + 1}" if value[1:] else "")
            )
        except FieldError as error:
            raise error.within(f"stages[{index}]") from None
    return plans


def _parse_stage(number: int, value: object, suffix: str) -> StagePlan:
    """Parse one stage; `suffix`: text after the name of a field, such as ` of stage 2`."""
    if not isinstance(value, Mapping):
        raise FieldError(f"Stage {number} must be an object with the keys {', '.join(KEYS)}.", "")
    if unknown := [str(key) for key in value if key not in KEYS]:
        raise FieldError(
            f"Stage {number} has an unknown key {unknown[0]}; known are: {', '.join(KEYS)}.",
            unknown[0][:60],
        )
    system = _parse_system(value.get("system", "round-robin"))
    if system.endless and number > 1:
        raise _endless_error(system)
    settings = value.get("settings", {})
    if not isinstance(settings, Mapping):
        raise FieldError(f"The settings{suffix} must be an object of numbers.", "settings")
    try:
        checked_settings = system.checked(settings)
    except FieldError as error:
        raise error.within("settings") from None

    def whole_number(key: str, default: int, low: int, high: int) -> int:
        return WholeNumber(f"{key}{suffix}", low, high).check(value.get(key, default), key)

    return StagePlan(
        system.name,
        checked_settings,
        whole_number("groups", 2, 1, MAX_GROUPS),
        whole_number("take", 0, 2, MAX_TAKE) if number > 1 else 0,
        whole_number("divisions", 1, 1, MAX_DIVISIONS),
    )


def _parse_system(value: object) -> System:
    name = str(value)
    if name in OWN_SYSTEMS:
        raise FieldError(f"Only the site itself can use the system {name}.", "system")
    try:
        return get_system(name)
    except ValueError as error:
        raise FieldError(str(error), "system") from None


def _endless_error(system: System) -> FieldError:
    return FieldError(f"A {system.title} has no end, so it must be the only stage.", "system")


def check_stages(plans: Sequence[StagePlan], sides: int, *, rotating: bool = False) -> None:
    """FieldError if these stages cannot be played at a table with this many sides."""
    for index, plan in enumerate(plans):
        try:
            _check_system(plan.pairing, sides, rotating=rotating, is_only_stage=len(plans) == 1)
            if index:
                _check_take(index + 1, plan, plans[index - 1])
        except FieldError as error:
            raise error.within(f"stages[{index}]") from None


def _check_system(system: System, sides: int, *, rotating: bool, is_only_stage: bool) -> None:
    if sides > 2 and not system.wide_tables:
        raise FieldError(f"A {system.title} is for two sides; this format has {sides}.", "system")
    if rotating and not system.rotating_partners:
        raise FieldError(
            f"A {system.title} does not support rotating partners; choose copies or fixed teams.",
            "system",
        )
    if system.endless and not is_only_stage:
        raise _endless_error(system)


def _check_take(number: int, plan: StagePlan, previous: StagePlan) -> None:
    if plan.take % previous.divisions:
        raise FieldError(
            f"Stage {number} takes {plan.take} entrants from {previous.divisions} divisions; "
            "each division must provide the same number.",
            "take",
        )
    if plan.take and previous.take and plan.take > previous.take:
        raise FieldError(
            f"Stage {number} takes {plan.take} entrants, but only {previous.take} play stage "
            f"{number - 1}.",
            "take",
        )


def check_entrants(plans: Sequence[StagePlan], entrants: int, entrants_per_table: int) -> None:
    """Raise ValueError if a division would have too few entrants for one table."""
    if entrants < entrants_per_table:
        count_text = "there is 1" if entrants == 1 else f"there are {entrants or 'none'}"
        raise ValueError(
            f"The tournament needs {entrants_per_table} entries or more, and {count_text}."
        )
    for number, plan in enumerate(plans, 1):
        parts = divide(range(entrants), plan.divisions)
        if min(map(len, parts)) < entrants_per_table:
            raise ValueError(
                f"Stage {number} would have {entrants} entries in {plan.divisions} "
                f"division{'' if plan.divisions == 1 else 's'}; each needs {entrants_per_table} "
                "or more."
            )
        if number < len(plans):
            entrants = len(select_qualifiers(parts, plans[number].take or entrants))


def divide(entrants: Sequence[T], divisions: int) -> list[list[T]]:
    """Deal the entrants, best seed first, to the divisions in snake order.

    So all divisions have about the same strength.
    """
    parts: list[list[T]] = [[] for _ in range(divisions)]
    for index, entrant in enumerate(entrants):
        row, place = divmod(index, divisions)
        parts[place if row % 2 == 0 else divisions - 1 - place].append(entrant)
    return parts


def select_qualifiers(ranked: Sequence[Sequence[T]], take: int) -> list[T]:
    """Select the best of each division. `ranked`: each division's entrants, best first.

    Their order gives their seeds in the next stage: all winners, then all seconds, …
    """
    share = take // len(ranked)
    rows = [
        [division[place] for division in ranked if place < len(division)] for place in range(share)
    ]
    return [entrant for row in rows for entrant in row]

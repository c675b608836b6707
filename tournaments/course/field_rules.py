"""Validate the fields of a tournament, alone and in combination. Pure.

Pages, REST and the command line share these checks and their messages. Stages are checked in
`tournaments.course.stages`, clocks in `bots.referee.clock`.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations
from typing import Any, Final

from bots.referee.clock import BANK_MS_RANGE, MOVE_MS_RANGE
from cardroom_base.core import names
from cardroom_base.core.fields import FieldError, WholeNumber, alternatives
from engine import Format
from tournaments.course.stages import StagePlan, check_stages, parse_stages
from tournaments.standings import TIE_BREAKS

MAX_NAME: Final = 80
MAX_DESCRIPTION: Final = 2000
MAX_FORMAT: Final = 200
MAX_SEED: Final = 64
MAX_CATEGORY: Final = 40
"""Maximum characters of each text field."""
PARTNERS: Final = ("copies", "fixed", "rotating")
SEEDINGS: Final = ("entry", "rating", "random")
FAULT_POLICIES: Final = ("fallback", "forfeit")
VISIBILITIES: Final = ("all", "link", "code", "invited")
LIVE_DELAY_RANGE: Final = WholeNumber("The delay of spectators", 0, 3600, "seconds")
MAX_CATEGORIES: Final = 12
REPEATS_RANGE: Final = WholeNumber("The number of weekly repeats", 0, 52)
FREEZES_AFTER_RANGE: Final = WholeNumber("The round after which the standings freeze", 0, 999)
REQUIRED: Final = ("name", "format")
"""The fields without a default."""
SINGLE_STAGE_FIELDS: Final = ("system", "settings", "groups", "divisions")
"""Fields of a single stage, which may replace `stages`."""
TIMES: Final = ("entries_from", "entries_until", "starts_at", "freezes_at", "ends_at")
"""Fields with times, which must come in this order."""
EDITABLE: Final = ("description", *TIMES, "freezes_after", "repeats", "categories")
"""The fields that can change after the draft."""
_CLOSES, _STARTS = "entries_until", "starts_at"
_WORDS: Final = dict(
    zip(TIMES, ("start of entries", "end of entries", "start", "freeze", "end"), strict=True)
)


def missing_fields(fields: Mapping[str, object]) -> list[FieldError]:
    """An error for each missing field without a default."""
    return [_missing_error(field) for field in REQUIRED if field not in fields]


def clean_field(field: str, value: object) -> Any:
    """The normalized value of a field; FieldError for an invalid one."""
    if field not in _CLEANERS:
        raise FieldError(f"A tournament has no field {field} that you can set.", field)
    return _CLEANERS[field](field, value)


def field_errors(fields: Mapping[str, object]) -> list[FieldError]:
    """The errors of fields that are invalid by themselves."""
    errors = []
    for field, value in fields.items():
        try:
            if field == "stages":
                parse_stages(value)
            elif field not in SINGLE_STAGE_FIELDS:  # the valid values depend on the system
                clean_field(field, value)
        except FieldError as error:
            errors.append(error)
    return errors


def check_combination(
    fmt: Format,
    plans: Sequence[StagePlan],
    partners: str,
    *,
    rated: bool,
    seed_chosen: bool,
    visibility: str = "all",
) -> None:
    """FieldError for a combination of valid fields that is not allowed."""
    if not rated and any(plan.pairing.by_rating for plan in plans):
        raise FieldError("A ladder ranks by rating, so it has to be rated.", "rated")
    if rated and seed_chosen:
        raise FieldError(
            "A rated tournament cannot have a chosen seed, because it reveals all cards. Leave the "
            "seed empty, so that the site draws every deal, or make the tournament unrated.",
            "seed",
        )
    check_visibility(visibility, rated=rated)
    check_stages(plans, len(fmt.sides), rotating=partners == "rotating")


def check_times(times: Mapping[str, datetime | None], *, late: bool) -> None:
    """FieldError unless the times come in their order. `late`: bots may enter after the start."""
    for first, second in combinations(TIMES, 2):
        first_time, second_time = times[first], times[second]
        may_overlap = late and first == _CLOSES and second == _STARTS
        if first_time is None or second_time is None or may_overlap:
            continue
        if first_time > second_time or (first_time == second_time and first != _CLOSES):
            raise FieldError(
                f"The {_WORDS[second]} must be later than the {_WORDS[first]}.", second
            )


def time_words(field: str) -> str:
    """A time's field as words, such as `end of entries`."""
    return _WORDS[field]


def check_late(plan: StagePlan, *, teams: bool) -> None:
    """FieldError unless bots may enter while the first stage, `plan`, is played."""
    system = plan.pairing
    if system.by_rating:
        return
    if system.late is None:
        raise FieldError(
            f"A {system.title} accepts no late entries: its pairings are fixed at the start. "
            "Choose a Swiss or a ladder.",
            "late",
        )
    if teams:
        raise FieldError("Teams cannot enter late, because their owners must agree first.", "late")
    if plan.divisions > 1:
        raise FieldError("A first stage with divisions accepts no late entries.", "late")


def check_freezes_after(number: int, plans: Sequence[StagePlan]) -> None:
    """FieldError unless the standings can freeze after this round: the only stage is a round robin
    or Swiss, whose rounds have ends, and has that many rounds, as far as its settings decide it."""
    if len(plans) > 1 or plans[0].system not in {"round-robin", "swiss"}:
        raise FieldError(
            "Only a round robin or Swiss with a single stage can freeze after a round; set a time, "
            "or freeze the standings yourself.",
            "freezes_after",
        )
    if rounds := plans[0].settings.get("rounds"):
        check_round_exists(number, rounds)


def check_round_exists(number: int, rounds: int) -> None:
    """FieldError if the round after which the standings freeze is later than the last one."""
    if number > rounds:
        raise FieldError(
            f"The standings cannot freeze after round {number}: round {rounds} is the last one.",
            "freezes_after",
        )


def check_future(field: str, time: datetime | None, now: datetime) -> None:
    """FieldError for a new time in the past; only the start of entries may be in the past."""
    if field != "entries_from" and time is not None and time <= now:
        raise FieldError(f"The {_WORDS[field]} must be in the future.", field)


def check_visibility(visibility: str, *, rated: bool) -> None:
    """FieldError for a rated tournament that not everybody can see."""
    if rated and visibility != "all":
        raise FieldError(
            "Everybody must be able to check the results behind ratings, so a rated tournament is "
            "visible to all. Make it unrated, or show it to all.",
            "visibility",
        )


def parse_only_stage(value: Mapping[str, object]) -> StagePlan:
    """Parse the only stage of a tournament; errors name its fields without `stages[0]`."""
    try:
        return parse_stages([value])[0]
    except FieldError as error:
        raise without_stage_prefix(error) from None


def without_stage_prefix(error: FieldError) -> FieldError:
    """The error with the field's name without `stages[0]`."""
    return FieldError(str(error), error.field.removeprefix("stages[0]").removeprefix("."))


# --- names and texts ----------------------------------------------------------------------------


def checked_name(value: object, limit: int, field: str = "name") -> str:
    """The normalized name of a tournament or team; FieldError for an invalid one."""
    text = _check_type(field, value, str, "text").strip()
    try:
        text = names.normalize(text, limit)
    except names.BadNameError as error:
        raise FieldError(f"The name {error}", field) from error
    if names.looks_like_house(text):
        raise FieldError(
            f"The name begins like {names.HOUSE}, which is reserved for the site's own bots.", field
        )
    return text


def checked_text(field: str, value: object, limit: int) -> str:
    """A stripped text of any number of lines; FieldError for an invalid one."""
    text: str = _check_type(field, value, str, "text").strip()
    try:
        names.check_text(text)
    except names.BadNameError as error:
        raise FieldError(f"The {field} {error}", field) from error
    if len(text) > limit:
        raise FieldError(
            f"The {field} may have at most {limit} characters; it has {len(text)}.", field
        )
    return text


def _clean_name(field: str, value: object) -> str:
    if isinstance(value, str) and not value.strip():
        raise _missing_error(field)
    return checked_name(value, MAX_NAME, field)


def _clean_format(field: str, value: object) -> str:
    text = _check_type(field, value, str, "text")
    if not text.strip():
        raise _missing_error(field)
    try:
        canonical = str(Format.parse(text))
    except ValueError as error:
        raise FieldError(str(error), field) from error
    return checked_text(field, canonical, MAX_FORMAT)


def _clean_description(field: str, value: object) -> str:
    return checked_text(field, value, MAX_DESCRIPTION)


def _clean_seed(field: str, value: object) -> str:
    line = " ".join(_check_type(field, value, str, "text").split())
    if not line.isprintable():
        raise FieldError("The seed may contain only printable characters.", field)
    return checked_text(field, line, MAX_SEED)


def _missing_error(field: str) -> FieldError:
    return FieldError(f"A tournament needs a {field}.", field)


# --- choices ------------------------------------------------------------------------------------


def _choice_cleaner(choices: Sequence[str]) -> Callable[[str, object], str]:
    def check(field: str, value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise FieldError(f"{field} must be {alternatives(choices)}.", field)
        return str(value)

    return check


def _clean_tie_breaks(field: str, value: object) -> list[str]:
    """The tie-breaks in their order, without duplicates."""
    if not isinstance(value, (list, tuple)):
        raise FieldError(f"{field} must be a list of {', '.join(TIE_BREAKS)}.", field)
    for name in value:
        if not isinstance(name, str) or name not in TIE_BREAKS:
            valid = ", ".join(TIE_BREAKS)
            raise FieldError(f"There is no tie-break {str(name)[:60]}; there are: {valid}.", field)
    return list(dict.fromkeys(value))


def _clean_categories(field: str, value: object) -> list[str]:
    """The names of categories, without duplicates; FieldError if two of them look alike."""
    if not isinstance(value, (list, tuple)) or len(value) > MAX_CATEGORIES:
        raise FieldError(f"{field} must be a list of at most {MAX_CATEGORIES} names.", field)
    names_by_skeleton: dict[str, str] = {}
    for item in value:
        name = checked_name(item, MAX_CATEGORY, field)
        if names_by_skeleton.setdefault(names.skeleton(name), name) != name:
            raise FieldError(f"Two categories look alike: {name}.", field)
    return list(names_by_skeleton.values())


def _clean_flag(field: str, value: object) -> bool:
    return bool(_check_type(field, value, bool, "true or false"))


def _clean_time(field: str, value: object) -> datetime | None:
    """A time in UTC without fractions of a second; None or an empty text: no time."""
    if value is None or value == "":
        return None
    try:
        time = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        if time.tzinfo is None:
            raise ValueError
        time = time.astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        raise FieldError(
            f"{field} must be a time with its offset from UTC, such as 2026-12-01T18:00:00Z.", field
        ) from None
    if not 2000 <= time.year < 2100:
        raise FieldError(f"{field} must be in this century.", field)
    return time


def _check_type(field: str, value: object, kind: type, word: str) -> Any:
    if not isinstance(value, kind):
        raise FieldError(f"{field} must be {word}.", field)
    return value


_CLEANERS: Final[Mapping[str, Callable[[str, object], Any]]] = {
    "name": _clean_name,
    "description": _clean_description,
    "format": _clean_format,
    "move_ms": lambda field, value: MOVE_MS_RANGE.check(value, field),
    "bank_ms": lambda field, value: BANK_MS_RANGE.check(value, field),
    "fault_policy": _choice_cleaner(FAULT_POLICIES),
    "live_delay": lambda field, value: LIVE_DELAY_RANGE.check(value, field),
    "rated": _clean_flag,
    "visibility": _choice_cleaner(VISIBILITIES),
    "seed": _clean_seed,
    "partners": _choice_cleaner(PARTNERS),
    "seeding": _choice_cleaner(SEEDINGS),
    "tie_breaks": _clean_tie_breaks,
    "apart": _clean_flag,
    "late": _clean_flag,
    "categories": _clean_categories,
    "freezes_after": lambda field, value: FREEZES_AFTER_RANGE.check(value, field),
    "repeats": lambda field, value: REPEATS_RANGE.check(value, field),
    **dict.fromkeys(TIMES, _clean_time),
}

"""What a tournament is to be: creating a draft, changing it, and what its fields may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.text import slugify

from bots.actions import ActionError
from bots.clock import ClockSettings
from engine import Format
from tournaments.access import locked_for_organizer, refuse_unless
from tournaments.actions.names import checked_name, checked_text, refuse_lookalike
from tournaments.course.stages import Plan, check_stages, parse_stages
from tournaments.deal_groups import drawn_seed
from tournaments.models import Stage, Tournament
from tournaments.standings import TIE_BREAKS

if TYPE_CHECKING:
    from django.contrib.auth.models import User


MAX_NAME = 80
"""Characters in a tournament's name."""
RESERVED_SLUGS = frozenset({"new", "mine", "create"})
"""Words that stand in addresses where a tournament's could stand."""
CHANGEABLE = frozenset(
    {
        *("name", "description", "format", "move_ms", "bank_ms", "fault_policy", "rated", "seed"),
        *("partners", "seeding", "tie_breaks", "apart"),
    }
)
"""What `create_tournament` takes and `update_tournament` changes, besides the stages."""
STAGE = ("system", "settings", "groups", "divisions")
"""The same for a tournament of one stage: short for `stages` with one object."""


@transaction.atomic
def create_tournament(by: User | None, **fields: Any) -> Tournament:
    """A new draft. `fields`: those of `CHANGEABLE`; `name` and `format` are needed.

    `stages` is a list of objects (`tournaments.course.stages`); one stage may be given by the
    fields of `STAGE` instead. The format is kept in its canonical spelling. A `seed` gives all
    deals, and is only for unrated tournaments; without one, or an empty one, the site draws.
    """
    for needed in ("name", "format"):
        if not str(fields.get(needed, "")).strip():
            raise ActionError(f"A tournament needs a {needed}.", field=needed)
    tournament = Tournament(organizer=by)
    plans = _plans(fields, [Plan()])
    _assign(tournament, fields)
    _check_plans(tournament, plans)
    refuse_lookalike(tournament, by)
    tournament.slug = _free_slug(tournament.name)
    tournament.save()
    _save_stages(tournament, plans)
    return tournament


@transaction.atomic
def update_tournament(tournament: Tournament, by: User | None, **fields: Any) -> Tournament:
    """Change a draft; once it is open, entrants rely on what it says."""
    tournament = locked_for_organizer(tournament, by)
    refuse_unless(tournament, "changed", Tournament.State.DRAFT)
    plans = _plans(fields, tournament.plans())
    _assign(tournament, fields)
    _check_plans(tournament, plans)
    refuse_lookalike(tournament, by)
    tournament.save()
    _save_stages(tournament, plans)
    return tournament


# --- stages -------------------------------------------------------------------------------------


def _plans(fields: dict[str, Any], before: list[Plan]) -> list[Plan]:
    """Take the stages out of `fields`; what is not said of them stays as it was."""
    short = {key: fields.pop(key) for key in STAGE if key in fields}
    stages = fields.pop("stages", None)
    if stages is not None and short:
        raise ActionError("Give stages, or the fields of a single one, not both.", field="stages")
    if stages is None and short:
        stages = [_as_given(before[0]) | short]
    if stages is None:
        return before
    try:
        return parse_stages(stages)
    except ValueError as error:
        field = next((key for key in short if key in str(error)), "system" if short else "stages")
        raise ActionError(str(error), field=field) from error


def _as_given(plan: Plan) -> dict[str, Any]:
    """A plan as it would be given; the settings only make sense for its own system."""
    return {"system": plan.system, "groups": plan.groups, "divisions": plan.divisions}


def _check_plans(tournament: Tournament, plans: list[Plan]) -> None:
    rotating = tournament.partners == Tournament.Partners.ROTATING
    sides = len(Format.parse(tournament.format).sides)
    if not tournament.rated and any(plan.pairing.by_rating for plan in plans):
        raise ActionError("A ladder ranks by rating, so it has to be rated.", field="rated")
    try:
        check_stages(plans, sides, rotating=rotating)
    except ValueError as error:
        raise ActionError(str(error), field="system" if len(plans) == 1 else "stages") from error


def _save_stages(tournament: Tournament, plans: list[Plan]) -> None:
    tournament.stages.all().delete()
    Stage.objects.bulk_create(
        Stage(
            tournament=tournament,
            number=number,
            system=plan.system,
            settings=dict(plan.settings),
            groups=plan.groups,
            take=plan.take,
            divisions=plan.divisions,
        )
        for number, plan in enumerate(plans, 1)
    )


# --- fields -------------------------------------------------------------------------------------


def _assign(tournament: Tournament, fields: dict[str, Any]) -> None:
    for field in fields.keys() - CHANGEABLE:
        raise ActionError(f"A tournament has no field {field} that you can set.", field=field)
    for field, value in fields.items():
        setattr(tournament, field, _cleaned(field, value))
    _settle_seed(tournament, chosen="seed" in fields)
    try:
        ClockSettings(tournament.move_ms, tournament.bank_ms)
    except ValueError as error:
        raise ActionError(f"The clock cannot be so: {error}.", field="move_ms") from error


def _settle_seed(tournament: Tournament, *, chosen: bool) -> None:
    """Draw a seed where none is chosen (now); who chooses one knows the cards."""
    if chosen:
        tournament.chosen_seed = bool(tournament.seed)
    tournament.seed = tournament.seed or drawn_seed()
    if tournament.chosen_seed and tournament.rated:
        raise ActionError(
            "Who chooses the seed knows all cards, so a rated tournament cannot have a chosen one: "
            "leave the seed empty, and the site draws every deal, or let it be unrated.",
            field="seed",
        )


def _cleaned(field: str, value: Any) -> Any:
    """One field's value as it is stored; ActionError names the field."""
    if field == "format":
        try:
            return str(Format.parse(str(value)))
        except ValueError as error:
            raise ActionError(str(error), field=field) from error
    if field == "name":
        return checked_name(str(value), MAX_NAME)
    if field == "seed":
        return _line(field, str(value), 64)
    if field == "description":
        return _text(field, str(value), 2000)
    if field == "tie_breaks":
        return _tie_breaks(value)
    if field == "partners" and value not in Tournament.Partners.values:
        raise ActionError(f"partners is {' or '.join(Tournament.Partners.values)}.", field=field)
    if field == "seeding" and value not in Tournament.Seeding.values:
        raise ActionError(f"seeding is {' or '.join(Tournament.Seeding.values)}.", field=field)
    if field == "fault_policy" and value not in Tournament.FaultPolicy.values:
        raise ActionError(
            f"The fault policy is {' or '.join(Tournament.FaultPolicy.values)}.", field=field
        )
    if field in {"move_ms", "bank_ms"}:
        return _number(field, value)
    return value


def _tie_breaks(value: Any) -> list[str]:
    """Names of tie-breaks, each once, in their order."""
    names = list(value) if isinstance(value, (list, tuple)) else None
    if names is None or any(name not in TIE_BREAKS for name in names):
        raise ActionError(f"tie_breaks is a list of {', '.join(TIE_BREAKS)}.", field="tie_breaks")
    return list(dict.fromkeys(names))


def _number(field: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ActionError(f"{field} must be a whole number.", field=field)
    return value


def _line(field: str, value: str, limit: int) -> str:
    value = " ".join(value.split())
    if not value.isprintable():
        raise ActionError(f"The {field} may hold only printable characters.", field=field)
    return _text(field, value, limit)


def _text(field: str, value: str, limit: int) -> str:
    value = checked_text(field, value)
    if len(value) > limit:
        raise ActionError(
            f"The {field} may have {limit} characters; it has {len(value)}.", field=field
        )
    return value.strip()


def _free_slug(name: str) -> str:
    base = slugify(name)[:50].strip("-_") or "tournament"
    taken = set(Tournament.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    taken |= RESERVED_SLUGS
    number, slug = 1, base
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug

"""Planning a tournament: creating a draft, changing it, and what its fields may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.text import slugify

from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from engine import Format
from tournaments.access import locked_for_organizer, refuse_unless
from tournaments.actions.names import refuse_lookalike
from tournaments.course import terms
from tournaments.course.stages import Plan, parse_stages
from tournaments.deal_groups import drawn_seed
from tournaments.models import Stage, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User


RESERVED_SLUGS = frozenset({"new", "mine", "create"})
"""Words that stand in addresses where a tournament's name could stand."""


@transaction.atomic
def create_tournament(by: User | None, **fields: Any) -> Tournament:
    """A new draft. `fields`: those of `tournaments.course.terms`; `name` and `format` are needed.

    `stages` is a list of objects (`tournaments.course.stages`); one stage may be given by the
    fields of `terms.SHORT` instead. The format is kept in its canonical spelling. A `seed` gives
    all deals, and is only for unrated tournaments; without one, or an empty one, the site draws.
    """
    for error in terms.missing(fields):
        raise ActionError(str(error), field=error.field)
    tournament = Tournament(organizer=by)
    plans = _agreed(tournament, fields, [Plan()])
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
    plans = _agreed(tournament, fields, tournament.plans())
    refuse_lookalike(tournament, by)
    tournament.save()
    _save_stages(tournament, plans)
    return tournament


def _agreed(tournament: Tournament, fields: dict[str, Any], before: list[Plan]) -> list[Plan]:
    """Set the tournament's `fields`; gives its stages. ActionError says what is not allowed."""
    given = [field for field in terms.SHORT if field in fields]
    try:
        plans = _plans(fields, before)
        for field, value in fields.items():
            setattr(tournament, field, terms.cleaned(field, value))
        _settle_seed(tournament, chosen="seed" in fields)
        terms.check_together(
            Format.parse(tournament.format),
            plans,
            tournament.partners,
            rated=tournament.rated,
            seed_chosen=tournament.chosen_seed,
        )
    except FieldError as error:
        field = terms.as_short(error).field if given else error.field
        raise ActionError(str(error), field=field) from error
    return plans


def _plans(fields: dict[str, Any], before: list[Plan]) -> list[Plan]:
    """Take the stages out of `fields`; what they leave out stays as it was."""
    short = {key: fields.pop(key) for key in terms.SHORT if key in fields}
    stages = fields.pop("stages", None)
    if stages is not None and short:
        raise FieldError("Give stages, or the fields of a single one, not both.", "stages")
    if stages is not None:
        return parse_stages(stages)
    return parse_stages([_as_given(before[0]) | short]) if short else before


def _as_given(plan: Plan) -> dict[str, Any]:
    """A plan as it would be given; its settings only make sense for its own system."""
    return {"system": plan.system, "groups": plan.groups, "divisions": plan.divisions}


def _settle_seed(tournament: Tournament, *, chosen: bool) -> None:
    """Draw a seed where none is chosen (now)."""
    if chosen:
        tournament.chosen_seed = bool(tournament.seed)
    tournament.seed = tournament.seed or drawn_seed()


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


def _free_slug(name: str) -> str:
    base = slugify(name)[:50].strip("-_") or "tournament"
    taken = set(Tournament.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    taken |= RESERVED_SLUGS
    number, slug = 1, base
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug

"""Create and change drafts of tournaments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from bots.access import refuse_locked_texts
from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from cardroom_base.db.db_time import now
from cardroom_base.db.retired_names import refuse_retired
from engine import Format
from tournaments.access import lock_for_organizer, refuse_too_many_drafts, refuse_unless
from tournaments.actions.admissions import draw_key
from tournaments.actions.decision_log import log_decision
from tournaments.actions.names import refuse_lookalike
from tournaments.course import field_rules
from tournaments.course.stages import StagePlan, parse_stages
from tournaments.deal_groups import random_seed
from tournaments.models import Decision, Match, Stage, Tournament
from tournaments.organizing import may_create_tournaments
from tournaments.reading.course import course

if TYPE_CHECKING:
    from django.contrib.auth.models import User


UNFREEZABLE = "Ratings show each result immediately, so only unrated tournaments can be frozen."
NOT_ORGANIZER = (
    "On this site, only organizers can create tournaments; ask the site's staff to make you one."
)
MAX_SLUG_TRIES = 10
RESERVED_SLUGS = frozenset({"new", "mine", "create"})
"""Words that the site's addresses use in place of a slug."""
_MODERATED = ("name", "description", "categories")
"""Fields that moderators can change and lock."""


@transaction.atomic
def create_tournament(by: User | None, **fields: Any) -> Tournament:
    """Create a draft. `fields` (`tournaments.course.field_rules`): at least `name` and `format`.

    `stages` is a list of objects (`tournaments.course.stages`). The fields of
    `field_rules.SINGLE_STAGE_FIELDS` may describe a single stage instead. The format is stored in
    canonical form. A `seed` decides all deals and is for unrated tournaments only; without it the
    site draws all seeds.
    """
    if not may_create_tournaments(by):
        raise ActionError(NOT_ORGANIZER, "forbidden")
    refuse_too_many_drafts(by)
    for error in field_rules.missing_fields(fields):
        raise ActionError(str(error), field=error.field)
    tournament = Tournament(organizer=by)
    plans = _set_fields(tournament, fields, [StagePlan()])
    refuse_lookalike(tournament, by)
    if by is not None:
        refuse_retired(tournament.name)
    _save_with_slug(tournament)
    _save_stages(tournament, plans)
    return tournament


def _save_with_slug(tournament: Tournament) -> None:
    """Save a new tournament; if a simultaneous request takes its slug first, use the next one."""
    for tries_left in reversed(range(MAX_SLUG_TRIES)):
        tournament.slug = free_slug(tournament)
        try:
            with transaction.atomic():
                tournament.save()
        except IntegrityError:
            if not tries_left:
                raise
        else:
            return


@transaction.atomic
def update_tournament(tournament: Tournament, by: User | None, **fields: Any) -> Tournament:
    """Change a draft; later only description and times, because entrants rely on the rest."""
    tournament = lock_for_organizer(tournament, by)
    old_texts = {field: getattr(tournament, field) for field in _MODERATED}
    if tournament.state == Tournament.State.DRAFT:
        plans = _set_fields(tournament, fields, tournament.plans())
        refuse_lookalike(tournament, by)
        if tournament.name != old_texts["name"]:
            refuse_retired(tournament.name)
        tournament.save()
        _save_stages(tournament, plans)
    else:
        _update_opened(tournament, by, fields)
    for field, text in old_texts.items():
        if getattr(tournament, field) != text:
            refuse_locked_texts(tournament, by, field)
    return tournament


def _update_opened(tournament: Tournament, by: User | None, fields: dict[str, Any]) -> None:
    """Change the fields that may change after the draft; log new times."""
    if fixed_fields := [field for field in fields if field not in field_rules.EDITABLE]:
        refuse_unless(tournament, "changed", Tournament.State.DRAFT, field=fixed_fields[0])
    old_times = {field: getattr(tournament, field) for field in field_rules.TIMES}
    old_repeats, old_round = tournament.repeats, tournament.freezes_after
    try:
        for field, value in fields.items():
            setattr(tournament, field, field_rules.clean_field(field, value))
        _check_times(tournament, tournament.plans(), old_times)
    except FieldError as error:
        raise ActionError(str(error), field=error.field) from error
    changes = {
        field: time
        for field in field_rules.TIMES
        if (time := getattr(tournament, field)) != old_times[field]
    }
    for field in changes:
        states = [Tournament.State.OPEN]
        if (
            field == "entries_until"
            or (field == "ends_at" and not tournament.stopped)
            or (field == "freezes_at" and tournament.frozen is None)
        ):
            states.append(Tournament.State.RUNNING)
        refuse_unless(tournament, "rescheduled", *states, field=field)
    if tournament.freezes_after != old_round:
        _change_freeze_round(tournament, by)
    other_categories = tournament.entries.exclude(category__in=["", *tournament.categories])
    if "categories" in fields and (entry := other_categories.first()):
        raise ActionError(
            f"{entry.title} is in the category {entry.category}; move its entries first.",
            "conflict",
            "categories",
        )
    if "repeats" in fields and tournament.repeats != old_repeats:
        states = [Tournament.State.OPEN, Tournament.State.RUNNING]
        refuse_unless(tournament, "repeated", *states, field="repeats")
    if changes:
        tournament.start_trouble = ""
        reason = ", ".join(
            f"{field_rules.time_words(field)}: {_utc_text(at)}" for field, at in changes.items()
        )
        log_decision(tournament, Decision.Kind.SCHEDULED, "the schedule", f"{reason}.", by=by)
    tournament.save(update_fields=[*fields, "start_trouble"])


def _change_freeze_round(tournament: Tournament, by: User | None) -> None:
    """ActionError unless the standings can still freeze after another round; else log it."""
    states = [Tournament.State.OPEN]
    if tournament.frozen is None:
        states.append(Tournament.State.RUNNING)
    refuse_unless(tournament, "rescheduled", *states, field="freezes_after")
    number = tournament.freezes_after
    if number and round_ended(tournament, number):
        raise ActionError(f"Round {number} is over.", "conflict", "freezes_after")
    if tournament.started:
        refuse_missing_round(tournament)
    reason = f"freeze: after round {number}." if number else "freeze: after no round."
    log_decision(tournament, Decision.Kind.SCHEDULED, "the schedule", reason, by=by)


def refuse_missing_round(tournament: Tournament) -> None:
    """ActionError if the standings would freeze after the last round; the entries are final."""
    if not tournament.freezes_after:
        return
    divisions = next(course(tournament, for_pairing=True))
    try:
        rounds = max(division.round_count for division in divisions)
        field_rules.check_round_exists(tournament.freezes_after, rounds)
    except FieldError as error:
        raise ActionError(str(error), "conflict", error.field) from error


def round_ended(tournament: Tournament, number: int) -> bool:
    """Whether this round of the first stage has been paired, and all rounds up to it played."""
    groups = tournament.deal_groups.filter(stage__number=1, retired__isnull=True)
    if not groups.filter(round=number).exists():
        return False
    played = groups.filter(round__lte=number)
    return not Match.objects.filter(deal_group__in=played, state__in=Match.UNFINISHED).exists()


def _utc_text(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else "none"


def _set_fields(
    tournament: Tournament, fields: dict[str, Any], old_plans: list[StagePlan]
) -> list[StagePlan]:
    """Set the tournament's `fields`; return its stages. ActionError for an invalid field."""
    old_times = {field: getattr(tournament, field) for field in field_rules.TIMES}
    uses_short = [field for field in field_rules.SINGLE_STAGE_FIELDS if field in fields]
    try:
        plans = _pop_plans(fields, old_plans)
        old_visibility = tournament.visibility
        for field, value in fields.items():
            setattr(tournament, field, field_rules.clean_field(field, value))
        _check_times(tournament, plans, old_times)
        if tournament.late:
            field_rules.check_late(plans[0], teams=tournament.takes_teams)
        if tournament.visibility != old_visibility:
            tournament.key = draw_key(tournament.visibility)
        _set_seed(tournament, chosen="seed" in fields)
        field_rules.check_combination(
            Format.parse(tournament.format),
            plans,
            tournament.partners,
            rated=tournament.rated,
            seed_chosen=tournament.chosen_seed,
            visibility=tournament.visibility,
        )
    except FieldError as error:
        field = field_rules.without_stage_prefix(error).field if uses_short else error.field
        raise ActionError(str(error), field=field) from error
    return plans


def _check_times(
    tournament: Tournament, plans: Sequence[StagePlan], old_times: Mapping[str, datetime | None]
) -> None:
    """FieldError for times out of order, or new times in the past."""
    times = {field: getattr(tournament, field) for field in field_rules.TIMES}
    field_rules.check_times(times, late=tournament.late or plans[0].pairing.by_rating)
    if tournament.repeats and tournament.starts_at is None:
        raise FieldError("A weekly tournament needs a scheduled start.", "starts_at")
    for field in ("freezes_at", "freezes_after"):
        if tournament.rated and getattr(tournament, field):
            raise FieldError(UNFREEZABLE, field)
    if tournament.freezes_after:
        field_rules.check_freezes_after(tournament.freezes_after, plans)
    time_now = now()
    for field, time in times.items():
        if time != old_times[field]:
            field_rules.check_future(field, time, time_now)


def _pop_plans(fields: dict[str, Any], old_plans: list[StagePlan]) -> list[StagePlan]:
    """Remove the stages from `fields` and return them; missing values stay as before."""
    short_fields = {
        key: fields.pop(key) for key in field_rules.SINGLE_STAGE_FIELDS if key in fields
    }
    stages = fields.pop("stages", None)
    if stages is not None and short_fields:
        raise FieldError("Give stages, or the fields of a single one, not both.", "stages")
    if stages is not None:
        return parse_stages(stages)
    return parse_stages([_plan_fields(old_plans[0]) | short_fields]) if short_fields else old_plans


def _plan_fields(plan: StagePlan) -> dict[str, Any]:
    """The fields of a plan without its settings, which belong to its system."""
    return {"system": plan.system, "groups": plan.groups, "divisions": plan.divisions}


def _set_seed(tournament: Tournament, *, chosen: bool) -> None:
    """`chosen`: whether the request sets the seed; if it is empty, the site draws one."""
    if chosen:
        tournament.chosen_seed = bool(tournament.seed)
    tournament.seed = tournament.seed or random_seed()


def _save_stages(tournament: Tournament, plans: list[StagePlan]) -> None:
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


def free_slug(tournament: Tournament) -> str:
    """A slug from the words of the tournament's name that no other tournament has."""
    base = slugify(tournament.name)[:50].strip("-_") or "tournament"
    rows = Tournament.objects.filter(slug__startswith=base).exclude(pk=tournament.pk)
    used_slugs = RESERVED_SLUGS | set(rows.values_list("slug", flat=True))
    number, slug = 1, base
    while slug in used_slugs:
        number += 1
        slug = f"{base}-{number}"
    return slug

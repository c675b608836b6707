"""From draft to finished: creating, entering, starting, ending tournaments."""

from __future__ import annotations

import random
import secrets
from statistics import fmean
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from bots.actions import ActionError
from bots.clock import ClockSettings
from bots.manifest import covers
from bots.models import Bot, BotVersion
from engine import Format
from tournaments.actions.advancing import pair
from tournaments.actions.ladders import join, leave, may_enter
from tournaments.actions.mates import leave_out_waiting, takes_teams, team_size
from tournaments.actions.quotas import refuse_too_many_entries, refuse_too_many_tournaments
from tournaments.actions.retiring import void_unfinished
from tournaments.models import Entry, Mate, Rating, Stage, Tournament, Trial
from tournaments.pairing.designs import shuffled
from tournaments.projections import pools_of
from tournaments.ratings.elo import START
from tournaments.stages import Plan, check_entrants, check_stages, parse_stages
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

    `stages` is a list of objects (`tournaments.stages`); one stage may be given by the fields of
    `STAGE` instead. The format is kept in its canonical spelling; the seed, unless given, is drawn.
    """
    for needed in ("name", "format"):
        if not str(fields.get(needed, "")).strip():
            raise ActionError(f"A tournament needs a {needed}.", field=needed)
    tournament = Tournament(organizer=by)
    plans = _plans(fields, [Plan()])
    _assign(tournament, fields)
    _check_plans(tournament, plans)
    tournament.seed = tournament.seed or secrets.token_hex(16)
    tournament.slug = _free_slug(tournament.name)
    tournament.save()
    _save_stages(tournament, plans)
    return tournament


@transaction.atomic
def update_tournament(tournament: Tournament, by: User | None, **fields: Any) -> Tournament:
    """Change a draft; once it is open, entrants rely on what it says."""
    tournament = _locked(tournament, by)
    refuse_unless(tournament, "changed", Tournament.State.DRAFT)
    plans = _plans(fields, plans_of(tournament))
    _assign(tournament, fields)
    _check_plans(tournament, plans)
    tournament.save()
    _save_stages(tournament, plans)
    return tournament


@transaction.atomic
def open_(tournament: Tournament, by: User | None) -> Tournament:
    """Show the tournament to all and let bots enter."""
    tournament = _locked(tournament, by)
    refuse_unless(tournament, "opened", Tournament.State.DRAFT)
    refuse_too_many_tournaments(by)
    tournament.state = Tournament.State.OPEN
    tournament.opened = timezone.now()
    tournament.save(update_fields=["state", "opened"])
    return tournament


@transaction.atomic
def enter(tournament: Tournament, bot: Bot, by: User | None) -> Entry:
    """Enter a bot: its owner may, and for house bots the organizer; a ladder also while it runs."""
    tournament = _locked(tournament)
    refuse_unless(tournament, "entered", *may_enter(tournament))
    if takes_teams(tournament):
        size = team_size(tournament)
        raise ActionError(f"{tournament.name} takes teams of {size} bots.", "conflict", "bot")
    bot = Bot.objects.select_related("active_version").get(pk=bot.pk)
    _refuse_foreign(bot, tournament, by)
    version = bot.active_version
    if version is None:
        raise ActionError(f"{bot.name} has no version that passed a check.", "conflict", "bot")
    refuse_unclaimed(version, tournament)
    refuse_too_many_entries(tournament, [bot], by)
    if tournament.state == Tournament.State.RUNNING:
        return join(tournament, bot, version)
    if tournament.entries.filter(bot=bot).exists():
        raise ActionError(f"{bot.name} has entered already.", "duplicate", "bot")
    last = tournament.entries.aggregate(last=Max("number"))["last"] or 0
    return Entry.objects.create(tournament=tournament, bot=bot, version=version, number=last + 1)


@transaction.atomic
def withdraw(tournament: Tournament, bot: Bot, by: User | None) -> None:
    """Take a bot out again: its owner may, and the organizer. After the start what it has played
    stays; it is not paired any more."""
    tournament = _locked(tournament)
    refuse_unless(tournament, "left", Tournament.State.OPEN, Tournament.State.RUNNING)
    if not (runs(tournament, by) or (by is not None and bot.owner_id == by.pk)):
        raise ActionError(f"{bot.name} is not yours to withdraw.", "forbidden", "bot")
    entry = tournament.entries.filter(bot=bot).first()
    if entry is None:
        raise ActionError(f"{bot.name} has not entered {tournament.name}.", field="bot")
    if tournament.state == Tournament.State.RUNNING:
        leave(entry, by)
    else:
        entry.delete()


@transaction.atomic
def start(tournament: Tournament, by: User | None) -> Tournament:
    """Fix the entries to their bots' active versions, pair, create every match, announce them."""
    tournament = _locked(tournament, by)
    refuse_unless(tournament, "started", Tournament.State.OPEN)
    leave_out_waiting(tournament)
    entries = list(tournament.entries.select_related("bot__active_version").order_by("number"))
    needed = entries_at_a_table(tournament)
    if len(entries) < needed:
        raise ActionError(
            f"{tournament.name} cannot start: {tournament.format} needs {needed} entries or more, "
            f"and there {'is' if len(entries) == 1 else 'are'} {len(entries) or 'none'}.",
            "conflict",
        )
    try:
        check_entrants(plans_of(tournament), len(entries), needed)
    except ValueError as error:
        raise ActionError(f"{tournament.name} cannot start: {error}", "conflict") from error
    _fix_versions(entries, tournament)
    _seed(entries, tournament)
    tournament.state = Tournament.State.RUNNING
    tournament.started = timezone.now()
    tournament.save(update_fields=["state", "started"])
    pair(tournament)
    return tournament


@transaction.atomic
def cancel(tournament: Tournament, by: User | None) -> Tournament:
    """End a tournament before its time: what is not finished will not be played; results stay."""
    tournament = _locked(tournament, by)
    refuse_unless(
        tournament,
        "cancelled",
        Tournament.State.DRAFT,
        Tournament.State.OPEN,
        Tournament.State.RUNNING,
    )
    now = timezone.now()
    tournament.state = Tournament.State.CANCELLED
    tournament.finished = now
    tournament.save(update_fields=["state", "finished"])
    Trial.objects.filter(tournament=tournament, state=Trial.State.RUNNING).update(
        state=Trial.State.ABANDONED, finished=now
    )
    void_unfinished(tournament, "The tournament was cancelled.")
    return tournament


def _fix_versions(entries: list[Entry], tournament: Tournament) -> None:
    """Each bot plays the version that is active now, unless that one does not play the format."""
    fmt = Format.parse(tournament.format)
    mates = list(Mate.objects.filter(entry__in=entries).select_related("bot__active_version"))
    members: list[Entry | Mate] = [*entries, *mates]
    for each in members:
        active = each.bot.active_version
        if active is not None and claims(active, fmt):
            each.version = active
    Entry.objects.bulk_update(entries, ["version"], batch_size=200)
    Mate.objects.bulk_update(mates, ["version"], batch_size=200)


def entries_at_a_table(tournament: Tournament) -> int:
    """How many entries meet in a pairing: one a side, or one a seat where partners rotate."""
    sides = Format.parse(tournament.format).sides
    if tournament.partners == Tournament.Partners.ROTATING:
        return len(sides) * max(map(len, sides))
    return len(sides)


def claims(version: BotVersion, fmt: Format) -> bool:
    """Whether the version says that it plays the format."""
    return any(covers(pattern, fmt) for pattern in version.formats)


def _seed(entries: list[Entry], tournament: Tournament) -> None:
    """Number the entries as the tournament's seeding has it."""
    order = list(entries)
    if tournament.seeding == Tournament.Seeding.RANDOM:
        order = shuffled(order, random.Random(f"seeding {tournament.seed}"))
    elif tournament.seeding == Tournament.Seeding.RATING:
        strength = _strengths(order, tournament)
        order.sort(key=lambda entry: -strength[entry.pk])
    for number, entry in enumerate(order, 1):
        entry.seeding = number
    Entry.objects.bulk_update(entries, ["seeding"], batch_size=200)


def _strengths(entries: list[Entry], tournament: Tournament) -> dict[int, float]:
    """The rating of each entry in the format's pool: the mean of its members'."""
    pool, _, _ = pools_of(tournament.format)
    rated = Rating.objects.filter(pool=pool, kind=Rating.Kind.ALL)
    known = {r.version_id: r.live if r.fitted is None else r.fitted for r in rated}
    return {
        entry.pk: fmean(known.get(version.pk, START) for _, version in entry.members())
        for entry in entries
    }


# --- stages -------------------------------------------------------------------------------------


def plans_of(tournament: Tournament) -> list[Plan]:
    """The stages as they are kept."""
    rows = tournament.stages.order_by("number")
    return [Plan(row.system, row.settings, row.groups, row.take, row.divisions) for row in rows]


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


# --- checks -------------------------------------------------------------------------------------


def runs(tournament: Tournament, by: User | None) -> bool:
    return by is None or by.is_staff or tournament.organizer_id == by.pk


def locked_for_organizer(tournament: Tournament, by: User | None) -> Tournament:
    """The tournament, locked, if `by` runs it; else ActionError `forbidden`."""
    tournament = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if not runs(tournament, by):
        raise ActionError(f"Only the organizer of {tournament.name} may do that.", "forbidden")
    return tournament


def _locked(tournament: Tournament, *by: User | None) -> Tournament:
    return locked_for_organizer(tournament, by[0] if by else None)


def refuse_unless(tournament: Tournament, verb: str, *states: Tournament.State) -> None:
    if tournament.state not in states:
        wanted = " or ".join(state.label for state in states)
        raise ActionError(
            f"{tournament.name} is {tournament.get_state_display()}; "
            f"it can be {verb} only while it is {wanted}.",
            "conflict",
        )


def _refuse_foreign(bot: Bot, tournament: Tournament, by: User | None) -> None:
    if by is None or by.is_staff or bot.owner_id == by.pk:
        return
    if not bot.is_house:
        raise ActionError(f"{bot.name} is not yours; only its owner enters it.", "forbidden", "bot")
    if tournament.organizer_id != by.pk:
        raise ActionError("Only the organizer enters house bots.", "forbidden", "bot")


def refuse_unclaimed(version: BotVersion, tournament: Tournament) -> None:
    if not claims(version, Format.parse(tournament.format)):
        raise ActionError(
            f"{version.bot.name} does not play {tournament.format}; "
            f"it claims {', '.join(version.formats)}.",
            "conflict",
            "bot",
        )


def _assign(tournament: Tournament, fields: dict[str, Any]) -> None:
    for field in fields.keys() - CHANGEABLE:
        raise ActionError(f"A tournament has no field {field} that you can set.", field=field)
    for field, value in fields.items():
        setattr(tournament, field, _cleaned(field, value))
    try:
        ClockSettings(tournament.move_ms, tournament.bank_ms)
    except ValueError as error:
        raise ActionError(f"The clock cannot be so: {error}.", field="move_ms") from error


def _cleaned(field: str, value: Any) -> Any:
    """One field's value as it is stored; ActionError names the field."""
    if field == "format":
        try:
            return str(Format.parse(str(value)))
        except ValueError as error:
            raise ActionError(str(error), field=field) from error
    if field in {"name", "seed"}:
        return _line(field, str(value), MAX_NAME if field == "name" else 64)
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
    if len(value) > limit or "\0" in value:
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

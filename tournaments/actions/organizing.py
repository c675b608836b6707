"""From draft to finished: creating, entering, starting, ending tournaments."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from bots.actions import ActionError
from bots.clock import ClockSettings
from bots.manifest import covers
from bots.models import Bot, BotVersion
from bots.outbox import announce
from engine import Format
from tournaments.actions.scheduling import create_rounds, refuse_too_many
from tournaments.models import Attempt, Entry, Match, Tournament
from tournaments.pairing import SYSTEMS, State, get_system
from tournaments.projections import RATINGS_TASK, points_by_entry

if TYPE_CHECKING:
    from django.contrib.auth.models import User


MAX_NAME = 80
"""Characters in a tournament's name."""
MAX_GROUPS = 1000
"""Deal groups of one pairing."""
RESERVED_SLUGS = frozenset({"new", "mine", "create"})
"""Words that stand in addresses where a tournament's could stand."""
CHANGEABLE = frozenset(
    {
        *("name", "description", "format", "system", "groups", "move_ms", "bank_ms"),
        *("fault_policy", "rated", "seed"),
    }
)
"""What `create_tournament` takes and `update_tournament` changes."""


@transaction.atomic
def create_tournament(by: User | None, **fields: Any) -> Tournament:
    """A new draft. `fields`: those of `CHANGEABLE`; `name` and `format` are needed.

    The format is kept in its canonical spelling; the seed, unless given, is drawn.
    """
    for needed in ("name", "format"):
        if not str(fields.get(needed, "")).strip():
            raise ActionError(f"A tournament needs a {needed}.", field=needed)
    tournament = Tournament(organizer=by)
    _assign(tournament, fields)
    tournament.seed = tournament.seed or secrets.token_hex(16)
    tournament.slug = _free_slug(tournament.name)
    tournament.save()
    return tournament


@transaction.atomic
def update_tournament(tournament: Tournament, by: User | None, **fields: Any) -> Tournament:
    """Change a draft; once it is open, entrants rely on what it says."""
    tournament = _locked(tournament, by)
    _refuse_unless(tournament, "changed", Tournament.State.DRAFT)
    _assign(tournament, fields)
    tournament.save()
    return tournament


@transaction.atomic
def open_(tournament: Tournament, by: User | None) -> Tournament:
    """Show the tournament to all and let bots enter."""
    tournament = _locked(tournament, by)
    _refuse_unless(tournament, "opened", Tournament.State.DRAFT)
    tournament.state = Tournament.State.OPEN
    tournament.opened = timezone.now()
    tournament.save(update_fields=["state", "opened"])
    return tournament


@transaction.atomic
def enter(tournament: Tournament, bot: Bot, by: User | None) -> Entry:
    """Enter a bot: its owner may, and for house bots the organizer."""
    tournament = _locked(tournament)
    _refuse_unless(tournament, "entered", Tournament.State.OPEN)
    bot = Bot.objects.select_related("active_version").get(pk=bot.pk)
    _refuse_foreign(bot, tournament, by)
    version = bot.active_version
    if version is None:
        raise ActionError(f"{bot.name} has no version that passed a check.", "conflict", "bot")
    _refuse_unclaimed(version, tournament)
    if tournament.entries.filter(bot=bot).exists():
        raise ActionError(f"{bot.name} has entered already.", "duplicate", "bot")
    last = tournament.entries.aggregate(last=Max("number"))["last"] or 0
    return Entry.objects.create(tournament=tournament, bot=bot, version=version, number=last + 1)


@transaction.atomic
def withdraw(tournament: Tournament, bot: Bot, by: User | None) -> None:
    """Take a bot out again before the start: its owner may, and the organizer."""
    tournament = _locked(tournament)
    _refuse_unless(tournament, "left", Tournament.State.OPEN)
    if not (_runs(tournament, by) or (by is not None and bot.owner_id == by.pk)):
        raise ActionError(f"{bot.name} is not yours to withdraw.", "forbidden", "bot")
    deleted, _ = tournament.entries.filter(bot=bot).delete()
    if not deleted:
        raise ActionError(f"{bot.name} has not entered {tournament.name}.", field="bot")


@transaction.atomic
def start(tournament: Tournament, by: User | None) -> Tournament:
    """Fix the entries to their bots' active versions, pair, create every match, announce them."""
    tournament = _locked(tournament, by)
    _refuse_unless(tournament, "started", Tournament.State.OPEN)
    entries = list(tournament.entries.select_related("bot__active_version").order_by("number"))
    sides = len(Format.parse(tournament.format).sides)
    if len(entries) < sides:
        raise ActionError(
            f"{tournament.name} cannot start: {tournament.format} needs {sides} entries or more, "
            f"and there {'is' if len(entries) == 1 else 'are'} {len(entries) or 'none'}.",
            "conflict",
        )
    _fix_versions(entries, tournament)
    tournament.state = Tournament.State.RUNNING
    tournament.started = timezone.now()
    tournament.save(update_fields=["state", "started"])
    _pair(tournament, entries)
    return tournament


@transaction.atomic
def cancel(tournament: Tournament, by: User | None) -> Tournament:
    """End a tournament before its time: what is not finished will not be played; results stay."""
    tournament = _locked(tournament, by)
    _refuse_unless(
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
    unfinished = tournament.matches.filter(state__in=Match.UNFINISHED)
    held = list(unfinished.order_by("pk").select_for_update().values_list("pk", flat=True))
    Match.objects.filter(tournament=tournament, state__in=Match.UNFINISHED).update(
        state=Match.State.VOID
    )
    Attempt.objects.filter(
        match__tournament=tournament, match__in=held, outcome=Attempt.Outcome.RUNNING
    ).update(outcome=Attempt.Outcome.FAILED, cause="The tournament was cancelled.", finished=now)
    return tournament


def advance(tournament_id: int) -> bool:
    """Create the next rounds, or finish, when every match so far is finished or void.

    Called after each fixture and by the sweep; any number of calls does it once. True if something
    changed.
    """
    running = Tournament.objects.filter(pk=tournament_id, state=Tournament.State.RUNNING)
    unfinished = Match.objects.filter(tournament_id=tournament_id, state__in=Match.UNFINISHED)
    if unfinished.exists():
        return False
    with transaction.atomic():
        tournament = running.select_for_update().first()
        if tournament is None or unfinished.exists():
            return False
        entries = list(tournament.entries.select_related("version").order_by("number"))
        if not _pair(tournament, entries):
            tournament.state = Tournament.State.FINISHED
            tournament.finished = timezone.now()
            tournament.save(update_fields=["state", "finished"])
            announce(RATINGS_TASK)
    return True


def _pair(tournament: Tournament, entries: list[Entry]) -> bool:
    """Ask the pairing system for rounds and create them; False when there are none to come."""
    index = {entry.pk: number for number, entry in enumerate(entries)}
    paired: dict[int, dict[int, list[int]]] = {}
    sides = tournament.fixtures.values_list("round", "pairing", "sides__entry").order_by(
        "round", "pairing", "number", "sides__index"
    )
    width = len(Format.parse(tournament.format).sides)
    for round_, pairing, entry in sides:
        fixture = paired.setdefault(round_, {}).setdefault(pairing, [])
        if len(fixture) < width:
            fixture.append(index[entry])
    points = points_by_entry(tournament) if paired else {}
    state = State(
        entrants=len(entries),
        sides=width,
        seed=tournament.seed,
        rounds=tuple(tuple(map(tuple, fixtures.values())) for fixtures in paired.values()),
        points=tuple(points.get(entry.pk, 0.0) for entry in entries) if points else (),
    )
    try:
        rounds = get_system(tournament.system)(state)
    except ValueError as error:
        raise ActionError(str(error), "conflict") from error
    refuse_too_many(tournament, rounds, width)
    create_rounds(tournament, entries, rounds, first=len(paired) + 1)
    return bool(rounds)


def _fix_versions(entries: list[Entry], tournament: Tournament) -> None:
    """Each entry plays the version that is active now, unless that one does not play the format."""
    for entry in entries:
        active = entry.bot.active_version
        if active is not None and claims(active, Format.parse(tournament.format)):
            entry.version = active
    Entry.objects.bulk_update(entries, ["version"], batch_size=200)


def claims(version: BotVersion, fmt: Format) -> bool:
    """Whether the version says that it plays the format."""
    return any(covers(pattern, fmt) for pattern in version.formats)


# --- checks -------------------------------------------------------------------------------------


def _runs(tournament: Tournament, by: User | None) -> bool:
    return by is None or by.is_staff or tournament.organizer_id == by.pk


def locked_for_organizer(tournament: Tournament, by: User | None) -> Tournament:
    """The tournament, locked, if `by` runs it; else ActionError `forbidden`."""
    tournament = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if not _runs(tournament, by):
        raise ActionError(f"Only the organizer of {tournament.name} may do that.", "forbidden")
    return tournament


def _locked(tournament: Tournament, *by: User | None) -> Tournament:
    return locked_for_organizer(tournament, by[0] if by else None)


def _refuse_unless(tournament: Tournament, verb: str, *states: Tournament.State) -> None:
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


def _refuse_unclaimed(version: BotVersion, tournament: Tournament) -> None:
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
    if field == "system" and value not in SYSTEMS:
        raise ActionError(
            f"There is no pairing system {value}; there are: {', '.join(sorted(SYSTEMS))}.",
            field=field,
        )
    if field == "fault_policy" and value not in Tournament.FaultPolicy.values:
        raise ActionError(
            f"The fault policy is {' or '.join(Tournament.FaultPolicy.values)}.", field=field
        )
    if field in {"groups", "move_ms", "bank_ms"}:
        return _number(field, value)
    return value


def _number(field: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ActionError(f"{field} must be a whole number.", field=field)
    if field == "groups" and not 1 <= value <= MAX_GROUPS:
        raise ActionError(f"groups must be from 1 to {MAX_GROUPS}, not {value}.", field=field)
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

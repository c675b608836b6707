"""New cards: whatever is played again is played with cards that nobody has seen.

A match is never played again alone. Its deal group is set aside whole (records stay with their
attempts) and another one takes its place: the same sides in the same order, the same versions, the
next shuffles. So nobody gains by making a match fail, and what a group says stays free of luck.

Its cards keeps a match whose worker stopped in good order, or was lost for the first time: nothing
of that attempt has left the worker, and bots remember nothing from one match to the next. Lost once
more (`settings.MAX_LOST`) the match itself may be what takes workers down; then the cards change.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from django.db.models import Max, Q

from bots.actions import ActionError
from engine import Format
from tournaments.actions.deal_groups import NEVER_FAILED, Before, Failed, create_groups
from tournaments.actions.results import take_out
from tournaments.course.course import Division, division_of
from tournaments.course.divisions import Setup, Slot, listed
from tournaments.deal_groups import Entrant, members
from tournaments.models import Entry, Fixture, Match, Tournament
from tournaments.pairing import Pairing
from tournaments.reading.course import sides_of


def redeal(
    tournament: Tournament, fixtures: Sequence[Fixture], reason: str, *, anew: bool
) -> list[Fixture]:
    """Put deal groups with new cards in the places of these; those that were made.

    `anew`: somebody has decided it, so failures are counted from the beginning; else the new groups
    go on counting. The caller has locked the tournament, and writes the log.
    """
    if any(fixture.retired for fixture in fixtures):
        raise ActionError("A deal group that was set aside is not dealt again.", "conflict")
    keys = [fixture.pk for fixture in fixtures]
    take_out(tournament.fixtures.filter(pk__in=keys), reason)
    kept = {} if anew else _failed(keys)
    retired = tournament.fixtures.filter(pk__in=keys).select_related("stage")
    ordered = retired.order_by("stage", "division", "number")
    made: list[Fixture] = []
    for _, group in groupby(ordered, key=lambda each: (each.stage_id, each.division)):
        made += _create(tournament, list(group), kept, anew=anew)
    return made


def leavers(tournament: Tournament, fixtures: Sequence[int]) -> list[Entry]:
    """Entries of these deal groups that nobody may have play again: they have left the ladder, or
    not all have agreed that they come back. Elsewhere all are needed for the result."""
    if not tournament.by_rating:
        return []
    left = Q(withdrawn__isnull=False) | Q(mates__agreed=False)
    there = Entry.objects.filter(fixture_sides__fixture__in=list(fixtures))
    return list(there.filter(left).select_related("bot").distinct())


def _create(
    tournament: Tournament, fixtures: list[Fixture], failed: dict[int, Failed], *, anew: bool
) -> list[Fixture]:
    """The new groups of one division."""
    sides = sides_of(Fixture.objects.filter(pk__in=[each.pk for each in fixtures]))
    playing = (entry for each in sides.values() for side in each for entry in members(side))
    entries = tuple(dict.fromkeys(map(int, playing)))
    index: dict[Entrant, int] = {entry: i for i, entry in enumerate(entries)}
    given = dict(
        Match.objects.filter(fixture__in=fixtures)
        .order_by()
        .values_list("fixture")
        .annotate(most=Max("priority"))
    )
    wanted: list[tuple[Slot, Pairing]] = []
    before: dict[Slot, Before] = {}
    for each in fixtures:
        slot = each.round, each.pairing, each.group
        order = listed(sides[each.pk], each.group)
        wanted.append((slot, tuple(index[entry] for side in order for entry in members(side))))
        before[slot] = Before(
            each,
            # A newcomer's matches on a ladder come first, those dealt anew as well.
            given[each.pk] if tournament.by_rating else tournament.priority,
            failed.get(each.pk, NEVER_FAILED),
            () if anew else each.unlucky,
        )
    return create_groups(tournament, _place(tournament, fixtures[0], entries), wanted, before)


def _place(tournament: Tournament, fixture: Fixture, entries: tuple[int, ...]) -> Division:
    """The division of a fixture, as far as creating deal groups needs it."""
    setup = Setup(
        fmt=Format.parse(tournament.format),
        seed=tournament.seed,
        plans=tuple(tournament.plans()),
        rotating=tournament.partners == Tournament.Partners.ROTATING,
    )
    return division_of(setup, (fixture.stage.number, fixture.division), entries, ())


def _failed(fixtures: Sequence[int]) -> dict[int, Failed]:
    """By deal group how its matches failed, all of them taken together."""
    found: dict[int, Failed] = {}
    matches = Match.objects.filter(fixture__in=fixtures).order_by("pk")
    rows = matches.values_list("fixture", "failures", "failed_on", "not_before")
    for fixture, failures, failed_on, not_before in rows:
        before = found.get(fixture, NEVER_FAILED)
        moments = [each for each in (before.not_before, not_before) if each]
        found[fixture] = Failed(
            max(before.failures, failures),
            sorted({*before.failed_on, *failed_on}),
            max(moments, default=None),
        )
    return found

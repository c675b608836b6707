"""New cards: a match played again is played with cards that nobody has seen.

A match is never played again alone. Its whole deal group is set aside (records stay with their
attempts) and another takes its place: the same sides in the same order, the same versions, the
next shuffles. So nobody gains by making a match fail, and what a group says stays free of luck.

A match keeps its cards if its worker stopped in good order or was lost for the first time: nothing
of that attempt has left the worker, and bots remember nothing from one match to the next. If people
could watch it (`live_moves.shown`), or if it is lost once more (`settings.MAX_LOST`: the match
itself may take workers down), the cards change.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from django.db.models import Max, Q

from cardroom_base.core.errors import ActionError
from engine import Format
from tournaments.actions.deal_groups import NEVER_FAILED, Before, Failed, create_groups
from tournaments.actions.results import take_out
from tournaments.course.course import Division, division_of
from tournaments.course.divisions import Conditions, Slot, listed
from tournaments.deal_groups import Entrant, members
from tournaments.models import DealGroup, Entry, Match, Tournament
from tournaments.pairing import Pairing
from tournaments.reading.course import sides_of


def redeal(
    tournament: Tournament, deal_groups: Sequence[DealGroup], reason: str, *, anew: bool
) -> list[DealGroup]:
    """Replace these deal groups by ones with new cards; gives the new ones.

    `anew`: somebody has decided it, so failures are counted from zero; otherwise the new groups go
    on counting. The caller has locked the tournament, and writes the log.
    """
    if any(deal_group.retired for deal_group in deal_groups):
        raise ActionError("A deal group that was set aside is not dealt again.", "conflict")
    keys = [deal_group.pk for deal_group in deal_groups]
    take_out(tournament.deal_groups.filter(pk__in=keys), reason)
    kept = {} if anew else _failed(keys)
    retired = tournament.deal_groups.filter(pk__in=keys).select_related("stage")
    ordered = retired.order_by("stage", "division", "number")
    made: list[DealGroup] = []
    for _, group in groupby(ordered, key=lambda each: (each.stage_id, each.division)):
        made += _create(tournament, list(group), kept, anew=anew)
    return made


def leavers(tournament: Tournament, deal_groups: Sequence[int]) -> list[Entry]:
    """Entries of these deal groups that must not play again: they have left the ladder, or not
    everybody has agreed that they come back. Elsewhere all are needed for the result."""
    if not tournament.by_rating:
        return []
    left = Q(withdrawn__isnull=False) | Q(mates__agreed=False)
    there = Entry.objects.filter(deal_group_sides__deal_group__in=list(deal_groups))
    return list(there.filter(left).select_related("bot").distinct())


def _create(
    tournament: Tournament, deal_groups: list[DealGroup], failed: dict[int, Failed], *, anew: bool
) -> list[DealGroup]:
    """The new groups of one division."""
    sides = sides_of(DealGroup.objects.filter(pk__in=[each.pk for each in deal_groups]))
    playing = (entry for each in sides.values() for side in each for entry in members(side))
    entries = tuple(dict.fromkeys(map(int, playing)))
    index: dict[Entrant, int] = {entry: i for i, entry in enumerate(entries)}
    given = dict(
        Match.objects.filter(deal_group__in=deal_groups)
        .order_by()
        .values_list("deal_group")
        .annotate(most=Max("priority"))
    )
    wanted: list[tuple[Slot, Pairing]] = []
    before: dict[Slot, Before] = {}
    for group in deal_groups:
        slot = group.round, group.pairing, group.group
        order = listed(sides[group.pk], group.group)
        wanted.append((slot, tuple(index[entry] for side in order for entry in members(side))))
        before[slot] = Before(
            group,
            # A newcomer's matches on a ladder come first, those dealt again as well.
            given[group.pk] if tournament.by_rating else tournament.priority,
            failed.get(group.pk, NEVER_FAILED),
            () if anew else group.unlucky,
        )
    return create_groups(tournament, _place(tournament, deal_groups[0], entries), wanted, before)


def _place(tournament: Tournament, deal_group: DealGroup, entries: tuple[int, ...]) -> Division:
    """The division of a deal group, as far as creating deal groups needs it."""
    conditions = Conditions(
        fmt=Format.parse(tournament.format),
        seed=tournament.seed,
        plans=tuple(tournament.plans()),
        rotating=tournament.partners == Tournament.Partners.ROTATING,
    )
    return division_of(conditions, (deal_group.stage.number, deal_group.division), entries, ())


def _failed(deal_groups: Sequence[int]) -> dict[int, Failed]:
    """How the matches of each deal group failed, taken together."""
    found: dict[int, Failed] = {}
    matches = Match.objects.filter(deal_group__in=deal_groups).order_by("pk")
    rows = matches.values_list("deal_group", "failures", "failed_on", "not_before")
    for deal_group, failures, failed_on, not_before in rows:
        before = found.get(deal_group, NEVER_FAILED)
        moments = [each for each in (before.not_before, not_before) if each]
        found[deal_group] = Failed(
            max(before.failures, failures),
            sorted({*before.failed_on, *failed_on}),
            max(moments, default=None),
        )
    return found

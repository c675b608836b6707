"""Redeal deal groups: replace them with groups that have new cards.

A match never gets new cards alone. Its whole deal group is retired (the records of finished
attempts are kept) and replaced with one that has the same sides in the same order, the same
versions and new shuffles. So nobody gains by making a match fail, and card luck still cancels
within the group.

A match keeps its cards if its worker stopped properly or was lost for the first time: bots keep no
memory between matches. The cards change if people could watch the interrupted attempt
(`live_moves.watched_attempts`), if it failed after its bots were seated, or if the match is lost
again (`settings.MAX_LOST`), because the match itself may crash workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from django.db.models import Max, Q

from cardroom_base.core.errors import ActionError
from engine import Format
from tournaments.actions.deal_groups import NEVER_FAILED, MatchFailures, RedealtGroup, create_groups
from tournaments.actions.voiding import retire_without_log
from tournaments.course.course import Division, division_of
from tournaments.course.divisions import Conditions, Slot, order_sides
from tournaments.deal_groups import Entrant, members
from tournaments.models import DealGroup, Entry, Match, Tournament
from tournaments.pairing import Pairing
from tournaments.reading.course import sides_of


def redeal(
    tournament: Tournament, deal_groups: Sequence[DealGroup], reason: str, *, reset_failures: bool
) -> list[DealGroup]:
    """Replace these deal groups with ones that have new cards; return the new ones.

    `reset_failures`: whether failure counts start again at zero, as after an organizer's decision;
    otherwise they carry over. The caller must hold the tournament's lock and write the log entry.
    """
    if any(deal_group.retired for deal_group in deal_groups):
        raise ActionError("A retired deal group cannot be redealt.", "conflict")
    keys = [deal_group.pk for deal_group in deal_groups]
    retire_without_log(tournament.deal_groups.filter(pk__in=keys), reason)
    failures = {} if reset_failures else _group_failures(keys)
    retired = tournament.deal_groups.filter(pk__in=keys).select_related("stage")
    ordered = retired.order_by("stage", "division", "number")
    created: list[DealGroup] = []
    for _, group in groupby(
        ordered, key=lambda deal_group: (deal_group.stage_id, deal_group.division)
    ):
        created += _create_replacements(
            tournament, list(group), failures, reset_failures=reset_failures
        )
    return created


def absent_entries(tournament: Tournament, deal_groups: Sequence[int]) -> list[Entry]:
    """Entries of these deal groups that must not play again: they have left the ladder, or not all
    owners have agreed to return. Empty except on ladders: other systems need all entries."""
    if not tournament.is_ladder:
        return []
    has_left = Q(withdrawn__isnull=False) | Q(mates__agreed=False)
    entries = Entry.objects.filter(deal_group_sides__deal_group__in=list(deal_groups))
    return list(entries.filter(has_left).select_related("bot").distinct())


def _create_replacements(
    tournament: Tournament,
    deal_groups: list[DealGroup],
    failures: dict[int, MatchFailures],
    *,
    reset_failures: bool,
) -> list[DealGroup]:
    """Create the new groups of one division."""
    sides = sides_of(DealGroup.objects.filter(pk__in=[group.pk for group in deal_groups]))
    entrants = (entry for teams in sides.values() for side in teams for entry in members(side))
    entries = tuple(dict.fromkeys(map(int, entrants)))
    index: dict[Entrant, int] = {entry: i for i, entry in enumerate(entries)}
    priorities = dict(
        Match.objects.filter(deal_group__in=deal_groups)
        .order_by()
        .values_list("deal_group")
        .annotate(most=Max("priority"))
    )
    slots: list[tuple[Slot, Pairing]] = []
    redealt: dict[Slot, RedealtGroup] = {}
    for group in deal_groups:
        slot = group.round, group.pairing, group.group
        order = order_sides(sides[group.pk], group.group)
        slots.append((slot, tuple(index[entry] for side in order for entry in members(side))))
        redealt[slot] = RedealtGroup(
            group,
            # A newcomer's matches on a ladder keep their priority when redealt.
            priorities[group.pk] if tournament.is_ladder else tournament.priority,
            failures.get(group.pk, NEVER_FAILED),
            () if reset_failures else group.unlucky,
        )
    return create_groups(
        tournament, _division_for(tournament, deal_groups[0], entries), slots, redealt
    )


def _division_for(
    tournament: Tournament, deal_group: DealGroup, entries: tuple[int, ...]
) -> Division:
    """The division of a deal group, with the fields that `create_groups` reads."""
    conditions = Conditions(
        fmt=Format.parse(tournament.format),
        seed=tournament.seed,
        plans=tuple(tournament.plans()),
        rotating=tournament.partners == Tournament.Partners.ROTATING,
    )
    return division_of(conditions, (deal_group.stage.number, deal_group.division), entries, ())


def _group_failures(deal_groups: Sequence[int]) -> dict[int, MatchFailures]:
    """For each deal group: the most failures of a match, all workers that failed, the latest
    `not_before`."""
    by_group: dict[int, MatchFailures] = {}
    matches = Match.objects.filter(deal_group__in=deal_groups).order_by("pk")
    rows = matches.values_list("deal_group", "failures", "failed_on", "not_before")
    for deal_group, failures, failed_on, not_before in rows:
        failures_so_far = by_group.get(deal_group, NEVER_FAILED)
        times = [moment for moment in (failures_so_far.not_before, not_before) if moment]
        by_group[deal_group] = MatchFailures(
            max(failures_so_far.failures, failures),
            sorted({*failures_so_far.failed_on, *failed_on}),
            max(times, default=None),
        )
    return by_group

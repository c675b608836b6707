"""Decide whether failed attempts make a match stuck, and describe them for a worker's health."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings

from bots import isolation_summary
from bots.models import host_of
from bots.workers.health import Failure
from engine import Format
from tournaments.models import Attempt, Match, Tournament


def is_stuck(failures: int, failed_on: Collection[str], healthy: Collection[str]) -> bool:
    """Whether a match is stuck: it failed `MAX_ATTEMPTS` times, on more than one machine or on all
    that could play it. Pure.

    `failed_on`, `healthy`: names of the machines where it failed, and of the healthy ones.
    """
    if failures < settings.MAX_ATTEMPTS:
        return False
    return len(set(failed_on)) > 1 or set(healthy) <= set(failed_on)


def match_is_stuck(match: Match) -> bool:
    """Whether this match is stuck now (`is_stuck`)."""
    if match.failures < settings.MAX_ATTEMPTS:  # saves a query
        return False
    return is_stuck(match.failures, match.failed_on, healthy_hosts(match.tournament))


def healthy_hosts(tournament: Tournament) -> set[str]:
    """Machines that could play a match of this tournament now."""
    game = Format.parse(tournament.format).game
    return {
        node.host
        for node in isolation_summary.healthy_isolated_workers()
        if not tournament.rules or node.rules.get(game, "") in ("", tournament.rules)
    }


def failure_of(attempt: int, cause: str, seat: int | None) -> Failure:
    """A failed attempt, for the worker process to judge its own health.

    `seat`: the seat of the killed bot, if that is the cause. `work` is the deal group's place in
    the tournament, so a redealt group is the same work.
    """
    row = Attempt.objects.select_related("match__deal_group").get(pk=attempt)
    match, deal_group = row.match, row.match.deal_group
    seats = match.seats.filter(version__bot__owner__isnull=False)
    if seat is not None:
        seats = seats.filter(index=seat)
    own_host = host_of(row.worker)
    return Failure(
        work=(
            deal_group.stage_id,
            deal_group.division,
            deal_group.round,
            deal_group.pairing,
            deal_group.group,
        ),
        cause=cause,
        suspects=frozenset(seats.order_by().values_list("version__bot__owner", flat=True)),
        elsewhere=any(host != own_host for host in match.failed_on),
        format=match.format,
    )

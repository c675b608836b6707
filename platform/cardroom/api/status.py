"""How busy the site is, out of the database: it alone knows what there is to do."""

from __future__ import annotations

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots import walls
from bots.models import BotVersion, WorkerNode
from tournaments.models import Match
from tournaments.queue import waits


class WallsSerializer(serializers.Serializer[walls.Walls]):
    """What keeps bots from harm on the machines of some workers."""

    workers = serializers.IntegerField(help_text="How many workers have just these walls.")
    level = serializers.ChoiceField(
        ["full", "none"], help_text="`none`: only the house's own bots are played there."
    )
    memory = serializers.CharField(
        allow_blank=True, help_text="What bounds a bot's memory; empty where nothing does."
    )
    layers = serializers.ListField(
        child=serializers.CharField(), help_text="All that stands there, outermost first."
    )


class TroubleSerializer(serializers.Serializer[WorkerNode]):
    """A worker that plays nothing now."""

    worker = serializers.CharField(source="name")
    since = serializers.DateTimeField(source="trouble_since")
    cause = serializers.CharField(source="trouble")


class StatusSerializer(serializers.Serializer[dict[str, Any]]):
    """How busy the site is."""

    waiting_matches = serializers.IntegerField(help_text="Matches that no worker has yet.")
    running_matches = serializers.IntegerField(help_text="Matches being played now.")
    stuck_matches = serializers.IntegerField(help_text="Matches that organizers must decide about.")
    waiting_checks = serializers.IntegerField(help_text="Uploads that no worker has yet.")
    running_checks = serializers.IntegerField(help_text="Uploads being checked now.")
    workers = serializers.IntegerField(
        help_text="Worker processes heard of in the last five minutes that are not ill."
    )
    ill_workers = serializers.IntegerField(
        help_text="Those that found out that they cannot play now; they test themselves, and go on "
        "by themselves."
    )
    matches_per_minute = serializers.FloatField(help_text="Over the last five minutes.")
    expected_wait_seconds = serializers.FloatField(
        allow_null=True,
        help_text="Until all that waits now is played, at that pace; null if it is unknown.",
    )
    reason = serializers.CharField(
        allow_blank=True, help_text="Why matches wait, for people; empty where none does."
    )
    sandboxes = WallsSerializer(
        many=True, help_text="By what the workers heard of in the last five minutes have tried out."
    )
    troubles = TroubleSerializer(
        many=True, help_text="Which workers are ill, and why, for the staff; empty for others."
    )
    clocks = serializers.ListField(
        child=serializers.CharField(),
        help_text="Of workers whose clock is off by more than 5 s, a sentence each; the staff are "
        "told which.",
    )


class StatusView(APIView):
    """Queue depth, workers, running matches, expected wait."""

    @extend_schema(operation_id="status_retrieve", responses=StatusSerializer)
    def get(self, request: Request) -> Response:
        """Queue depth, workers, running matches, expected wait."""
        shown = site_status(staff=bool(request.user.is_staff))
        return Response(StatusSerializer(shown).data, headers={"Cache-Control": "max-age=2"})


def site_status(*, staff: bool = False) -> dict[str, Any]:
    """The figures of `StatusSerializer`, counted now; `staff`: with names and causes."""
    of_match = Match.State
    matches = dict(
        Match.objects.filter(state__in=(of_match.WAITING, of_match.PLAYING, of_match.STUCK))
        .order_by()
        .values_list("state")
        .annotate(Count("id"))
    )
    of_check = BotVersion.Status
    checks = dict(
        BotVersion.objects.filter(status__in=(of_check.QUEUED, of_check.CHECKING))
        .order_by()
        .values_list("status")
        .annotate(Count("id"))
    )
    waiting = matches.get(of_match.WAITING, 0)
    facts = waits.site_facts(waiting)
    heard = walls.nodes()
    return {
        "waiting_matches": waiting,
        "running_matches": matches.get(of_match.PLAYING, 0),
        "stuck_matches": matches.get(of_match.STUCK, 0),
        "waiting_checks": checks.get(of_check.QUEUED, 0),
        "running_checks": checks.get(of_check.CHECKING, 0),
        "workers": facts.workers,
        "ill_workers": facts.ill,
        "matches_per_minute": round(waits.matches_a_minute(), 2),
        "expected_wait_seconds": _wait(waiting, waits.pace_at_work()),
        "reason": waits.reason(facts),
        "sandboxes": walls.summary(heard),
        "troubles": walls.ill() if staff else [],
        "clocks": walls.clocks(heard, named=staff),
    }


def _wait(waiting: int, pace: float) -> float | None:
    if not waiting:
        return 0.0
    return waits.rounded(waiting / pace) if pace else None

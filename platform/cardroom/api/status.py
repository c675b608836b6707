"""How busy the site is, as JSON."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots import isolation_summary
from bots.models import WorkerNode
from cardroom.status import site_status


class WallsSerializer(serializers.Serializer[isolation_summary.Walls]):
    """What keeps bots from doing harm on the machines of some workers."""

    workers = serializers.IntegerField(help_text="How many workers have exactly these walls.")
    level = serializers.ChoiceField(
        ["full", "none"], help_text="`none`: only the house's own bots are played there."
    )
    memory = serializers.CharField(
        allow_blank=True, help_text="What bounds a bot's memory; empty where nothing does."
    )
    layers = serializers.ListField(
        child=serializers.CharField(), help_text="All walls, outermost first."
    )
    engine = serializers.ChoiceField(
        ["compiled", "interpreted"],
        allow_blank=True,
        help_text="How the rules run there: compiled they are several times as fast.",
    )


class TroubleSerializer(serializers.Serializer[WorkerNode]):
    """A worker that plays nothing now."""

    worker = serializers.CharField(source="name")
    since = serializers.DateTimeField(source="trouble_since")
    cause = serializers.CharField(source="trouble")


class TableHostSerializer(serializers.Serializer[dict[str, Any]]):
    """A process that plays the bots of people's tables."""

    name = serializers.CharField(allow_blank=True, help_text="For the staff; empty for others.")
    tables = serializers.IntegerField(help_text="How many tables it plays at the same time.")
    level = serializers.ChoiceField(
        ["full", "none"], help_text="`none`: only the house's own bots are played there."
    )
    engine = serializers.ChoiceField(
        ["compiled", "interpreted"], allow_blank=True, help_text="How the rules run there."
    )
    reason = serializers.CharField(
        allow_blank=True, help_text="Why it has no sandbox, for the staff; empty for others."
    )


class StatusSerializer(serializers.Serializer[dict[str, Any]]):
    """How busy the site is."""

    waiting_matches = serializers.IntegerField(help_text="Matches that no worker has yet.")
    running_matches = serializers.IntegerField(help_text="Matches being played now.")
    stuck_matches = serializers.IntegerField(help_text="Matches that organizers must decide about.")
    waiting_checks = serializers.IntegerField(help_text="Uploads that no worker has yet.")
    running_checks = serializers.IntegerField(help_text="Uploads being checked now.")
    workers = serializers.IntegerField(
        help_text="Worker processes heard from in the last five minutes that are not ill."
    )
    ill_workers = serializers.IntegerField(
        help_text="Workers that cannot play now. They test themselves and resume without help."
    )
    matches_per_minute = serializers.FloatField(help_text="Over the last five minutes.")
    expected_wait_seconds = serializers.FloatField(
        allow_null=True,
        help_text="Until all that waits now is played, at that pace; null if unknown.",
    )
    reason = serializers.CharField(
        allow_blank=True, help_text="Why matches wait, for people; empty if none does."
    )
    sandboxes = WallsSerializer(
        many=True, help_text="As tested by the workers heard from in the last five minutes."
    )
    troubles = TroubleSerializer(
        many=True, help_text="Which workers are ill, and why, for the staff; empty for others."
    )
    clocks = serializers.ListField(
        child=serializers.CharField(),
        help_text="Of workers whose clock is off by more than 5 s, a sentence each; the staff are "
        "told which.",
    )
    table_hosts = TableHostSerializer(
        many=True,
        help_text="Hosts of people's tables that were heard of in the last minute. While there is "
        "none, bots at tables do not move.",
    )


class StatusView(APIView):
    """Queue depth, workers, running matches, expected wait."""

    @extend_schema(operation_id="status_retrieve", responses=StatusSerializer)
    def get(self, request: Request) -> Response:
        """Queue depth, workers, running matches, expected wait."""
        figures = site_status(staff=bool(request.user.is_staff))
        return Response(StatusSerializer(figures).data, headers={"Cache-Control": "max-age=2"})

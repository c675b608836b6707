"""The site's load, as JSON."""

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


class WallsSerializer(serializers.Serializer[isolation_summary.WorkerGroup]):
    """The isolation of bots on the machines of some workers."""

    workers = serializers.IntegerField(help_text="Number of workers with exactly these walls.")
    level = serializers.ChoiceField(
        ["full", "none"], help_text="`none`: these play only house bots."
    )
    memory = serializers.CharField(
        allow_blank=True, help_text="The limit of a bot's memory; empty if there is none."
    )
    layers = serializers.ListField(
        child=serializers.CharField(), help_text="All walls, outermost first."
    )
    engine = serializers.ChoiceField(
        ["compiled", "interpreted"],
        allow_blank=True,
        help_text="How the rules run; compiled rules are several times as fast.",
    )
    runtimes = serializers.DictField(
        child=serializers.CharField(),
        help_text="Versions of the languages and libraries that bots can use, by name, such as "
        "`python` and `numpy`.",
    )


class TroubleSerializer(serializers.Serializer[WorkerNode]):
    """A worker that currently plays nothing."""

    worker = serializers.CharField(source="name")
    since = serializers.DateTimeField(source="trouble_since")
    cause = serializers.CharField(source="trouble")


class TableHostSerializer(serializers.Serializer[dict[str, Any]]):
    """A process that runs the bots of people's tables."""

    name = serializers.CharField(allow_blank=True, help_text="For the staff; empty for others.")
    tables = serializers.IntegerField(help_text="Number of tables that it plays at the same time.")
    level = serializers.ChoiceField(["full", "none"], help_text="`none`: it plays only house bots.")
    engine = serializers.ChoiceField(
        ["compiled", "interpreted"], allow_blank=True, help_text="How the rules run."
    )
    reason = serializers.CharField(
        allow_blank=True, help_text="Why it has no sandbox, for the staff; empty for others."
    )


class StatusSerializer(serializers.Serializer[dict[str, Any]]):
    """The site's load."""

    waiting_matches = serializers.IntegerField(
        help_text="Matches that no worker has taken, without those of quarantined bots."
    )
    running_matches = serializers.IntegerField(help_text="Matches being played now.")
    stuck_matches = serializers.IntegerField(help_text="Matches that need an organizer's decision.")
    waiting_checks = serializers.IntegerField(help_text="Uploads that no worker has taken.")
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
        help_text="Time to play all waiting matches at that pace; null if unknown.",
    )
    reason = serializers.CharField(
        allow_blank=True, help_text="Why matches wait, for people; empty if none waits."
    )
    sandboxes = WallsSerializer(
        many=True, help_text="As reported by workers in the last five minutes."
    )
    troubles = TroubleSerializer(
        many=True, help_text="Ill workers with causes, for the staff; empty for others."
    )
    clocks = serializers.ListField(
        child=serializers.CharField(),
        help_text="A sentence for each worker whose clock is off by more than 5 s; only the "
        "staff see its name.",
    )
    table_hosts = TableHostSerializer(
        many=True,
        help_text="Hosts of people's tables that reported in the last minute. If there is none, "
        "bots at tables do not move.",
    )
    broker_trouble = serializers.CharField(
        allow_blank=True, help_text="Why the message broker is unavailable; empty if it answers."
    )
    last_housekeeping = serializers.DateTimeField(
        allow_null=True,
        help_text="When a task of the housekeeper last succeeded, to the half minute.",
    )
    late_jobs = serializers.ListField(
        child=serializers.CharField(),
        help_text="Tasks of the housekeeper that are overdue.",
    )
    last_backup = serializers.DateTimeField(
        allow_null=True,
        help_text="When `manage.py backup` last succeeded, for the staff; null for others.",
    )


class StatusView(APIView):
    """Queue depth, workers, running matches, expected wait."""

    @extend_schema(operation_id="status_retrieve", responses=StatusSerializer)
    def get(self, request: Request) -> Response:
        """Queue depth, workers, running matches, expected wait."""
        figures = site_status(staff=bool(request.user.is_staff))
        return Response(StatusSerializer(figures).data, headers={"Cache-Control": "max-age=2"})

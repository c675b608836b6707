"""Matches and what belongs to them as JSON."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from tournaments.api.serializers import PlayerSerializer
from tournaments.models import Attempt, Match, Seat, SideResult


class SeatSerializer(serializers.ModelSerializer[Seat]):
    """Who sits where, and what the seat used."""

    seat = serializers.IntegerField(source="index")
    bot = PlayerSerializer(source="version.bot")
    version = serializers.IntegerField(source="version.number")
    fault = serializers.CharField(help_text="Kind of its first fault; empty if it made none.")

    class Meta:
        model = Seat
        fields = (
            "seat",
            "side",
            "bot",
            "version",
            "fault",
            "cpu_ms",
            "wall_ms",
            "peak_memory_kib",
        )
        read_only_fields = fields


class SideResultSerializer(serializers.ModelSerializer[SideResult]):
    """What one side got; who sat there, the seats say."""

    class Meta:
        model = SideResult
        fields = ("side", "score", "rank", "faulted")
        read_only_fields = fields


class MatchSerializer(serializers.ModelSerializer[Match]):
    """One match: format, seed and seats never change; the result comes exactly once."""

    tournament = serializers.CharField(source="tournament.slug")
    fixture = serializers.IntegerField(
        source="fixture.number", help_text="The deal group: its matches have the same shuffles."
    )
    stage = serializers.IntegerField(source="fixture.stage.number")
    round = serializers.IntegerField(source="fixture.round")
    reason = serializers.CharField(help_text="Why it ended: `target`, `deals`, …; empty before.")
    seats = SeatSerializer(many=True)
    results = SideResultSerializer(many=True, help_text="One for each side; empty before the end.")

    class Meta:
        model = Match
        fields = (
            "id",
            "tournament",
            "fixture",
            "stage",
            "round",
            "rotation",
            "format",
            "seed",
            "state",
            "moves_played",
            "reason",
            "faulted",
            "created",
            "finished",
            "seats",
            "results",
        )
        read_only_fields = fields


class RecordSerializer(serializers.Serializer[Any]):
    """A record: seed and moves, from which anyone can check the result (`cardroom verify`)."""

    cardroom = serializers.IntegerField(help_text="Version of this shape: 1.")
    format = serializers.CharField()
    seed = serializers.CharField()
    players = serializers.ListField(
        child=serializers.DictField(), help_text="One for each seat, with at least `name`."
    )
    moves = serializers.ListField(child=serializers.CharField())
    clock_ms = serializers.ListField(
        child=serializers.IntegerField(), help_text="Time of each move in milliseconds."
    )
    notes = serializers.DictField(help_text="Bots' notes by number of the move.")
    faults = serializers.ListField(child=serializers.DictField())
    result = serializers.DictField(allow_null=True)


class FrameSerializer(serializers.Serializer[Any]):
    """What a viewer draws at one step."""

    n = serializers.IntegerField(allow_null=True, help_text="Number of the move, from 0, or null.")
    seat = serializers.IntegerField(allow_null=True, help_text="Who moved, or null.")
    move = serializers.CharField(allow_null=True)
    deal = serializers.IntegerField()
    events = serializers.ListField(child=serializers.DictField(), help_text="What led here.")
    view = serializers.DictField(help_text="All cards, as spectators see them after the fact.")
    sentence = serializers.CharField(allow_blank=True)
    clause = serializers.CharField(allow_blank=True, help_text="The rule behind the sentence.")
    marks = serializers.ListField(
        child=serializers.CharField(), help_text="Cards that the event put down or took."
    )
    clock_ms = serializers.IntegerField(allow_null=True)
    note = serializers.CharField(allow_null=True)


class FramesSerializer(serializers.Serializer[Any]):
    """A whole match to look at: no rules needed."""

    match = serializers.IntegerField()
    format = serializers.CharField()
    players = serializers.ListField(child=serializers.DictField())
    frames = FrameSerializer(many=True)


class AttemptSerializer(serializers.ModelSerializer[Attempt]):
    """One try by one worker.

    `worker`, and `cause` unless it is the reason of an organizer's decision, are for the organizer;
    they are empty for others.
    """

    class Meta:
        model = Attempt
        fields = ("number", "worker", "outcome", "cause", "started", "finished")
        read_only_fields = fields

    def to_representation(self, instance: Attempt) -> dict[str, Any]:
        """Names of machines and inner errors only for who runs the tournament."""
        shown: dict[str, Any] = super().to_representation(instance)
        if self.context.get("organizes"):
            return shown
        shown["worker"] = ""
        if instance.outcome != Attempt.Outcome.OVERRULED:
            shown["cause"] = ""
        return shown


class DecisionSerializer(serializers.Serializer[Any]):
    """Why an organizer decides about a match."""

    reason = serializers.CharField(max_length=500, help_text="Everybody can read it.")


class LogSerializer(serializers.Serializer[Any]):
    """What a bot wrote to stderr during a match: its end, at most 64 KiB."""

    match = serializers.IntegerField()
    seat = serializers.IntegerField()
    log = serializers.CharField(allow_blank=True)

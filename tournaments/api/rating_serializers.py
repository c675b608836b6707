"""Ratings as JSON."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from tournaments.api.serializers import PlayerSerializer
from tournaments.models import Rating, RatingChange


class RatingSerializer(serializers.ModelSerializer[Rating]):
    """Where a bot's version stands in a pool, on the Elo scale."""

    bot = PlayerSerializer(source="version.bot")
    version = serializers.IntegerField(source="version.number")
    live = serializers.FloatField(help_text="Elo, moved by each finished match.")
    fitted = serializers.FloatField(
        allow_null=True, help_text="The last fit of all results together; null before the first."
    )
    low = serializers.FloatField(allow_null=True, help_text="Lower end of its 95 % interval.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of its 95 % interval.")

    class Meta:
        model = Rating
        fields = (
            "pool",
            "bot",
            "version",
            "live",
            "matches",
            "fitted",
            "low",
            "high",
            "groups",
            "updated",
        )
        read_only_fields = fields


class RatingChangeSerializer(serializers.ModelSerializer[RatingChange]):
    """One step of a live Elo."""

    version = serializers.IntegerField(source="version.number")
    match = serializers.IntegerField(source="match_id")

    class Meta:
        model = RatingChange
        fields = ("pool", "version", "match", "before", "after", "at")
        read_only_fields = fields


class HeadToHeadSerializer(serializers.Serializer[Any]):
    """Two bots in all matches in which they played against each other, whatever versions."""

    a = PlayerSerializer()
    b = PlayerSerializer()
    pool = serializers.CharField(help_text="`overall`, a game, or a game/variant/table.")
    matches = serializers.IntegerField()
    a_ahead = serializers.IntegerField(help_text="Matches in which a was ranked before b.")
    level = serializers.IntegerField(help_text="Matches in which both had the same rank.")
    b_ahead = serializers.IntegerField(help_text="Matches in which b was ranked before a.")
    groups = serializers.IntegerField(help_text="Deal groups in which both played.")
    points = serializers.FloatField(
        help_text="a's points summed over deal groups, 0 to 1 each; b has the rest."
    )
    difference = serializers.FloatField(help_text="a's mean score difference of a deal group.")

"""Bots, versions and checks as JSON."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from bots.models import Bot, BotVersion, Check
from cardroom_base.rest.strict_body import StrictSerializer


class BotSerializer(serializers.ModelSerializer[Bot]):
    """A bot, whose active version plays."""

    owner = serializers.CharField(
        source="owner.username", allow_null=True, help_text="Null for the site's own bots."
    )
    house = serializers.BooleanField(source="is_house")
    active = serializers.IntegerField(
        source="active_version.number", allow_null=True, help_text="Number of the active version."
    )
    formats = serializers.ListField(
        child=serializers.CharField(),
        source="active_version.formats",
        allow_null=True,
        help_text="Patterns of the formats that the active version plays.",
    )

    quarantined = serializers.DateTimeField(
        help_text="When moderators quarantined the bot; null if the bot may play.", allow_null=True
    )

    class Meta:
        model = Bot
        fields = (
            "slug",
            "name",
            "owner",
            "house",
            "description",
            "active",
            "formats",
            "plays_people",
            "takes_challenges",
            "quarantined",
            "created",
        )
        read_only_fields = fields


class BotChangeSerializer(StrictSerializer[Bot]):
    """Changes of a bot by its owner; absent fields stay as they are."""

    name = serializers.CharField(
        max_length=48, required=False, help_text="The address (slug) stays the same."
    )
    description = serializers.CharField(max_length=300, allow_blank=True, required=False)
    active = serializers.IntegerField(
        min_value=1,
        max_value=2**31 - 1,
        required=False,
        help_text="Number of a version that is ready.",
    )
    plays_people = serializers.BooleanField(
        required=False, help_text="Whether people may choose it at their tables."
    )
    takes_challenges = serializers.BooleanField(
        required=False, help_text="Whether bots of other authors may challenge it."
    )


class VersionSerializer(serializers.ModelSerializer[BotVersion]):
    """One upload of a bot; it never changes, except the status of its check."""

    bot = serializers.CharField(source="bot.slug", help_text="The bot's slug.")
    formats = serializers.ListField(
        child=serializers.CharField(),
        help_text="Patterns of formats that the version claims to play.",
    )
    needs = serializers.ListField(
        child=serializers.CharField(),
        source="needed",
        help_text="Libraries that a machine must have to play this version, such as `numpy`.",
    )
    digest = serializers.CharField(
        source="package_id", help_text="SHA-256 of the package's content."
    )

    class Meta:
        model = BotVersion
        fields = ("bot", "number", "status", "formats", "needs", "notes", "digest", "created")
        read_only_fields = fields


class NewVersionSerializer(StrictSerializer[dict[str, Any]]):
    """A package for an existing bot."""

    package = serializers.FileField(
        max_length=255, help_text="A bot.py, or a zip that contains it (and a cardroom.toml)."
    )
    notes = serializers.CharField(
        max_length=500, allow_blank=True, default="", help_text="What changed."
    )
    games = serializers.ListField(
        child=serializers.CharField(max_length=40),
        max_length=20,
        required=False,
        help_text="The only games that the version is to play. Default: the games that its "
        "cardroom.toml claims; if it claims none, all in which the check finds no problem.",
    )
    candidate = serializers.BooleanField(
        default=False,
        help_text="Start a trial against the active version as soon as it has passed its check.",
    )


class NewBotSerializer(NewVersionSerializer):
    """A package for a new bot."""

    candidate = None  # type: ignore[assignment]  # a first version has no opponent for a trial
    name = serializers.CharField(
        max_length=48,
        required=False,
        help_text="Default: the name in cardroom.toml, else one made from the file's name.",
    )
    description = serializers.CharField(max_length=300, allow_blank=True, default="")


class StepSerializer(serializers.Serializer[dict[str, Any]]):
    """One step of a check."""

    name = serializers.CharField(help_text="`package`, `start`, a format, or `limits`.")
    title = serializers.CharField()
    status = serializers.ChoiceField(["waiting", "running", "ok", "failed", "skipped"])
    seconds = serializers.FloatField()
    text = serializers.CharField(help_text="The outcome, in one line.")
    detail = serializers.CharField(
        help_text="Several lines; for a problem, how to reproduce it at home."
    )


class CheckSerializer(serializers.ModelSerializer[Check]):
    """The check of a version: its steps, the outcome, and the bot's own log."""

    status = serializers.ChoiceField(BotVersion.Status.choices, source="version.status")
    steps = StepSerializer(many=True, help_text="The steps so far, in order.")

    class Meta:
        model = Check
        fields = ("status", "summary", "steps", "log", "tries", "started", "finished")
        read_only_fields = fields

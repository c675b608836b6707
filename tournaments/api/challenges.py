"""Challenges: unrated deal groups between two bots."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from bots.models import Bot, BotVersion
from cardroom_base.rest.idempotency import PARAMETER, idempotent
from cardroom_base.rest.strict_body import BotField, StrictSerializer
from tournaments import actions
from tournaments.actions.challenges import GROUPS, MAX_GROUPS
from tournaments.api.permissions import EntersOrReads
from tournaments.models import Challenge, Tournament
from tournaments.reading.challenges import challenges, score_of
from tournaments.visibility import viewer_of


class NewChallengeSerializer(StrictSerializer[Any]):
    """The two versions, the format and the number of deal groups of a new challenge."""

    bot = BotField(help_text="Your bot.")
    against = BotField(
        help_text="The bot to challenge; name your own bot to challenge another of its versions."
    )
    version = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text="Version of your bot; default: the active one.",
    )
    against_version = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text="Version of the other bot; default: the active one. Only your own bots can be "
        "challenged in other versions.",
    )
    format = serializers.CharField(
        max_length=200,
        default="",
        allow_blank=True,
        help_text="A format with two sides. Default: the format that your bot has played most.",
    )
    groups = serializers.IntegerField(
        default=GROUPS, min_value=1, max_value=MAX_GROUPS, help_text="Deal groups to play."
    )


class ChallengeSerializer(serializers.Serializer[Challenge]):
    """A challenge and its score."""

    id = serializers.IntegerField(read_only=True)
    bot = serializers.CharField(source="candidate.bot.slug")
    version = serializers.IntegerField(source="candidate.number")
    against = serializers.CharField(source="opponent.bot.slug")
    against_version = serializers.IntegerField(source="opponent.number")
    tournament = serializers.CharField(
        source="tournament.slug", help_text="The hidden, unrated tournament with its matches."
    )
    format = serializers.CharField(source="tournament.format")
    groups = serializers.IntegerField(read_only=True)
    state = serializers.ChoiceField(Tournament.State.choices, source="tournament.state")
    private = serializers.BooleanField(
        source="own",
        help_text="Whether both versions are of one bot; then only its owner sees the challenge.",
    )
    won = serializers.IntegerField(
        source="score.won", help_text="Deal groups in which `bot` was ahead."
    )
    level = serializers.IntegerField(source="score.level")
    lost = serializers.IntegerField(source="score.lost")
    points = serializers.FloatField(
        source="score.share",
        allow_null=True,
        help_text="Mean over the deal groups, each from 0 to 1; null before the first is over.",
    )
    low = serializers.FloatField(
        source="score.low", allow_null=True, help_text="Lower end of the 95 % interval of `points`."
    )
    high = serializers.FloatField(
        source="score.high", allow_null=True, help_text="Upper end of that interval."
    )
    matches = serializers.ListField(
        source="score.matches",
        child=serializers.IntegerField(),
        help_text="All matches, group by group.",
    )
    created = serializers.DateTimeField(source="started", read_only=True)
    finished = serializers.DateTimeField(source="tournament.finished", allow_null=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Add the score from the challenge's deal groups."""
        instance.score = score_of(instance)
        return super().to_representation(instance)


class ChallengeList(GenericAPIView[Challenge]):
    """Start challenges."""

    serializer_class = ChallengeSerializer
    permission_classes = (EntersOrReads,)
    filter_backends = ()
    problems = {"post": (403, 409)}

    @extend_schema(
        operation_id="challenges_create",
        parameters=[PARAMETER],
        request=NewChallengeSerializer,
        responses={201: ChallengeSerializer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Start unrated deal groups between your bot and another one.

        House bots, and bots whose authors allow it, can be challenged in their active version; your
        own bots in any version that is ready.
        """
        body = NewChallengeSerializer.read(request)
        by: Any = request.user
        new_challenge = actions.start_challenge(
            _version(body["bot"], body.get("version"), "bot", "version"),
            _version(body["against"], body.get("against_version"), "against", "against_version"),
            by,
            format_text=body["format"],
            groups=body["groups"],
        )
        address = request.build_absolute_uri(reverse("api:challenge", args=(new_challenge.pk,)))
        challenge = challenges(by).get(pk=new_challenge.pk)
        return Response(ChallengeSerializer(challenge).data, 201, headers={"Location": address})


class ChallengeDetail(GenericAPIView[Challenge]):
    """One challenge."""

    serializer_class = ChallengeSerializer
    permission_classes = (EntersOrReads,)
    filter_backends = ()
    problems = {"delete": (409,)}

    def get_object(self) -> Challenge:
        """The challenge; 404 if the user may not see it."""
        return get_object_or_404(challenges(viewer_of(self.request)), pk=self.kwargs["id"])

    @extend_schema(operation_id="challenges_retrieve")
    def get(self, request: Request, id: int) -> Response:  # noqa: A002 - as all addresses name it
        """Return a challenge and its score; matches are at `tournaments/{tournament}/matches/`."""
        return Response(ChallengeSerializer(self.get_object()).data)

    @extend_schema(operation_id="challenges_destroy", responses=ChallengeSerializer)
    def delete(self, request: Request, id: int) -> Response:  # noqa: A002 - as all addresses name it
        """End a challenge early; its results stay (only the user who made it may do this)."""
        challenge = self.get_object()
        by: Any = request.user
        actions.cancel_challenge(challenge, by)
        return Response(ChallengeSerializer(self.get_object()).data)


def _version(slug: str, number: int | None, bot_field: str, version_field: str) -> BotVersion:
    """The requested version; ValidationError names the invalid field."""
    bot = Bot.objects.select_related("active_version").filter(slug=slug).first()
    if bot is None:
        raise ValidationError({bot_field: f"No bot is called {slug}."})
    if number is None and bot.active_version is None:
        raise ValidationError({bot_field: f"{bot.name} has no version that passed a check."})
    versions = bot.versions.select_related("bot")
    version = versions.filter(
        **({"pk": bot.active_version_id} if number is None else {"number": number})
    ).first()
    if version is None:
        raise ValidationError({version_field: f"{bot.name} has no version {number}."})
    return version

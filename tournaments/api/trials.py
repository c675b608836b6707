"""Trials of candidate versions: start, read, end; the retirement of bots."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from bots.api.permissions import OwnsBot
from bots.api.serializers import BotSerializer
from bots.models import Bot, BotVersion
from cardroom_base.core.errors import ActionError
from cardroom_base.rest.strict_body import NoBody, StrictSerializer
from tournaments import actions
from tournaments.actions.trials import GAIN, GAINS
from tournaments.models import Trial
from tournaments.ratings.sprt import bounds


class NewTrialSerializer(StrictSerializer[Any]):
    """The format of a trial, and the gain to test for."""

    format = serializers.CharField(
        max_length=200,
        default="",
        allow_blank=True,
        help_text="Default: the format that the bot has played most.",
    )
    gain = serializers.FloatField(
        default=GAIN,
        min_value=GAINS[0],
        max_value=GAINS[1],
        help_text="Elo points; a candidate that is this much better is almost always promoted. "
        "Half the gain needs about four times as many deal groups.",
    )


class TrialSerializer(serializers.ModelSerializer[Trial]):
    """The trial of a candidate version against the stable version."""

    bot = serializers.CharField(source="candidate.bot.slug")
    candidate = serializers.IntegerField(source="candidate.number")
    stable = serializers.IntegerField(
        source="opponent.number", help_text="The version that was active when the trial began."
    )
    tournament = serializers.CharField(
        source="tournament.slug", help_text="The hidden, unrated tournament with its matches."
    )
    format = serializers.CharField(source="tournament.format")
    state = serializers.ChoiceField(Trial.State.choices)
    llr = serializers.FloatField(help_text="Log likelihood ratio of `elo1` against `elo0`, so far.")
    lower = serializers.SerializerMethodField(
        help_text="At or below this `llr`, the candidate is rejected."
    )
    upper = serializers.SerializerMethodField(
        help_text="At or above this `llr`, the candidate is promoted."
    )

    class Meta:
        model = Trial
        fields = (
            "bot",
            "candidate",
            "stable",
            "tournament",
            "format",
            "state",
            "llr",
            "lower",
            "upper",
            "groups",
            "started",
            "elo0",
            "elo1",
            "alpha",
            "beta",
            "finished",
        )
        read_only_fields = ("elo0", "elo1", "alpha", "beta", "groups", "started", "finished")

    def get_lower(self, trial: Trial) -> float:
        """Wald's lower bound."""
        return bounds(trial.alpha, trial.beta).lower

    def get_upper(self, trial: Trial) -> float:
        """Wald's upper bound."""
        return bounds(trial.alpha, trial.beta).upper


class TrialView(GenericAPIView[Trial]):
    """The last trial of a version."""

    serializer_class = TrialSerializer
    permission_classes = (OwnsBot,)
    filter_backends = ()
    problems = {"get": (403,), "post": (409,), "delete": (409,)}

    @extend_schema(operation_id="bots_versions_trial_retrieve", responses=TrialSerializer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Return the last trial of a version (owner); 404 if there is none."""
        trials = _trials().filter(candidate=self._version())
        trial = get_object_or_404(trials.order_by("-pk")[:1])
        return Response(TrialSerializer(trial).data, headers={"Cache-Control": "private, no-cache"})

    @extend_schema(
        operation_id="bots_versions_trial_create",
        request=NewTrialSerializer,
        responses={201: TrialSerializer},
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Start a trial against the active version (owner); a better version becomes active."""
        version = self._version()
        body = NewTrialSerializer.read(request)
        by: Any = request.user
        trial = actions.start_trial(version, by, format_text=body["format"], gain=body["gain"])
        return Response(TrialSerializer(_trials().get(pk=trial.pk)).data, 201)

    @extend_schema(operation_id="bots_versions_trial_destroy", responses=TrialSerializer)
    def delete(self, request: Request, slug: str, number: int) -> Response:
        """End the trial of a version undecided, and return it (owner)."""
        version = self._version()
        trial = _trials().filter(candidate=version, state=Trial.State.RUNNING).first()
        if trial is None:
            raise ActionError(
                f"Version {version.number} of {version.bot.name} is not in a trial.", "conflict"
            )
        by: Any = request.user
        actions.abandon_trial(trial, by)
        return Response(TrialSerializer(_trials().get(pk=trial.pk)).data)

    def _version(self) -> BotVersion:
        version = get_object_or_404(
            BotVersion.objects.select_related("bot"),
            bot__slug=self.kwargs["slug"],
            number=self.kwargs["number"],
        )
        self.check_object_permissions(self.request, version.bot)
        return version


class Retire(NoBody, GenericAPIView[Bot]):
    """Retire a bot."""

    serializer_class = BotSerializer
    permission_classes = (OwnsBot,)
    filter_backends = ()
    problems = {"post": (400, 409)}

    @extend_schema(operation_id="bots_retire", request=None, responses=BotSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Take the bot out of lists, open tournaments, ladders, trials and challenges (owner).

        In other running tournaments it plays on. Making a version active brings it back.
        """
        bot = get_object_or_404(Bot.objects.select_related("owner"), slug=slug)
        self.check_object_permissions(request, bot)
        by: Any = request.user
        return Response(BotSerializer(actions.retire_bot(bot, by)).data)


def _trials() -> Any:
    return Trial.objects.select_related("candidate__bot", "opponent", "tournament")

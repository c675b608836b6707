"""Ratings, their history, and two bots against each other."""

from __future__ import annotations

from typing import Any

from django.db.models import F, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.models import Bot
from cardroom_base.rest.answers import AnswerSerializer, answer
from cardroom_base.rest.strict_body import BotField, StrictSerializer
from tournaments.api.filters import (
    HistoryFilter,
    PointFilter,
    PoolFilter,
    RatingFilter,
    ScaleChangeFilter,
    TeamFilter,
)
from tournaments.api.rating_serializers import (
    HeadToHeadSerializer,
    PoolSerializer,
    RatingChangeSerializer,
    RatingPointSerializer,
    RatingSerializer,
    ScaleChangeSerializer,
    TeamRatingSerializer,
)
from tournaments.models import (
    PoolFit,
    Rating,
    RatingChange,
    RatingPoint,
    ScaleChange,
    TeamRating,
)
from tournaments.reading.head_to_head import compare, head_to_head
from tournaments.reading.rating_table import PAGE, RatingPage, Selection, rating_table


class RatingList(ListAPIView[Rating]):
    """Ratings, best first within each pool."""

    serializer_class = RatingSerializer
    filterset_class = RatingFilter
    ordering_fields = ("pool", "live", "fitted", "matches", "groups", "updated")

    def get_queryset(self) -> QuerySet[Rating]:
        """Ratings ordered by the fit, then by live Elo; versions without a fit come last."""
        return Rating.objects.select_related("version__bot").order_by(
            "pool", F("fitted").desc(nulls_last=True), "-live", "pk"
        )


class HistoryList(ListAPIView[RatingChange]):
    """The history of a bot's live Elo."""

    serializer_class = RatingChangeSerializer
    filterset_class = HistoryFilter
    ordering_fields = ("at",)

    def get_queryset(self) -> QuerySet[RatingChange]:
        """Changes of all versions, oldest first."""
        if getattr(self, "swagger_fake_view", False):
            return RatingChange.objects.none()
        bot = get_object_or_404(Bot, slug=self.kwargs["bot"])
        changes = RatingChange.objects.filter(version__bot=bot)
        return changes.select_related("version").order_by("pk")


class PointList(ListAPIView[RatingPoint]):
    """The history of a bot's fitted rating and its interval."""

    serializer_class = RatingPointSerializer
    filterset_class = PointFilter
    ordering_fields = ("at",)

    def get_queryset(self) -> QuerySet[RatingPoint]:
        """Points of all versions, oldest first; long histories are thinned."""
        if getattr(self, "swagger_fake_view", False):
            return RatingPoint.objects.none()
        bot = get_object_or_404(Bot, slug=self.kwargs["bot"])
        points = RatingPoint.objects.filter(version__bot=bot)
        return points.select_related("version").order_by("ordinal", "pool")


class TeamList(ListAPIView[TeamRating]):
    """Teams of different bots, best first within each pool."""

    serializer_class = TeamRatingSerializer
    filterset_class = TeamFilter
    ordering_fields = ("pool", "fitted", "bond", "groups")

    def get_queryset(self) -> QuerySet[TeamRating]:
        """Teams with their members."""
        teams = TeamRating.objects.prefetch_related("members__bot")
        return teams.order_by("pool", "-fitted", "pk")


class PoolList(ListAPIView[PoolFit]):
    """The pools with the general figures of their last fits."""

    serializer_class = PoolSerializer
    filterset_class = PoolFilter
    ordering_fields = ("pool", "groups", "at")

    def get_queryset(self) -> QuerySet[PoolFit]:
        """Pools by name, without their large columns."""
        deferred = ("covariance", "entrants", "anchors")
        return PoolFit.objects.defer(*deferred).order_by("pool")


class ScaleChangeList(ListAPIView[ScaleChange]):
    """Shifts of the pools' scales, which do not mean that anybody's strength changed."""

    serializer_class = ScaleChangeSerializer
    filterset_class = ScaleChangeFilter
    ordering_fields = ("at",)

    def get_queryset(self) -> QuerySet[ScaleChange]:
        """Shifts, newest first."""
        return ScaleChange.objects.order_by("-ordinal", "pool", "pk")


class SelectionSerializer(StrictSerializer[Any]):
    """A page of the rating table of a pool."""

    pool = serializers.CharField(max_length=100)
    kind = serializers.ChoiceField(choices=Rating.Kind.choices, default=Rating.Kind.ALL)
    all_versions = serializers.BooleanField(default=False)
    fewer = serializers.BooleanField(default=False)
    page = serializers.IntegerField(min_value=1, max_value=1_000_000, default=1)


class RatingTableView(APIView):
    """The rating table of a pool."""

    query = ("pool", "kind", "all_versions", "fewer", "page")
    problems = {"get": (400,)}

    @extend_schema(
        operation_id="ratings_table_retrieve",
        parameters=[
            OpenApiParameter(
                "pool", str, required=True, description="`overall`, a game, or game/variant/table."
            ),
            OpenApiParameter("kind", str, enum=Rating.Kind.values, description="Default `all`."),
            OpenApiParameter(
                "all_versions", bool, description="Also versions that no longer play."
            ),
            OpenApiParameter(
                "fewer",
                bool,
                description="Include bots with few groups; long tables omit them.",
            ),
            OpenApiParameter("page", int, description=f"A page has {PAGE} rows; default 1."),
        ],
        responses=AnswerSerializer(dataclass=RatingPage),
    )
    def get(self, request: Request) -> Response:
        """Return places, intervals, changes, leads, and who beats whom, as on the page of
        ratings."""
        query = SelectionSerializer.read(request)
        return answer(rating_table(Selection(**query, viewer=request.user.pk)))


class PairSerializer(StrictSerializer[Any]):
    """The two bots and the pool of a comparison."""

    a = BotField()
    b = BotField()
    pool = serializers.CharField(max_length=100, default="overall")


class HeadToHeadView(GenericAPIView[Bot]):
    """Two bots against each other."""

    serializer_class = HeadToHeadSerializer
    filter_backends = ()
    query = ("a", "b", "pool")
    problems = {"get": (400,)}

    @extend_schema(
        operation_id="ratings_head_to_head_retrieve",
        parameters=[
            OpenApiParameter("a", str, required=True, description="Slug of one bot."),
            OpenApiParameter("b", str, required=True, description="Slug of the other."),
            OpenApiParameter(
                "pool", str, description="`overall` (default), a game, or a game/variant/table."
            ),
        ],
        responses=HeadToHeadSerializer,
    )
    def get(self, request: Request) -> Response:
        """Compare two bots by their ratings, and by the rated matches against each other."""
        query = PairSerializer.read(request)
        a, b = (self._bot(query, key) for key in ("a", "b"))
        if a == b:
            raise ValidationError({"b": "Name two different bots."})
        pool = query["pool"]
        fields = {**head_to_head(a, b, pool), "comparison": compare(a, b, pool)}
        return Response(HeadToHeadSerializer(fields).data)

    def _bot(self, query: dict[str, Any], key: str) -> Bot:
        bot = Bot.objects.filter(slug=query[key]).first()
        if bot is None:
            raise ValidationError({key: f"No bot is called {query[key]}."})
        return bot

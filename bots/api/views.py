"""Bots, their versions and the checks of versions."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from bots import actions
from bots.api.filters import BotFilter, VersionFilter
from bots.api.permissions import OwnsBot, OwnsBotOrReads, UploadsOrReads
from bots.api.serializers import (
    BotChangeSerializer,
    BotSerializer,
    CheckSerializer,
    NewBotSerializer,
    NewVersionSerializer,
    VersionSerializer,
)
from bots.limits import MAX_UPLOAD
from bots.models import Bot, BotVersion, Check
from cardroom_base.rest.strict_body import NoBody

_QUEUED = OpenApiResponse(
    VersionSerializer,
    description="Stored. `status` goes from `queued` to `checking` to `ready` or `rejected`.",
    examples=[
        OpenApiExample(
            "queued",
            {
                "bot": "magpie",
                "number": 1,
                "status": "queued",
                "formats": ["cassino/*/*"],
                "notes": "",
                "digest": "0" * 64,
                "created": "2026-11-21T12:00:00Z",
            },
        )
    ],
)


class UploadView(GenericAPIView[Any]):
    """A view whose POST accepts a package as multipart/form-data; other methods use JSON."""

    max_body = MAX_UPLOAD

    def get_parsers(self) -> list[Any]:
        """Parse only uploads as forms."""
        if self.request is not None and self.request.method == "POST":
            return [MultiPartParser()]
        return list(super().get_parsers())

    def get_throttles(self) -> list[Any]:
        """Limit uploads separately, because each costs a check."""
        is_upload = self.request.method == "POST"
        self.throttle_scope = "upload" if is_upload else None
        return list(super().get_throttles())


class BotList(UploadView, ListAPIView[Bot]):
    """Bots that can play, and the user's own."""

    serializer_class = BotSerializer
    permission_classes = (UploadsOrReads,)
    filterset_class = BotFilter
    ordering_fields = ("name", "created")
    problems = {"post": (409, 503)}

    def get_queryset(self) -> QuerySet[Bot]:
        """Bots that can play; owners also see their other bots, staff see all."""
        bots = Bot.objects.select_related("owner", "active_version").order_by("name", "pk")
        user = self.request.user
        if not user.is_authenticated:
            return bots.listed()
        if user.is_staff:
            return bots
        return bots.listed() | bots.filter(owner=user)

    @extend_schema(
        operation_id="bots_create",
        request={"multipart/form-data": NewBotSerializer},
        responses={201: _QUEUED},
    )
    def post(self, request: Request) -> Response:
        """Upload the first version of a new bot, and return that version."""
        fields = NewBotSerializer.read(request)
        return _upload(request, None, fields)


class BotDetail(RetrieveAPIView[Bot]):
    """One bot."""

    serializer_class = BotSerializer
    permission_classes = (OwnsBotOrReads,)
    lookup_field = "slug"
    queryset = Bot.objects.select_related("owner", "active_version")
    problems = {"patch": (409,)}

    @extend_schema(request=BotChangeSerializer, responses=BotSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change name or description, or choose the active version (owner)."""
        bot = self.get_object()
        changes = BotChangeSerializer.read(request)
        _change(bot, changes, request.user)
        return Response(BotSerializer(self.get_object()).data)


class RollBack(NoBody, GenericAPIView[Bot]):
    """Roll a bot back to an earlier version."""

    serializer_class = BotSerializer
    permission_classes = (OwnsBot,)
    filter_backends = ()
    problems = {"post": (400, 409)}

    @extend_schema(operation_id="bots_rollback", request=None, responses=BotSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Activate the version that was active before the present one (owner)."""
        bot = get_object_or_404(Bot.objects.select_related("owner"), slug=slug)
        self.check_object_permissions(request, bot)
        by: Any = request.user
        return Response(BotSerializer(actions.roll_back(bot, by)).data)


class VersionList(UploadView, ListAPIView[BotVersion]):
    """The versions of a bot, newest first."""

    serializer_class = VersionSerializer
    permission_classes = (OwnsBotOrReads,)
    filterset_class = VersionFilter
    ordering_fields = ("number", "created")
    problems = {"post": (409, 503)}

    def get_queryset(self) -> QuerySet[BotVersion]:
        """All versions of the bot."""
        if getattr(self, "swagger_fake_view", False):
            return BotVersion.objects.none()
        bot = get_object_or_404(Bot, slug=self.kwargs["slug"])
        return bot.versions.select_related("bot").order_by("-number")

    @extend_schema(
        operation_id="bots_versions_create",
        request={"multipart/form-data": NewVersionSerializer},
        responses={201: _QUEUED},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Upload a new version (owner)."""
        bot = get_object_or_404(Bot, slug=slug)
        self.check_object_permissions(request, bot)
        fields = NewVersionSerializer.read(request)
        return _upload(request, bot, fields)


class VersionDetail(RetrieveAPIView[BotVersion]):
    """One version of a bot."""

    serializer_class = VersionSerializer

    def get_object(self) -> BotVersion:
        """The version by the bot's slug and its number."""
        return get_object_or_404(
            BotVersion.objects.select_related("bot"),
            bot__slug=self.kwargs["slug"],
            number=self.kwargs["number"],
        )


class CheckDetail(GenericAPIView[Check]):
    """The check of a version: steps, summary, the bot's own log."""

    serializer_class = CheckSerializer
    permission_classes = (OwnsBot,)
    problems = {"get": (403,)}

    @extend_schema(operation_id="bots_versions_check_retrieve", responses=CheckSerializer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Return the steps and outcome of a check (owner)."""
        bot = get_object_or_404(Bot, slug=slug)
        self.check_object_permissions(request, bot)
        check = get_object_or_404(
            Check.objects.select_related("version"), version__bot=bot, version__number=number
        )
        return Response(CheckSerializer(check).data, headers={"Cache-Control": "private, no-cache"})


def _upload(request: Request, bot: Bot | None, fields: dict[str, Any]) -> Response:
    package = fields.pop("package")
    version = actions.upload_version(
        request.user,  # type: ignore[arg-type]  # the permission requires an account
        package.read(),
        package.name,
        bot=bot,
        **fields,
    )
    address = reverse("api:version", args=(version.bot.slug, version.number))
    return Response(
        VersionSerializer(version).data,
        201,
        headers={"Location": request.build_absolute_uri(address)},
    )


@transaction.atomic
def _change(bot: Bot, changes: dict[str, Any], by: Any) -> None:
    """Make all changes, or none."""
    if "name" in changes:
        actions.rename(bot, changes["name"], by)
    if "description" in changes:
        actions.describe(bot, changes["description"], by)
    if "plays_people" in changes:
        actions.allow_people(bot, by, allowed=changes["plays_people"])
    if "takes_challenges" in changes:
        actions.allow_challenges(bot, by, allowed=changes["takes_challenges"])
    if "active" not in changes:
        return
    try:
        actions.set_active_version(bot, changes["active"], by)
    except actions.ActionError as error:  # the action has another name for the field
        raise actions.ActionError(str(error), error.code, "active") from error

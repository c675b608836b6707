"""Notifications of the account."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.api.permissions import HasAccount
from cardroom.notification_texts import word_notifications
from cardroom_base.core.scopes import READ
from cardroom_base.db.notifications import mark_read
from cardroom_base.models import Notification
from cardroom_base.rest.strict_body import StrictSerializer
from tournaments.visibility import viewer_of


class ReadsOwn(HasAccount):
    """Anyone with an account; marking as read needs the same scope as reading."""

    scope = READ


class NotificationSerializer(serializers.Serializer[Any]):
    """A notification."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(Notification.Kind.choices)
    at = serializers.DateTimeField()
    read = serializers.DateTimeField(allow_null=True, help_text="Null: unread.")
    text = serializers.CharField()
    address = serializers.CharField(
        help_text="The path of the page that it is about; empty if you may not see it."
    )


class NotificationList(ListAPIView[Notification]):
    """The notifications of an account."""

    serializer_class = NotificationSerializer
    permission_classes = (ReadsOwn,)
    filter_backends = ()

    def get_queryset(self) -> QuerySet[Notification]:
        """The account's own, newest first."""
        if getattr(self, "swagger_fake_view", False):
            return Notification.objects.none()
        return Notification.objects.filter(user=self.request.user.pk)

    def paginate_queryset(self, queryset: Any) -> Any:
        """The page, with texts."""
        return word_notifications(
            super().paginate_queryset(queryset) or (), viewer_of(self.request)
        )

    @extend_schema(operation_id="notifications_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return your notifications, newest first."""
        return super().get(request, *args, **kwargs)


class ReadNotificationsSerializer(StrictSerializer[Any]):
    """How far the account has read."""

    until = serializers.IntegerField(
        min_value=1,
        max_value=2**63 - 1,
        required=False,
        help_text="The newest notification that you have read; all by default.",
    )


class NotificationsRead(APIView):
    """Mark notifications of the account as read."""

    permission_classes = (ReadsOwn,)

    @extend_schema(
        operation_id="notifications_read",
        request=ReadNotificationsSerializer,
        responses={204: None},
    )
    def post(self, request: Request) -> Response:
        """Mark your notifications as read."""
        body = ReadNotificationsSerializer.read(request)
        user: Any = request.user
        mark_read(user.pk, body.get("until"))
        return Response(status=204)

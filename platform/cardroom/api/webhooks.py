"""Webhooks: addresses to which the site posts an account's notifications."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.generics import ListAPIView
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.api.permissions import HasAccount
from cardroom.actions import webhooks as actions
from cardroom.addresses import site_origin
from cardroom_base.core.scopes import DEFAULT_SCOPES
from cardroom_base.models import MAX_URL, Notification, Webhook, WebhookDelivery
from cardroom_base.rest.strict_body import NoBody, StrictSerializer


class ManagesWebhooks(HasAccount):
    """Reading needs the scope `read`; changes need all default scopes, as a webhook outlives the
    token."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        scopes = getattr(request.auth, "scopes", None)
        if request.method in SAFE_METHODS or scopes is None:
            return super().has_permission(request, view)
        if set(DEFAULT_SCOPES) <= set(scopes):
            return True
        raise PermissionDenied(
            "Changing webhooks needs a token with the scopes "
            f"{', '.join(DEFAULT_SCOPES)}, or your account page.",
            code="missing-scope",
        )


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """A webhook without its secret."""

    kinds = serializers.ListField(child=serializers.ChoiceField(Notification.Kind.choices))
    format = serializers.ChoiceField(Webhook.Format.choices)
    state = serializers.ChoiceField(Webhook.State.choices)
    succeeded = serializers.DateTimeField(
        allow_null=True, help_text="The last successful delivery; null: none yet."
    )

    class Meta:
        model = Webhook
        fields = ("id", "url", "kinds", "format", "state", "created", "succeeded")
        read_only_fields = fields


class SecretSerializer(serializers.Serializer[Any]):
    """A new secret, which cannot be shown again."""

    secret = serializers.CharField(help_text="The signing key, `whsec_…`.")


class NewWebhookSerializer(WebhookSerializer):
    """A new webhook with its secret, which cannot be shown again."""

    secret = serializers.CharField(help_text="The signing key, `whsec_…`.")

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")  # type: ignore[assignment]  # one more


class WebhookChangeSerializer(StrictSerializer[dict[str, Any]]):
    """The fields to change."""

    url = serializers.CharField(
        max_length=MAX_URL, required=False, help_text="Begins with `https://`; a public host."
    )
    kinds = serializers.ListField(
        child=serializers.ChoiceField(Notification.Kind.choices),
        allow_empty=False,
        max_length=len(Notification.Kind),
        required=False,
        help_text="The kinds of notifications that are sent.",
    )
    on = serializers.BooleanField(required=False, help_text="Whether notifications are sent.")


class WebhookCreationSerializer(StrictSerializer[dict[str, Any]]):
    """A webhook to create."""

    url = serializers.CharField(
        max_length=MAX_URL, help_text="Begins with `https://`; a public host."
    )
    kinds = serializers.ListField(
        child=serializers.ChoiceField(Notification.Kind.choices),
        allow_empty=False,
        max_length=len(Notification.Kind),
        default=list(Notification.Kind.values),
        help_text="The kinds of notifications that are sent; all by default.",
    )
    format = serializers.ChoiceField(Webhook.Format.choices, default=Webhook.Format.STANDARD)


class DeliverySerializer(serializers.ModelSerializer[WebhookDelivery]):
    """A delivery and its last attempt."""

    id = serializers.CharField(source="message_id", help_text="The header `webhook-id`.")
    notification = serializers.IntegerField(
        source="notification_id", allow_null=True, help_text="Null: a test."
    )
    state = serializers.ChoiceField(["waiting", "delivered", "failed"])
    attempts = serializers.IntegerField(source="tries")
    sent = serializers.DateTimeField(
        allow_null=True, help_text="The end of the last attempt; null: none yet."
    )
    status = serializers.IntegerField(
        allow_null=True, help_text="The HTTP status; null: no answer."
    )
    answer = serializers.CharField(help_text="The beginning of the answer's body.")
    trouble = serializers.CharField(help_text="Why it failed; empty if it did not.")
    next = serializers.SerializerMethodField(help_text="The next attempt; null: none.")

    class Meta:
        model = WebhookDelivery
        fields = (
            *("id", "notification", "created", "state", "attempts", "sent", "milliseconds"),
            *("status", "answer", "trouble", "next"),
        )
        read_only_fields = fields

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_next(self, delivery: WebhookDelivery) -> Any:
        return delivery.not_before if delivery.finished is None else None


class WebhookList(APIView):
    """The webhooks of an account."""

    permission_classes = (ManagesWebhooks,)
    problems = {"post": (409,)}

    @extend_schema(operation_id="webhooks_list", responses=WebhookSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your webhooks, without their secrets."""
        return Response(WebhookSerializer(_own_webhooks(request), many=True).data)

    @extend_schema(
        operation_id="webhooks_create",
        request=WebhookCreationSerializer,
        responses={201: NewWebhookSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a webhook. Its secret cannot be shown again."""
        fields = WebhookCreationSerializer.read(request)
        by: Any = request.user
        webhook = actions.create_webhook(
            by, fields["url"], fields["kinds"], fields["format"], site_origin(request)
        )
        body = NewWebhookSerializer(webhook).data
        return Response(body, 201, headers={"Cache-Control": "no-store"})


class WebhookView(APIView):
    """The base of views of one webhook."""

    permission_classes = (ManagesWebhooks,)

    def webhook(self) -> Webhook:
        """The user's webhook with the number in the address, or 404."""
        webhook = _own_webhooks(self.request).filter(pk=self.kwargs["number"]).first()
        if webhook is None:
            raise Http404("You have no such webhook.")
        return webhook


class WebhookDetail(WebhookView):
    """One webhook."""

    @extend_schema(operation_id="webhooks_retrieve", responses=WebhookSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return one of your webhooks, without its secret."""
        return Response(WebhookSerializer(self.webhook()).data)

    @extend_schema(
        operation_id="webhooks_partial_update",
        request=WebhookChangeSerializer,
        responses=WebhookSerializer,
    )
    def patch(self, request: Request, number: int) -> Response:
        """Change one of your webhooks; switching it off drops its waiting deliveries."""
        webhook = self.webhook()
        body = WebhookChangeSerializer.read(request)
        return Response(WebhookSerializer(actions.change_webhook(webhook, **body)).data)

    @extend_schema(operation_id="webhooks_destroy", request=None, responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """Delete one of your webhooks with its deliveries."""
        actions.delete_webhook(self.webhook())
        return Response(status=204)


class WebhookSecret(NoBody, WebhookView):
    """The secret of a webhook."""

    @extend_schema(operation_id="webhooks_rotate", request=None, responses=SecretSerializer)
    def post(self, request: Request, number: int) -> Response:
        """Replace the secret that signs messages. The new one cannot be shown again."""
        secret = actions.rotate_secret(self.webhook())
        return Response({"secret": secret}, headers={"Cache-Control": "no-store"})


class WebhookTest(NoBody, WebhookView):
    """Tests of a webhook."""

    problems = {"post": (409,)}

    @extend_schema(operation_id="webhooks_test", request=None, responses={201: DeliverySerializer})
    def post(self, request: Request, number: int) -> Response:
        """Send a test within a few seconds. It is not repeated if it fails."""
        delivery = actions.send_test(self.webhook())
        delivery.refresh_from_db()
        return Response(DeliverySerializer(delivery).data, 201)


class DeliveryList(WebhookView, ListAPIView[WebhookDelivery]):
    """The deliveries to a webhook."""

    serializer_class = DeliverySerializer
    filter_backends = ()

    def get_queryset(self) -> QuerySet[WebhookDelivery]:
        """Newest first."""
        if getattr(self, "swagger_fake_view", False):
            return WebhookDelivery.objects.none()
        return self.webhook().deliveries.all()

    @extend_schema(operation_id="webhooks_deliveries_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the deliveries of the last 30 days, newest first."""
        return super().get(request, *args, **kwargs)


def _own_webhooks(request: Request) -> QuerySet[Webhook]:
    return Webhook.objects.filter(user=request.user.pk)

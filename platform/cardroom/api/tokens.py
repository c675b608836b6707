"""Tokens, which programs send instead of a password."""

from __future__ import annotations

from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth import authenticate
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.api.permissions import HasAccount, InScope
from cardroom.actions import tokens
from cardroom.models import MAX_TOKEN_NAME, Token
from cardroom_base.core.scopes import DEFAULT_SCOPES, SCOPES
from cardroom_base.rest.idempotency import PARAMETER, respond_once
from cardroom_base.rest.strict_body import StrictSerializer


class CredentialsSerializer(StrictSerializer[dict[str, Any]]):
    """The account, its password, and the name, scopes and duration of the requested token."""

    username = serializers.CharField(max_length=150)
    password = serializers.CharField(
        max_length=200, trim_whitespace=False, style={"input_type": "password"}, write_only=True
    )
    name = serializers.CharField(
        max_length=MAX_TOKEN_NAME, default="token", help_text="A name by which to recognise it."
    )
    scope = serializers.ListField(
        child=serializers.ChoiceField(list(SCOPES)),
        default=list(DEFAULT_SCOPES),
        allow_empty=False,
        help_text="Its scopes; all but `moderate` by default.",
    )
    days = serializers.IntegerField(
        min_value=1,
        max_value=tokens.MAX_DAYS,
        default=tokens.DEFAULT_DAYS,
        help_text="Days until it expires.",
    )


class TokenSerializer(serializers.ModelSerializer[Token]):
    """A token without its secret."""

    scope = serializers.ListField(child=serializers.ChoiceField(list(SCOPES)), source="scopes")
    hint = serializers.CharField(help_text="The first characters of the secret.")
    used = serializers.DateTimeField(allow_null=True, help_text="Last use; null: never.")
    expires = serializers.DateTimeField(allow_null=True, help_text="Null: never.")

    class Meta:
        model = Token
        fields = ("id", "name", "scope", "hint", "created", "expires", "used")
        read_only_fields = fields


class NewTokenSerializer(TokenSerializer):
    """A new token with its secret, which cannot be shown again."""

    token = serializers.CharField(help_text="The secret; send it as `Authorization: Token …`.")

    class Meta(TokenSerializer.Meta):
        fields = ("token", *TokenSerializer.Meta.fields)  # type: ignore[assignment]  # one more


class ManagesTokens(HasAccount):
    """Any token may list tokens and revoke itself; only one with the default scopes may revoke
    others."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the request may proceed; `number` in the address is the token to revoke."""
        if request.method in SAFE_METHODS or not isinstance(request.auth, Token):
            return super().has_permission(request, view)
        if set(DEFAULT_SCOPES) <= set(request.auth.scopes):
            return True
        if view.kwargs.get("number") == request.auth.pk:
            return True
        raise PermissionDenied(
            "This token may revoke only itself. Use one with the scopes "
            f"{', '.join(DEFAULT_SCOPES)}, or your account page.",
            code="missing-scope",
        )


class HasPasswordInBody(InScope):
    """Allows every request, because the view checks the password in its body."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Allow the request with any credentials."""
        return True


class TokenList(APIView):
    """The tokens of an account."""

    permission_classes = (ManagesTokens,)
    problems = {"post": (403, 409)}

    def get_throttles(self) -> list[Any]:
        """Limit the requests that check a password, because each costs a slow hash."""
        self.throttle_scope = "token" if self.request.method == "POST" else None
        return list(super().get_throttles())

    def get_permissions(self) -> list[Any]:
        """Creating a token needs a password; the other requests need a known user."""
        if self.request.method == "POST":
            return [HasPasswordInBody()]
        return list(super().get_permissions())

    def get_authenticators(self) -> list[Any]:
        """Ignore an old token in a request with a password."""
        if self.request is not None and self.request.method == "POST":
            return []
        return super().get_authenticators()

    @extend_schema(operation_id="tokens_list", responses=TokenSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your tokens, newest first, without their secrets."""
        return Response(TokenSerializer(Token.objects.filter(user=request.user.pk), many=True).data)

    @extend_schema(
        operation_id="tokens_create",
        parameters=[PARAMETER],
        request=CredentialsSerializer,
        responses={201: NewTokenSerializer},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """Create a token for a name and password. Its secret cannot be shown again.

        A repetition with the same `Idempotency-Key` replaces the secret.
        """
        fields = CredentialsSerializer.read(request)
        user = _authenticate(request, fields["username"], fields["password"])

        def create() -> Response:
            made = tokens.make_token(user, fields["name"], fields["scope"], fields["days"])
            return _new_token_response(*made)

        response = respond_once(request, user, create, omit="token")
        if "token" in response.data:
            return response
        return _new_token_response(*tokens.renew_secret(user, response.data["id"]))

    @extend_schema(operation_id="tokens_destroy_all", request=None, responses={204: None})
    def delete(self, request: Request) -> Response:
        """Revoke all of your tokens."""
        by: Any = request.user
        tokens.revoke_all(by)
        return Response(status=204)


class TokenDetail(APIView):
    """One token."""

    permission_classes = (ManagesTokens,)

    @extend_schema(operation_id="tokens_destroy", request=None, responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """Revoke one of your tokens."""
        by: Any = request.user
        if not tokens.revoke_token(by, number):
            raise NotFound("You have no such token; it may already be revoked.")
        return Response(status=204)


def _new_token_response(token: Token, secret: str) -> Response:
    body = {"token": secret, **TokenSerializer(token).data}
    return Response(body, 201, headers={"Cache-Control": "no-store"})


def _authenticate(request: Request, username: str, password: str) -> Any:
    """The user; a wrong name and a wrong password give the same error, to reveal neither.

    After too many failures, axes' middleware responds.
    """
    django_request: Any = request._request  # noqa: SLF001 - DRF's request has no public name for Django's
    user = authenticate(django_request, username=username, password=password)
    if user is not None:
        if is_mfa_enabled(user):
            raise PermissionDenied(
                "This account has a second factor; create tokens on its account page.",
                code="second-factor",
            )
        return user
    raise serializers.ValidationError(
        "There is no account with this name and password.", code="wrong-credentials"
    )

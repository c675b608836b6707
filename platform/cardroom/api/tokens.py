"""Tokens: what a program shows instead of a password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import authenticate
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.authtoken.models import Token
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class CredentialsSerializer(serializers.Serializer[dict[str, Any]]):
    """Who asks for a token."""

    username = serializers.CharField(max_length=150)
    password = serializers.CharField(
        max_length=200, trim_whitespace=False, style={"input_type": "password"}, write_only=True
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Add the user; one sentence for a wrong name and a wrong password, to tell neither."""
        user = authenticate(self.context.get("request"), **attrs)
        if user is None:
            raise serializers.ValidationError(
                "There is no account with this name and password.", code="wrong-credentials"
            )
        return {"user": user}


class TokenSerializer(serializers.Serializer[Token]):
    """A token, to be sent as `Authorization: Token …`."""

    token = serializers.CharField(source="key")
    created = serializers.DateTimeField()


class TokenView(APIView):
    """The token of an account: it has one, made when first asked for."""

    throttle_scope = "token"

    def get_permissions(self) -> list[Any]:
        """Anybody may show a password; only who is known has a token to give back."""
        return [AllowAny()] if self.request.method == "POST" else [IsAuthenticated()]

    def get_authenticators(self) -> list[Any]:
        """A password speaks for itself; an old token beside it must not get in the way."""
        if self.request is not None and self.request.method == "POST":
            return []
        return super().get_authenticators()

    @extend_schema(
        operation_id="tokens_create",
        request=CredentialsSerializer,
        responses={201: TokenSerializer},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """Name and password in, the account's token out."""
        asked = CredentialsSerializer(data=request.data, context={"request": request})
        asked.is_valid(raise_exception=True)
        token, _ = Token.objects.get_or_create(user=asked.validated_data["user"])
        return Response(TokenSerializer(token).data, 201, headers={"Cache-Control": "no-store"})

    @extend_schema(operation_id="tokens_destroy", request=None, responses={204: None})
    def delete(self, request: Request) -> Response:
        """Make the account's token invalid; the next one asked for is another."""
        Token.objects.filter(user=request.user.pk).delete()
        return Response(status=204)

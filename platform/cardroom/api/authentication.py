"""Authentication by token."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from cardroom.actions.tokens import find_token


class ScopedTokens(TokenAuthentication):
    """`Authorization: Token …`; `request.auth` is the token, which has the scopes."""

    def authenticate_credentials(self, key: str) -> tuple[Any, Any]:
        """User and token; 401 if no active user has this token, or if it has expired."""
        token = find_token(key)
        if token is None:
            raise AuthenticationFailed(
                "This token is not valid: it was mistyped, revoked, or has expired."
            )
        return token.user, token

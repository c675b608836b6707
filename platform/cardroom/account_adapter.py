"""Our rules for django-allauth: who may sign up, user names, client addresses, mail."""

from __future__ import annotations

import logging
import smtplib
from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.providers.base import AuthError
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.shortcuts import redirect, resolve_url

from cardroom.actions import accounts
from cardroom_base.core.errors import ActionError

log = logging.getLogger(__name__)

SENT: Final = frozenset(
    f"account/messages/{name}.txt" for name in ("email_confirmation_sent", "login_code_sent")
)
"""Templates of the messages that a mail has been sent."""


class ProviderAdapter(DefaultSocialAccountAdapter):
    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "no_password": "Set a password first, because you could not log in without this account.",
    }

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,  # noqa: ARG002 - allauth passes them
        error: Any = None,
        exception: Exception | None = None,
        extra_context: Any = None,  # noqa: ARG002
    ) -> None:
        """Log why a log-in by the provider failed; the page does not tell."""
        if error != AuthError.CANCELLED:
            cause = exception or request.GET.get("error") or "its answer fits no log-in here"
            log.warning("A log-in by the provider of accounts failed: %s", cause)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:  # noqa: ARG002 - allauth passes them
        """Whether people may sign up with the provider's account."""
        return settings.SIGNUP != "closed"

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> Any:
        """Take user name and e-mail address from the provider, but no first and last names."""
        fields = {key: data.get(key) for key in ("username", "email")}
        return super().populate_user(request, sociallogin, fields)


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "incorrect_password": "That is not your password.",
        "enter_current_password": "That is not your password.",
        "username_password_mismatch": (
            "No account has this user name and password. Capitals matter in both."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth passes it
        """Whether people may sign up with a name and a password."""
        return settings.SIGNUP in {"open", "code"}

    def clean_username(self, username: str, shallow: bool = False) -> str:  # noqa: ARG002, FBT001, FBT002 - allauth's signature
        """The normalised name; ValidationError if an account may not have it."""
        accounts.check_characters(username)
        try:
            return accounts.checked_username(username)
        except ActionError as error:
            raise ValidationError(str(error)) from error

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:  # noqa: FBT001, FBT002 - allauth's signature
        """Save a new account; go back to the form if a simultaneous request took its name."""
        try:
            with transaction.atomic():
                saved: User = super().save_user(request, user, form, commit)
        except IntegrityError as error:
            self.add_message(request, messages.ERROR, message=accounts.NAME_TAKEN)
            raise ImmediateHttpResponse(redirect("account_signup")) from error
        return saved

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Do nothing, because `cardroom.logins` limits wrong passwords."""

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:  # noqa: ARG002 - allauth passes them
        """Say that the account is suspended, but only if the password was right."""
        if getattr(request, "suspended", False):
            raise ValidationError("The moderators have suspended this account.")

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """No for accounts that log in only by the provider, which have nothing to confirm with."""
        confirmable = bool(self.get_reauthentication_methods(self.request.user))
        return confirmable and super().is_reauthentication_required(app=app, **kwargs)

    def get_client_ip(self, request: HttpRequest) -> str:
        """The client's address, as `cardroom.addresses` determined it, for the list of sessions."""
        return request.META.get("REMOTE_ADDR") or "0.0.0.0"  # noqa: S104 - a client on a Unix socket has no address

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:  # noqa: ARG002 - allauth passes it
        """The account page."""
        return resolve_url("account")

    def get_email_verification_redirect_url(self, email_address: Any) -> str:  # noqa: ARG002 - allauth passes it
        """The account page, after a log-in if necessary."""
        return resolve_url("account")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail; if the server refuses it, log the error and tell the user."""
        if not settings.MAIL:
            return
        try:
            super().send_mail(template_prefix, email, context)
        except (OSError, smtplib.SMTPException):
            log.exception("A mail was not sent.")
            self.request.mail_failed = True  # for this request's other messages
            self.add_message(
                self.request, messages.ERROR, message="The mail could not be sent; try again later."
            )

    def send_password_reset_mail(self, user: Any, email: str, context: dict[str, Any]) -> None:
        """Send the mail. After a failure return to the form: the next page reports success."""
        super().send_password_reset_mail(user, email, context)
        if getattr(self.request, "mail_failed", False):
            raise ImmediateHttpResponse(redirect("account_reset_password"))

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Show a message, unless it reports as sent a mail that failed."""
        if not (message_template in SENT and getattr(request, "mail_failed", False)):
            super().add_message(request, level, message_template, *args, **kwargs)

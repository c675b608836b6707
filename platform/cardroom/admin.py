"""Administration of accounts, second factors and tokens; axes adds a page of failed log-ins."""

from __future__ import annotations

from typing import Any

import allauth.mfa.admin
import allauth.socialaccount.admin  # noqa: F401 - both register models
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialApp, SocialToken
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bots.admin import ReadOnlyAdmin
from cardroom.actions.accounts import checked_username, password_link
from cardroom.models import Token
from cardroom.pages.common.current_user import logged_in_user
from cardroom_base.core.errors import ActionError


class _CheckedNameForm(forms.ModelForm):  # type: ignore[type-arg]  # subclasses set the model
    """Checks the user name as at sign-up."""

    def clean_username(self) -> str:
        """The normalised name; an unchanged name passes unchecked."""
        name: str = self.cleaned_data["username"]
        if name == self.initial.get("username"):
            return name
        try:
            return checked_username(name, self.instance if self.instance.pk else None)
        except ActionError as error:
            raise forms.ValidationError(str(error)) from error


class NewAccountForm(_CheckedNameForm, AdminUserCreationForm):  # type: ignore[type-arg]  # only the stubs know
    pass


class AccountForm(_CheckedNameForm, UserChangeForm):  # type: ignore[type-arg]  # only the stubs know
    pass


class AccountAdmin(UserAdmin):  # type: ignore[type-arg]  # only the stubs know
    form = AccountForm
    add_form = NewAccountForm
    actions = ("password_links",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's signature
        """Return False: `cardroom.actions.deletion` deletes accounts, and keeps their results."""
        return False

    @admin.action(description="Create links to set a password", permissions=["change"])
    def password_links(self, request: HttpRequest, users: QuerySet[User]) -> HttpResponse | None:
        """Show a one-time link for each account."""
        try:
            rows = [(user, password_link(user, logged_in_user(request))) for user in users]
        except ActionError as error:
            self.message_user(request, str(error), messages.ERROR)
            return None
        links = [(user.username, request.build_absolute_uri(path)) for user, path in rows]
        return render(request, "accounts/links.html", {"links": links})


admin.site.unregister(User)
admin.site.register(User, AccountAdmin)


# allauth's modules, imported above, show secrets; the provider comes from settings.
admin.site.unregister((SocialApp, SocialToken, Authenticator))


@admin.register(Authenticator)
class FactorAdmin(ReadOnlyAdmin):
    """Shows staff second factors without secrets, and lets them remove a lost one."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    exclude = ("data",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super(ReadOnlyAdmin, self).has_delete_permission(request, obj)


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    """Shows staff the tokens of all accounts without secrets, and lets them revoke tokens."""

    list_display = ("user", "name", "hint", "scopes", "created", "expires", "used")
    list_select_related = ("user",)
    search_fields = ("user__username", "name", "hint")
    exclude = ("digest",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super(ReadOnlyAdmin, self).has_delete_permission(request, obj)

"""Pages of the user's account and its tokens, and the page on which staff create accounts."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from bots.access import moderates
from cardroom.actions import accounts, tokens
from cardroom.actions.deletion import delete_account
from cardroom.logins import too_many_requests
from cardroom.models import Token
from cardroom.pages.common import queries
from cardroom.pages.common.current_user import logged_in_user, post_data
from cardroom.pages.common.flash_messages import show_refusals, show_success
from cardroom.pages.common.forms import (
    DeletionForm,
    InvitationForm,
    PasswordLinkForm,
    TokenForm,
    show_refusal,
)
from cardroom.pages.tournaments import teams
from cardroom.personal_data import export_account
from cardroom.throttles import export_wait
from cardroom_base.core.errors import ActionError
from cardroom_base.core.scopes import SCOPES
from tournaments.organizing import organized_by


@login_required
def account(request: HttpRequest) -> HttpResponse:
    """The user's bots, tournaments and tokens."""
    return _account(request, TokenForm())


@login_required
@sensitive_post_parameters()
def invite(request: HttpRequest) -> HttpResponse:
    """Let staff create accounts, or a link for a user who forgot the password. The response lists
    each account with its link to set a password."""
    by = logged_in_user(request)
    if not by.is_staff:
        raise PermissionDenied("Only staff can create accounts for others.")
    is_invitation = "rows" in request.POST
    invitation_form = InvitationForm(request.POST if is_invitation else None)
    link_form = PasswordLinkForm(post_data(request) if not is_invitation else None)
    form: InvitationForm | PasswordLinkForm = invitation_form if is_invitation else link_form
    if form.is_bound and form.is_valid():
        try:
            rows = (
                accounts.invite(form.cleaned_data["rows"], by)
                if isinstance(form, InvitationForm)
                else [
                    (
                        form.cleaned_data["user"],
                        accounts.password_link(form.cleaned_data["user"], by),
                    )
                ]
            )
        except ActionError as error:
            show_refusal(form, error)
        else:
            links = [(user.username, request.build_absolute_uri(path)) for user, path in rows]
            return render(request, "accounts/links.html", {"links": links})
    return render(
        request,
        "accounts/invite.html",
        {"invitations": invitation_form, "forgotten": link_form, "form": form},
    )


@login_required
@require_safe
def export(request: HttpRequest) -> HttpResponseBase:
    """All data that the site stores about the user, as a zip."""
    user = logged_in_user(request)
    if seconds := export_wait(request):
        return too_many_requests(request, seconds, "Too many exports")
    headers = {"Content-Disposition": 'attachment; filename="cardroom-my-data.zip"'}
    return StreamingHttpResponse(
        export_account(user), content_type="application/zip", headers=headers
    )


@login_required
@sensitive_post_parameters()
def delete(request: HttpRequest) -> HttpResponse:
    """Delete the account."""
    user = logged_in_user(request)
    form = DeletionForm(request, post_data(request))
    if form.is_bound and form.is_valid():
        with show_refusals(request):
            delete_account(user)
            logout(request)
            show_success(request, "Your account has been deleted.")
            return redirect("home")
    return render(request, "accounts/delete.html", {"form": form})


def _account(request: HttpRequest, form: TokenForm, secret: str = "") -> HttpResponse:
    """The page of the account. `secret`: a new token, which only this response shows."""
    user = logged_in_user(request)
    context: dict[str, Any] = {
        "bots": queries.bots().filter(owner=user),
        "awaiting_agreement": teams.awaiting_agreement(user),
        "tournaments": queries.tournaments(user).filter(organized_by(user.pk))[:20],
        "tokens": Token.objects.filter(user=user),
        "scopes": SCOPES,
        "moderates": moderates(user),
        "form": form,
        "secret": secret,
    }
    return render(request, "accounts/account.html", context)


@login_required
@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    """Create a token and show it once."""
    form = TokenForm(request.POST)
    if form.is_valid():
        data = form.cleaned_data
        try:
            _, secret = tokens.make_token(
                logged_in_user(request), data["name"], data["scope"], int(data["days"])
            )
        except ActionError as error:
            show_refusal(form, error)
        else:
            return _account(request, TokenForm(), secret)
    return _account(request, form)


@login_required
@require_POST
def revoke_token(request: HttpRequest, number: int) -> HttpResponse:
    """Revoke a token."""
    if not tokens.revoke_token(logged_in_user(request), number):
        raise Http404("You have no such token.")
    show_success(request, "That token no longer works.")
    return redirect("account")

"""Sign-up, the user's account, its tokens and its password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from cardroom.actions import accounts, tokens
from cardroom.display.numbers import counted
from cardroom.logins import too_often
from cardroom.models import Token
from cardroom.pages.common import queries
from cardroom.pages.common.current_user import sent, signed_in
from cardroom.pages.common.forms import PasswordForm, SignUpForm, TokenForm, refuse
from cardroom.pages.common.messages import show_success
from cardroom.pages.tournaments import teams
from cardroom.throttles import sign_up_wait
from cardroom_base.core.errors import ActionError
from cardroom_base.core.scopes import SCOPES


@sensitive_post_parameters()
def signup(request: HttpRequest) -> HttpResponse:
    """Create an account and log in."""
    if request.user.is_authenticated:
        return redirect("account")
    if request.method == "POST" and (seconds := sign_up_wait(request)):
        return too_often(request, seconds, "Too many new accounts")
    form = SignUpForm(sent(request))
    if form.is_bound and form.is_valid():
        data = form.cleaned_data
        try:
            login(request, accounts.sign_up(data["username"], data["password1"]))
        except ActionError as error:
            refuse(form, error)
        else:
            back = request.POST.get("next", "")
            if url_has_allowed_host_and_scheme(back, request.get_host(), request.is_secure()):
                return HttpResponseRedirect(back)
            return redirect("upload")
    return render(
        request, "accounts/signup.html", {"form": form, "next": request.GET.get("next", "")}
    )


@login_required
def account(request: HttpRequest) -> HttpResponse:
    """The user's bots, tournaments and tokens."""
    return _account(request, TokenForm())


def _account(request: HttpRequest, form: TokenForm, secret: str = "") -> HttpResponse:
    """The account page. `secret`: a token that was just made, which only this response shows."""
    user = signed_in(request)
    context: dict[str, Any] = {
        "bots": queries.bots().filter(owner=user),
        "asked": teams.awaiting_agreement(user),
        "tournaments": queries.tournaments(user).filter(organizer=user)[:20],
        "tokens": Token.objects.filter(user=user),
        "scopes": SCOPES,
        "form": form,
        "secret": secret,
    }
    return render(request, "accounts/account.html", context)


@login_required
@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    """Make a token and show it once."""
    form = TokenForm(request.POST)
    if form.is_valid():
        data = form.cleaned_data
        try:
            _, secret = tokens.make_token(
                signed_in(request), data["name"], data["scope"], int(data["days"])
            )
        except ActionError as error:
            refuse(form, error)
        else:
            return _account(request, TokenForm(), secret)
    return _account(request, form)


@login_required
@require_POST
def revoke_token(request: HttpRequest, number: int) -> HttpResponse:
    """Revoke a token."""
    if not tokens.revoke_token(signed_in(request), number):
        raise Http404("You have no such token.")
    show_success(request, "That token no longer works.")
    return redirect("account")


@login_required
@sensitive_post_parameters()
def password(request: HttpRequest) -> HttpResponse:
    """Change the password, confirmed by the old one. This ends other sessions and, on request,
    revokes all tokens."""
    user = signed_in(request)
    form = PasswordForm(request, sent(request))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        revoked = accounts.change_password(user, data["new_password1"], revoke=data["revoke"])
        update_session_auth_hash(request, user)
        words = f" This also revoked {counted(revoked, 'token')}." if revoked else ""
        show_success(request, f"Your password is changed. Other sessions have ended.{words}")
        return redirect("account")
    return render(request, "accounts/password.html", {"form": form})

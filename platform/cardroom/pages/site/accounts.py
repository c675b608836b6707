"""The user's account and its tokens."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from cardroom.actions import tokens
from cardroom.models import Token
from cardroom.pages.common import queries
from cardroom.pages.common.current_user import signed_in
from cardroom.pages.common.forms import TokenForm, refuse
from cardroom.pages.common.messages import show_success
from cardroom.pages.tournaments import teams
from cardroom_base.core.errors import ActionError
from cardroom_base.core.scopes import SCOPES


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

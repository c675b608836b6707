"""Sign-up and one's own account."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from rest_framework.authtoken.models import Token

from cardroom.pages import reading, teams
from cardroom.pages.forms import SignUpForm
from cardroom.pages.people import sent, signed_in


def signup(request: HttpRequest) -> HttpResponse:
    """A new account, logged in at once."""
    if request.user.is_authenticated:
        return redirect("account")
    form = SignUpForm(sent(request))
    if request.method == "POST" and form.is_valid():
        login(request, form.save())
        back = request.POST.get("next", "")
        if url_has_allowed_host_and_scheme(back, request.get_host(), request.is_secure()):
            return redirect(back)
        return redirect("upload")
    return render(
        request, "accounts/signup.html", {"form": form, "next": request.GET.get("next", "")}
    )


@login_required
def account(request: HttpRequest) -> HttpResponse:
    """One's bots, tournaments and whether there is a token."""
    user = signed_in(request)
    return render(
        request,
        "accounts/account.html",
        {
            "bots": reading.bots().filter(owner=user),
            "asked": teams.asked(user),
            "tournaments": reading.tournaments(user).filter(organizer=user)[:20],
            "token": Token.objects.filter(user=user).first(),
        },
    )


@login_required
@require_POST
def token(request: HttpRequest) -> HttpResponse:
    """Make a new token in place of the old one; the old one stops working."""
    Token.objects.filter(user=signed_in(request)).delete()
    Token.objects.create(user=signed_in(request))
    messages.success(request, "Here is your new token. An older one no longer works.")
    return redirect("account")

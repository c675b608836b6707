"""What can be done to a tournament from its page: a view for each verb, as in REST.

A refusal is shown on top of the page to which the user returns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeAlias

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from bots.models import Bot
from cardroom.pages.common.current_user import signed_in
from cardroom.pages.common.messages import show_refusals, show_success
from cardroom.pages.tournaments import teams
from engine.declarations import listed
from tournaments import actions
from tournaments.actions.tournaments import set_priority
from tournaments.models import Tournament

NAMED = 4
"""So many bots are named when they are entered at once."""
Verb: TypeAlias = Callable[[HttpRequest, Tournament], str]
"""Takes the step; what to say about it. ActionError when it is refused."""


def _back_to(page: str) -> Callable[[Verb], Callable[[HttpRequest, str], HttpResponse]]:
    """A view that takes the step and goes back to a page of the tournament."""

    def view_of(take: Verb) -> Callable[[HttpRequest, str], HttpResponse]:
        @login_required
        @require_POST
        @wraps(take)
        def view(request: HttpRequest, slug: str) -> HttpResponse:
            found = get_object_or_404(Tournament.objects.visible_to(request.user), slug=slug)
            with show_refusals(request):
                show_success(request, take(request, found))
            return redirect(page, slug=slug)

        return view

    return view_of


# --- its course ---------------------------------------------------------------------------------


@_back_to("tournament")
def open_(request: HttpRequest, found: Tournament) -> str:
    """From draft to open."""
    actions.open_(found, signed_in(request))
    return f"{found.name} is open: bots may enter."


@_back_to("tournament")
def start(request: HttpRequest, found: Tournament) -> str:
    """From open to running."""
    actions.start(found, signed_in(request))
    return f"{found.name} has started."


@_back_to("tournament")
def cancel(request: HttpRequest, found: Tournament) -> str:
    """End it before it is over."""
    actions.cancel(found, signed_in(request))
    return f"{found.name} is cancelled. What was played stays."


@_back_to("tournament")
def finish(request: HttpRequest, found: Tournament) -> str:
    """End a ladder."""
    actions.finish(found, signed_in(request))
    return f"{found.name} has ended. What was played stays."


# --- decisions ----------------------------------------------------------------------------------


@_back_to("conditions")
def rerun_round(request: HttpRequest, found: Tournament) -> str:
    """Play a round again."""
    stage, _, round_ = request.POST.get("round", "").partition(".")
    if not (stage.isdecimal() and round_.isdecimal()):
        raise actions.ActionError("Choose a round from the list.")
    reason = request.POST.get("reason", "")
    count = actions.rerun_round(found, int(stage), int(round_), signed_in(request), reason)
    played = "match" if count == 1 else "matches"
    return f"{count} {played} of the round will be played again, with new cards."


@_back_to("conditions")
def carry_over(request: HttpRequest, found: Tournament) -> str:
    """Go on by the rules in force."""
    actions.carry_over(found, signed_in(request), request.POST.get("reason", ""))
    return f"{found.name} goes on by the rules in force."


@_back_to("conditions")
def priority(request: HttpRequest, found: Tournament) -> str:
    """Which matches are played first."""
    asked = request.POST.get("priority", "")
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 3):
        raise actions.ActionError("Choose a priority from the list.")
    changed = set_priority(found, int(asked), signed_in(request))
    return f"{found.name} has priority {changed.priority} now."


# --- entries ------------------------------------------------------------------------------------


@_back_to("entries")
def enter(request: HttpRequest, found: Tournament) -> str:
    """Enter a bot."""
    bot = _bot(request)
    actions.enter(found, bot, signed_in(request))
    return f"{bot.name} is in."


@_back_to("entries")
def enter_many(request: HttpRequest, found: Tournament) -> str:
    """Enter the bots that are ticked, or all of the house."""
    bots = teams.ticked(request, found)
    actions.enter_many(found, bots, signed_in(request))
    names = listed([bot.name for bot in bots[:NAMED]])
    if len(bots) > NAMED:
        return f"{len(bots)} bots are in."
    return f"{names} {'is' if len(bots) == 1 else 'are'} in."


@_back_to("entries")
def withdraw(request: HttpRequest, found: Tournament) -> str:
    """Take a bot out."""
    bot = _bot(request)
    actions.withdraw(found, bot, signed_in(request))
    return f"{bot.name} is out again."


enter_team = _back_to("entries")(teams.enter)
agree = _back_to("entries")(teams.agree)
withdraw_team = _back_to("entries")(teams.withdraw)


def _bot(request: HttpRequest) -> Bot:
    bot = Bot.objects.filter(slug=request.POST.get("bot", "")).first()
    if bot is None:
        raise actions.ActionError("Choose a bot from the list.")
    return bot

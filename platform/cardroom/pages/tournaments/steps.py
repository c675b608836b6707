"""Changes of a tournament from its pages: one view for each action, as in REST."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect

from bots.models import Bot
from cardroom.display.numbers import count_of
from cardroom.pages.common.current_user import logged_in_user
from cardroom.pages.common.flash_messages import step
from cardroom.pages.tournaments import teams
from cardroom_base.core.whole_number import whole_number
from engine.declarations import join_words
from tournaments import actions
from tournaments.actions.tournaments import set_priority
from tournaments.models import Tournament
from tournaments.visibility import viewer_of, visible_to

MAX_NAMED = 4
"""The maximum number of bots that the message after several entries names."""


def _find(request: HttpRequest, slug: str) -> Tournament:
    return get_object_or_404(visible_to(viewer_of(request)), slug=slug)


_to_page, _to_conditions, _to_entries = (
    step(_find, page) for page in ("tournament", "conditions", "entries")
)


# --- from draft to end --------------------------------------------------------------------------


@_to_page
def open_(request: HttpRequest, tournament: Tournament) -> str:
    """Open a draft for entries."""
    actions.open_(tournament, logged_in_user(request))
    return f"{tournament.name} is open: bots can enter."


@_to_page
def start(request: HttpRequest, tournament: Tournament) -> str:
    """Start an open tournament."""
    actions.start(tournament, logged_in_user(request))
    return f"{tournament.name} has started."


@_to_page
def cancel(request: HttpRequest, tournament: Tournament) -> str:
    """Cancel a tournament before it is over."""
    actions.cancel(tournament, logged_in_user(request))
    return f"{tournament.name} has been cancelled. Finished matches stay."


@_to_page
def finish(request: HttpRequest, tournament: Tournament) -> str:
    """End a ladder."""
    actions.finish(tournament, logged_in_user(request))
    return f"{tournament.name} has ended. Finished matches stay."


# --- announcements --------------------------------------------------------------------------------


@_to_page
def announce(request: HttpRequest, tournament: Tournament) -> str:
    """Post an announcement, or change or delete the announcement in the form."""
    by, text = logged_in_user(request), request.POST.get("text", "")
    key = request.POST.get("announcement")
    if not key:
        actions.post_announcement(tournament, by, text)
        return "The announcement has been posted."
    for announcement in tournament.announcements.filter(pk=whole_number(key) or 0):
        if request.POST.get("word") == "delete":
            actions.delete_announcement(announcement, by)
            return "The announcement has been deleted."
        actions.change_announcement(announcement, by, text)
        return "The announcement has been changed."
    raise actions.ActionError("This announcement no longer exists.")


# --- decisions ----------------------------------------------------------------------------------


@_to_conditions
def rerun_round(request: HttpRequest, tournament: Tournament) -> str:
    """Play a round again."""
    stage, round_ = map(whole_number, request.POST.get("round", "").partition(".")[::2])
    if stage is None or round_ is None:
        raise actions.ActionError("Choose a round from the list.")
    reason = request.POST.get("reason", "")
    count = actions.rerun_round(tournament, stage, round_, logged_in_user(request), reason)
    return f"{count_of(count, 'match')} of the round will be played again, with new cards."


@_to_conditions
def carry_over(request: HttpRequest, tournament: Tournament) -> str:
    """Carry the tournament over to the rules in force."""
    actions.carry_over(tournament, logged_in_user(request), request.POST.get("reason", ""))
    return f"{tournament.name} continues under the rules in force."


@_to_conditions
def priority(request: HttpRequest, tournament: Tournament) -> str:
    """Change the priority of the tournament's matches."""
    number = whole_number(request.POST.get("priority"), max_digits=2)
    if number is None:
        raise actions.ActionError("Choose a priority from the list.")
    changed = set_priority(tournament, number, logged_in_user(request))
    return f"{tournament.name} now has priority {changed.priority}."


@_to_conditions
def visibility(request: HttpRequest, tournament: Tournament) -> str:
    """Change the tournament's visibility, the invited accounts, or its link or code."""
    changed = actions.set_visibility(
        tournament,
        logged_in_user(request),
        visibility=request.POST.get("visibility"),
        invited=request.POST["invited"].splitlines() if "invited" in request.POST else None,
        renew="renew" in request.POST,
    )
    return f"{tournament.name} is visible to {changed.get_visibility_display()}."


@_to_conditions
def _change_organizers(request: HttpRequest, tournament: Tournament) -> str:
    name, word = request.POST.get("name", "").strip(), request.POST.get("word")
    if word == "hand-over":
        changed = actions.hand_over(tournament, logged_in_user(request), name)
        if not name:
            return f"You no longer offer {tournament.name} to anybody."
        if changed.organizer is not None and changed.organizer.username == name:
            return f"{name} is now the organizer of {tournament.name}."
        return f"{name} becomes the organizer of {tournament.name} by accepting."
    if word == "remove":
        actions.change_organizers(tournament, logged_in_user(request), remove=[name])
        return f"{name} is no longer a co-organizer of {tournament.name}."
    actions.change_organizers(tournament, logged_in_user(request), add=[name])
    return f"{name} is now a co-organizer of {tournament.name}."


def organizers(request: HttpRequest, slug: str) -> HttpResponse:
    """Add or remove the co-organizer with this name, offer them the tournament, or accept it."""
    response = _change_organizers(request, slug=slug)
    changes = request.user.is_authenticated and request.method == "POST"
    if changes and not visible_to(viewer_of(request)).filter(slug=slug).exists():
        return redirect("account")  # a co-organizer who left a draft cannot see its page any more
    return response


@_to_page
def freeze(request: HttpRequest, tournament: Tournament) -> str:
    """Freeze the standings."""
    actions.freeze(tournament, logged_in_user(request))
    return (
        "The standings are frozen. Until you reveal them, only organizers and staff can see later "
        "results."
    )


@_to_page
def reveal(request: HttpRequest, tournament: Tournament) -> str:
    """Reveal frozen standings."""
    actions.reveal(tournament, logged_in_user(request))
    return "Everybody can see all results again."


# --- entries ------------------------------------------------------------------------------------


@_to_entries
def enter(request: HttpRequest, tournament: Tournament) -> str:
    """Enter a bot."""
    bot = _bot(request)
    actions.enter(tournament, bot, logged_in_user(request), request.POST.get("category", ""))
    return f"{bot.name} has been entered."


@_to_entries
def enter_many(request: HttpRequest, tournament: Tournament) -> str:
    """Enter the ticked bots, or all house bots."""
    bots = teams.selected_bots(request, tournament)
    actions.enter_many(tournament, bots, logged_in_user(request), request.POST.get("category", ""))
    names = join_words([bot.name for bot in bots[:MAX_NAMED]])
    if len(bots) > MAX_NAMED:
        return f"{len(bots)} bots have been entered."
    return f"{names} {'has' if len(bots) == 1 else 'have'} been entered."


@_to_entries
def withdraw(request: HttpRequest, tournament: Tournament) -> str:
    """Withdraw a bot."""
    bot = _bot(request)
    actions.withdraw(tournament, bot, logged_in_user(request))
    return f"{bot.name} has been withdrawn."


@_to_entries
def categorize(request: HttpRequest, tournament: Tournament) -> str:
    """Move an entry to another category."""
    number = whole_number(request.POST.get("entry")) or 0
    entry = tournament.entries.filter(number=number).first()
    if entry is None:
        raise actions.ActionError("Choose an entry from the list.")
    moved = actions.categorize(entry, request.POST.get("category", ""), logged_in_user(request))
    return f"{moved.title}: {moved.category or 'no category'}."


enter_team = _to_entries(teams.enter)
agree = _to_entries(teams.agree)
withdraw_team = _to_entries(teams.withdraw)


def _bot(request: HttpRequest) -> Bot:
    bot = Bot.objects.filter(slug=request.POST.get("bot", "")).first()
    if bot is None:
        raise actions.ActionError("Choose a bot from the list.")
    return bot

"""Pages of challenges: start one, watch it, end it early."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Case, F, Q, When
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.vary import vary_on_headers

from bots.access import owns
from bots.models import Bot, BotVersion
from cardroom.display.format_names import format_words
from cardroom.pages.common import queries, wait_text
from cardroom.pages.common.current_user import logged_in_user, post_data
from cardroom.pages.common.flash_messages import step
from cardroom.pages.common.forms import set_choices, show_refusal
from cardroom_base.core.errors import ActionError
from engine import Format, all_formats
from tournaments import actions
from tournaments.actions.challenges import GROUPS, MAX_GROUPS, SIDES
from tournaments.actions.versions import plays_format
from tournaments.models import Challenge, Tournament
from tournaments.reading.challenges import Score, challenges, own_challenges, score_of
from tournaments.visibility import viewer_of

KEY: Final = re.compile(r"[0-9]{1,18}")
"""A primary key in a form."""
MAX_OWN_VERSIONS: Final = 60
"""The maximum number of the viewer's versions that the form offers."""
MAX_LISTED: Final = 10
"""The maximum number of challenges that are listed beside the form."""
MAX_OPPONENTS: Final = 60
"""The maximum number of other owners' versions that the form offers."""


class ChallengeForm(forms.Form):
    """A challenge: the user's version, the opponent's version, the format, the number of deal
    groups."""

    bot = forms.TypedChoiceField(label="Your bot", coerce=int)
    against = forms.TypedChoiceField(label="Against", coerce=int)
    format = forms.ChoiceField(label="Format", required=False)
    groups = forms.IntegerField(
        label="Deal groups",
        initial=GROUPS,
        min_value=1,
        max_value=MAX_GROUPS,
        help_text="Each is two matches with the same cards and sides swapped.",
    )

    def __init__(self, user: User, data: Any, initial: Mapping[str, int]) -> None:
        super().__init__(data, initial=dict(initial), label_suffix="")
        own_versions = list(_own_versions(user, initial.get("bot")))
        others = list(_opponents(user, initial.get("against")))
        set_choices(self, "bot", [(version.pk, str(version)) for version in own_versions])
        choices = [("Other bots", others), ("Your own", own_versions)]
        groups = [
            (title, [(version.pk, str(version)) for version in versions])
            for title, versions in choices
            if versions
        ]
        set_choices(self, "against", groups)
        bots = [
            _choice(own_versions, initial.get("bot")),
            _choice([*others, *own_versions], initial.get("against")),
        ]
        formats = [(str(fmt), str(format_words(str(fmt)))) for fmt in _formats(bots)]
        set_choices(self, "format", [("", "Your bot’s most played format"), *formats])

    @property
    def has_no_version(self) -> bool:
        """Whether the user has no version that can challenge."""
        return not self.fields["bot"].choices  # type: ignore[attr-defined]  # a choice field's


def _own_versions(user: User, number: int | None) -> Any:
    """The user's ready versions: version `number` first, then active ones. For staff, `number` may
    be anybody's."""
    is_offered = Q(bot__owner=user) | (Q(pk=number) if user.is_staff else Q(pk=None))
    ready = BotVersion.objects.filter(is_offered, status=BotVersion.Status.READY)
    rank = Case(When(pk=number or 0, then=0), When(bot__active_version=F("pk"), then=1), default=2)
    return ready.select_related("bot").order_by(rank, "bot__name", "-number")[:MAX_OWN_VERSIONS]


def _opponents(user: User, number: int | None) -> Any:
    """Opponents' active versions: version `number` first, then house bots, then by name."""
    is_open = Q(bot__takes_challenges=True) | Q(bot__owner=None)
    active = BotVersion.objects.filter(is_open, bot__active_version=F("pk")).exclude(
        bot__owner=user
    )
    rank = Case(When(pk=number or 0, then=0), When(bot__owner=None, then=1), default=2)
    return active.select_related("bot").order_by(rank, "bot__name")[:MAX_OPPONENTS]


def _choice(versions: Sequence[BotVersion], number: int | None) -> BotVersion | None:
    """Version `number` if it is listed, else the first."""
    return next(
        (version for version in versions if version.pk == number), next(iter(versions), None)
    )


def _formats(bots: Sequence[BotVersion | None]) -> list[Format]:
    """The two-sided formats that all these versions play."""
    paired = [fmt for fmt in all_formats() if len(fmt.sides) == SIDES]
    return [fmt for fmt in paired if all(bot is None or plays_format(bot, fmt) for bot in bots)]


@login_required
def new(request: HttpRequest) -> HttpResponse:
    """Show the form, filled in with the bots in the address; a valid form starts a challenge."""
    user = logged_in_user(request)
    query = request.GET if request.GET.get("by") == "version" else request.POST
    initial = _form_keys(query, user) if query else _address_keys(request, user)
    form = ChallengeForm(user, post_data(request), initial)
    if request.method == "POST" and form.is_valid() and (challenge := _start(user, form)):
        return redirect("challenge", pk=challenge.pk)
    context = {"form": form, "challenges": own_challenges(user)[:MAX_LISTED]}
    return render(request, "challenges/new.html", context)


def _form_keys(data: QueryDict, user: User) -> dict[str, int]:
    """The primary keys of the versions in the form; PermissionDenied if `bot` belongs to another
    user."""
    texts = {name: data.get(name, "") for name in ("bot", "against")}
    keys = {name: int(text) for name, text in texts.items() if KEY.fullmatch(text)}
    version = BotVersion.objects.select_related("bot").filter(pk=keys.get("bot", 0)).first()
    if version is not None and not owns(version.bot, user):
        raise PermissionDenied(
            f"{version.bot.name} is not yours; only its owner can use it in a challenge."
        )
    return keys


def _address_keys(request: HttpRequest, user: User) -> dict[str, int]:
    """The primary keys of the active versions of the bots in the address. If the address names none
    of the user's bots, `bot` is the user's newest one."""
    active = Bot.objects.listed()
    named_bots = {
        "bot": active.filter(slug=request.GET.get("bot", "")),
        "against": active.filter(slug=request.GET.get("against", "")),
    }
    if not user.is_staff:
        named_bots["bot"] = named_bots["bot"].filter(owner=user)
    keys = {
        name: bots.values_list("active_version", flat=True).first()
        for name, bots in named_bots.items()
    }
    own_keys = active.filter(owner=user).order_by("-pk").values_list("active_version", flat=True)
    keys["bot"] = keys["bot"] or own_keys.first()
    return {name: key for name, key in keys.items() if key}


def _start(user: User, form: ChallengeForm) -> Challenge | None:
    """Start the challenge and return it. If the action refuses, return None and show the error in
    the form."""
    data = form.cleaned_data
    versions = BotVersion.objects.select_related("bot")
    try:
        return actions.start_challenge(
            versions.get(pk=data["bot"]),
            versions.get(pk=data["against"]),
            user,
            format_text=data["format"],
            groups=data["groups"],
        )
    except ActionError as error:
        show_refusal(form, error)
    return None


@vary_on_headers("HX-Request")
def challenge(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the result of a challenge. The page updates itself while the challenge runs."""
    challenge = _find(request, pk)
    own, score = challenge.candidate, score_of(challenge)
    seen = f"{challenge.tournament.state}-{_state_token(score)}"
    live = bool(request.headers.get("HX-Request"))
    if live and request.GET.get("seen") == seen:
        return HttpResponse(status=204)
    running = challenge.tournament.state == Tournament.State.RUNNING
    context = {
        "challenge": challenge,
        "tournament": challenge.tournament,
        "score": score,
        "groups": [(group, queries.list_match_rows(group.matches)) for group in score.groups],
        "again": urlencode({"bot": own.bot.slug, "against": challenge.opponent.bot.slug}),
        "running": running,
        "mine": request.user.is_authenticated and challenge.by_id == request.user.pk,
        "waits": wait_text.tournament_wait_text(challenge.tournament) if running else "",
        "seen": seen,
    }
    return render(
        request, "challenges/_live.html" if live else "challenges/challenge.html", context
    )


def _state_token(score: Score) -> str:
    """A token that changes whenever the page changes."""
    states = [row.state for group in score.groups for row in group.matches]
    return "-".join(f"{states.count(state)}{state[0]}" for state in ("finished", "playing"))


def _find(request: HttpRequest, pk: int) -> Challenge:
    return get_object_or_404(challenges(viewer_of(request)), pk=pk)


@step(_find, "challenge")
def stop(request: HttpRequest, challenge: Challenge) -> str:
    """End a challenge early."""
    actions.cancel_challenge(challenge, logged_in_user(request))
    return "The challenge has ended. Finished matches stay."

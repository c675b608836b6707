"""The moderators' page: their log, and a form each for bots, accounts and tournaments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django import forms
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from bots.access import moderates
from bots.models import Bot
from cardroom.actions import moderation
from cardroom.models import MAX_REASON, Moderation
from cardroom.pages.common.current_user import logged_in_user
from cardroom.pages.common.flash_messages import show_success
from cardroom.pages.common.forms import LookupField, show_refusal
from cardroom_base.core.errors import ActionError
from cardroom_base.rest.keyset import CappedPaginator
from tournaments.course.field_rules import MAX_NAME
from tournaments.models import Tournament

PAGE: Final = 50


class _ReasonForm(forms.Form):
    subject: ClassVar[str]
    """A key of `moderation.ACTIONS`, and the name of the field."""
    labels: ClassVar[Mapping[str, str]]
    """The label of each button, by its action."""
    reason = forms.CharField(
        label="Reason",
        max_length=MAX_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Recorded in the log.",
    )
    field_order: Any = ("bot", "user", "tournament", "item", "text")

    def __init__(self, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, label_suffix="", auto_id=f"{type(self).__name__}_%s", **kwargs)


class BotModerationForm(_ReasonForm):
    """Quarantines, releases, changes or unlocks a bot, which its slug identifies."""

    title = "A bot"
    subject = "bot"
    labels: ClassVar = {
        "quarantine": "Quarantine",
        "release": "Release",
        "name": "Change the name",
        "description": "Change the description",
        "unlock": "Unlock its texts",
    }
    bot = LookupField(
        Bot.objects.all(),
        "slug",
        label="Bot",
        help_text="As in the address of its page, such as house-random.",
        missing="There is no such bot.",
    )
    text = forms.CharField(
        label="New name or description",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="A description may be empty. A new name also changes the address.",
    )


class AccountModerationForm(_ReasonForm):
    """Suspends or resumes an account, which its name identifies."""

    title = "An account"
    subject = "user"
    labels: ClassVar = {"suspend": "Suspend", "resume": "Resume"}
    user = LookupField(
        User.objects.all(), "username", label="User name", missing="There is no such account."
    )


class TournamentModerationForm(_ReasonForm):
    """Changes, unlocks, hides or shows a tournament, which its slug identifies."""

    title = "A tournament"
    subject = "tournament"
    labels: ClassVar = {
        "name": "Change the name",
        "description": "Change the description",
        "announcement": "Change the announcement",
        "category": "Rename the category",
        "team": "Rename the team",
        "unlock": "Unlock its texts",
        "hide": "Hide it",
        "show": "Show it again",
    }
    tournament = LookupField(
        Tournament.objects.listed(),
        "slug",
        label="Tournament",
        help_text="As in the address of its page, such as spring-cup.",
        missing="There is no such tournament.",
    )
    item = forms.CharField(
        label="Announcement, category or team",
        required=False,
        max_length=MAX_NAME,
        help_text="The number of the announcement, or the present name of the category or team.",
    )
    text = forms.CharField(
        label="New text",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Leave it empty to remove the old text; only the name of a tournament cannot be "
        "removed. A new name also changes the tournament’s address.",
    )


FORMS: Final[tuple[type[_ReasonForm], ...]] = (
    BotModerationForm,
    AccountModerationForm,
    TournamentModerationForm,
)


@login_required
def index(request: HttpRequest) -> HttpResponse:
    """The log, newest first. A POST with the `word` of a button performs its action."""
    by = logged_in_user(request)
    if not moderates(by):
        raise PermissionDenied("Only moderators may see this page.")
    word = request.POST.get("word", "")
    all_forms: list[_ReasonForm] = []
    for kind in FORMS:
        bound = word in kind.labels and kind.subject in request.POST
        form = kind(request.POST if bound else None, initial=request.GET.dict())
        all_forms.append(form)
        if bound and form.is_valid():
            try:
                action = moderation.ACTIONS[kind.subject][word]
                show_success(request, action(by, form.cleaned_data))
                return redirect("moderation")
            except ActionError as error:
                show_refusal(form, error)
    lines = Moderation.objects.select_related("by")
    page = CappedPaginator(lines, PAGE).get_page(request.GET.get("page"))
    bound_form = next((form for form in all_forms if form.is_bound), None)
    return render(
        request, "moderation.html", {"page": page, "forms": all_forms, "form": bound_form}
    )

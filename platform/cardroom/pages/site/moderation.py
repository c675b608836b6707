"""The moderators' page: their log, and a form for each action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

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
from cardroom.pages.common.current_user import signed_in
from cardroom.pages.common.forms import refuse
from cardroom.pages.common.messages import show_success
from cardroom.pages.common.paging import ShortPaginator
from cardroom_base.core.errors import ActionError
from tournaments.models import Tournament

PAGE: Final = 50


class _ReasonForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        max_length=MAX_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="For the log.",
    )
    field_order: Any = ("bot", "user", "tournament", "text")

    def __init__(self, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", auto_id=f"{type(self).__name__}_%s", **more)


class BotForm(_ReasonForm):
    """A bot, by the last part of its address."""

    title = "A bot"
    words = (("quarantine", "Quarantine"), ("release", "Release"))
    bot = forms.ModelChoiceField(
        Bot.objects.all(),
        to_field_name="slug",
        label="Bot",
        widget=forms.TextInput,
        help_text="As in the address of its page, such as house-random.",
        error_messages={"invalid_choice": "There is no such bot."},
    )


class AccountForm(_ReasonForm):
    """An account, by its name."""

    title = "An account"
    words = (("suspend", "Suspend"), ("resume", "Resume"))
    user = forms.ModelChoiceField(
        User.objects.all(),
        to_field_name="username",
        label="User name",
        widget=forms.TextInput,
        error_messages={"invalid_choice": "There is no such account."},
    )


class TournamentForm(_ReasonForm):
    """A tournament, by the last part of its address, and its new name or description."""

    title = "A tournament"
    words = (
        ("name", "Change the name"),
        ("description", "Change the description"),
        ("hide", "Hide it"),
        ("show", "Show it again"),
    )
    tournament = forms.ModelChoiceField(
        Tournament.objects.listed(),
        to_field_name="slug",
        label="Tournament",
        widget=forms.TextInput,
        help_text="As in the address of its page, such as spring-cup.",
        error_messages={"invalid_choice": "There is no such tournament."},
    )
    text = forms.CharField(
        label="New name or description",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="A description may be empty. The address does not change.",
    )


FORMS: Final[tuple[type[Any], ...]] = (BotForm, AccountForm, TournamentForm)


def _quarantine(form: forms.Form, by: Any) -> str:
    bot = moderation.quarantine_bot(form.cleaned_data["bot"], by, form.cleaned_data["reason"])
    return f"{bot.name} is quarantined."


def _release(form: forms.Form, by: Any) -> str:
    bot = moderation.release_bot(form.cleaned_data["bot"], by, form.cleaned_data["reason"])
    return f"{bot.name} may play again."


def _suspend(form: forms.Form, by: Any) -> str:
    user = form.cleaned_data["user"]
    moderation.suspend_account(user, by, form.cleaned_data["reason"])
    return f"The account {user} is suspended."


def _resume(form: forms.Form, by: Any) -> str:
    user = form.cleaned_data["user"]
    moderation.resume_account(user, by, form.cleaned_data["reason"])
    return f"The account {user} is open again."


def _change(field: Literal["name", "description"]) -> Callable[[forms.Form, Any], str]:
    def change(form: forms.Form, by: Any) -> str:
        data = form.cleaned_data
        cup = moderation.change_tournament(
            data["tournament"], field, data["text"], by, data["reason"]
        )
        return f"The {field} of {cup.name} is changed."

    return change


def _hide(form: forms.Form, by: Any) -> str:
    data = form.cleaned_data
    cup = moderation.hide_tournament(data["tournament"], by, data["reason"])
    return f"{cup.name} is hidden."


def _show(form: forms.Form, by: Any) -> str:
    data = form.cleaned_data
    cup = moderation.hide_tournament(data["tournament"], by, data["reason"], hidden=False)
    return f"{cup.name} is shown again."


STEPS: Final[dict[str, Callable[[Any, Any], str]]] = {
    "quarantine": _quarantine,
    "release": _release,
    "suspend": _suspend,
    "resume": _resume,
    "name": _change("name"),
    "description": _change("description"),
    "hide": _hide,
    "show": _show,
}
"""The actions by the word of their button."""


@login_required
def index(request: HttpRequest) -> HttpResponse:
    """The log, newest first; a POST with the `word` of a button does its action."""
    by = signed_in(request)
    if not moderates(by):
        raise PermissionDenied("Only moderators may see this page.")
    word = request.POST.get("word", "")
    shown = []
    for kind in FORMS:
        bound = word in dict(kind.words)
        form = kind(request.POST if bound else None, initial=request.GET.dict())
        shown.append(form)
        if bound and form.is_valid():
            try:
                show_success(request, STEPS[word](form, by))
                return redirect("moderation")
            except ActionError as error:
                refuse(form, error)
    lines = Moderation.objects.select_related("by")
    page = ShortPaginator(lines, PAGE).get_page(request.GET.get("page"))
    sent = next((form for form in shown if form.is_bound), None)
    return render(request, "moderation.html", {"page": page, "forms": shown, "form": sent})

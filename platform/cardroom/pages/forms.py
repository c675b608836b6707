"""Forms of the pages: they read what people typed; the actions decide what is allowed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, UserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.http import HttpRequest

from bots.actions import ActionError
from bots.clock import BANK_MS, MOVE_MS
from bots.fields import FieldError
from bots.limits import MAX_PACKED, human
from bots.scopes import READ, SCOPES, UPLOAD
from cardroom.actions import accounts
from cardroom.models import MAX_TOKEN_NAME
from cardroom.pages.people import signed_in
from cardroom.pages.stage_forms import (
    StageForm,
    changed_stages,
    kept_stages,
    retyped,
    sent_stages,
)
from cardroom.pages.typed import ChoiceField, NumberField, TextField
from engine import Format, registry
from tournaments.course import terms
from tournaments.course.stages import MAX_STAGES, parse_stages
from tournaments.models import Tournament
from tournaments.standings import DEFAULT, TIE_BREAKS

if TYPE_CHECKING:
    _UserCreationForm = UserCreationForm[User]
else:
    _UserCreationForm = UserCreationForm

LONG_ENOUGH: Final = "At least 8 characters, not only digits, no common word."
BAD_NAME: Final = "A user name has only letters, digits and @.+-_, no spaces."


def refuse(form: forms.BaseForm, error: ActionError) -> None:
    """Show an action's refusal at the field that it is about, or else on top of the form."""
    if isinstance(form, TournamentForm):
        form.refuse(error.field, str(error))
        return
    form.add_error(error.field if error.field in form.fields else None, str(error))
    form.shown = error.shown  # type: ignore[attr-defined]  # for the template


class SignUpForm(_UserCreationForm):
    """A new account: a name and a password."""

    class Meta:
        model = User
        fields = ("username",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        name = self.fields["username"]
        name.label = "User name"
        name.help_text = "Shown beside your bots. Letters, digits and @.+-_"
        name.validators = [
            v for v in name.validators if not isinstance(v, UnicodeUsernameValidator)
        ] + [UnicodeUsernameValidator(message=BAD_NAME)]
        self.fields["password1"].label = "Password"
        self.fields["password1"].help_text = LONG_ENOUGH
        self.fields["password2"].label = "Password again"
        self.fields["password2"].help_text = ""

    def clean_username(self) -> str:
        """The action says which names are allowed; the database has the last word on a free one."""
        try:
            return accounts.checked_username(self.cleaned_data["username"])
        except ActionError as error:
            raise forms.ValidationError(str(error)) from error


class LoginForm(AuthenticationForm):
    """Name and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["username"].label = "User name"
        self.error_messages = {
            **self.error_messages,
            "invalid_login": "No account has this user name and password. Capitals matter in both.",
        }


class PasswordForm(PasswordChangeForm):
    """A new password; the old one says that it is you."""

    revoke = forms.BooleanField(
        label="Revoke all my tokens, too",
        required=False,
        help_text="If you think that somebody knows your password.",
    )
    field_order = ("old_password", "new_password1", "new_password2", "revoke")

    def __init__(self, request: HttpRequest, data: Any) -> None:
        super().__init__(signed_in(request), data, label_suffix="")
        self.request = request
        self.fields["old_password"].label = "Password until now"
        self.fields["new_password1"].label = "New password"
        self.fields["new_password1"].help_text = LONG_ENOUGH
        self.fields["new_password2"].label = "New password again"
        self.fields["new_password2"].help_text = ""

    def clean_old_password(self) -> str:
        """Checked as at the log-in, so that it cannot be guessed here either."""
        old: str = self.cleaned_data["old_password"]
        if authenticate(self.request, username=self.user.get_username(), password=old) is None:
            raise forms.ValidationError("This is not your password.")
        return old


class TokenForm(forms.Form):
    """A token for a program."""

    name = forms.CharField(
        label="Name", max_length=MAX_TOKEN_NAME, help_text="What it is for, such as build server."
    )
    scope = forms.MultipleChoiceField(
        label="Good for",
        choices=[(scope, f"{scope}: {words}") for scope, words in SCOPES.items()],
        initial=[READ, UPLOAD],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "A token must be good for something: tick at least one box."},
    )
    days = forms.ChoiceField(
        label="Lasts",
        choices=[("7", "a week"), ("30", "a month"), ("90", "three months"), ("366", "a year")],
        initial="90",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="", auto_id="token_%s")


class VersionForm(forms.Form):
    """A package as a new version of a bot."""

    package = forms.FileField(
        label="Package",
        help_text=f"One bot.py, or a zip with cardroom.toml. Up to {human(MAX_PACKED)}.",
        widget=forms.FileInput(attrs={"accept": ".py,.zip"}),
        error_messages={
            "required": "Choose a file: a bot.py or a zip.",
            "empty": "This file is empty. A bot.py needs at least a function choose(view, legal).",
        },
    )
    source = forms.CharField(
        label="The bot, in Python",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 20, "spellcheck": "false", "class": "mono"}),
    )
    games = forms.MultipleChoiceField(
        label="Games it plays",
        required=False,
        choices=lambda: [(each.name, each.title) for each in registry.games()],
        widget=forms.CheckboxSelectMultiple,
        help_text="None chosen: those that cardroom.toml names; without one, those in which the "
        "check finds no problem.",
    )
    notes = forms.CharField(
        label="What changed",
        required=False,
        max_length=500,
        help_text="Shown beside this version.",
    )
    candidate = forms.BooleanField(
        label="Try it against the active version as soon as it has passed",
        required=False,
        help_text="It becomes active by itself if it turns out better.",
    )


class BotForm(VersionForm):
    """A package as the first version of a new bot."""

    name = forms.CharField(
        label="Name",
        required=False,
        max_length=48,
        help_text="What the bot is called in tables. Without one: the name in cardroom.toml.",
    )
    description = forms.CharField(
        label="About it", required=False, max_length=300, help_text="One or two sentences."
    )
    candidate = None  # type: ignore[assignment]  # there is nothing to try a first version against
    field_order = ("package", "games", "name", "description", "notes")

    def clean_notes(self) -> str:
        """A first version needs no notes."""
        return self.cleaned_data["notes"] or "First version."


class DescriptionForm(forms.Form):
    """What a bot's page says about it."""

    description = forms.CharField(label="About it", required=False, max_length=300)


def _plain_formats() -> list[tuple[str, list[tuple[str, str]]]]:
    """Every game × variant × table form, by game, for a list to choose from."""
    return [
        (
            game.title,
            [
                (f"{game.name}/{variant.name}/{table}", f"{variant.title}, {table}")
                for variant in game.variants
                for table in variant.tables
            ],
        )
        for game in registry.games()
    ]


def _listed() -> list[tuple[str, str]]:
    """The same formats in one list."""
    return [each for _, formats in _plain_formats() for each in formats]


class TournamentForm(forms.Form):
    """A tournament before it opens."""

    name = TextField(label="Name", max_length=terms.MAX_NAME)
    description = TextField(
        label="What it is about",
        required=False,
        max_length=terms.MAX_DESCRIPTION,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    format = ChoiceField(label="Format", choices=_plain_formats)
    options = TextField(
        label="Options",
        required=False,
        help_text="Those that differ from the variant’s own, such as deals=4&sweeps=false.",
        widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false"}),
    )
    partners = ChoiceField(
        label="Who shares a side",
        choices=Tournament.Partners.choices,
        initial=Tournament.Partners.COPIES,
        help_text="At tables whose sides have several seats.",
    )
    seeding = ChoiceField(
        label="Seeds",
        choices=Tournament.Seeding.choices,
        initial=Tournament.Seeding.ENTRY,
        help_text="The order of the entries; brackets and divisions follow from it.",
    )
    apart = forms.BooleanField(
        label="Keep bots of one author from meeting for as long as possible",
        required=False,
    )
    move_ms = NumberField(
        label="Free time a move, in milliseconds",
        initial=1000,
        min_value=MOVE_MS.low,
        max_value=MOVE_MS.high,
    )
    bank_ms = NumberField(
        label="Time bank a match, in milliseconds",
        initial=20000,
        min_value=BANK_MS.low,
        max_value=BANK_MS.high,
    )
    fault_policy = ChoiceField(
        label="At a bot’s first fault", choices=Tournament.FaultPolicy.choices
    )
    live_delay = NumberField(
        label="Those who watch are behind by, in seconds",
        initial=15,
        min_value=terms.LIVE_DELAY.low,
        max_value=terms.LIVE_DELAY.high,
    )
    rated = forms.BooleanField(label="Results count for the ratings", required=False, initial=True)

    FIELDS: Final = (
        "name",
        "description",
        "move_ms",
        "bank_ms",
        "fault_policy",
        "live_delay",
        "rated",
        "partners",
        "seeding",
        "apart",
    )

    def __init__(self, data: Any = None, *, initial: Any = None, stages: Any = None) -> None:
        super().__init__(data, initial=initial, label_suffix="")
        for index, name in enumerate(_ORDER):
            self.fields[f"tie_break_{index + 1}"] = ChoiceField(
                label=name, choices=_tie_breaks, required=False, initial=_default(index)
            )
        if stages is None:
            stages = [StageForm(1)] if data is None else sent_stages(data)
        self.stages: list[StageForm] = stages

    @classmethod
    def from_tournament(cls, tournament: Tournament) -> TournamentForm:
        """The form with the values of a tournament."""
        path, _, options = tournament.format.partition("?")
        values = {name: getattr(tournament, name) for name in cls.FIELDS}
        values |= {"format": path, "options": options}
        values |= dict.fromkeys((f"tie_break_{i + 1}" for i in range(len(_ORDER))), "")
        values |= {f"tie_break_{i}": name for i, name in enumerate(tournament.tie_breaks, 1)}
        return cls(initial=values, stages=kept_stages(list(tournament.stages.order_by("number"))))

    @classmethod
    def changed(cls, data: Any, word: str) -> TournamentForm:
        """What was typed, with one stage more or less; nothing is checked yet."""
        return cls(initial=retyped(cls, data), stages=changed_stages(data, word))

    @property
    def tie_breaks(self) -> list[forms.BoundField]:
        """The fields of the tie-breaks, in order."""
        return [self[f"tie_break_{index + 1}"] for index in range(len(_ORDER))]

    @property
    def last_stage(self) -> bool:
        """Whether there can be no more stages."""
        return len(self.stages) >= MAX_STAGES

    def is_valid(self) -> bool:
        """Whether the fields and the stages are right, and go together."""
        return super().is_valid() and not any(stage.errors for stage in self.stages)

    def clean(self) -> dict[str, Any]:
        """Show what is wrong at its field, in the same sentence as everywhere."""
        data: dict[str, Any] = super().clean() or {}
        for stage in self.stages:
            stage.full_clean()
        values = self.values()
        for error in terms.refusals(values) or self._not_together(values):
            self.refuse(error.field, str(error))
        return data

    def values(self) -> dict[str, Any]:
        """What the actions take."""
        data = self.cleaned_data
        options = data["options"].strip().lstrip("?")
        asked = (data[f"tie_break_{index + 1}"] for index in range(len(_ORDER)))
        return {
            **{name: data[name] for name in self.FIELDS},
            "format": f"{data['format']}?{options}" if options else data["format"],
            "tie_breaks": list(dict.fromkeys(name for name in asked if name)),
            "stages": [stage.plan() for stage in self.stages],
        }

    def refuse(self, path: str, sentence: str) -> None:
        """Show a refusal at the field of its path, or else on top of the form."""
        if found := _IN_STAGE.fullmatch(path):
            self.stages[int(found[1])].refuse(found[2], sentence)
            return
        field = {"tie_breaks": "tie_break_1"}.get(path, path)
        if field == "format" and self.cleaned_data["format"] in dict(_listed()):
            field = "options"
        self.add_error(field if field in self.fields else None, sentence)

    def _not_together(self, values: dict[str, Any]) -> list[FieldError]:
        fmt, plans = Format.parse(values["format"]), parse_stages(values["stages"])
        try:
            terms.check_together(
                fmt, plans, values["partners"], rated=values["rated"], seed_chosen=False
            )
        except FieldError as error:
            return [error]
        return []


_IN_STAGE: Final = re.compile(r"stages\[(\d+)\]\.?(.*)")
_ORDER: Final = ("Equal points: first", "second", "third", "fourth")


def _tie_breaks() -> list[tuple[str, str]]:
    return [("", "nothing"), *((name, how.title) for name, how in TIE_BREAKS.items())]


def _default(index: int) -> str:
    return DEFAULT[index] if index < len(DEFAULT) else ""

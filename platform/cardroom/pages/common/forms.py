"""Forms of the pages: they parse input; actions decide whether it is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from bots.limits import MAX_PACKED, size_text
from cardroom.actions import accounts
from cardroom.models import MAX_TOKEN_NAME
from cardroom.pages.common.current_user import signed_in
from cardroom_base.core.errors import ActionError
from cardroom_base.core.scopes import READ, SCOPES, UPLOAD
from engine import registry

if TYPE_CHECKING:
    _Field = forms.Field
else:
    _Field = object


def refuse(form: forms.BaseForm, error: ActionError) -> None:
    """Show an action's refusal at its field, or else on top of the form."""
    form.add_error(error.field if error.field in form.fields else None, str(error).splitlines())
    form.shown = error.shown  # type: ignore[attr-defined]  # for the template


def offer(form: forms.Form, name: str, choices: Any) -> None:
    """Set the choices of the field with this name."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker
    field.choices = choices


class NamedField(forms.ModelChoiceField):  # type: ignore[type-arg]  # only the stubs know
    """A row that people name by typing the value of `column`; `missing`: what to say if no row has
    it."""

    widget = forms.TextInput

    def __init__(self, rows: QuerySet[Any], column: str, *, missing: str, **more: Any) -> None:
        error_messages = {"invalid_choice": missing}
        super().__init__(rows, to_field_name=column, error_messages=error_messages, **more)


class TokenForm(forms.Form):
    """A token for a program."""

    name = forms.CharField(
        label="Name", max_length=MAX_TOKEN_NAME, help_text="Its purpose, such as build server."
    )
    scope = forms.MultipleChoiceField(
        label="Allows",
        choices=[(scope, f"{scope}: {words}") for scope, words in SCOPES.items()],
        initial=[READ, UPLOAD],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "A token must allow something: select at least one box."},
    )
    days = forms.ChoiceField(
        label="Lasts",
        choices=[("7", "a week"), ("30", "a month"), ("90", "three months"), ("366", "a year")],
        initial="90",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="", auto_id="token_%s")


class DeletionForm(forms.Form):
    """The end of an account, confirmed by the password, or by the name if there is none."""

    password = forms.CharField(
        label="Password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    name = forms.CharField(label="Your user name")

    def __init__(self, request: HttpRequest, data: Any) -> None:
        super().__init__(data, label_suffix="")
        self.request, self.user = request, signed_in(request)
        del self.fields["name" if self.user.has_usable_password() else "password"]

    def clean_password(self) -> str:
        """Check the password with the limits of a log-in, so that it cannot be guessed."""
        password: str = self.cleaned_data["password"]
        name = self.user.get_username()
        if authenticate(self.request, username=name, password=password) is None:
            raise forms.ValidationError("That is not your password.")
        return password

    def clean_name(self) -> str:
        """Compare with the account's name."""
        name: str = self.cleaned_data["name"]
        if name != self.user.get_username():
            raise forms.ValidationError("That is not your user name.")
        return name


class InvitationForm(forms.Form):
    """Accounts for a class."""

    rows = forms.CharField(
        label="Names",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "mono"}),
        help_text="One account a line: a name, or a name, a comma and an e-mail address.",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="", auto_id="invitation_%s")

    def clean_rows(self) -> list[tuple[str, str]]:
        """Names and e-mail addresses."""
        return accounts.read_invitations(self.cleaned_data["rows"])


class LinkForm(forms.Form):
    """An account whose password is forgotten."""

    user = NamedField(
        User.objects.filter(is_active=True),
        "username",
        label="User name",
        missing="There is no such account.",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="", auto_id="link_%s")


class VersionForm(forms.Form):
    """A package as a new version of a bot."""

    package = forms.FileField(
        label="Package",
        help_text=f"One bot.py, or a zip with cardroom.toml. Up to {size_text(MAX_PACKED)}.",
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
        choices=lambda: [(game.name, game.title) for game in registry.games()],
        widget=forms.CheckboxSelectMultiple,
        help_text="Leave empty to try all games, or the formats in cardroom.toml.",
    )
    notes = forms.CharField(
        label="What changed",
        required=False,
        max_length=500,
        help_text="Shown next to this version.",
    )
    candidate = forms.BooleanField(
        label="After the check, start a trial against the active version",
        required=False,
        help_text="It becomes active automatically if it proves better.",
    )


class BotForm(VersionForm):
    """A package as the first version of a new bot."""

    name = forms.CharField(
        label="Name",
        required=False,
        max_length=48,
        help_text="The bot’s name in lists. Empty: the name in cardroom.toml.",
    )
    description = forms.CharField(
        label="About it", required=False, max_length=300, help_text="One or two sentences."
    )
    candidate = None  # type: ignore[assignment]  # a first version has no opponent for a trial
    field_order = ("package", "games", "name", "description", "notes")

    def clean_notes(self) -> str:
        """A first version needs no notes."""
        return self.cleaned_data["notes"] or "First version."


class DescriptionForm(forms.Form):
    """The description on a bot's page."""

    description = forms.CharField(label="About it", required=False, max_length=300)


# --- fields without validation ------------------------------------------------------------------


class _AsTyped(_Field):
    """A field whose limits are for the browser only: it accepts everything."""

    def validate(self, value: Any) -> None:
        """Accept any value."""

    def run_validators(self, value: Any) -> None:
        """None."""


class TextField(_AsTyped, forms.CharField):
    """A text."""


class NumberField(_AsTyped, forms.IntegerField):
    """A number; text that is not a number stays text, an empty field becomes None."""

    def to_python(self, value: Any) -> Any:
        """Parse without errors."""
        try:
            return super().to_python(value)
        except ValidationError:
            return value


class ChoiceField(_AsTyped, forms.ChoiceField):
    """A choice among several."""

"""Forms that parse input; actions decide whether it is allowed."""

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
from cardroom.pages.common.current_user import logged_in_user
from cardroom_base.core.errors import ActionError
from cardroom_base.core.scopes import READ, SCOPES, UPLOAD
from engine import registry

if TYPE_CHECKING:
    _Field = forms.Field
else:
    _Field = object


def show_refusal(form: forms.BaseForm, error: ActionError) -> None:
    """Show an action's refusal at its field, or else on top of the form."""
    form.add_error(error.field if error.field in form.fields else None, str(error).splitlines())
    form.detail = error.detail  # type: ignore[attr-defined]  # for the template


def set_choices(form: forms.Form, name: str, choices: Any) -> None:
    """Set the choices of the field with this name."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker
    field.choices = choices


class LookupField(forms.ModelChoiceField):  # type: ignore[type-arg]  # only the stubs know
    """A row that users choose by typing its value of `column`. `missing`: the error if no row has
    that value."""

    widget = forms.TextInput

    def __init__(self, rows: QuerySet[Any], column: str, *, missing: str, **kwargs: Any) -> None:
        error_messages = {"invalid_choice": missing}
        super().__init__(rows, to_field_name=column, error_messages=error_messages, **kwargs)


class TokenForm(forms.Form):
    """A new token for a program."""

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
        label="Valid for",
        choices=[("7", "a week"), ("30", "a month"), ("90", "three months"), ("366", "a year")],
        initial="90",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="", auto_id="token_%s")


class DeletionForm(forms.Form):
    """The deletion of an account, confirmed by its password, or by its name if it has none."""

    password = forms.CharField(
        label="Password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    name = forms.CharField(label="Your user name")

    def __init__(self, request: HttpRequest, data: Any) -> None:
        super().__init__(data, label_suffix="")
        self.request, self.user = request, logged_in_user(request)
        del self.fields["name" if self.user.has_usable_password() else "password"]

    def clean_password(self) -> str:
        """Check the password. Wrong ones count as failed log-ins, so that nobody can guess it."""
        password: str = self.cleaned_data["password"]
        name = self.user.get_username()
        if authenticate(self.request, username=name, password=password) is None:
            raise forms.ValidationError("That is not your password.")
        return password

    def clean_name(self) -> str:
        """Refuse a name that is not the account's."""
        name: str = self.cleaned_data["name"]
        if name != self.user.get_username():
            raise forms.ValidationError("That is not your user name.")
        return name


class InvitationForm(forms.Form):
    """Accounts to create, such as those of a class."""

    rows = forms.CharField(
        label="Names",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "mono"}),
        help_text="One account per line: a name, or a name, a comma and an e-mail address.",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="", auto_id="invitation_%s")

    def clean_rows(self) -> list[tuple[str, str]]:
        """(name, e-mail address or empty) of each account."""
        return accounts.read_invitations(self.cleaned_data["rows"])


class PasswordLinkForm(forms.Form):
    """An account whose owner has forgotten the password."""

    user = LookupField(
        User.objects.filter(is_active=True),
        "username",
        label="User name",
        missing="There is no such account.",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="", auto_id="link_%s")


class VersionForm(forms.Form):
    """A new version of a bot."""

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
    """A new bot with its first version."""

    name = forms.CharField(
        label="Name",
        required=False,
        max_length=48,
        help_text="The bot’s name in lists. If empty, the name in cardroom.toml is used.",
    )
    description = forms.CharField(
        label="About it", required=False, max_length=300, help_text="One or two sentences."
    )
    candidate = None  # type: ignore[assignment]  # a first version has no opponent for a trial
    field_order = ("package", "games", "name", "description", "notes")

    def clean_notes(self) -> str:
        """The notes, or a default text."""
        return self.cleaned_data["notes"] or "First version."


class DescriptionForm(forms.Form):
    """The description on a bot's page."""

    description = forms.CharField(label="About it", required=False, max_length=300)


# --- fields without validation ------------------------------------------------------------------


class _Unvalidated(_Field):
    """A field that accepts everything, because only the browser checks its limits."""

    def validate(self, value: Any) -> None:
        """Accept any value."""

    def run_validators(self, value: Any) -> None:
        """Run no validators."""


class TextField(_Unvalidated, forms.CharField):
    """A text."""


class NumberField(_Unvalidated, forms.IntegerField):
    """A number. Text that is not a number stays text; an empty field becomes None."""

    def to_python(self, value: Any) -> Any:
        """Parse a number if possible."""
        try:
            return super().to_python(value)
        except ValidationError:
            return value


class ChoiceField(_Unvalidated, forms.ChoiceField):
    """A choice among several."""

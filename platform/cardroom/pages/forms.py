"""Forms of the pages: they read what people typed; what is allowed, the actions decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.contrib.auth.forms import AuthenticationForm, UserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator

from bots.actions import ActionError
from bots.limits import MAX_PACKED, human
from engine import Format, registry
from tournaments.models import Tournament
from tournaments.pairing import SYSTEMS

if TYPE_CHECKING:
    _UserCreationForm = UserCreationForm[User]
else:
    _UserCreationForm = UserCreationForm

BAD_NAME: Final = "A user name has only letters, digits and @.+-_, no spaces."


def refuse(form: forms.BaseForm, error: ActionError) -> None:
    """Show what an action refused at the field it is about, else on top of the form."""
    form.add_error(error.field if error.field in form.fields else None, str(error))


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
        name.error_messages["unique"] = "Somebody has this name already; choose another."
        self.fields["password1"].label = "Password"
        self.fields[
            "password1"
        ].help_text = "At least 8 characters, not only digits, no common word."
        self.fields["password2"].label = "Password again"
        self.fields["password2"].help_text = ""


class LoginForm(AuthenticationForm):
    """Name and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["username"].label = "User name"
        self.error_messages = {
            **self.error_messages,
            "invalid_login": "No account has this user name and password. Both mind capitals.",
        }


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
    notes = forms.CharField(
        label="What changed",
        required=False,
        max_length=500,
        help_text="Shown beside this version.",
    )


class BotForm(VersionForm):
    """A package as the first version of a new bot."""

    name = forms.CharField(
        label="Name",
        required=False,
        max_length=48,
        help_text="How the bot is called in tables. Without one: the name in cardroom.toml.",
    )
    description = forms.CharField(
        label="About it", required=False, max_length=300, help_text="One or two sentences."
    )
    field_order = ("package", "name", "description", "notes")

    def clean_notes(self) -> str:
        """A first version is described by being the first."""
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


class TournamentForm(forms.Form):
    """A tournament before it opens."""

    name = forms.CharField(label="Name", max_length=80)
    description = forms.CharField(
        label="What it is about",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    format = forms.ChoiceField(label="Format", choices=_plain_formats)
    options = forms.CharField(
        label="Options",
        required=False,
        help_text="Those that differ from the variant’s own, such as deals=4&sweeps=false.",
        widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false"}),
    )
    system = forms.ChoiceField(
        label="Who meets whom",
        choices=lambda: [(system.name, system.title) for system in SYSTEMS.values()],
    )
    groups = forms.IntegerField(
        label="Deal groups a pairing",
        initial=2,
        min_value=1,
        max_value=1000,
        help_text="A group is one set of shuffles, played once for every change of sides.",
    )
    move_ms = forms.IntegerField(
        label="Free time a move, in milliseconds", initial=1000, min_value=0
    )
    bank_ms = forms.IntegerField(
        label="Time bank a match, in milliseconds", initial=20000, min_value=0
    )
    fault_policy = forms.ChoiceField(
        label="At a bot’s first fault", choices=Tournament.FaultPolicy.choices
    )
    rated = forms.BooleanField(label="Results count for the ratings", required=False, initial=True)

    FIELDS: Final = (*("name", "description", "move_ms", "bank_ms", "fault_policy", "rated"),)
    STAGE: Final = ("system", "groups")

    @classmethod
    def initial_from(cls, tournament: Tournament) -> dict[str, Any]:
        """The form's values for a tournament."""
        path, _, options = tournament.format.partition("?")
        values = {name: getattr(tournament, name) for name in cls.FIELDS}
        stage = tournament.stages.order_by("number")[0]
        values |= {name: getattr(stage, name) for name in cls.STAGE}
        return {**values, "format": path, "options": options}

    def clean(self) -> dict[str, Any]:
        """Join format and options; what is wrong is said at the options."""
        data: dict[str, Any] = super().clean() or {}
        options = data.get("options", "").strip().lstrip("?")
        if "format" not in data:
            return data
        text = f"{data['format']}?{options}" if options else data["format"]
        try:
            data["whole_format"] = str(Format.parse(text))
        except ValueError as error:
            self.add_error("options", str(error))
        return data

    def values(self) -> dict[str, Any]:
        """What the actions take."""
        values = {name: self.cleaned_data[name] for name in (*self.FIELDS, *self.STAGE)}
        return {**values, "format": self.cleaned_data["whole_format"]}

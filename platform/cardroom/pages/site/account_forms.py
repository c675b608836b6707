"""Forms of django-allauth with our labels and checks."""

from __future__ import annotations

from typing import Any, Final

from allauth.account import forms as allauth
from allauth.account.adapter import get_adapter
from allauth.socialaccount import forms as social
from django import forms
from django.conf import settings

from cardroom.actions import tokens

STRENGTH_HINT: Final = "At least 8 characters, not only digits, not a common password."
NO_MAIL: Final = "This site sends no mail. Its staff can give you a link to set a new password."


def _label(form: forms.Form, **labels: str) -> None:
    """Set the labels of fields, by name. Remove placeholders, which repeat labels, and all hints
    except the hint for a new password."""
    form.label_suffix = ""
    for name, field in form.fields.items():
        field.widget.attrs.pop("placeholder", None)
        field.help_text = STRENGTH_HINT if name == "password1" else ""
        field.label = labels.get(name, field.label)


def _label_sign_up(form: forms.Form) -> None:
    """Set labels and hints of a sign-up form. On a site without a mail server, remove the e-mail
    field, because the site could not use it."""
    _label(form, username="User name", email="E-mail", password2="Password again")
    hints = {
        "username": "Shown beside your bots. Letters, digits and @.+-_",
        "code": "Ask the person who told you about this site.",
        "email": "Nobody else sees it. It lets you reset a forgotten password.",
    }
    if not settings.MAIL:
        del form.fields["email"]
    for name, hint in hints.items():
        if field := form.fields.get(name):
            field.help_text = hint


class LoginForm(allauth.LoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _label(self, login="User name")


class SignUpForm(allauth.SignupForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _label_sign_up(self)


class ProviderSignUpForm(social.SignupForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _label_sign_up(self)


class ChangePasswordForm(allauth.ChangePasswordForm):
    revoke = forms.BooleanField(label="Revoke all my tokens, too", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _label(
            self,
            oldpassword="Current password",
            password1="New password",
            password2="Repeat the new password",
        )
        self.fields["revoke"].help_text = "If you think that somebody knows your password."

    def clean_oldpassword(self) -> str:
        """Check the password. Wrong ones count as failed log-ins, so that nobody can guess it."""
        old: str = self.cleaned_data["oldpassword"]
        if not get_adapter().reauthenticate(self.user, old):
            raise get_adapter().validation_error("enter_current_password")
        return old

    def save(self) -> None:
        """Set the password, which ends the account's other sessions. If the user ticked `revoke`,
        revoke all tokens."""
        super().save()
        if self.cleaned_data["revoke"]:
            tokens.revoke_all(self.user)


class SetPasswordForm(allauth.SetPasswordForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _label(self, password1="New password", password2="Repeat the new password")


class NewPasswordForm(allauth.ResetPasswordKeyForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _label(self, password1="New password", password2="Repeat the new password")


class _MailForm(forms.Form):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _label(self, email="E-mail")

    def clean(self) -> dict[str, Any]:
        """Refuse the form on a site without a mail server."""
        if not settings.MAIL:
            raise forms.ValidationError(NO_MAIL)
        return super().clean() or self.cleaned_data


class ResetPasswordForm(_MailForm, allauth.ResetPasswordForm):
    pass


class AddEmailForm(_MailForm, allauth.AddEmailForm):
    pass

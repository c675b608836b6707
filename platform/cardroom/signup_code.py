"""The code that a site may require at sign-up (`CARDROOM_SIGNUP=code`)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.crypto import constant_time_compare


class SignUpCode(forms.Form):
    """A base class of allauth's sign-up forms. They import this module, so it must not import
    them."""

    code = forms.CharField(label="Code", max_length=200)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.SIGNUP != "code":
            del self.fields["code"]

    def clean_code(self) -> str:
        """Refuse a code that is not the site's."""
        code: str = self.cleaned_data["code"]
        if not constant_time_compare(code.strip(), settings.SIGNUP_CODE):
            raise forms.ValidationError("That is not the code.")
        return code

    def signup(self, request: Any, user: Any) -> None:
        """Nothing more; allauth requires the method."""

"""What is said on top of the page that one comes to after a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest

from cardroom_base.core.errors import ActionError


def show_success(request: HttpRequest, words: str) -> None:
    """Say what was done."""
    messages.success(request, words, extra_tags="good")


def show_error(request: HttpRequest, why: str) -> None:
    """Say why something was not done."""
    messages.error(request, why, extra_tags="bad")


@contextmanager
def show_refusals(request: HttpRequest) -> Iterator[None]:
    """For a step: why an action refuses it (ActionError) is said, and the view goes on."""
    try:
        yield
    except ActionError as error:
        show_error(request, str(error))

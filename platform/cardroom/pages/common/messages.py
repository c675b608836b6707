"""Flash messages, shown on top of the page after a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest

from cardroom_base.core.errors import ActionError


def show_success(request: HttpRequest, words: str) -> None:
    """Show what was done."""
    messages.success(request, words, extra_tags="good")


def show_error(request: HttpRequest, why: str) -> None:
    """Show why something was refused."""
    messages.error(request, why, extra_tags="bad")


@contextmanager
def show_refusals(request: HttpRequest) -> Iterator[None]:
    """Show the refusal (ActionError) of an action in the block, and continue after it."""
    try:
        yield
    except ActionError as error:
        show_error(request, str(error))

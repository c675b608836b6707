"""Views of actions that people start from a page, and the messages afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeAlias, TypeVar

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from cardroom_base.core.errors import ActionError

T = TypeVar("T")
Step: TypeAlias = Callable[[HttpRequest, T], str]
"""Performs an action; returns a message or an empty text. Raises ActionError for a refusal."""


def show_success(request: HttpRequest, words: str) -> None:
    """Show a message about a successful action."""
    messages.success(request, words, extra_tags="good")


def show_error(request: HttpRequest, why: str) -> None:
    """Show the reason of a refusal."""
    messages.error(request, why, extra_tags="bad")


@contextmanager
def show_refusals(request: HttpRequest) -> Iterator[None]:
    """Show the refusal (ActionError) of an action in the block, and continue after the block."""
    try:
        yield
    except ActionError as error:
        show_error(request, str(error))


def step(
    find: Callable[[HttpRequest, Any], T], page: str, fragment: str = ""
) -> Callable[[Step[T]], Callable[..., HttpResponse]]:
    """Decorate a step to make it a view, which shows the outcome on the page to which it returns.

    `find` returns the object at the address, or raises 404. `page` is the name of the page; its
    address has the same parameters as the view's.
    """

    def view_of(take: Step[T]) -> Callable[..., HttpResponse]:
        @login_required
        @require_POST
        @wraps(take)
        def view(request: HttpRequest, **address: Any) -> HttpResponse:
            thing = find(request, *address.values())
            with show_refusals(request):
                if words := take(request, thing):
                    show_success(request, words)
            return redirect(reverse(page, kwargs=address) + fragment)

        return view

    return view_of

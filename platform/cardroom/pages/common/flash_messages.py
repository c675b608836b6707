"""Flash messages, and steps: requests that change something and then show a message."""

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
"""A function that changes an object and returns a message of success, or an empty text. It raises
ActionError if it refuses."""


def show_success(request: HttpRequest, words: str) -> None:
    messages.success(request, words, extra_tags="good")


def show_error(request: HttpRequest, reason: str) -> None:
    """Show why a request was refused."""
    messages.error(request, reason, extra_tags="bad")


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
    """Turn a step into a view that performs it and redirects to the object's page, which shows the
    outcome.

    `find` returns the object at an address, or raises 404. `page`: the URL name of the object's
    page, which takes the arguments of the view. `fragment`: the part of that page, such as `#log`.
    """

    def view_of(change: Step[T]) -> Callable[..., HttpResponse]:
        @login_required
        @require_POST
        @wraps(change)
        def view(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            target = find(request, *kwargs.values())
            with show_refusals(request):
                if message := change(request, target):
                    show_success(request, message)
            return redirect(reverse(page, kwargs=kwargs) + fragment)

        return view

    return view_of

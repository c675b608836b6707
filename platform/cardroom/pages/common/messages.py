"""Steps: requests from a page that change something and show a flash message afterwards."""

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
"""Changes an object and returns the success message, if any; ActionError if refused."""


def show_success(request: HttpRequest, words: str) -> None:
    """Show a success message."""
    messages.success(request, words, extra_tags="good")


def show_error(request: HttpRequest, why: str) -> None:
    """Show why a request was refused."""
    messages.error(request, why, extra_tags="bad")


@contextmanager
def show_refusals(request: HttpRequest) -> Iterator[None]:
    """Show an action's refusal (ActionError) in the block, and continue after it."""
    try:
        yield
    except ActionError as error:
        show_error(request, str(error))


def step(
    find: Callable[[HttpRequest, Any], T], page: str, fragment: str = ""
) -> Callable[[Step[T]], Callable[..., HttpResponse]]:
    """Make a view of a step; it redirects to the object's page and shows the outcome there.

    `find`: the object at the address, or 404. `page`: the URL name of the page, whose arguments are
    those of the view.
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

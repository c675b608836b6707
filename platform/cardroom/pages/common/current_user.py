"""The user behind a request, their bots, and the data of their forms."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.datastructures import MultiValueDict

from bots.access import owns
from bots.models import Bot


def logged_in_user(request: HttpRequest) -> User:
    """The logged-in user of a request; PermissionDenied if there is none."""
    if not isinstance(request.user, User):
        raise PermissionDenied("Log in first.")
    return request.user


def own_bot(request: HttpRequest, slug: str) -> Bot:
    """The bot with this slug; PermissionDenied unless the user owns it."""
    bot = get_object_or_404(Bot.objects.select_related("active_version"), slug=slug)
    if not owns(bot, request.user):
        raise PermissionDenied(f"{bot.name} is not yours; only its owner may do that.")
    return bot


def post_data(request: HttpRequest) -> QueryDict | None:
    """The data of a POST, even if empty; None for other requests."""
    return request.POST if request.method == "POST" else None


def post_files(request: HttpRequest) -> MultiValueDict[str, Any] | None:
    """The files of a POST; None for other requests."""
    return request.FILES if request.method == "POST" else None

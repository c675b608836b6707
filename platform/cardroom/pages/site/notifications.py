"""The page of an account's notifications."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from cardroom.notification_texts import word_notifications
from cardroom.pages.common.current_user import logged_in_user
from cardroom_base.core.whole_number import whole_number
from cardroom_base.db.notifications import mark_read
from cardroom_base.models import Notification
from cardroom_base.rest.keyset import CappedPaginator
from tournaments.visibility import viewer_of

PAGE: Final = 50


@login_required
def index(request: HttpRequest) -> HttpResponse:
    """List the user's notifications, newest first."""
    rows = Notification.objects.filter(user=logged_in_user(request))
    page = CappedPaginator(rows, PAGE).get_page(request.GET.get("page"))
    newest = rows.values_list("pk", flat=True).first()
    lines = word_notifications(page, viewer_of(request))
    return render(request, "notifications.html", {"page": page, "lines": lines, "newest": newest})


@login_required
@require_POST
def read(request: HttpRequest) -> HttpResponse:
    """Mark the notifications up to the number `until` as read; the page did not show later ones."""
    until = whole_number(request.POST.get("until"))
    if until is not None:
        mark_read(logged_in_user(request).pk, until)
    return redirect("notifications")

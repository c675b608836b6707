"""The home page, the viewer's theme, and the status of the site."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.db.models import CharField, Count, QuerySet, Value
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from django.views.decorators.vary import vary_on_headers

from bots import actions, isolation_summary
from bots.models import Bot
from bots.quotas import DAY
from cardroom.pages.common import queries
from cardroom.pages.common.context import APPEARANCES
from cardroom.pages.common.guests import person_of
from cardroom.pages.common.messages import show_refusals, show_success
from cardroom.pages.games.tiles import game_tiles
from cardroom.pages.matches import featured
from cardroom.status import site_status
from cardroom_base.db.db_time import now
from cardroom_tables import lobby
from tournaments.models import Match, Tournament
from tournaments.queue.workers import workers
from tournaments.visibility import viewer_of, visible_to

YEAR = 365 * 86400
JUST_FINISHED: Final = 4
"""The most matches in the list on the home page, besides the featured one."""
TOURNAMENTS: Final = 5
"""The most tournaments on the home page."""
FACTS_KEPT: Final = 60
"""Seconds for which the home page's counts are cached."""
MOST_COUNTED: Final = 1000
"""The highest number of a day's matches that the home page counts."""


def home(request: HttpRequest) -> HttpResponse:
    """The home page: a match to watch, games to play, news, a first bot."""
    choice = featured.featured_match()
    table = [choice.match] if choice else []
    finished = [key for key in queries.newest_match_keys(1 + JUST_FINISHED) if key not in table]
    lines = queries.match_lines_by_key([*table, *finished])
    return render(
        request,
        "home.html",
        {
            "facts": cache.get_or_set("home-facts", _facts, FACTS_KEPT),
            "games": game_tiles(),
            "waiting": lobby.waiting_table(person_of(request)),
            **featured.featured_context(choice, lines.get(choice.match) if choice else None),
            "finished": [lines[key] for key in finished[:JUST_FINISHED]],
            "tournaments": _tournaments(request)[:TOURNAMENTS],
            "boards": queries.leaders(pools=2, rows=3),
        },
    )


def _tournaments(request: HttpRequest) -> QuerySet[Tournament]:
    """Running tournaments, then tournaments open for entries; newest first."""
    going = visible_to(viewer_of(request)).filter(
        trial=False, state__in=(Tournament.State.RUNNING, Tournament.State.OPEN)
    )
    return going.order_by("-state", "-pk")  # *running* comes after *open*


def _facts() -> dict[str, int | str]:
    """Counts for the home page, cached for a minute and capped."""
    day = Match.objects.filter(finished__gte=now() - DAY).order_by("finished")  # uses its index
    recent = Match.objects.filter(pk__in=day[: MOST_COUNTED + 1].values("pk"))
    active = Bot.objects.listed()
    counted = dict(_count("bots", active).union(_count("matches", recent), all=True))
    matches = counted.get("matches", 0)
    return {
        "bots": counted.get("bots", 0),
        "matches": f"{MOST_COUNTED:,}+" if matches > MOST_COUNTED else matches,
    }


def _count(name: str, rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """A count, at most `most`."""
    named = rows.order_by().values(counted=Value(name, CharField())).annotate(rows=Count("pk"))
    counted: QuerySet[Any, Any] = named.values_list("counted", "rows")
    return counted


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Store the theme or the suit colours in a cookie, and redirect back."""
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, request.get_host(), request.is_secure())
    # Not `redirect`, which resolves a plain word as the name of a view.
    response = HttpResponseRedirect(back if safe else reverse("home"))
    for name, _, choices in APPEARANCES:
        value = request.POST.get(name)
        if value in dict(choices):
            response.set_cookie(
                name, value, max_age=YEAR, samesite="Lax", secure=request.is_secure()
            )
    return response


@vary_on_headers("HX-Request")
def status(request: HttpRequest) -> HttpResponse:
    """The load of the site, live."""
    template = "_status_live.html" if request.headers.get("HX-Request") else "status.html"
    staff = bool(getattr(request.user, "is_staff", False))
    nodes = isolation_summary.recent_workers()
    context: dict[str, Any] = {"status": site_status(staff=staff, nodes=nodes)}
    if staff:
        context["workers"] = workers(nodes)
    return render(request, template, context)


@login_required
@require_POST
def drain_or_resume(request: HttpRequest) -> HttpResponse:
    """Drain or resume a worker, for staff."""
    if not getattr(request.user, "is_staff", False):
        raise PermissionDenied("Only the site's staff may do that.")
    name, by = request.POST.get("worker", ""), request.user.get_username()
    resumes = request.POST.get("word") == "resume"
    with show_refusals(request):
        (actions.resume_worker if resumes else actions.drain_worker)(name, by)
        change = "takes work again" if resumes else "takes no more work"
        show_success(request, f"{name} {change} within seconds.")
    return redirect("status")

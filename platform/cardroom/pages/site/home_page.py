"""The home page, the choice of the theme, and the status of the site."""

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
from cardroom.pages.common import queries
from cardroom.pages.common.context import APPEARANCES
from cardroom.pages.common.flash_messages import show_refusals, show_success
from cardroom.pages.common.guests import person_of
from cardroom.pages.games.tiles import game_tiles
from cardroom.pages.matches import featured
from cardroom.status import site_status
from cardroom_tables import lobby
from tournaments.models import Match, Tournament
from tournaments.queue.workers import workers
from tournaments.visibility import viewer_of, visible_to

YEAR_SECONDS: Final = 365 * 86400
MAX_FINISHED: Final = 4
"""The maximum number of matches in the list on the home page, besides the featured one."""
MAX_TOURNAMENTS: Final = 5
"""The maximum number of tournaments on the home page."""
FACTS_CACHE_SECONDS: Final = 60
"""The time for which the counts of the home page are cached."""
MAX_COUNTED: Final = 1000
"""The maximum number of a day's matches that the home page counts."""


def home(request: HttpRequest) -> HttpResponse:
    """The home page: a match to watch, games, news, leaders of the ratings."""
    chosen = featured.featured_match()
    featured_keys = [chosen.match] if chosen else []
    newest = queries.newest_match_keys(1 + MAX_FINISHED)
    finished = [key for key in newest if key not in featured_keys]
    matches = queries.list_matches_by_key([*featured_keys, *finished])
    return render(
        request,
        "home.html",
        {
            "facts": cache.get_or_set("home-facts", _facts, FACTS_CACHE_SECONDS),
            "games": game_tiles(),
            "waiting": lobby.waiting_table(person_of(request)),
            **featured.featured_context(chosen, matches.get(chosen.match) if chosen else None),
            "finished": [matches[key] for key in finished[:MAX_FINISHED]],
            "tournaments": _tournaments(request)[:MAX_TOURNAMENTS],
            "boards": queries.leaders(pools=2, rows=3),
        },
    )


def _tournaments(request: HttpRequest) -> QuerySet[Tournament]:
    """Running tournaments, then tournaments open for entries; newest first."""
    unfinished = visible_to(viewer_of(request)).filter(
        trial=False, state__in=(Tournament.State.RUNNING, Tournament.State.OPEN)
    )
    return unfinished.order_by("-state", "-pk")  # *running* comes after *open*


def _facts() -> dict[str, int | str]:
    """The number of listed bots, and of matches that ended in the last 24 hours: at most
    `MAX_COUNTED`, then with a plus sign."""
    day = queries.matches_of_last_day(MAX_COUNTED + 1)
    recent = Match.objects.filter(pk__in=day.values("pk"))
    active = Bot.objects.listed()
    counts = dict(_count("bots", active).union(_count("matches", recent), all=True))
    matches = counts.get("matches", 0)
    return {
        "bots": counts.get("bots", 0),
        "matches": f"{MAX_COUNTED:,}+" if matches > MAX_COUNTED else matches,
    }


def _count(kind: str, rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """A query that returns one row: the kind, and the number of `rows`."""
    labelled = rows.order_by().values(kind=Value(kind, CharField())).annotate(rows=Count("pk"))
    pair: QuerySet[Any, Any] = labelled.values_list("kind", "rows")
    return pair


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Store the theme or the suit colours in a cookie, and redirect back."""
    back = request.POST.get("next", "")
    is_safe = url_has_allowed_host_and_scheme(back, request.get_host(), request.is_secure())
    # `redirect` would resolve a plain word as the name of a view.
    response = HttpResponseRedirect(back if is_safe else reverse("home"))
    for name, _, choices in APPEARANCES:
        value = request.POST.get(name)
        if value in dict(choices):
            response.set_cookie(
                name, value, max_age=YEAR_SECONDS, samesite="Lax", secure=request.is_secure()
            )
    return response


@vary_on_headers("HX-Request")
def status(request: HttpRequest) -> HttpResponse:
    """Show the site's load. The page refreshes its changing part through htmx."""
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
    """Let staff drain or resume a worker."""
    if not getattr(request.user, "is_staff", False):
        raise PermissionDenied("Only the site's staff may do that.")
    name, by = request.POST.get("worker", ""), request.user.get_username()
    resume = request.POST.get("word") == "resume"
    with show_refusals(request):
        (actions.resume_worker if resume else actions.drain_worker)(name, by)
        change = "takes work again" if resume else "takes no more work"
        show_success(request, f"{name} {change} within seconds.")
    return redirect("status")

"""The list of matches, the organizer's decisions about a match, and bots' logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from bots.models import Bot, BotVersion
from cardroom import error_responses
from cardroom.pages.common import filter_chips, queries
from cardroom.pages.common.current_user import logged_in_user
from cardroom.pages.common.filter_chips import Chip
from cardroom.pages.common.flash_messages import show_error, show_refusals, show_success
from cardroom.pages.matches import match_groups
from cardroom_base.core.errors import ActionError
from cardroom_base.core.whole_number import whole_number
from cardroom_base.rest.keyset import CappedPaginator
from engine import registry
from tournaments import actions
from tournaments.access import log_of
from tournaments.models import Attempt, Match, Seat, Tournament
from tournaments.reading import listed_groups
from tournaments.visibility import listed_matches, readable_matches, viewer_of, visible_to

PAGE = 50
"""The number of matches on a page of the list by state."""
GROUPS = 20
"""The number of deal groups on a page."""
PICKS = 3
"""The number of dramatic deal groups above the list."""
CANDIDATES = 10
"""The number of recent deal groups from which the dramatic ones are chosen."""
MAX_COUNTED = 10_000
"""The maximum number of a day's matches that the page counts."""
FILTERS = ("game", "bot", "against", "tournament", "only", "state")
"""The filters' keys in the address. The values of `only` are `close`, `mine` and `faults`."""


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List finished deal groups, newest first, and above them the most dramatic ones. With
    `?state=`, list the matches in that state instead."""
    state = request.GET.get("state")
    if state == "fault":  # an older address of this filter
        others = request.GET.copy()
        del others["state"]
        others["only"] = "faults"
        return redirect(f"{reverse('matches')}?{others.urlencode()}")
    if state in Match.State.values or state == "all":
        return _by_state(request, state)
    matches, filters = _filtered_matches(request)
    own_slugs = _own_bots(request)
    before = _before(request)
    narrowed = _narrowed(request, matches, own_slugs, before)
    matches = listed_groups.last_of_ended_groups(narrowed)
    keys = list(
        listed_groups.finished_before(matches, before).values_list("pk", flat=True)[: GROUPS + 1]
    )
    candidates = (
        []
        if before or filters.keys() - {"game"}
        else listed_groups.pick_dramatic(matches, CANDIDATES)
    )
    finished_groups = listed_groups.finished_groups([*keys[:GROUPS], *candidates])
    row_count = min(len(keys), GROUPS)
    best = match_groups.most_dramatic(finished_groups[row_count:], PICKS)
    slugs = frozenset(own_slugs.values())
    query = _query(request)
    context = {
        "picks": match_groups.group_rows(best, slugs),
        "rows": match_groups.group_rows(finished_groups[:row_count], slugs),
        "earlier": keys[GROUPS - 1] if len(keys) > GROUPS else None,
        "before": before,
        "chips": _chips(query, has_bots=bool(own_slugs)),
        "filters": query,
        "query_prefix": f"{urlencode(query)}&" if query else "",
        **_counts(),
        **filters,
    }
    return render(request, "matches/index.html", context)


def _by_state(request: HttpRequest, state: str) -> HttpResponse:
    """List the matches in a state, or in `all` states, newest first."""
    matches, filters = _filtered_matches(request)
    if state != "all":
        matches = matches.filter(state=state)
    page = CappedPaginator(matches, PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": queries.list_matches(page.object_list),
        "states": [label for label, _ in Match.State.choices],
        "filters": request.GET,
        "games": registry.games(),
        **filters,
    }
    return render(request, "matches/states.html", context)


def _before(request: HttpRequest) -> int:
    """The key of the match after which the list continues; 0 if there is none, or if the viewer may
    not see it, because the list would tell when it ended."""
    pk = whole_number(request.GET.get("before"), max_digits=15)
    return pk if pk and readable_matches(viewer_of(request)).filter(pk=pk).exists() else 0


def _query(request: HttpRequest) -> dict[str, str]:
    """The filters in the address."""
    return {key: request.GET[key] for key in FILTERS if request.GET.get(key)}


def _narrowed(
    request: HttpRequest, matches: QuerySet[Match], own_slugs: Mapping[int, str], before: int
) -> QuerySet[Match]:
    """The matches that `?only=` selects. `own_slugs`: of the viewer's bots, by version."""
    only = request.GET.get("only")
    if only == "close":
        return listed_groups.close_matches(matches)
    if only == "faults":
        return listed_groups.faulted_matches(matches)
    if only == "mine" and own_slugs:
        return listed_groups.matches_of_versions(matches, own_slugs.keys(), before)
    return matches


def _own_bots(request: HttpRequest) -> dict[int, str]:
    """The slugs of the viewer's bots, by version."""
    if not request.user.is_authenticated:
        return {}
    versions = BotVersion.objects.filter(bot__owner=request.user.pk)
    return dict(versions.values_list("pk", "bot__slug"))


def _counts() -> dict[str, Any]:
    """The numbers of matches that finished within a day, and of running matches."""
    count = queries.matches_of_last_day(MAX_COUNTED + 1).count()
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING)
    return {
        "today": f"{MAX_COUNTED:,}+" if count > MAX_COUNTED else f"{count:,}",
        "playing": running.count(),
    }


def _chips(query: Mapping[str, str], *, has_bots: bool) -> list[Chip]:
    games = [("game", game.name, game.title) for game in registry.games()]
    only = [("only", "close", "Close"), ("only", "faults", "Faults")]
    if has_bots:
        only.insert(1, ("only", "mine", "Mine"))
    return filter_chips.single_choice(query, "All games", games) + filter_chips.toggles(query, only)


def _filtered_matches(request: HttpRequest) -> tuple[QuerySet[Match], dict[str, Any]]:
    """The visible matches of the game, bots and tournament in the address, newest first, and these
    objects by key; 404 for an unknown bot or tournament."""
    viewer = viewer_of(request)
    visible_matches = readable_matches if request.GET.get("tournament") else listed_matches
    matches = visible_matches(viewer).order_by("-pk")
    filters: dict[str, Any] = {}
    for key in ("bot", "against"):
        if slug := request.GET.get(key):
            filters[key] = get_object_or_404(Bot, slug=slug)
            matches = matches.filter(
                pk__in=Seat.objects.filter(version__bot=filters[key]).values("match")
            )
    if slug := request.GET.get("tournament"):
        filters["tournament"] = get_object_or_404(visible_to(viewer), slug=slug)
        matches = matches.filter(tournament=filters["tournament"])
    for game in registry.games():
        if game.name == request.GET.get("game"):
            filters["game"] = game
            # There are few tournaments, and matches have an index on them.
            of_game = Tournament.objects.filter(format__startswith=f"{game.name}/")
            matches = matches.filter(tournament__in=of_game.values("pk"))
    return matches, filters


@login_required
@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Let an organizer play a match again, or void it."""
    matches = readable_matches(viewer_of(request)).select_related("tournament")
    match = get_object_or_404(matches, pk=pk)
    word = request.POST.get("word")
    change = {"rerun": actions.rerun_match, "void": actions.void_match}.get(word or "")
    if change is None:
        show_error(request, "Choose whether to play the match again or not to count it.")
        return redirect("match", pk=pk)
    with show_refusals(request):
        new_match = change(match, logged_in_user(request), request.POST.get("reason", ""))
        outcome = f"will be played again as match {new_match.pk}; its deal group gets new cards"
        if word == "void":
            outcome = "is now void, like the rest of its deal group"
        show_success(request, f"Match {pk} {outcome}.")
    return redirect("tournament", slug=match.tournament.slug)


@login_required
def log(request: HttpRequest, pk: int, seat: int) -> HttpResponse:
    """The log (stderr) of a bot in a match, for its owner and staff, once the cards are public."""
    try:
        place, text = log_of(pk, seat, request.user)
    except Seat.DoesNotExist:
        raise Http404(f"Match {pk} has no seat {seat}.") from None
    except ActionError as error:
        if error.code == "forbidden":
            raise PermissionDenied(str(error)) from None
        return error_responses.not_public_yet(request, str(error))
    return render(request, "matches/log.html", {"seat": place, "match": place.match, "text": text})

"""The page of a tournament with its tabs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers

from bots.access import moderates
from cardroom.display.plots import progress_bar
from cardroom.pages.common import filter_chips, queries
from cardroom.pages.common.current_user import logged_in_user
from cardroom.pages.common.flash_messages import show_refusals
from cardroom.pages.games.game_views import cited_clauses, inline_html
from cardroom.pages.tournaments import brackets as drawing
from cardroom.pages.tournaments import joining, progress, teams
from cardroom.pages.tournaments import overview as overviews
from cardroom.pages.tournaments.schedule import schedule
from cardroom.pages.tournaments.summary import summary_of
from cardroom_base.rest.keyset import CappedPaginator
from engine import Format, registry
from engine.declarations import spell
from tournaments.access import may_withdraw_results
from tournaments.actions.participation import entry_states, takes_entries
from tournaments.actions.schedule import retry_until
from tournaments.actions.tournaments import max_priority
from tournaments.exports import export_files
from tournaments.models import Announcement, Attempt, Entry, Match, Stage, Tournament
from tournaments.organizing import may_choose_organizers, organizes
from tournaments.pairing import get_system
from tournaments.queue.waits import other_rules
from tournaments.reading.brackets import brackets_from_json, has_bracket
from tournaments.reading.categories import category_rows
from tournaments.reading.content_cache import read_for
from tournaments.reading.kinds import LUCK, STORY, TABLES
from tournaments.reading.luck import luck_of
from tournaments.visibility import (
    FROZEN,
    readable_matches,
    sees_only_frozen_results,
    viewer_of,
    visible_to,
)

PAGE = 50
MAX_SKILLS = 50
"""The maximum number of entries on the luck tab, the best first; REST has all."""
MAX_DECISIONS = 200
"""The maximum number of log entries on the page; REST has all."""
SMALL_EXPORTS = (("Standings", "standings"), ("Cross table", "crosstable"), ("Ratings", "ratings"))
"""Exports that are sent immediately: title, and name of the table in REST."""
LARGE_EXPORTS = {
    "archive": ("Archive with all records", "type=archive"),
    "results.csv": ("All results", "table=results&type=csv"),
    "results.json": ("All results", "table=results&type=json"),
}
"""Exports that workers create first: title, and query in REST."""
BODY_TEMPLATES = {"tournament": "show", "tournament-standings": "standings"}
"""The templates of tabs whose names differ from the tab's."""
PRIORITY_STATES = (Tournament.State.DRAFT, Tournament.State.OPEN, Tournament.State.RUNNING)
"""The states in which the priority can change."""


# --- a tournament's page ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TournamentTab:
    """One tab of the page."""

    name: str
    title: str
    count: int | None = None


def show(request: HttpRequest, slug: str) -> HttpResponse:
    """The first tab: game, leader and schedule; after the end, the summary."""
    if "invitation" in request.GET:
        return joining.follow_link(request, slug)
    tournament = _find(request, slug)
    if tournament.state in {Tournament.State.DRAFT, Tournament.State.OPEN}:
        return entries(request, slug)

    return _page(request, tournament, "tournament", lambda: _overview_context(request, tournament))


def _overview_context(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    if tournament.endless:
        return _ladder(request, tournament)
    cached = read_for(STORY, tournament, viewer_of(request))
    if cached.value is None:
        return {"cached": cached}
    overview = overviews.overview_of(tournament, cached.value)
    is_over = tournament.state == Tournament.State.FINISHED
    is_over &= not sees_only_frozen_results(tournament, viewer_of(request))
    return {
        "cached": cached,
        "overview": overview,
        "lead": overview.lead,
        "summary": summary_of(tournament, overview) if is_over else None,
        "drawn_brackets": drawing.draw(
            brackets_from_json(tournament, overview.story.brackets),
            tournament.stages.count(),
        ),
    }


def _ladder(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """The leaders and the standings of an open-ended tournament."""
    cached = read_for(TABLES, tournament, viewer_of(request))
    if cached.value is None:
        return {"cached": cached}
    page, rows, _ = progress.standings(tournament, cached.value, request.GET.get("page"))
    lead = overviews.lead_by_rating(rows) if page.number == 1 else None
    return {"cached": cached, "page": page, "rows": rows, "lead": lead}


def standings(request: HttpRequest, slug: str) -> HttpResponse:
    """The standings of the tournament and of every stage."""
    tournament = _find(request, slug)

    def context() -> dict[str, Any]:
        cached = read_for(TABLES, tournament, viewer_of(request))
        if cached.value is None:
            return {"cached": cached}
        tables, category = cached.value, request.GET.get("category", "")
        if category in tournament.categories:
            own_rows = category_rows(tournament, tables.rows, category)
            tables = replace(tables, rows=own_rows, stored_divisions=[])
        page, rows, stage_tables = progress.standings(tournament, tables, request.GET.get("page"))
        by_bracket = progress.by_bracket(tournament)
        values = {"page": page, "rows": rows, "tables": stage_tables, "by_bracket": by_bracket}
        values["has_voids"] = any(row.void for row in cached.value.rows)
        values["chips"] = _category_chips(request, tournament)
        values["by_stage"] = len(tournament.stages.all()) > 1
        return {"cached": cached, **values}

    return _page(request, tournament, "tournament-standings", context)


def _category_chips(request: HttpRequest, tournament: Tournament) -> list[filter_chips.Chip]:
    choices = [("category", name, name) for name in tournament.categories]
    filters = {"category": request.GET.get("category", "")}
    return filter_chips.single_choice(filters, "All", choices) if choices else []


def bracket(request: HttpRequest, slug: str) -> HttpResponse:
    """The brackets of its knock-outs; 404 without a knock-out."""
    tournament = _find(request, slug)
    if not has_bracket(tournament):
        raise Http404(f"{tournament.name} has no bracket.")

    def context() -> dict[str, Any]:
        cached = read_for(TABLES, tournament, viewer_of(request))
        brackets = brackets_from_json(tournament, cached.value.brackets) if cached.value else []
        return {
            "cached": cached,
            "drawn_brackets": drawing.draw(brackets, tournament.stages.count()),
        }

    return _page(request, tournament, "bracket", context)


def crosstable(request: HttpRequest, slug: str) -> HttpResponse:
    """The results of each entrant against each other entrant."""
    tournament = _find(request, slug)

    def context() -> dict[str, Any]:
        viewer = viewer_of(request)
        cached = read_for(TABLES, tournament, viewer)
        frozen = tournament.frozen if sees_only_frozen_results(tournament, viewer) else None
        return {
            "cached": cached,
            "cross": cached.value and progress.cross_table(tournament, cached.value, frozen),
        }

    return _page(request, tournament, "crosstable", context)


def luck(request: HttpRequest, slug: str) -> HttpResponse:
    """The shares of cards and of play in the scores."""
    tournament = _find(request, slug)

    def context() -> dict[str, Any]:
        cached = read_for(LUCK, tournament, viewer_of(request))
        luck = luck_of(tournament, cached.value, cached.at)
        shares = [1000 * (share or 0.0) for share in (luck.cards, luck.players, luck.rest)]
        return {
            "cached": cached,
            "luck": cached.value and luck,
            "percent": [share / 10 for share in shares],
            "bars": progress_bar(*map(round, shares)),
            "skills": luck.skills[:MAX_SKILLS],
            "left_out": max(0, len(luck.skills) - MAX_SKILLS),
        }

    return _page(request, tournament, "tournament-luck", context)


def matches(request: HttpRequest, slug: str) -> HttpResponse:
    """List the tournament's matches, newest first. `?state=` selects those in a state."""
    tournament = _find(request, slug)
    rows = readable_matches(viewer_of(request)).filter(tournament=tournament).order_by("-pk")
    state = request.GET.get("state", "")
    if state in Match.State.values:
        rows = rows.filter(state=state)
    page = CappedPaginator(rows, PAGE).get_page(request.GET.get("page"))

    def context() -> dict[str, Any]:
        return {"page": page, "lines": queries.list_matches(page.object_list), "state": state}

    return _page(request, tournament, "tournament-matches", context)


def entries(request: HttpRequest, slug: str) -> HttpResponse:
    """The entries, with forms to enter and withdraw."""
    tournament = _find(request, slug)
    listed = Entry.objects.filter(tournament=tournament).select_related(
        "bot__owner", "bot__active_version", "version"
    )
    listed = listed.prefetch_related(
        "mates__bot__owner", "mates__bot__active_version", "mates__version"
    )

    def context() -> dict[str, Any]:
        candidates = teams.candidates(request.user, tournament)
        page = Paginator(listed, PAGE).get_page(request.GET.get("page"))
        rows = teams.entry_rows(request.user, tournament, page.object_list)
        may_move_all = organizes(tournament, request.user)
        may_move_own = tournament.state == Tournament.State.OPEN
        return {
            "page": page,
            "entries": rows,
            "movable": [
                row.entry for row in rows if may_move_all or (may_move_own and row.has_own_bot)
            ],
            "candidates": candidates,
            "has_entered": not candidates and teams.has_entered(request.user, tournament),
            "own": [bot for bot in candidates if not bot.is_house],
            "house": [bot for bot in candidates if bot.is_house],
            "seats": teams.seat_choices(request.user, tournament, candidates),
        }

    return _page(request, tournament, "entries", context)


def exports(request: HttpRequest, slug: str) -> HttpResponse:
    """The exports; a POST with the name of a large one requests it."""
    tournament = _find(request, slug)
    if tournament.started is None:
        raise Http404(f"{tournament.name} has not started.")
    if sees_only_frozen_results(tournament, viewer_of(request)):
        raise PermissionDenied(FROZEN)
    if request.method == "POST":
        kind = {candidate.name: candidate for candidate in export_files.KINDS}.get(
            request.POST.get("kind", "")
        )
        if kind is None:
            raise Http404("There is no such file.")
        with show_refusals(request):
            export_files.find_file(kind, tournament)
        return redirect("tournament-exports", slug=slug)

    def context() -> dict[str, Any]:
        offers = export_files.options(tournament)
        described = [(*LARGE_EXPORTS[offer.kind.name], offer) for offer in offers]
        return {
            "tables": SMALL_EXPORTS,
            "long": described,
            "coming": any(offer.requested for offer in offers),
        }

    return _page(request, tournament, "tournament-exports", context)


def conditions(request: HttpRequest, slug: str) -> HttpResponse:
    """Format, options, stages, clock, fault policy, and the log of decisions."""
    tournament = _find(request, slug)
    fmt = Format.parse(tournament.format)

    def context() -> dict[str, Any]:
        return {
            "options": _options(fmt),
            "stage_facts": [stage_facts(stage) for stage in tournament.stages.order_by("number")],
            "decisions": tournament.decisions.select_related("by").order_by("-pk")[:MAX_DECISIONS],
            "max_decisions": MAX_DECISIONS,
            "rounds": [] if tournament.is_ladder else _rounds(tournament),
            "may_withdraw_results": may_withdraw_results(tournament, request.user),
            "priorities": _priorities(request, tournament),
            "chooses_organizers": may_choose_organizers(tournament, request.user),
            "admission": joining.admission_panel(request, tournament),
            "rules": tournament.rules.split(),
            "other_rules": other_rules(tournament),
        }

    return _page(request, tournament, "conditions", context)


def _priorities(request: HttpRequest, tournament: Tournament) -> list[int]:
    """The priorities that the viewer may choose. Empty for viewers that are no organizers, and
    after the tournament's end."""
    if not organizes(tournament, request.user) or tournament.state not in PRIORITY_STATES:
        return []
    return list(range(max_priority(logged_in_user(request)) + 1))


def _rounds(tournament: Tournament) -> list[tuple[str, str]]:
    """The rounds that can be played again: form value (`1.3`) and title."""
    groups = tournament.deal_groups.filter(retired__isnull=True).order_by("stage__number", "round")
    pairs = list(groups.values_list("stage__number", "round").distinct())
    several = tournament.stages.count() > 1
    return [
        (f"{stage}.{round_}", f"stage {stage}, round {round_}" if several else f"round {round_}")
        for stage, round_ in pairs
    ]


def _options(fmt: Format) -> list[dict[str, Any]]:
    """Every option of the format: value, meaning, clause."""
    game = registry.game(fmt.game)
    return [
        {
            "name": name,
            "value": spell(value),
            "meaning": inline_html(game.option(name).meaning),
            "clauses": cited_clauses(game.option(name).clause),
        }
        for name, value in fmt.options.items()
    ]


def _page(request: HttpRequest, tournament: Tournament, tab: str, context: Any) -> HttpResponse:
    """A tab as a page, or only its live part for htmx; 204 if nothing has changed. `context`: a
    function that returns the tab's own values."""
    organizer = organizes(tournament, request.user)
    current = progress.tournament_progress(tournament, organizer=organizer)
    live = bool(request.headers.get("HX-Request"))
    if live and request.GET.get("seen") == current.seen:
        return HttpResponse(status=204)
    values = {
        "tournament": tournament,
        "fmt": Format.parse(tournament.format),
        "organizer": organizer,
        "moderates": moderates(request.user),
        "needed": tournament.entries_at_a_table,
        "ladder": tournament.is_ladder,
        "entering": tournament.state in entry_states(tournament),
        "closed": not takes_entries(tournament),
        "next_slug": vars(tournament)["next_slug"],
        "retries_until": retry_until(tournament),
        "progress": current,
        "tab": tab,
        "swapped": live,
        "tabs": _tabs(tournament, current),
        "trouble": tournament.trouble if organizer and current.running else "",
        "stuck": _stuck_matches(tournament) if organizer and current.stuck else [],
        "playing": _playing_matches(request, tournament) if current.playing else [],
        "withheld": sees_only_frozen_results(tournament, viewer_of(request)),
        "body": f"tournaments/_{BODY_TEMPLATES.get(tab, tab)}.html",
        "stages": tournament.stages.all(),
        "tie_breaks": progress.tie_breaks(tournament),
        "match_states": Match.State.values,
        "export": reverse("api:export", args=[tournament.slug]),
        **context(),
    }
    if tab == "tournament":
        overview = values.get("overview")
        values["schedule"] = schedule(tournament, current, overview.story if overview else None)
    if tab in {"tournament", "entries"}:
        announced = vars(tournament)["announced"]
        values["announcements"] = tournament.announcements.all() if announced else []
        values["stage_facts"] = [stage_facts(value) for value in values["stages"]]
    response = render(request, f"tournaments/{'_live' if live else 'page'}.html", values)
    patch_vary_headers(response, ["HX-Request"])
    if live and not current.running:
        response["HX-Refresh"] = "true"  # title and buttons change with the state, too
    return response


def _tabs(tournament: Any, current: progress.TournamentProgress) -> list[TournamentTab]:
    tabs = [
        TournamentTab("tournament", "Overview"),
        TournamentTab("tournament-standings", "Standings"),
        *([TournamentTab("bracket", "Bracket")] if has_bracket(tournament) else []),
        TournamentTab("crosstable", "Cross table"),
        TournamentTab("tournament-luck", "Luck"),
        TournamentTab("tournament-matches", "Matches", current.total),
        TournamentTab("entries", "Entries", tournament.entry_count),
        TournamentTab("conditions", "Conditions"),
    ]
    return tabs if tournament.started else tabs[-2:]


def _stuck_matches(tournament: Tournament) -> list[tuple[queries.ListedMatch, Attempt]]:
    """Stuck matches for the organizer, each with its last attempt."""
    rows = queries.matches().filter(tournament=tournament, state=Match.State.STUCK)
    lines = queries.list_matches(rows[:5])
    tried = Attempt.objects.filter(match__in=[line.match.pk for line in lines])
    last = {
        attempt.match_id: attempt for attempt in tried.select_related("match").order_by("number")
    }
    return [(line, last[line.match.pk]) for line in lines]


def _playing_matches(request: HttpRequest, tournament: Tournament) -> list[queries.ListedMatch]:
    rows = readable_matches(viewer_of(request))
    rows = rows.filter(tournament=tournament, state=Match.State.PLAYING)
    return queries.list_matches(rows.order_by("pk")[:6])


def _find(request: HttpRequest, slug: str) -> Tournament:
    """The tournament, with the slug of its repetition and whether it has announcements."""
    viewer = viewer_of(request)
    rows, visible = queries.tournaments(viewer), visible_to(viewer)
    next_slug = visible.filter(repeat_of=OuterRef("pk")).order_by("-pk").values("slug")[:1]
    announced = Exists(Announcement.objects.filter(tournament=OuterRef("pk")))
    rows = rows.annotate(next_slug=Subquery(next_slug), announced=announced)
    return get_object_or_404(rows, slug=slug)


# --- settings of a stage as text ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StageFacts:
    """A stage on the conditions tab."""

    number: int
    title: str
    summary: str
    facts: list[tuple[str, str]]
    """Names and values of settings."""


def stage_facts(stage: Stage) -> StageFacts:
    """A stage's entries and all settings of its system, including defaults."""
    system = get_system(stage.system)
    facts = [("Who plays", f"the best {stage.take} of stage {stage.number - 1}")]
    if not stage.take:
        facts = [("Who plays", "all" if stage.number == 1 else "all of the previous stage")]
    if stage.divisions > 1:
        facts.append(("Divisions", str(stage.divisions)))
    facts.append(("Deal groups per pairing", str(stage.groups)))
    facts += [
        (setting.title, str(stage.settings.get(setting.name, setting.default)))
        for setting in system.settings
    ]
    return StageFacts(
        stage.number, system.title[0].upper() + system.title[1:], system.summary, facts
    )

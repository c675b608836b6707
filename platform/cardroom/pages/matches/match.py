"""The page of a match: its progress, then its replay."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from typing import Any, Final

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from bots.referee.clock import ClockSettings
from bots.referee.fault_report import play_command_of
from cardroom import live
from cardroom.pages.common import record_data
from cardroom.pages.common.current_user import logged_in_user
from cardroom.pages.common.replay_source import match_source
from cardroom.pages.games.tiles import game_tile
from cardroom.pages.matches.analysis import marks_of, panel_of
from cardroom.pages.matches.opponents import continuation_choices
from cardroom_base.core.whole_number import whole_number
from cardroom_base.db.db_time import now
from engine import Format, Record
from engine.english import seat_name
from tournaments.access import owns_log
from tournaments.actions.decisions import may_decide
from tournaments.course.rounds import RoundNumber
from tournaments.models import (
    NOT_YET,
    TOO_LONG,
    Attempt,
    Match,
    RatingChange,
    RatingPoint,
    Seat,
    SideResult,
    Stage,
    group_is_over,
)
from tournaments.organizing import organizes
from tournaments.ratings.elo import margin
from tournaments.reading.luck import match_luck
from tournaments.reading.matches import MatchRow
from tournaments.visibility import Viewer, readable_matches, viewer_of

SPEEDS: Final = (("normal", "Normal"), ("calm", "Calm"), ("fast", "Fast"))
"""The speeds of a replay, as in pace.js, and their names."""

_SEATS_PREFETCH = Prefetch(
    "seats", Seat.objects.select_related("version__bot__owner", "entry").defer("log")
)
_LATER_STAGE = Stage.objects.filter(tournament=OuterRef("tournament"), number__gt=1)
_JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
MAX_EARLIER_GROUPS = 20
"""The maximum number of earlier deal groups whose attempts a page lists."""
POLL_SECONDS = 3
"""The interval at which the page of a running match requests its progress."""
MAX_DIGITS = 15
"""The maximum number of digits of a number in an address."""
LIVE_POLL_SECONDS = 3
"""The interval at which the viewer of a running match requests frames."""


@require_safe
def match(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the replay of the match once its deal group is over. Before, show the match's progress,
    for which the page polls."""
    match = find_match(request, pk)
    if match.state != Match.State.FINISHED or not match.revealed:
        return _progress(request, match)
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Refresh": "true"})
    panel = panel_of(match, names_of(match), request)
    is_too_long = record_data.is_too_long(match.moves_played)
    context = heading_context(request, match) | {
        "setup": replay_setup(match)
        | {"move": requested_move(request), "analysis": marks_of(panel)},
        "analysis": panel,
        "logs": [
            {"name": seat.version.bot.name, "url": _api_address(match, f"logs/{seat.index}")}
            for seat in seats_of(match)
            if owns_log(seat, request.user)
        ],
        "too_long": TOO_LONG if is_too_long else "",
        "from_here": None
        if is_too_long
        else continuation_choices(match_source(match), match.moves_played, requested_move(request)),
        "luck": match_luck(match),
        "record_url": request.build_absolute_uri(_api_address(match, "record")),
        "play_again": _replay_command(match),
        "speeds": (*SPEEDS, ("played", "As played")),
    }
    return render(request, "match.html", context)


@require_safe
def transcript(request: HttpRequest, pk: int) -> HttpResponse:
    """The transcript: every move as text, for screen readers and browsers without scripts."""
    match = find_match(request, pk)
    if not match.revealed:
        return redirect("match", pk=pk)  # the match's page explains why
    record = replayed_record_of(match)
    context = heading_context(request, match) | {
        "analysis": panel_of(match, names_of(match)),
        "deals": record_data.transcript(record),
        "seats": _seats(match, {}),
        "rules": _rules_address(match),
    }
    return render(request, "match/transcript.html", context)


@require_safe
@cache_control(max_age=60)
def tally(request: HttpRequest, pk: int) -> JsonResponse:
    """The tally of the deal at each frame; null for a game without a tally."""
    record = replayed_record_of(find_match(request, pk))
    return JsonResponse(record_data.tally(record), safe=False)


@require_safe
@cache_control(max_age=60)
def question(request: HttpRequest, pk: int, number: int) -> JsonResponse:
    """The question to the bot before move `number` (from 1), with its view and legal moves."""
    turn = record_data.question(replayed_record_of(find_match(request, pk)), number - 1)
    if turn is None:
        raise Http404(f"The match has no move {number}.")
    return JsonResponse(turn)


@require_safe
@never_cache
def live_frames(request: HttpRequest, pk: int) -> HttpResponse:
    """The frames of a running match that are old enough to show: those after the last frame of the
    page, or all of the current deal. ``attempt`` is null if there is nothing to watch."""
    if not readable_matches(viewer_of(request)).filter(pk=pk).exists():
        raise Http404(f"There is no match {pk}.")
    attempt, after = (
        whole_number(request.GET.get(name), MAX_DIGITS) for name in ("attempt", "after")
    )
    chunk = live.chunk_of(pk, attempt, after)
    if chunk is None:
        empty: dict[str, Any] = {
            "attempt": None,
            "first": 0,
            "again": LIVE_POLL_SECONDS,
            "frames": [],
        }
        return JsonResponse(empty)
    return HttpResponse(chunk.as_json(LIVE_POLL_SECONDS), content_type="application/json")


def find_match(request: HttpRequest, pk: int) -> Match:
    """The match with all data of its page; 404 if the viewer may not see its tournament."""
    return find_match_for(viewer_of(request), pk)


def find_match_for(viewer: Viewer, pk: int) -> Match:
    """The match with all data of its page; 404 if the viewer may not see its tournament."""
    results = SideResult.objects.order_by("side")
    matches = (
        readable_matches(viewer)
        .annotate(is_over=group_is_over("deal_group"), has_stages=Exists(_LATER_STAGE))
        .select_related("tournament", "deal_group__stage")
        .prefetch_related(_SEATS_PREFETCH, Prefetch("results", results))
    )
    return get_object_or_404(matches, pk=pk)


def record_of(match: Match) -> Record:
    """The record of the match; 404 if it does not exist yet or its cards are still secret."""
    try:
        stored = match.record
    except ObjectDoesNotExist:
        raise Http404(f"Match {match.pk} has no record yet.") from None
    if not match.revealed:
        raise Http404(NOT_YET)
    return Record.from_json(zlib.decompress(bytes(stored.content)))


def replayed_record_of(match: Match) -> Record:
    """The record of a match that a request may replay; RecordError for one with too many moves."""
    return record_data.checked(record_of(match))


def _progress(request: HttpRequest, match: Match) -> HttpResponse:
    """The page of a match without a public replay: its live moves if spectators may see some, or
    else its state. For htmx, only the part that changes."""
    context = heading_context(request, match) | {"not_yet": NOT_YET}
    if match.state in (Match.State.WAITING, Match.State.PLAYING, Match.State.FINISHED):
        context["poll"] = f"every {POLL_SECONDS}s"
    playing = match.state == Match.State.PLAYING
    other_matches = match.deal_group.matches.filter(state__in=Match.UNFINISHED).exclude(pk=match.pk)
    context["others_left"] = playing and other_matches.exists()
    if playing and live.chunk_of(match.pk, None, None) is not None:
        if request.headers.get("HX-Request"):
            return HttpResponse(headers={"HX-Refresh": "true"})
        return render(request, "match.html", context | {"live": live_setup(match)})
    if request.headers.get("HX-Request"):
        return render(request, "match/_progress.html", context)
    return render(request, "match.html", context)


def seats_of(match: Match) -> list[Seat]:
    return sorted(match.seats.all(), key=lambda seat: seat.index)


def names_of(match: Match) -> list[str]:
    """The bots' names by seat."""
    return [seat.version.bot.name for seat in seats_of(match)]


def _team(seats: list[Seat]) -> dict[str, Any]:
    """A side's team, and its bots' names, each with its language. ``times``: the number of seats if
    one bot has them all; else 1."""
    names = list(dict.fromkeys(seat.version.bot.name for seat in seats))
    teams = {seat.entry.name for seat in seats}
    return {
        "team": teams.pop() if len(teams) == 1 else "",
        "names": [(name, "ja" if _JAPANESE.search(name) else "") for name in names],
        "times": len(seats) if len(names) == 1 else 1,
    }


def _round_of(match: Match) -> str:
    """`Round 3`, or `Stage 2, round 3`."""
    number = RoundNumber(match.deal_group.stage.number, match.deal_group.round)
    return number.title(with_stage=bool(getattr(match, "has_stages", False)))


def heading_context(request: HttpRequest, match: Match) -> dict[str, Any]:
    """The context of the match's heading, in any state of the match."""
    seats = seats_of(match)
    organizer = organizes(match.tournament, request.user)
    results = {result.side: result for result in match.results.all()}
    sides = [
        {
            "number": side,
            **_team([seat for seat in seats if seat.side == side]),
            "result": results.get(side),
        }
        for side in sorted({seat.side for seat in seats})
    ]
    return {
        "match": match,
        "tournament": match.tournament,
        "round": _round_of(match),
        "game": game_tile(match.format.partition("/")[0]),
        "sides": sides,
        "score": " – ".join(str(result.score) for _, result in sorted(results.items())),
        "faults": sum(bool(seat.fault) for seat in seats),
        "attempts": _attempts(match) if organizer else None,
        "may_decide": may_decide(match, logged_in_user(request)) if organizer else False,
        "redealt": _replacement(match) if match.deal_group.retired else None,
        "overruled": match.attempts.filter(outcome="overruled").order_by("-number").first(),
        "preview": _preview(request, match, sides),
        "siblings": readable_matches(viewer_of(request))
        .filter(deal_group=match.deal_group_id)
        .exclude(pk=match.pk)
        .order_by("rotation"),
    }


def _preview(request: HttpRequest, match: Match, sides: list[dict[str, Any]]) -> dict[str, str]:
    """The link preview of the match, or of the position that `?move=` names."""
    title = " – ".join(" + ".join(name for name, _ in side["names"]) for side in sides)
    score = " – ".join(str(side["result"].score) for side in sides if side["result"])
    number = requested_move(request)
    picture = (
        reverse("move-picture", args=[match.pk, number])
        if number and match.revealed
        else reverse("match-picture", args=[match.pk])
    )
    sentence = f"{score}. " if score else ""
    return {
        "title": title,
        "sentence": f"{sentence}{match.tournament.name}. Watch every move.",
        "picture": picture,
    }


def requested_move(request: HttpRequest) -> int | None:
    """The number of the move (from 1) at which the replay opens (`?move=12`); None for the
    start."""
    return whole_number(request.GET.get("move"), MAX_DIGITS)


def _attempts(match: Match) -> QuerySet[Attempt]:
    """The attempts at the match, and those in the deal groups that its deal group replaced."""
    replaced: list[int] = []
    deal_group = match.deal_group
    while deal_group.instead_of is not None and len(replaced) < MAX_EARLIER_GROUPS:
        deal_group = deal_group.instead_of
        replaced.append(deal_group.pk)
    relevant = Q(match=match) | Q(match__deal_group__in=replaced)
    return Attempt.objects.filter(relevant).defer("record").order_by("pk")


def _replacement(match: Match) -> Match | None:
    """The match with new cards that replaces the match."""
    replacements = Match.objects.filter(
        deal_group__instead_of=match.deal_group_id, rotation=match.rotation
    )
    return replacements.first()


def _api_address(match: Match | MatchRow, part: str) -> str:
    """The address of a part of the match in REST."""
    return f"{reverse('api:root')}matches/{match.pk}/{part}/"


def _rules_address(match: Match | MatchRow) -> str:
    """The address of the game's rules, where each clause is an anchor."""
    return reverse("rules", args=[match.format.partition("/")[0]])


def replay_setup(match: Match) -> dict[str, Any]:
    """The data of the replay viewer besides frames and record: seats, clock, addresses."""
    tournament = match.tournament
    fmt = Format.parse(match.format)
    return {
        "seats": _seats(match, ratings_before(match)),
        "sides": [list(side) for side in fmt.sides],
        "clock": {"move_ms": tournament.move_ms, "bank_ms": tournament.bank_ms},
        "urls": replay_addresses(match),
    }


def replay_addresses(match: Match | MatchRow) -> dict[str, str]:
    """The addresses of a finished match's data, for the replay viewer."""
    return {
        "frames": _api_address(match, "frames"),
        "record": _api_address(match, "record"),
        "tally": reverse("match-tally", args=[match.pk]),
        "question": reverse("match-question", args=[match.pk, 0]),
        "cards": static("cardroom/cards.svg"),
        "rules": _rules_address(match),
    }


def live_addresses(match: Match | MatchRow) -> dict[str, str]:
    """The addresses of the data of a running match, for the replay viewer."""
    return {
        "cards": static("cardroom/cards.svg"),
        "rules": _rules_address(match),
        "live": reverse("match-live", args=[match.pk]),
    }


def live_setup(match: Match) -> dict[str, Any]:
    """The data of the replay viewer for a running match."""
    return replay_setup(match) | {"live": True, "urls": live_addresses(match)}


def _replay_command(match: Match) -> str:
    """The command that plays the match again, with the names of house bots and the paths of other
    bots' packages."""
    bots = [
        bot.name if bot.is_house else f"{bot.slug}.zip"
        for bot in (seat.version.bot for seat in seats_of(match))
    ]
    tournament = match.tournament
    return play_command_of(
        record_of(match), bots, ClockSettings(tournament.move_ms, tournament.bank_ms)
    )


def _seats(match: Match, ratings: Mapping[int, Mapping[str, int | None]]) -> list[dict[str, Any]]:
    """For each seat: name, version, position in full and short (``South-west``, ``SW``), rating."""
    seats = seats_of(match)
    return [
        {
            "name": seat.version.bot.name,
            "version": seat.version.number,
            "compass": seat_name(len(seats), seat.index),
            "place": initials(seat_name(len(seats), seat.index)),
            **ratings.get(seat.version_id, {"rating": None, "interval": None}),
        }
        for seat in seats
    ]


def initials(compass: str) -> str:
    """The short form of a position: ``SW`` for ``South-west``."""
    return "".join(word[0].upper() for word in compass.split("-"))


def ratings_before(match: Match) -> dict[int, Mapping[str, int | None]]:
    """The rating of each version in the match's pool before the match: from the last fit, or else
    the live Elo."""
    pool = match.format.partition("?")[0]
    versions = [seat.version_id for seat in seats_of(match)]
    is_earlier = (
        Q(at__lt=match.finished or now()) if match.ordinal is None else Q(ordinal__lt=match.ordinal)
    )
    points = RatingPoint.objects.filter(is_earlier, pool=pool, version__in=versions)
    last = points.filter(version=OuterRef("version")).order_by("-ordinal").values("ordinal")[:1]
    steps = RatingChange.objects.filter(match=match, pool=pool)
    ratings: dict[int, Mapping[str, int | None]] = {
        step.version_id: {"rating": round(step.before), "interval": None} for step in steps
    }
    for point in points.filter(ordinal=Subquery(last)):
        distance = margin(point.fitted, point.low, point.high)
        interval = None if distance is None else round(distance)
        ratings[point.version_id] = {"rating": round(point.fitted), "interval": interval}
    return ratings

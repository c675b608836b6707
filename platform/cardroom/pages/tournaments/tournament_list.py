"""The list of tournaments: running, open and finished, with leaders and the viewer's entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.humanize.templatetags.humanize import ordinal
from django.core.paginator import Paginator
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from cardroom.display.numbers import count_of, fraction, plural, rough_duration
from cardroom.pages.common import filter_chips, queries
from cardroom.pages.common.filter_chips import Chip
from cardroom_base.db.db_time import now
from engine import registry
from engine.declarations import join_words
from tournaments.models import Entry, Match, Tournament
from tournaments.organizing import organized_by
from tournaments.reading.listed_tournaments import ListedTournament, list_tournaments
from tournaments.reading.story import Story
from tournaments.visibility import viewer_of, visible_to

State = Tournament.State
PAGE = 30
MAX_CARDS: Final = 9
"""The maximum number of cards in each part of the list if no state is selected."""
MAX_ROWS: Final = 10
"""The maximum number of finished tournaments if no state is selected."""
MIN_FINISHED: Final = 5
"""The minimum number of finished matches for an estimate of the end."""
IDLE_AFTER: Final = timedelta(minutes=10)
"""The time without a match after which a ladder is shown as idle."""
STATES_OF_PART: Final = {
    "playing": (State.RUNNING,),
    "open": (State.OPEN,),
    "over": (State.FINISHED, State.CANCELLED),
}
"""Values of `?state=` besides the states themselves."""
TITLES: Final = {
    "playing": "Playing now",
    "open": "Open for entries",
    "over": "Finished",
    "draft": "Not open yet",
}
FILTERS: Final = ("state", "mine", "game")
"""The filters' keys in the address."""


@dataclass(frozen=True, slots=True)
class TournamentCard:
    """An open or running tournament."""

    tournament: Tournament
    chip: str
    lead: str
    """The leader, or the number of entries."""
    own: str
    """A sentence about the viewer's entries, or another fact."""
    done: float | None
    """The percentage of finished matches; None before the start and for open-ended tournaments."""
    ends: datetime | None
    foot: str
    """The text if `ends` is None."""
    button: str
    address: str
    main: bool
    """Whether the button is emphasized."""
    is_idle: bool = False
    """Whether no match is waiting or running in it."""


@dataclass(frozen=True, slots=True)
class ListPart:
    """A part of the list."""

    key: str
    title: str
    total: int
    cards: list[TournamentCard]
    rows: list[ListedTournament]
    more: str
    """The query of the address that shows the whole part; empty if the list shows all of it."""


def index(request: HttpRequest) -> HttpResponse:
    """Running, open and finished tournaments. `?state=`, `?mine=` and `?game=` filter them."""
    visible, filters = _filtered(request, visible_to(viewer_of(request)).listed())
    own_entries = _own_entries(request)
    totals = _Totals.of(visible)
    context: dict[str, Any] = {"filters": filters, "chips": _chips(filters, totals, request)}
    if state := filters.get("state"):
        of_state = visible.filter(state__in=STATES_OF_PART.get(state, (state,))).order_by("-pk")
        page = Paginator(of_state.values_list("pk", flat=True), PAGE).get_page(
            request.GET.get("page")
        )
        key = next(
            (name for name, states in STATES_OF_PART.items() if state in (name, *states)), state
        )
        parts = {key: list(page.object_list)}
        context |= {"page": page, "parts": _parts(request, parts, totals, own_entries)}
    else:
        running = sorted(totals.keys[State.RUNNING], key=lambda pk: (pk not in own_entries, -pk))
        parts = {
            "playing": running[:MAX_CARDS],
            "open": totals.keys[State.OPEN][:MAX_CARDS],
            "draft": totals.keys[State.DRAFT][:MAX_CARDS] if request.user.is_authenticated else [],
            "over": totals.over,
        }
        context["parts"] = _parts(request, parts, totals, own_entries, filters)
    return render(request, "tournaments/index.html", context)


@dataclass(frozen=True, slots=True)
class _Totals:
    """The unfinished and the last finished tournaments of the list, and their numbers."""

    keys: dict[str, list[int]]
    """Primary keys of the unfinished tournaments by state, newest first."""
    over: list[int]
    """Primary keys of the tournaments that ended last."""
    ended: int
    """The number of all tournaments that have ended."""

    @classmethod
    def of(cls, visible: QuerySet[Tournament]) -> _Totals:
        over = visible.filter(state__in=STATES_OF_PART["over"])
        unfinished = visible.exclude(state__in=STATES_OF_PART["over"]).order_by("-pk")
        keys: dict[str, list[int]] = {State.RUNNING: [], State.OPEN: [], State.DRAFT: []}
        for pk, state in unfinished.values_list("pk", "state"):
            keys[state].append(pk)
        last = over.order_by("-finished", "-pk").values_list("pk", flat=True)
        return cls(keys, list(last[:MAX_ROWS]), over.count())

    def total(self, part: str) -> int:
        """The number of tournaments in a part."""
        if part == "over":
            return self.ended
        states = STATES_OF_PART.get(part, (part,))
        return sum(len(self.keys.get(state, ())) for state in states)


def _own_entries(request: HttpRequest) -> dict[int, list[int]]:
    """The viewer's entries in unfinished tournaments, by tournament."""
    if not request.user.is_authenticated or request.user.pk is None:
        return {}
    unfinished = _entries_of(request.user.pk).exclude(tournament__state__in=STATES_OF_PART["over"])
    entries: dict[int, list[int]] = {}
    for tournament, entry in unfinished.order_by("pk").values_list("tournament", "pk"):
        entries.setdefault(tournament, []).append(entry)
    return entries


def _entries_of(user: int) -> QuerySet[Entry]:
    own = Q(bot__owner=user) | Q(mates__bot__owner=user)
    return Entry.objects.filter(own, withdrawn__isnull=True).distinct()


def _filtered(
    request: HttpRequest, tournaments: QuerySet[Tournament]
) -> tuple[QuerySet[Tournament], dict[str, str]]:
    """The tournaments that the query selects, and its valid filters."""
    query = {key: request.GET.get(key, "") for key in FILTERS}
    if query["state"] not in {*STATES_OF_PART, *State.values}:
        del query["state"]
    if query["game"] in {game.name for game in registry.games()}:
        tournaments = tournaments.filter(format__startswith=f"{query['game']}/")
    else:
        del query["game"]
    if query["mine"] and request.user.is_authenticated and request.user.pk is not None:
        own = _entries_of(request.user.pk).values("tournament")
        tournaments = tournaments.filter(organized_by(request.user.pk) | Q(pk__in=own))
    else:
        del query["mine"]
    return tournaments, query


def _chips(query: Mapping[str, str], totals: _Totals, request: HttpRequest) -> list[Chip]:
    states = [("state", "playing", "Playing"), ("state", "open", "Open")]
    counts = (None, totals.total("playing"), totals.total("open"))
    chips = [
        replace(chip, count=count)
        for chip, count in zip(
            filter_chips.single_choice(query, "All", states), counts, strict=True
        )
    ]
    if request.user.is_authenticated:
        chips += filter_chips.toggles(query, [("mine", "1", "Mine")])
    games = [("game", game.name, game.title) for game in registry.games()]
    return chips + filter_chips.toggles(query, games)


def _parts(
    request: HttpRequest,
    parts: Mapping[str, Sequence[int]],
    totals: _Totals,
    own: Mapping[int, Sequence[int]],
    query: Mapping[str, str] | None = None,
) -> list[ListPart]:
    """The parts of the list. `query`: the other filters, for links to whole parts; None if the list
    is a single part with pages."""
    keys = [pk for part in parts.values() for pk in part]
    tournaments = list(queries.tournaments(viewer_of(request)).filter(pk__in=keys))
    by_key = {listed.tournament.pk: listed for listed in list_tournaments(tournaments, own)}
    last = _last_matches(
        [
            tournament
            for tournament in tournaments
            if tournament.endless and tournament.state == State.RUNNING
        ]
    )
    list_parts = []
    for key, part in parts.items():
        rows = [by_key[pk] for pk in part if pk in by_key]
        is_card = key in ("playing", "open", "draft")
        more = filter_chips.query({**query, "state": key}) if query is not None else ""
        if rows:
            list_parts.append(
                ListPart(
                    key,
                    TITLES.get(key, key.capitalize()),
                    total := totals.total(key),
                    [_card(row, last.get(row.tournament.pk)) for row in rows if is_card],
                    [] if is_card else rows,
                    more if total > len(part) else "",
                )
            )
    return list_parts


def _last_matches(ladders: Sequence[Tournament]) -> dict[int, datetime]:
    """The end of each ladder's last finished match, by primary key."""
    if not ladders:
        return {}
    finished = Match.objects.filter(tournament=OuterRef("pk"), finished__isnull=False)
    last = finished.order_by("-finished").values("finished")[:1]
    rows = Tournament.objects.filter(pk__in=[ladder.pk for ladder in ladders]).annotate(
        last=Subquery(last)
    )
    return {pk: at for pk, at in rows.order_by().values_list("pk", "last") if at is not None}


# --- a card -------------------------------------------------------------------------------------


def _card(listed: ListedTournament, last: datetime | None) -> TournamentCard:
    """The card of a tournament. `last`: the end of a ladder's last finished match."""
    tournament, story = listed.tournament, listed.story
    page = reverse("tournament", args=[tournament.slug])
    if tournament.state == State.DRAFT:
        return TournamentCard(
            tournament, "draft", "", "", None, None, "only you see it", "Continue", page, main=False
        )
    if tournament.state == State.OPEN:
        return _open_card(tournament, page)
    if tournament.endless:
        return _ladder_card(listed, last, page)
    total = _total(tournament, story)
    finished = tournament.finished_count
    ends = None
    if finished >= MIN_FINISHED and tournament.started is not None and total > finished:
        ends = now() + (now() - tournament.started) / finished * (total - finished)
    return TournamentCard(
        tournament=tournament,
        chip=_round_text(story),
        lead=_lead_text(listed, story),
        own=_own_text(listed.own, story),
        done=100 * finished / total if total else 0.0,
        ends=ends,
        foot=count_of(_entry_count(tournament), "team" if tournament.takes_teams else "bot"),
        button="Watch",
        address=page,
        main=False,
    )


def _open_card(tournament: Tournament, page: str) -> TournamentCard:
    teams = tournament.takes_teams
    count = _entry_count(tournament)
    noun = "team" if teams else "bot"
    stages = ", then ".join(stage.title for stage in tournament.stages.all())
    return TournamentCard(
        tournament=tournament,
        chip="open",
        lead=f"{count_of(count, noun)} so far" if count else "Nobody has entered yet",
        own=f"{stages[:1].upper()}{stages[1:]}.",
        done=None,
        ends=None,
        foot="starts when its organizer decides",
        button="Enter a team" if teams else "Enter a bot",
        address=page,
        main=True,
    )


def _ladder_card(listed: ListedTournament, last: datetime | None, page: str) -> TournamentCard:
    tournament, own_entries = listed.tournament, listed.own
    is_idle = tournament.match_count == tournament.finished_count or (
        last is not None and now() - last > IDLE_AFTER
    )
    sentence = (
        f"Your {join_words([entry.title for entry in own_entries])} takes part."
        if own_entries
        else ""
    )
    if last is not None and not sentence:
        sentence = (
            f"Last match {rough_duration((now() - last).total_seconds())} ago. Any bot can join."
        )
    return TournamentCard(
        tournament=tournament,
        chip="idle" if is_idle else "open-ended",
        lead=_ladder_lead_text(listed),
        own=sentence or "Any bot can join.",
        done=None,
        ends=None,
        foot=count_of(_entry_count(tournament), "bot"),
        button="Watch" if own_entries else "Enter your bot",
        address=page if own_entries else reverse("entries", args=[tournament.slug]),
        main=not own_entries,
        is_idle=is_idle,
    )


def _ladder_lead_text(listed: ListedTournament) -> str:
    """The leader of a ladder and its lead; empty without results."""
    names = join_words([entry.title for entry in listed.first])
    if not names:
        return ""
    if len(listed.first) > 1:
        return f"{names} are first"
    ahead = listed.story.ahead if listed.story else None
    return f"{names} is first" + (f", {count_of(ahead, 'rating point')} ahead" if ahead else "")


def _entry_count(tournament: Tournament) -> int:
    """The number of entries, which the query of the list annotates."""
    return int(vars(tournament)["entry_count"])


def _total(tournament: Tournament, story: Story | None) -> int:
    """The number of matches; for rounds that are not paired yet, an estimate from the others."""
    paired = tournament.match_count
    if story is None or not story.rounds or len(story.planned) < tournament.stages.count():
        return paired
    paired_rounds = len({(round_.stage, round_.number) for round_ in story.rounds})
    planned = sum(story.planned)
    last = story.rounds[-1]
    begun_rounds = sum(story.planned[: last.stage - 1]) + last.number
    return round(paired * max(1.0, planned / max(begun_rounds, paired_rounds)))


def _round_text(story: Story | None) -> str:
    """`round 5 of 7`; with several stages `stage 2, round 1 of 3`."""
    if story is None or not story.rounds:
        return "playing"
    open_rounds = (n for n in range(len(story.rounds)) if _is_open(story, n))
    current = story.rounds[next(open_rounds, -1)]
    planned = story.planned[current.stage - 1] if current.stage <= len(story.planned) else 0
    suffix = f" of {planned}" if planned >= current.number else ""
    stage = f"stage {current.stage}, " if len(story.planned) > 1 else ""
    return f"{stage}round {current.number}{suffix}"


def _is_open(story: Story, n: int) -> bool:
    """Whether the round has unfinished matches."""
    cells = (line.cells[n] for line in story.lines if n < len(line.cells))
    return any(cell is not None and cell.open for cell in cells)


def _lead_text(listed: ListedTournament, story: Story | None) -> str:
    names = join_words([entry.title for entry in listed.first])
    if not names or story is None:
        return "No results yet"
    best = story.lines[0] if story.lines else None
    is_alone = len(listed.first) == 1 and not listed.others
    more = f" and {listed.others} more" if listed.others else ""
    points_text = f" with {fraction(best.points)} of {best.groups}" if best and best.groups else ""
    return f"{names}{more} {'leads' if is_alone else 'lead'}{points_text}"


def _own_text(entries: Sequence[Entry], story: Story | None) -> str:
    """A sentence about the best of the viewer's entries, or else about the leader's lead."""
    rows = {line.entrant: line for line in story.lines} if story else {}
    ranked_entries = sorted(
        ((rows[item.pk].place, item) for item in entries if item.pk in rows),
        key=lambda item: item[0],
    )
    if ranked_entries:
        place, entry = ranked_entries[0]
        points = fraction(rows[entry.pk].points)
        return f"Your {entry.title} is {ordinal(place)} with {points}."
    if entries:
        return f"Your {join_words([entry.title for entry in entries[:2]])} takes part."
    if story is None or len(story.lines) < 2:
        return ""
    first, second = story.lines[:2]
    if first.points <= second.points or first.groups != second.groups:
        return ""
    return f"{_lead_words(first.points - second.points)} ahead of the next."


def _lead_words(points: float) -> str:
    if points == 0.5:
        return "Half a point"
    return f"{fraction(points)} {plural('point', points)}"

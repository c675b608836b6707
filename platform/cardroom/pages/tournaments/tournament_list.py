"""The list of tournaments: running, open and finished, with leaders and the viewer's places."""

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
from tournaments.reading.story import Story
from tournaments.reading.tournament_lines import TournamentLine, tournament_lines
from tournaments.visibility import viewer_of, visible_to

State = Tournament.State
PAGE = 30
CARDS: Final = 9
"""The most running and open tournaments in the list without a filter."""
ROWS: Final = 10
"""The most finished tournaments in it."""
FEWEST: Final = 5
"""The number of finished matches from which an end is estimated."""
QUIET: Final = timedelta(minutes=10)
"""A ladder without a match for this long is shown as resting."""
BY_STATE: Final = {
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
ASKED: Final = ("state", "mine", "game")


@dataclass(frozen=True, slots=True)
class Card:
    """An open or running tournament."""

    tournament: Tournament
    chip: str
    lead: str
    """The leader, or the number of entries."""
    own: str
    """The viewer's places, or another fact."""
    done: float | None
    """Percent; None for open-ended tournaments and before the start."""
    ends: datetime | None
    foot: str
    """The text in place of the end."""
    button: str
    address: str
    main: bool
    """Whether the button is the main one of the card."""
    rests: bool = False
    """Whether no match is waiting or running in it."""


@dataclass(frozen=True, slots=True)
class ListPart:
    """A part of the list."""

    key: str
    title: str
    total: int
    cards: list[Card]
    rows: list[TournamentLine]
    more: str
    """The query of the address with the whole part; empty if all of it is shown."""


def index(request: HttpRequest) -> HttpResponse:
    """Running, open and finished tournaments; `?state=`, `?mine=` and `?game=` filter them."""
    visible, filters = _filtered(request, visible_to(viewer_of(request)).listed())
    own = _own_entries(request)
    counts = _Overview.of(visible)
    context: dict[str, Any] = {"asked": filters, "chips": _chips(filters, counts, request)}
    if state := filters.get("state"):
        of_state = visible.filter(state__in=BY_STATE.get(state, (state,))).order_by("-pk")
        page = Paginator(of_state.values_list("pk", flat=True), PAGE).get_page(
            request.GET.get("page")
        )
        key = next((name for name, states in BY_STATE.items() if state in (name, *states)), state)
        parts = {key: list(page.object_list)}
        context |= {"page": page, "parts": _parts(request, parts, counts, own)}
    else:
        running = sorted(counts.keys[State.RUNNING], key=lambda pk: (pk not in own, -pk))
        parts = {
            "playing": running[:CARDS],
            "open": counts.keys[State.OPEN][:CARDS],
            "draft": counts.keys[State.DRAFT][:CARDS] if request.user.is_authenticated else [],
            "over": counts.over,
        }
        context["parts"] = _parts(request, parts, counts, own, filters)
    return render(request, "tournaments/index.html", context)


@dataclass(frozen=True, slots=True)
class _Overview:
    """Primary keys of tournaments, the newest first."""

    keys: dict[str, list[int]]
    """Primary keys of unfinished tournaments by state."""
    over: list[int]
    """The tournaments that ended last."""
    ended: int
    """The number of finished ones."""

    @classmethod
    def of(cls, visible: QuerySet[Tournament]) -> _Overview:
        over = visible.filter(state__in=BY_STATE["over"])
        going = visible.exclude(state__in=BY_STATE["over"]).order_by("-pk")
        keys: dict[str, list[int]] = {State.RUNNING: [], State.OPEN: [], State.DRAFT: []}
        for pk, state in going.values_list("pk", "state"):
            keys[state].append(pk)
        last = over.order_by("-finished", "-pk").values_list("pk", flat=True)
        return cls(keys, list(last[:ROWS]), over.count())

    def total(self, part: str) -> int:
        """The number of tournaments in a part."""
        if part == "over":
            return self.ended
        states = BY_STATE.get(part, (part,))
        return sum(len(self.keys.get(state, ())) for state in states)


def _own_entries(request: HttpRequest) -> dict[int, list[int]]:
    """The viewer's entries in unfinished tournaments, by tournament."""
    if not request.user.is_authenticated or request.user.pk is None:
        return {}
    going = _entries(request.user.pk).exclude(tournament__state__in=BY_STATE["over"])
    entries: dict[int, list[int]] = {}
    for tournament, entry in going.order_by("pk").values_list("tournament", "pk"):
        entries.setdefault(tournament, []).append(entry)
    return entries


def _entries(user: int) -> QuerySet[Entry]:
    theirs = Q(bot__owner=user) | Q(mates__bot__owner=user)
    return Entry.objects.filter(theirs, withdrawn__isnull=True).distinct()


def _filtered(
    request: HttpRequest, tournaments: QuerySet[Tournament]
) -> tuple[QuerySet[Tournament], dict[str, str]]:
    """The tournaments that the query selects, and its valid filters."""
    query = {key: request.GET.get(key, "") for key in ASKED}
    if query["state"] not in {*BY_STATE, *State.values}:
        del query["state"]
    if query["game"] in {game.name for game in registry.games()}:
        tournaments = tournaments.filter(format__startswith=f"{query['game']}/")
    else:
        del query["game"]
    if query["mine"] and request.user.is_authenticated and request.user.pk is not None:
        theirs = _entries(request.user.pk).values("tournament")
        tournaments = tournaments.filter(organized_by(request.user.pk) | Q(pk__in=theirs))
    else:
        del query["mine"]
    return tournaments, query


def _chips(query: Mapping[str, str], totals: _Overview, request: HttpRequest) -> list[Chip]:
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
    counts: _Overview,
    own: Mapping[int, Sequence[int]],
    query: Mapping[str, str] | None = None,
) -> list[ListPart]:
    """The parts of the list. `query`: further filters; None if a part is paged."""
    keys = [pk for part in parts.values() for pk in part]
    every = list(queries.tournaments(viewer_of(request)).filter(pk__in=keys))
    by_key = {line.tournament.pk: line for line in tournament_lines(every, own)}
    last = _last_matches(
        [
            tournament
            for tournament in every
            if tournament.endless and tournament.state == State.RUNNING
        ]
    )
    answer = []
    for key, part in parts.items():
        chosen = [by_key[pk] for pk in part if pk in by_key]
        is_card = key in ("playing", "open", "draft")
        more = filter_chips.query({**query, "state": key}) if query is not None else ""
        if chosen:
            answer.append(
                ListPart(
                    key,
                    TITLES.get(key, key.capitalize()),
                    total := counts.total(key),
                    [_card(line, last.get(line.tournament.pk)) for line in chosen if is_card],
                    [] if is_card else chosen,
                    more if total > len(part) else "",
                )
            )
    return answer


def _last_matches(ladders: Sequence[Tournament]) -> dict[int, datetime]:
    """The end of each tournament's last finished match."""
    if not ladders:
        return {}
    finished = Match.objects.filter(tournament=OuterRef("pk"), finished__isnull=False)
    last = finished.order_by("-finished").values("finished")[:1]
    rows = Tournament.objects.filter(pk__in=[ladder.pk for ladder in ladders]).annotate(
        last=Subquery(last)
    )
    return {pk: at for pk, at in rows.order_by().values_list("pk", "last") if at is not None}


# --- a card -------------------------------------------------------------------------------------


def _card(line: TournamentLine, last: datetime | None) -> Card:
    """A card. `last`: the end of a ladder's last finished match."""
    tournament, story = line.tournament, line.story
    here = reverse("tournament", args=[tournament.slug])
    if tournament.state == State.DRAFT:
        return Card(
            tournament, "draft", "", "", None, None, "only you see it", "Continue", here, main=False
        )
    if tournament.state == State.OPEN:
        return _open(tournament, here)
    if tournament.endless:
        return _ladder(line, last, here)
    total = _total(tournament, story)
    finished = tournament.finished_count
    ends = None
    if finished >= FEWEST and tournament.started is not None and total > finished:
        ends = now() + (now() - tournament.started) / finished * (total - finished)
    return Card(
        tournament=tournament,
        chip=_round(story),
        lead=_leads(line, story),
        own=_own_place(line.own, story),
        done=100 * finished / total if total else 0.0,
        ends=ends,
        foot=count_of(_entry_count(tournament), "team" if tournament.takes_teams else "bot"),
        button="Watch",
        address=here,
        main=False,
    )


def _open(tournament: Tournament, here: str) -> Card:
    teams = tournament.takes_teams
    count = _entry_count(tournament)
    noun = "team" if teams else "bot"
    stages = ", then ".join(stage.title for stage in tournament.stages.all())
    return Card(
        tournament=tournament,
        chip="open",
        lead=f"{count_of(count, noun)} so far" if count else "Nobody has entered yet",
        own=f"{stages[:1].upper()}{stages[1:]}.",
        done=None,
        ends=None,
        foot="starts when its organizer decides",
        button="Enter a team" if teams else "Enter a bot",
        address=here,
        main=True,
    )


def _ladder(line: TournamentLine, last: datetime | None, here: str) -> Card:
    tournament, own_entries = line.tournament, line.own
    rests = tournament.match_count == tournament.finished_count or (
        last is not None and now() - last > QUIET
    )
    own = (
        f"Your {join_words([entry.title for entry in own_entries])} is in it."
        if own_entries
        else ""
    )
    if last is not None and not own:
        own = f"Last match {rough_duration((now() - last).total_seconds())} ago. Any bot can join."
    return Card(
        tournament=tournament,
        chip="resting" if rests else "open-ended",
        lead=_first_of_ladder(line),
        own=own or "Any bot can join.",
        done=None,
        ends=None,
        foot=count_of(_entry_count(tournament), "bot"),
        button="Watch" if own_entries else "Enter your bot",
        address=here if own_entries else reverse("entries", args=[tournament.slug]),
        main=not own_entries,
        rests=rests,
    )


def _first_of_ladder(line: TournamentLine) -> str:
    """The leader of a ladder and its lead; empty without results."""
    names = join_words([entry.title for entry in line.first])
    if not names:
        return ""
    if len(line.first) > 1:
        return f"{names} are first"
    ahead = line.story.ahead if line.story else None
    return f"{names} is first" + (f", {count_of(ahead, 'rating point')} ahead" if ahead else "")


def _entry_count(tournament: Tournament) -> int:
    """The number of entries, from the list's query."""
    return int(vars(tournament)["entry_count"])


def _total(tournament: Tournament, story: Story | None) -> int:
    """The number of all matches; those of unpaired rounds are estimated from the other rounds."""
    paired = tournament.match_count
    if story is None or not story.rounds or len(story.planned) < tournament.stages.count():
        return paired
    pairs = len({(round_.stage, round_.number) for round_ in story.rounds})
    planned = sum(story.planned)
    last = story.rounds[-1]
    begun = sum(story.planned[: last.stage - 1]) + last.number
    return round(paired * max(1.0, planned / max(begun, pairs)))


def _round(story: Story | None) -> str:
    """`round 5 of 7`; with several stages `stage 2, round 1 of 3`."""
    if story is None or not story.rounds:
        return "playing"
    played = (n for n in range(len(story.rounds)) if _is_open(story, n))
    now_ = story.rounds[next(played, -1)]
    planned = story.planned[now_.stage - 1] if now_.stage <= len(story.planned) else 0
    of = f" of {planned}" if planned >= now_.number else ""
    stage = f"stage {now_.stage}, " if len(story.planned) > 1 else ""
    return f"{stage}round {now_.number}{of}"


def _is_open(story: Story, n: int) -> bool:
    """Whether the round has unfinished matches."""
    cells = (line.cells[n] for line in story.lines if n < len(line.cells))
    return any(cell is not None and cell.open for cell in cells)


def _leads(line: TournamentLine, story: Story | None) -> str:
    names = join_words([entry.title for entry in line.first])
    if not names or story is None:
        return "No results yet"
    best = story.lines[0] if story.lines else None
    alone = len(line.first) == 1 and not line.others
    more = f" and {line.others} more" if line.others else ""
    with_ = f" with {fraction(best.points)} of {best.groups}" if best and best.groups else ""
    return f"{names}{more} {'leads' if alone else 'lead'}{with_}"


def _own_place(mine: Sequence[Entry], story: Story | None) -> str:
    """The best place of the viewer's entries; else the leader's lead."""
    placed = {line.entrant: line for line in story.lines} if story else {}
    own = sorted(
        ((placed[item.pk].place, item) for item in mine if item.pk in placed),
        key=lambda item: item[0],
    )
    if own:
        place, entry = own[0]
        points = fraction(placed[entry.pk].points)
        return f"Your {entry.title} is {ordinal(place)} with {points}."
    if mine:
        return f"Your {join_words([entry.title for entry in mine[:2]])} takes part."
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

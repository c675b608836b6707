"""A tournament's progress, standings and cross table for its pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple
from zlib import crc32

from django.core.paginator import Page, Paginator
from django.db.models import Count, Max

from cardroom.display.numbers import rough_duration
from cardroom.display.plots import heat, progress_bar
from cardroom.pages.common.wait_text import tournament_wait_text
from cardroom_base.db.db_time import now
from tournaments import standings as pure
from tournaments.actions.versions import plays_format
from tournaments.course.rounds import RoundNumber
from tournaments.deal_groups import Entrant
from tournaments.models import DealGroupSide, Match, Tournament
from tournaments.pairing import get_system
from tournaments.reading.entry_names import EntryNames, names_of
from tournaments.reading.kinds import DivisionRows, Tables
from tournaments.reading.strengths import Strength

__all__ = [
    "CrossTable",
    "TournamentProgress",
    "by_bracket",
    "cross_table",
    "plays_format",
    "standings",
    "tie_breaks",
]

PAGE = 50
"""The number of rows on a page of the standings."""
MAX_CROSS = 32
"""The maximum number of entrants in a cross table, the best ones."""
MAX_ROUNDS = 24
"""If there are more rounds, none has a bar of its own."""


@dataclass(frozen=True, slots=True)
class Round:
    """Progress of a round: numbers of matches by state. Void matches do not count."""

    done: int
    playing: int
    stuck: int
    total: int
    stage: int = 1
    index: int = 0
    """The number within its stage, from 1."""
    has_stages: bool = False
    """Whether the tournament has several stages."""
    ended: datetime | None = None
    """The end of its last finished match."""

    @property
    def title(self) -> str:
        """`Round 3`, or `Stage 2, round 3`."""
        return RoundNumber(self.stage, self.index).title(with_stage=self.has_stages)

    @property
    def bars(self) -> list[tuple[int, int]]:
        """(x, width) of the parts done, playing and stuck."""
        return progress_bar(self.done, self.playing, self.stuck)


@dataclass(frozen=True)
class TournamentProgress:
    """Progress of a tournament: numbers of matches by state. Void matches do not count."""

    tournament: Tournament
    running: bool
    done: int
    playing: int
    stuck: int
    waiting: int
    moves: int
    """The number of moves of the running matches."""
    seconds_left: float | None
    """The estimated number of seconds until the end at the current pace; None if unknown."""
    planned: int = 0
    """The number of waiting matches that are not created yet."""
    waits: str = ""
    """Why matches wait and for how long; empty if none waits."""

    @property
    def total(self) -> int:
        """The number of all matches that count."""
        return self.done + self.playing + self.stuck + self.waiting

    @property
    def bars(self) -> list[tuple[int, int]]:
        """(x, width) of the parts done, playing and stuck."""
        return progress_bar(self.done, self.playing, self.stuck)

    @property
    def is_idle(self) -> bool:
        """Whether no match is left to play; a ladder is idle until it pairs again."""
        return self.running and not (self.playing or self.waiting or self.stuck)

    @property
    def seen(self) -> str:
        """A token that changes whenever the page's content does."""
        counts = (self.done, self.playing, self.stuck, self.waiting, self.planned, self.moves)
        return "-".join(map(str, (int(self.running), *counts, crc32(self.waits.encode()))))

    @cached_property
    def all_rounds(self) -> list[Round]:
        """All rounds; empty for open-ended tournaments, because their number is unknown."""
        return [] if self.tournament.is_ladder else _rounds(self.tournament)

    @property
    def rounds(self) -> list[Round]:
        """The rounds with bars of their own."""
        return self.all_rounds if 1 < len(self.all_rounds) <= MAX_ROUNDS else []

    @property
    def current(self) -> str:
        """The current round: `round 5` or `round 1 of stage 2`; empty if none is played."""
        if not self.running:
            return ""
        unfinished = [round_ for round_ in self.all_rounds if round_.done < round_.total]
        if not unfinished:
            return ""
        first = unfinished[0]
        return RoundNumber(first.stage, first.index).words(with_stage=first.has_stages)

    @property
    def time_left(self) -> str:
        """The time left as text."""
        if not self.running or self.seconds_left is None:
            return ""
        return f"{rough_duration(self.seconds_left)} left"


def tournament_progress(tournament: Tournament, *, organizer: bool = False) -> TournamentProgress:
    """The progress of a tournament that the query `with_progress` has read. `organizer`: whether to
    include the details for its organizers."""
    total = Round(
        done=tournament.finished_count,
        playing=int(vars(tournament)["counted_playing"]),
        stuck=int(vars(tournament)["stuck_count"]),
        total=tournament.match_count,
    )
    waiting = total.total - total.done - total.playing - total.stuck
    running = tournament.state == Tournament.State.RUNNING
    return TournamentProgress(
        tournament=tournament,
        running=running,
        done=total.done,
        playing=total.playing,
        stuck=total.stuck,
        waiting=waiting,
        moves=_moves(tournament) if total.playing else 0,
        planned=tournament.planned_count,
        seconds_left=None if tournament.is_ladder else _seconds_left(tournament.started, total),
        waits=tournament_wait_text(tournament, organizer=organizer)
        if running and (waiting or tournament.trouble)
        else "",
    )


def _rounds(tournament: Tournament) -> list[Round]:
    counts: dict[tuple[int, int], dict[str, int]] = {}
    ends: dict[tuple[int, int], datetime] = {}
    # The second condition keeps PostgreSQL from reading the deal groups of all tournaments.
    rows = (
        Match.objects.filter(tournament=tournament, deal_group__tournament=tournament)
        .exclude(state=Match.State.VOID)
        .order_by()
        .values_list("deal_group__stage", "deal_group__round", "state")
        .annotate(Count("pk"), Max("finished"))
    )
    stages = {stage.pk: stage.number for stage in tournament.stages.all()}
    for stage, number, state, count, last in rows:
        counts.setdefault((stages[stage], number), {})[state] = count
        if state == Match.State.FINISHED:
            ends[stages[stage], number] = last
    has_stages = len(stages) > 1
    return [
        replace(
            _round(counts[stage, number]),
            stage=stage,
            index=number,
            has_stages=has_stages,
            ended=ends.get((stage, number)),
        )
        for stage, number in sorted(counts)
    ]


def _round(states: dict[str, int]) -> Round:
    state = Match.State
    return Round(
        done=states.get(state.FINISHED, 0),
        playing=states.get(state.PLAYING, 0),
        stuck=states.get(state.STUCK, 0),
        total=sum(states.values()),
    )


def _moves(tournament: Tournament) -> int:
    playing = Match.objects.filter(tournament=tournament, state=Match.State.PLAYING)
    return sum(playing.values_list("moves_played", flat=True))


def _seconds_left(started: datetime | None, total: Round) -> float | None:
    """The time for the remaining matches at the mean pace since the start; None without results."""
    if started is None or not total.done:
        return None
    spent = (now() - started).total_seconds()
    return spent / total.done * (total.total - total.stuck - total.done)


# --- tables -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the standings with the names of its entry."""

    row: pure.Row
    entry: EntryNames
    values: list[float | None]
    """The values of the tie-breaks that have columns."""
    strength: Strength | None = None
    """On a ladder, the rating that determines the place."""


@dataclass(frozen=True, slots=True)
class StageTable:
    """The standings of a division of a stage."""

    title: str
    by_bracket: bool
    """Whether the bracket decides the places, not points."""
    rows: list[Standing]
    left_out: int
    """The number of entrants below the last shown row."""


def standings(
    tournament: Tournament, tables: Tables, number: str | None
) -> tuple[Page[pure.Row], list[Standing], list[StageTable]]:
    """A page of the standings, its rows, and the standings of the stages, the last stage first.
    Only the first page has the standings of stages."""
    page = Paginator(tables.rows, PAGE).get_page(number)
    divisions = _separate_divisions(tournament, tables) if page.number == 1 else []
    visible = [*page.object_list, *(row for part in divisions for row in part.rows[:PAGE])]
    keys = {row.entrant for row in visible}
    names = names_of(tournament, keys)
    page_rows = _named_rows(tournament, list(page.object_list), names)
    rows = [replace(row, strength=tables.strengths.get(row.row.entrant)) for row in page_rows]
    return page, rows, _stage_tables(tournament, divisions, names)


def _named_rows(
    tournament: Tournament, rows: list[pure.Row], names: dict[Entrant, EntryNames]
) -> list[Standing]:
    """The rows with the names of their entries, and with the values of tie-breaks that have
    columns."""
    columns = [tie_break.index for tie_break in tie_breaks(tournament) if tie_break.has_column]
    return [
        Standing(
            row,
            names[row.entrant],
            [row.tie_breaks[index] if row.tie_breaks else None for index in columns],
        )
        for row in rows
    ]


def by_bracket(tournament: Tournament) -> bool:
    """Whether the bracket of the first stage determines places, not points."""
    system = get_system(tournament.stages.all()[0].system)
    return system.places is not None and not system.by_rating


def _separate_divisions(tournament: Tournament, tables: Tables) -> list[DivisionRows]:
    """The divisions with tables of their own; none if there is only one division."""
    stages = tournament.stages.all()
    return tables.divisions() if len(stages) > 1 or stages[0].divisions > 1 else []


def _stage_tables(
    tournament: Tournament, divisions: list[DivisionRows], names: dict[Entrant, EntryNames]
) -> list[StageTable]:
    """The tables of all paired divisions, the last stage first."""
    stages = {stage.number: stage for stage in tournament.stages.all()}
    tables = []
    for part in sorted(divisions, key=lambda part: (-part.stage, part.division)):
        stage = stages[part.stage]
        words = [f"Stage {stage.number}"] if len(stages) > 1 else []
        words += [f"division {part.division}"] if stage.divisions > 1 else []
        title = f"{', '.join(words)}: {stage.title}"
        rows = _named_rows(tournament, part.rows[:PAGE], names)
        ranked = get_system(stage.system).places is not None
        left_out = len(part.rows) - len(rows)
        tables.append(StageTable(title[0].upper() + title[1:], ranked, rows, left_out))
    return tables


@dataclass(frozen=True, slots=True)
class TieBreakColumn:
    """A tie-break of the tournament, and whether its value has a column of its own."""

    index: int
    """The index among the row's values."""

    title: str
    short: str
    meaning: str
    has_column: bool


def tie_breaks(tournament: Tournament) -> list[TieBreakColumn]:
    """The tie-breaks, in order. Score difference and groups won get no column of their own, because
    the standings always show them."""
    return [
        TieBreakColumn(
            index,
            pure.TIE_BREAKS[name].title,
            pure.TIE_BREAKS[name].short,
            pure.TIE_BREAKS[name].meaning,
            name not in {"difference", "wins"},
        )
        for index, name in enumerate(tournament.tie_breaks)
    ]


class CrossCell(NamedTuple):
    """A cell: the points of the row's entrant against the column's entrant."""

    kind: str
    """`self`, `wait` (no result yet), `live` (result so far), or `h0` to `h6`."""
    points: float | None = None
    groups: int = 0


@dataclass(frozen=True, slots=True)
class CrossRow:
    """A row of the cross table."""

    row: pure.Row
    entry: EntryNames
    cells: list[CrossCell]
    """One cell for each row of the table."""


@dataclass(frozen=True, slots=True)
class CrossTable:
    """The cross table, in the order of the standings."""

    rows: list[CrossRow]
    left_out: int
    """The number of entrants below the last shown row."""


def cross_table(
    tournament: Tournament, tables: Tables, frozen: datetime | None = None
) -> CrossTable:
    """The cross table of the best `MAX_CROSS` entrants. `frozen`: the time of the tables, if the
    viewer sees no later results."""
    rows = tables.rows[:MAX_CROSS]
    best = [row.entrant for row in rows]
    names = names_of(tournament, best)
    cells, open_pairs = tables.cells(best), _open_pairs(tournament, best, frozen)
    return CrossTable(
        rows=[
            CrossRow(
                row,
                names[row.entrant],
                [_cell(row.entrant, other, cells, open_pairs) for other in best],
            )
            for row in rows
        ],
        left_out=len(tables.rows) - len(rows),
    )


def _cell(
    own: Entrant,
    other: Entrant,
    cells: dict[Entrant, dict[Entrant, pure.Cell]],
    open_pairs: set[tuple[Entrant, Entrant]],
) -> CrossCell:
    if other == own:
        return CrossCell("self")
    cell = cells[own].get(other)
    if cell is None:
        return CrossCell("wait")
    kind = "live" if (own, other) in open_pairs else f"h{heat(cell.points, cell.groups)}"
    return CrossCell(kind, cell.points, cell.groups)


def _open_pairs(
    tournament: Tournament, entrants: Sequence[Entrant], frozen: datetime | None
) -> set[tuple[Entrant, Entrant]]:
    """The pairs of these entrants with unfinished matches; `frozen`: at that time."""
    matches = Match.objects.filter(tournament=tournament)
    if frozen is not None:
        unfinished = matches.filter(created__lte=frozen).exclude(state=Match.State.VOID)
        unfinished = unfinished.exclude(finished__lte=frozen)
    elif tournament.state == Tournament.State.RUNNING:
        unfinished = matches.filter(state__in=Match.UNFINISHED)
    else:
        return set()
    members: dict[int, list[int]] = {}
    sides: Any = DealGroupSide.objects.filter(
        deal_group__in=unfinished.values("deal_group"), entry__pk__in=entrants
    ).order_by()
    for deal_group, entry in sides.values_list("deal_group", "entry"):
        members.setdefault(deal_group, []).append(entry)
    return {(a, b) for side in members.values() for a in side for b in side if a != b}

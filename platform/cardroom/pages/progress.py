"""How a tournament goes: progress, standings and cross table as the pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.utils import timezone

from cardroom.pages.plots import heat, progress_bar
from tournaments import standings as pure
from tournaments.actions.organizing import claims
from tournaments.deal_groups import Entrant
from tournaments.models import Entry, FixtureSide, Match, Tournament
from tournaments.projections import cross_table_of, tournament_standings

__all__ = ["CrossTable", "Progress", "claims", "cross_table", "of", "standing_rows"]

MAX_CROSS = 40
"""Entrants in a cross table; of more the best so many."""
MAX_ROUNDS = 24
"""Rounds that get a bar of their own."""


@dataclass(frozen=True, slots=True)
class Round:
    """How far a round is."""

    number: int
    done: int
    playing: int
    stuck: int
    total: int

    @property
    def bars(self) -> list[tuple[int, int]]:
        """(x, width) of done, playing and stuck."""
        return progress_bar(self.done, self.playing, self.stuck)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the matches of a tournament are; void ones do not count."""

    running: bool
    done: int
    playing: int
    stuck: int
    waiting: int
    moves: int
    """Moves of the matches in play: changes while anything goes on."""
    rounds: list[Round]
    left: float | None
    """Seconds that the rest will take at the pace so far; None while that is unknown."""

    @property
    def total(self) -> int:
        """All matches that count."""
        return self.done + self.playing + self.stuck + self.waiting

    @property
    def bars(self) -> list[tuple[int, int]]:
        """(x, width) of done, playing and stuck."""
        return progress_bar(self.done, self.playing, self.stuck)

    @property
    def seen(self) -> str:
        """A word that changes whenever the page would show something else."""
        counts = (self.done, self.playing, self.stuck, self.waiting, self.moves)
        return "-".join(map(str, (int(self.running), *counts)))

    @property
    def in_words(self) -> str:
        """How long it will take."""
        if not self.running or self.left is None:
            return ""
        if self.left < 60:
            return "less than a minute left"
        minutes = round(self.left / 60)
        if minutes < 90:
            return f"about {minutes} minute{'s' if minutes > 1 else ''} left"
        return f"about {round(minutes / 60)} hours left"


def of(tournament: Tournament) -> Progress:
    """The progress of a tournament: one query."""
    counts: dict[int, dict[str, int]] = {}
    rows = (
        Match.objects.filter(tournament=tournament)
        .exclude(state=Match.State.VOID)
        .order_by()
        .values_list("fixture__round", "state")
        .annotate(Count("pk"))
    )
    for number, state, count in rows:
        counts.setdefault(number, {})[state] = count
    rounds = [_round(number, counts[number]) for number in sorted(counts)]
    done = sum(each.done for each in rounds)
    total = sum(each.total for each in rounds)
    playing, stuck = sum(r.playing for r in rounds), sum(r.stuck for r in rounds)
    return Progress(
        running=tournament.state == Tournament.State.RUNNING,
        done=done,
        playing=playing,
        stuck=stuck,
        waiting=total - done - playing - stuck,
        moves=_moves(tournament) if playing else 0,
        rounds=rounds if 1 < len(rounds) <= MAX_ROUNDS else [],
        left=_left(tournament.started, done, total - stuck),
    )


def _round(number: int, states: dict[str, int]) -> Round:
    state = Match.State
    return Round(
        number=number,
        done=states.get(state.FINISHED, 0),
        playing=states.get(state.PLAYING, 0),
        stuck=states.get(state.STUCK, 0),
        total=sum(states.values()),
    )


def _moves(tournament: Tournament) -> int:
    playing = Match.objects.filter(tournament=tournament, state=Match.State.PLAYING)
    return sum(playing.values_list("moves_played", flat=True))


def _left(started: datetime | None, done: int, total: int) -> float | None:
    if started is None or not done:
        return None
    return (timezone.now() - started).total_seconds() / done * (total - done)


# --- tables -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the standings with its entry."""

    row: pure.Row
    entry: Entry


def standing_rows(tournament: Tournament) -> list[Standing]:
    """The standings, best first."""
    entries = _entries(tournament)
    rows = tournament_standings(tournament)
    return [Standing(row, entries[row.entrant]) for row in rows]


@dataclass(frozen=True, slots=True)
class CrossCell:
    """A cell: points of the row against the column."""

    opponent: Entry
    kind: str
    """`self`, `wait` (nothing yet), `live` (so far), or `h0` to `h6`."""
    points: float | None
    groups: int


@dataclass(frozen=True, slots=True)
class CrossRow:
    """A row of the cross table."""

    row: pure.Row
    entry: Entry
    cells: list[CrossCell]


@dataclass(frozen=True, slots=True)
class CrossTable:
    """The cross table, in the order of the standings."""

    rows: list[CrossRow]
    left_out: int
    """Entrants below the last row shown."""


def cross_table(tournament: Tournament) -> CrossTable:
    """The cross table of the best `MAX_CROSS`."""
    entries = _entries(tournament)
    rows = tournament_standings(tournament)
    shown = rows[:MAX_CROSS]
    cells = cross_table_of(tournament, [row.entrant for row in rows])
    open_pairs = _open_pairs(tournament)
    return CrossTable(
        rows=[
            CrossRow(
                row,
                entries[row.entrant],
                [_cell(row.entrant, entries[other.entrant], cells, open_pairs) for other in shown],
            )
            for row in shown
        ],
        left_out=len(rows) - len(shown),
    )


def _cell(
    own: Entrant,
    opponent: Entry,
    cells: dict[Entrant, dict[Entrant, pure.Cell]],
    open_pairs: set[tuple[Entrant, Entrant]],
) -> CrossCell:
    if opponent.pk == own:
        return CrossCell(opponent, "self", None, 0)
    cell = cells[own].get(opponent.pk)
    if cell is None:
        return CrossCell(opponent, "wait", None, 0)
    live = (own, opponent.pk) in open_pairs
    kind = "live" if live else f"h{heat(cell.points, cell.groups)}"
    return CrossCell(opponent, kind, cell.points, cell.groups)


def _open_pairs(tournament: Tournament) -> set[tuple[Entrant, Entrant]]:
    """Pairs that have matches of deal groups still to come."""
    if tournament.state != Tournament.State.RUNNING:
        return set()
    members: dict[int, list[int]] = {}
    sides: Any = FixtureSide.objects.filter(
        fixture__tournament=tournament, fixture__finished__isnull=True
    ).order_by()
    for fixture, entry in sides.values_list("fixture", "entry"):
        members.setdefault(fixture, []).append(entry)
    return {(a, b) for side in members.values() for a in side for b in side if a != b}


def _entries(tournament: Tournament) -> dict[Entrant, Entry]:
    found = Entry.objects.filter(tournament=tournament).order_by("number")
    return {entry.pk: entry for entry in found.select_related("bot", "version")}

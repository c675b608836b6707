"""Count the statistics of bots: results by opponent, seat and partner, and the game's figures.

Each match in the live ratings counts once. When its deal group is over, it is replayed from its
record and its figures are stored (`MatchFigures`), so that totals can be recounted without replay.
Only the holder of the lock on the single `Ledger` row adds.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, TypeAlias

from django.db import transaction
from django.db.models import Q, QuerySet

from engine import Record
from tournaments.models import (
    BotTotal,
    Ledger,
    Match,
    MatchFigures,
    RatingChange,
    Seat,
    SideResult,
    StoredRecord,
    group_is_over,
)
from tournaments.projections.live_elo import lock_ledger, pools_of
from tournaments.standings.figures import SHAPE, count_figures

log = logging.getLogger(__name__)

CHUNK: Final = 200
"""Matches per transaction."""

Kind = BotTotal.Kind
Key: TypeAlias = tuple[int | None, str, str, int, str]
"""(bot or None for all bots, pool, kind, key, name), as in `BotTotal`."""
RecordKey: TypeAlias = tuple[int, str, str]
"""(bot, `game/` as pool, kind)."""
RECORD_KINDS: Final = (Kind.BEST, Kind.WORST, Kind.COMEBACK, Kind.LONGEST)


# --- counting -----------------------------------------------------------------------------------


def has_uncounted() -> bool:
    """Whether there are matches to count."""
    ledger = Ledger.objects.values_list("counted", "ordinal").first() or (0, 0)
    return ledger[0] < ledger[1] or _ready_figures().exists()


def count_new(stop: Callable[[], bool] = lambda: False) -> int:
    """Count the matches that have not been counted; return their number."""
    while not stop() and _create_figures():
        pass
    total = 0
    while not stop() and (new_count := _count_chunk()):
        total += new_count
    return total


def delete_totals() -> None:
    """Delete the totals but keep each match's figures. The caller has locked the ledger."""
    BotTotal.objects.all().delete()
    MatchFigures.objects.update(counted=False)


def delete_totals_and_figures() -> None:
    """Delete the totals and each match's figures, so that all matches are replayed."""
    with transaction.atomic():
        lock_ledger()
        delete_totals()
        MatchFigures.objects.update(shape=0, content={})


def _create_figures() -> int:
    """Create a `MatchFigures` for a chunk of matches in the live ratings; return their number."""
    with transaction.atomic():
        ledger = lock_ledger()
        records = StoredRecord.objects.filter(match__ordinal__gt=ledger.counted)
        rows = list(records.order_by("match__ordinal").values_list("pk", "match__ordinal")[:CHUNK])
        figures = [MatchFigures(record_id=pk) for pk, _ in rows]
        MatchFigures.objects.bulk_create(figures, ignore_conflicts=True)
        counted = rows[-1][1] if len(rows) == CHUNK else ledger.ordinal
        Ledger.objects.filter(pk=ledger.pk).update(counted=counted)
    return len(rows)


def _ready_figures() -> QuerySet[MatchFigures]:
    return MatchFigures.objects.filter(group_is_over("record__match__deal_group"), counted=False)


def _count_chunk() -> int:
    """Count a chunk of matches: replay them outside the transaction, add their figures in it."""
    rows = list(_ready_figures().select_related("record").order_by("pk")[:CHUNK])
    by_key = {row.pk: row for row in rows}
    for row in rows:
        if row.shape != SHAPE:
            row.content, row.shape = _figures_of(row.record), SHAPE
    with transaction.atomic():
        lock_ledger()
        uncounted = MatchFigures.objects.select_for_update().filter(pk__in=by_key, counted=False)
        locked_rows = [by_key[pk] for pk in uncounted.values_list("pk", flat=True)]
        _TallyTotals().add(locked_rows)
        for row in locked_rows:
            row.counted = True
        MatchFigures.objects.bulk_update(
            locked_rows, ["content", "shape", "counted"], batch_size=CHUNK
        )
    return len(locked_rows)


def _figures_of(stored: StoredRecord) -> dict[str, Any]:
    try:
        return asdict(count_figures(Record.from_json(zlib.decompress(bytes(stored.content)))))
    except ValueError as error:  # played by rules that this program no longer has
        log.warning("Match %d cannot be played again: %s", stored.pk, error)
        return {}


# --- adding -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _CountedMatch:
    """A match with the data for the totals."""

    pk: int
    pool: str
    game: str
    moves: int
    faulted: bool
    seats: list[tuple[int, int]]
    """Side and bot of each seat."""
    ranks: list[int]
    """By side."""
    before: dict[int, float]
    """By bot: its live Elo before the match."""
    figures: dict[str, Any]

    def bots(self, side: int) -> list[int]:
        """The bots of a side; copies of a bot appear once."""
        return list(dict.fromkeys(bot for own, bot in self.seats if own == side))

    def outcome(self, side: int) -> tuple[bool, bool]:
        """(whether a side won, whether it shared the first rank)."""
        is_first = self.ranks[side] == 1
        is_alone = self.ranks.count(1) == 1
        return is_first and is_alone, is_first and not is_alone


@dataclass
class _TallyTotals:
    """The additions of a chunk to the totals."""

    sums: dict[Key, list[float]] = field(default_factory=dict)
    """[count, total, drawn]."""
    records: dict[RecordKey, tuple[float, int]] = field(default_factory=dict)
    """(value, primary key of the match)."""

    def add(self, rows: Sequence[MatchFigures]) -> None:
        """Add these matches to the stored totals."""
        for match in _load_matches(rows):
            self._add_results(match)
            self._add_figures(match)
            if not match.faulted:
                self._add_records(match)
        self._store(list(self._changed_rows()))

    def _add_results(self, match: _CountedMatch) -> None:
        for side, rank in enumerate(match.ranks):
            outcome = match.outcome(side)
            own_bots = match.bots(side)
            for bot in own_bots:
                self._add_result(bot, match, Kind.FORM, 0, outcome)
                self._add_result(bot, match, Kind.SIDE, side, outcome)
                for other in own_bots:
                    if other != bot:
                        self._add_result(bot, match, Kind.PARTNER, other, outcome)
                for other_side, other_rank in enumerate(match.ranks):
                    for other in match.bots(other_side) if other_side != side else ():
                        other_outcome = (rank < other_rank, rank == other_rank)
                        self._add_result(bot, match, Kind.VERSUS, other, other_outcome)
        for index, (side, bot) in enumerate(match.seats):
            self._add_result(bot, match, Kind.SEAT, index, match.outcome(side))

    def _add_result(
        self, bot: int, match: _CountedMatch, kind: str, key: int, outcome: tuple[bool, bool]
    ) -> None:
        won, drawn = outcome
        self._add_sum((bot, match.pool, kind, key, ""), 1, won + drawn / 2, drawn)

    def _add_figures(self, match: _CountedMatch) -> None:
        for (_, bot), figures in zip(match.seats, match.figures.get("seats", ()), strict=False):
            for name, (total, count) in figures.items():
                for owner in (bot, None):
                    key = (owner, match.pool, Kind.FIGURE, 0, name)
                    self._add_sum(key, count, total, drawn=False)

    def _add_sum(self, key: Key, count: float, total: float, drawn: bool) -> None:  # noqa: FBT001 - a count of 0 or 1
        sums = self.sums.setdefault(key, [0, 0.0, 0])
        sums[0] += count
        sums[1] += total
        sums[2] += drawn

    def _add_records(self, match: _CountedMatch) -> None:
        for side in range(len(match.ranks)):
            for bot in match.bots(side):
                for kind, value in _record_values(match, side):
                    key = (bot, f"{match.game}/", kind)
                    record = self.records.get(key)
                    if record is None or value > record[0]:
                        self.records[key] = value, match.pk

    def _changed_rows(self) -> Iterator[BotTotal]:
        """The rows to store: updated existing ones, and new ones."""
        bots = {key[0] for key in self.sums if key[0] is not None}
        pools = {key[1] for key in self.sums} | {key[1] for key in self.records}
        rows = list(BotTotal.objects.filter(Q(bot__in=bots) | Q(bot=None), pool__in=pools))
        stored = {(row.bot_id, row.pool, row.kind, row.key, row.name): row for row in rows}
        for key, (count, total, drawn) in self.sums.items():
            row = stored.get(key) or _new_total(key)
            row.count += int(count)
            row.total += total
            row.drawn += int(drawn)
            yield row
        best_rows = {
            (row.bot_id, row.pool, row.kind): row for row in rows if row.kind in RECORD_KINDS
        }
        for (bot, pool, kind), (value, match) in self.records.items():
            best_row = best_rows.get((bot, pool, kind))
            if best_row is None or value > best_row.total:
                row = best_row or BotTotal(bot_id=bot, pool=pool, kind=kind, count=1)
                row.key, row.total = match, value
                yield row

    def _store(self, rows: Sequence[BotTotal]) -> None:
        new = [row for row in rows if row.pk is None]
        old = [row for row in rows if row.pk is not None]
        BotTotal.objects.bulk_create(new, batch_size=CHUNK)
        # Inserts that conflict update many rows in a tenth of the time that `bulk_update` takes.
        BotTotal.objects.bulk_create(
            old,
            batch_size=CHUNK,
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=["key", "count", "total", "drawn"],
        )


def _new_total(key: Key) -> BotTotal:
    bot, pool, kind, subject, name = key
    other = subject if kind in (Kind.VERSUS, Kind.PARTNER) else None
    return BotTotal(bot_id=bot, pool=pool, kind=kind, key=subject, name=name, other_id=other)


def _record_values(match: _CountedMatch, side: int) -> Iterator[tuple[str, float]]:
    """(kind, value) of the record kinds for which a match may count for a side's bots."""
    others = [bot for own, bot in match.seats if own != side]
    ratings = [match.before[bot] for bot in others if bot in match.before]
    strength = sum(ratings) / len(ratings) if ratings else None
    won, drawn = match.outcome(side)
    behind = match.figures.get("behind", [])
    if won and strength is not None:
        yield Kind.BEST, strength
    if not won and not drawn and strength is not None:
        yield Kind.WORST, -strength
    if won and side < len(behind) and behind[side]:
        yield Kind.COMEBACK, float(behind[side])
    if deals := match.figures.get("deals", 0):
        yield Kind.LONGEST, deals + match.moves / 1_000_000


# --- reading ------------------------------------------------------------------------------------


def _load_matches(figure_rows: Iterable[MatchFigures]) -> list[_CountedMatch]:
    """The data of these matches."""
    figures = {row.pk: row.content for row in figure_rows}
    seats: dict[int, list[tuple[int, int]]] = {}
    bots: dict[int, int] = {}
    seat_rows = Seat.objects.filter(match__in=figures).order_by("match", "index")
    columns = ("match", "side", "version", "version__bot")
    for match, side, version, bot in seat_rows.values_list(*columns):
        seats.setdefault(match, []).append((side, bot))
        bots[version] = bot
    ranks: dict[int, list[int]] = {}
    results = SideResult.objects.filter(match__in=figures).order_by("match", "side")
    for match, rank in results.values_list("match", "rank"):
        ranks.setdefault(match, []).append(rank)
    matches = Match.objects.filter(pk__in=figures).order_by("ordinal")
    rows = list(matches.values_list("pk", "format", "moves_played", "faulted"))
    elos_before = _elo_before(rows, bots)
    return [
        _CountedMatch(
            pk,
            pool := pools_of(fmt)[0],
            pool.partition("/")[0],
            moves,
            faulted,
            seats[pk],
            ranks[pk],
            elos_before.get(pk, {}),
            figures[pk],
        )
        for pk, fmt, moves, faulted in rows
        if pk in seats and pk in ranks
    ]


def _elo_before(
    rows: Sequence[tuple[Any, ...]], bots: dict[int, int]
) -> dict[int, dict[int, float]]:
    """By match and bot: the live Elo before the match."""
    pools = {pools_of(fmt)[0] for _, fmt, *_ in rows}
    by_match: dict[int, dict[int, float]] = {}
    changes = RatingChange.objects.filter(match__in=[row[0] for row in rows], pool__in=pools)
    for match, version, elo in changes.values_list("match", "version", "before"):
        if version in bots:
            by_match.setdefault(match, {})[bots[version]] = elo
    return by_match

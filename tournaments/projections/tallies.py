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
    over,
)
from tournaments.projections.live import locked_ledger, pools_of
from tournaments.standings.figures import SHAPE, count

log = logging.getLogger(__name__)

CHUNK: Final = 200
"""Matches per transaction."""

Kind = BotTotal.Kind
Key: TypeAlias = tuple[int | None, str, str, int, str]
"""Bot (None: all), pool, kind, key, name."""
Most: TypeAlias = tuple[int, str, str]
"""Bot, `game/`, kind."""
MOST: Final = (Kind.BEST, Kind.WORST, Kind.COMEBACK, Kind.LONGEST)


# --- counting -----------------------------------------------------------------------------------


def waiting() -> bool:
    """Whether there are matches to count."""
    ledger = Ledger.objects.values_list("counted", "ordinal").first() or (0, 0)
    return ledger[0] < ledger[1] or _ready().exists()


def count_new(stop: Callable[[], bool] = lambda: False) -> int:
    """Count the matches that have not been counted; their number."""
    while not stop() and _begin():
        pass
    total = 0
    while not stop() and (added := _count_some()):
        total += added
    return total


def forget() -> None:
    """Delete the totals but keep each match's figures. The caller has locked the ledger."""
    BotTotal.objects.all().delete()
    MatchFigures.objects.update(counted=False)


def forget_all() -> None:
    """Delete the totals and each match's figures, so that all matches are replayed."""
    with transaction.atomic():
        locked_ledger()
        forget()
        MatchFigures.objects.update(shape=0, content={})


def _begin() -> int:
    """Create a `MatchFigures` for a chunk of matches in the live ratings; their number."""
    with transaction.atomic():
        ledger = locked_ledger()
        records = StoredRecord.objects.filter(match__ordinal__gt=ledger.counted)
        rows = list(records.order_by("match__ordinal").values_list("pk", "match__ordinal")[:CHUNK])
        figures = [MatchFigures(record_id=pk) for pk, _ in rows]
        MatchFigures.objects.bulk_create(figures, ignore_conflicts=True)
        counted = rows[-1][1] if len(rows) == CHUNK else ledger.ordinal
        Ledger.objects.filter(pk=ledger.pk).update(counted=counted)
    return len(rows)


def _ready() -> QuerySet[MatchFigures]:
    return MatchFigures.objects.filter(over("record__match__deal_group"), counted=False)


def _count_some() -> int:
    """Count a chunk of matches: replay them outside the transaction, add their figures in it."""
    some = list(_ready().select_related("record").order_by("pk")[:CHUNK])
    by_key = {row.pk: row for row in some}
    for row in some:
        if row.shape != SHAPE:
            row.content, row.shape = _counts(row.record), SHAPE
    with transaction.atomic():
        locked_ledger()
        mine = MatchFigures.objects.select_for_update().filter(pk__in=by_key, counted=False)
        held = [by_key[pk] for pk in mine.values_list("pk", flat=True)]
        _TallyTotals().add(held)
        for row in held:
            row.counted = True
        MatchFigures.objects.bulk_update(held, ["content", "shape", "counted"], batch_size=CHUNK)
    return len(held)


def _counts(stored: StoredRecord) -> dict[str, Any]:
    try:
        return asdict(count(Record.from_json(zlib.decompress(bytes(stored.content)))))
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
    """Bot → live Elo before the match."""
    figures: dict[str, Any]

    def bots(self, side: int) -> list[int]:
        """The bots of a side, copies once."""
        return list(dict.fromkeys(bot for own, bot in self.seats if own == side))

    def outcome(self, side: int) -> tuple[bool, bool]:
        """(whether a side won, whether it shared the first rank)."""
        first = self.ranks[side] == 1
        alone = self.ranks.count(1) == 1
        return first and alone, first and not alone


@dataclass
class _TallyTotals:
    """The additions of a chunk to the totals."""

    sums: dict[Key, list[float]] = field(default_factory=dict)
    """Count, total, drawn."""
    most: dict[Most, tuple[float, int]] = field(default_factory=dict)
    """(value, match)."""

    def add(self, held: Sequence[MatchFigures]) -> None:
        """Add these matches to the stored totals."""
        for played in _read(held):
            self._score(played)
            self._figure(played)
            if not played.faulted:
                self._remember(played)
        self._store(list(self._added()))

    def _score(self, played: _CountedMatch) -> None:
        for side, rank in enumerate(played.ranks):
            outcome = played.outcome(side)
            own = played.bots(side)
            for bot in own:
                self._scored(bot, played, Kind.FORM, 0, outcome)
                self._scored(bot, played, Kind.SIDE, side, outcome)
                for other in own:
                    if other != bot:
                        self._scored(bot, played, Kind.PARTNER, other, outcome)
                for against, their in enumerate(played.ranks):
                    for other in played.bots(against) if against != side else ():
                        compared = (rank < their, rank == their)
                        self._scored(bot, played, Kind.VERSUS, other, compared)
        for index, (side, bot) in enumerate(played.seats):
            self._scored(bot, played, Kind.SEAT, index, played.outcome(side))

    def _scored(
        self, bot: int, played: _CountedMatch, kind: str, key: int, outcome: tuple[bool, bool]
    ) -> None:
        won, drawn = outcome
        self._sum((bot, played.pool, kind, key, ""), 1, won + drawn / 2, drawn)

    def _figure(self, played: _CountedMatch) -> None:
        for (_, bot), counted in zip(played.seats, played.figures.get("seats", ()), strict=False):
            for name, (total, of) in counted.items():
                for whose in (bot, None):
                    self._sum((whose, played.pool, Kind.FIGURE, 0, name), of, total, drawn=False)

    def _sum(self, key: Key, count: float, total: float, drawn: bool) -> None:  # noqa: FBT001 - a count of 0 or 1
        sums = self.sums.setdefault(key, [0, 0.0, 0])
        sums[0] += count
        sums[1] += total
        sums[2] += drawn

    def _remember(self, played: _CountedMatch) -> None:
        for side in range(len(played.ranks)):
            for bot in played.bots(side):
                for kind, worth in _marks(played, side):
                    key = (bot, f"{played.game}/", kind)
                    record = self.most.get(key)
                    if record is None or worth > record[0]:
                        self.most[key] = worth, played.pk

    def _added(self) -> Iterator[BotTotal]:
        """The rows to store: updated existing ones, and new ones."""
        bots = {key[0] for key in self.sums if key[0] is not None}
        pools = {key[1] for key in self.sums} | {key[1] for key in self.most}
        rows = list(BotTotal.objects.filter(Q(bot__in=bots) | Q(bot=None), pool__in=pools))
        stored = {(row.bot_id, row.pool, row.kind, row.key, row.name): row for row in rows}
        for key, (count_, total, drawn) in self.sums.items():
            row = stored.get(key) or _new(key)
            row.count += int(count_)
            row.total += total
            row.drawn += int(drawn)
            yield row
        best = {(row.bot_id, row.pool, row.kind): row for row in rows if row.kind in MOST}
        for (bot, pool, kind), (worth, match) in self.most.items():
            one = best.get((bot, pool, kind))
            if one is None or worth > one.total:
                row = one or BotTotal(bot_id=bot, pool=pool, kind=kind, count=1)
                row.key, row.total = match, worth
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


def _new(key: Key) -> BotTotal:
    bot, pool, kind, about, name = key
    other = about if kind in (Kind.VERSUS, Kind.PARTNER) else None
    return BotTotal(bot_id=bot, pool=pool, kind=kind, key=about, name=name, other_id=other)


def _marks(played: _CountedMatch, side: int) -> Iterator[tuple[str, float]]:
    """(kind, value) of the record kinds for which a match may count for a side's bots."""
    others = [bot for own, bot in played.seats if own != side]
    ratings = [played.before[bot] for bot in others if bot in played.before]
    strength = sum(ratings) / len(ratings) if ratings else None
    won, drawn = played.outcome(side)
    behind = played.figures.get("behind", [])
    if won and strength is not None:
        yield Kind.BEST, strength
    if not won and not drawn and strength is not None:
        yield Kind.WORST, -strength
    if won and side < len(behind) and behind[side]:
        yield Kind.COMEBACK, float(behind[side])
    if deals := played.figures.get("deals", 0):
        yield Kind.LONGEST, deals + played.moves / 1_000_000


# --- reading ------------------------------------------------------------------------------------


def _read(held: Iterable[MatchFigures]) -> list[_CountedMatch]:
    """The data of these matches."""
    figures = {row.pk: row.content for row in held}
    seats: dict[int, list[tuple[int, int]]] = {}
    bots: dict[int, int] = {}
    sat = Seat.objects.filter(match__in=figures).order_by("match", "index")
    for match, side, version, bot in sat.values_list("match", "side", "version", "version__bot"):
        seats.setdefault(match, []).append((side, bot))
        bots[version] = bot
    ranks: dict[int, list[int]] = {}
    results = SideResult.objects.filter(match__in=figures).order_by("match", "side")
    for match, rank in results.values_list("match", "rank"):
        ranks.setdefault(match, []).append(rank)
    matches = Match.objects.filter(pk__in=figures).order_by("ordinal")
    rows = list(matches.values_list("pk", "format", "moves_played", "faulted"))
    before = _elo_before(rows, bots)
    return [
        _CountedMatch(
            pk,
            pool := pools_of(fmt)[0],
            pool.partition("/")[0],
            moves,
            faulted,
            seats[pk],
            ranks[pk],
            before.get(pk, {}),
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
    steps = RatingChange.objects.filter(match__in=[row[0] for row in rows], pool__in=pools)
    for match, version, elo in steps.values_list("match", "version", "before"):
        if version in bots:
            by_match.setdefault(match, {})[bots[version]] = elo
    return by_match

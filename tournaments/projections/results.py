"""All rated results as arrays: what was read once is kept on the worker's disk.

Reading a million matches from the database takes longer than fitting them. Results that were taken
in never change (where one is set aside everything is computed anew, in a new epoch of the ledger),
so only those after the last one kept are read. Lost or doubtful copies are made again.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from engine import Format, all_formats
from tournaments.models import Match, Seat, SideResult, Tournament
from tournaments.projections.live import countable, pools_of
from tournaments.ratings.store import Sides, Store, row_type

log = logging.getLogger(__name__)

Rows = NDArray[np.void]

READ = 2000
"""Matches read at a time."""


@dataclass(frozen=True, slots=True)
class Results:
    """Every rated result up to an ordinal, by table form."""

    rows: dict[str, Rows]
    """Rows of `store.row_type`, in order of the ordinals."""

    def since(self, ordinal: int) -> set[str]:
        """The pools with results after an ordinal."""
        fresh = [form for form, rows in self.rows.items() if rows["ordinal"][-1] > ordinal]
        return {pool for form in fresh for pool in pools_of(form)}

    def of_pool(self, pool: str) -> dict[str, Rows]:
        """The results of a pool, by table form."""
        return {form: rows for form, rows in self.rows.items() if pool in pools_of(form)}


def results(epoch: str, upto: int) -> Results:
    """Every result that was taken in up to an ordinal of an epoch."""
    store = Store(_folder(), epoch)
    try:
        with store.locked():
            return Results(_cut(_brought_up(store, upto), upto))
    except OSError as error:
        log.warning("Results cannot be kept on this disk: %s", error)
        return Results(_joined([_read(0, upto)]))


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "results"


def _brought_up(store: Store, upto: int) -> dict[str, Rows]:
    """What is kept, with what came since; both kept."""
    try:
        kept = store.read({form: sides_of(form) for form in _forms()})
    except ValueError as error:
        log.warning("The kept results are read anew: %s", error)
        kept = {}
        store.clear()
    last = max((int(rows["ordinal"][-1]) for rows in kept.values() if len(rows)), default=0)
    fresh: list[dict[str, Rows]] = []
    if kept and not _agrees(kept, last):
        log.warning("The kept results are not those of the database; they are read anew.")
        store.clear()
        kept, last = {}, 0
    for start in range(last, upto, READ):
        more = _read(start, min(start + READ, upto))
        store.append(more)
        fresh.append(more)
    return _joined([kept, *fresh])


def _agrees(kept: dict[str, Rows], last: int) -> bool:
    """Whether as many results are kept as there are, and the last is the same."""
    counted = countable().filter(ordinal__lte=last)
    match = next(r["match"][-1] for r in kept.values() if len(r) and r["ordinal"][-1] == last)
    same = counted.filter(ordinal=last, pk=int(match)).exists()
    return same and counted.count() == sum(map(len, kept.values()))


def _cut(rows: dict[str, Rows], upto: int) -> dict[str, Rows]:
    """Without what another worker has already kept beyond that ordinal."""
    cut = {form: found[found["ordinal"] <= upto] for form, found in rows.items()}
    return {form: found for form, found in cut.items() if len(found)}


def _joined(parts: list[dict[str, Rows]]) -> dict[str, Rows]:
    forms = sorted({form for part in parts for form in part})
    return {form: np.concatenate([part[form] for part in parts if form in part]) for form in forms}


# --- from the database --------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def sides_of(form: str) -> Sides:
    """The seats of each side of a table form."""
    return tuple(tuple(side) for side in Format.parse(form).sides)


@functools.cache
def _forms() -> list[str]:
    return sorted({pools_of(str(fmt))[0] for fmt in all_formats()})


def _read(after: int, upto: int) -> dict[str, Rows]:
    """The results with ordinals in (after, upto], by table form."""
    span = {"ordinal__gt": after, "ordinal__lte": upto}
    matches = countable().filter(**span).order_by("ordinal")
    columns = ("ordinal", "pk", "fixture", "format", "tournament__partners")
    inside: dict[str, Any] = {f"match__{key}": bound for key, bound in span.items()}
    inside["match__state"] = Match.State.FINISHED
    seats = Seat.objects.filter(**inside).order_by("match", "index")
    ranks = SideResult.objects.filter(**inside).order_by("match", "side")
    sat = _by_match(seats.values_list("match", "version", "version__bot__owner"))
    ranked = _by_match(ranks.values_list("match", "rank"))
    lines: dict[str, list[tuple[Any, ...]]] = {}
    for ordinal, pk, fixture, text, partners in matches.values_list(*columns):
        form = pools_of(text)[0]
        there = sat[pk]
        strange = _strangers(sides_of(form), there, rotating=partners == _ROTATING)
        versions = tuple(version for version, _ in there)
        line = (ordinal, pk, fixture, strange, versions, tuple(rank for (rank,) in ranked[pk]))
        lines.setdefault(form, []).append(line)
    return {form: np.array(rows, dtype=row_type(sides_of(form))) for form, rows in lines.items()}


_ROTATING = Tournament.Partners.ROTATING


def _by_match(rows: Iterable[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
    return {match: [row[1:] for row in own] for match, own in groupby(rows, key=lambda row: row[0])}


def _strangers(sides: Sides, seats: list[tuple[Any, ...]], *, rotating: bool) -> bool:
    """Whether on every side with partners these are of different authors, or change."""
    wide = [side for side in sides if len(side) > 1]
    if not wide:
        return False
    for side in wide:
        versions = {seats[seat][0] for seat in side}
        owners = {seats[seat][1] for seat in side}
        if len(versions) < len(side) or (len(owners) < len(side) and not rotating):
            return False
    return True

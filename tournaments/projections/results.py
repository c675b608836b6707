"""Read all rated results as arrays, with a cache on the disk.

Reading a million matches from the database takes longer than fitting them. Results with an ordinal
never change within an epoch of the ledger, so only those after the last cached one are read. A
lost or inconsistent cache is rebuilt.
"""

from __future__ import annotations

import functools
import logging
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.db.models import QuerySet
from numpy.typing import NDArray

from bots.models import BotVersion
from engine import Format
from tournaments.models import Match, Seat, SideResult, Tournament
from tournaments.projections.live_elo import countable_matches, pools_of
from tournaments.ratings.blocks import Ints
from tournaments.ratings.store import Sides, Store, row_type

log = logging.getLogger(__name__)

Rows = NDArray[np.void]

MATCHES_PER_QUERY = 10_000


@dataclass(frozen=True, slots=True)
class RatedResults:
    """All rated results up to an ordinal, by format."""

    rows: dict[str, Rows]
    """Rows of `store.row_type`, in order of the ordinals."""

    def last_ordinals(self) -> dict[str, int]:
        """By pool: the ordinal of its last result."""
        by_pool: dict[str, int] = {}
        for form, rows in self.rows.items():
            for pool in pools_of(form):
                by_pool[pool] = max(by_pool.get(pool, 0), int(rows["ordinal"][-1]))
        return by_pool

    def of_pool(self, pool: str) -> dict[str, Rows]:
        """The results of a pool, by format."""
        return {form: rows for form, rows in self.rows.items() if pool in pools_of(form)}


def rated_results(epoch: str, upto: int) -> RatedResults:
    """All rated results of an epoch up to an ordinal."""
    store = Store(_folder(), epoch)
    try:
        with store.locked():
            return RatedResults(_rows_up_to(_update_cache(store, upto), upto))
    except OSError as error:
        log.warning("Results cannot be cached on this disk: %s", error)
        return RatedResults(_concatenated([_read_database(0, upto)]))


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "results"


def _update_cache(store: Store, upto: int) -> dict[str, Rows]:
    """The cached results with the new ones, which are added to the cache."""
    try:
        stored = store.read(sides_of)
    except ValueError as error:
        log.warning("The cached results are read again: %s", error)
        stored = {}
        store.clear()
    last = max((int(rows["ordinal"][-1]) for rows in stored.values() if len(rows)), default=0)
    new_parts: list[dict[str, Rows]] = []
    if last and not _matches_database(stored, last):  # a full disk may have truncated a file
        log.warning("The cached results differ from the database; they are read again.")
        store.clear()
        stored, last = {}, 0
    for start in range(last, upto, MATCHES_PER_QUERY):
        new_rows = _read_database(start, min(start + MATCHES_PER_QUERY, upto))
        store.append(new_rows)
        new_parts.append(new_rows)
    return _concatenated([stored, *new_parts])


def _matches_database(stored: dict[str, Rows], last: int) -> bool:
    """Whether cache and database have the same number of results and the same last result.

    The count uses only the index of ordinals, because withdrawing a result starts a new epoch.
    Checking each match would take longer than a fit of a million of them.
    """
    match = next(
        rows["match"][-1] for rows in stored.values() if len(rows) and rows["ordinal"][-1] == last
    )
    same_match = countable_matches().filter(ordinal=last, pk=int(match)).exists()
    count = Match.objects.filter(ordinal__lte=last).count()
    return same_match and count == sum(map(len, stored.values()))


def _rows_up_to(rows: dict[str, Rows], upto: int) -> dict[str, Rows]:
    """The rows up to an ordinal, because another worker may have cached later ones."""
    rows_by_form = {
        form: form_rows[form_rows["ordinal"] <= upto] for form, form_rows in rows.items()
    }
    return {form: form_rows for form, form_rows in rows_by_form.items() if len(form_rows)}


def _concatenated(parts: list[dict[str, Rows]]) -> dict[str, Rows]:
    forms = sorted({form for part in parts for form in part})
    return {form: np.concatenate([part[form] for part in parts if form in part]) for form in forms}


# --- from the database --------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def sides_of(form: str) -> Sides:
    """The seats of each side of a format; ValueError if it is unknown."""
    return tuple(tuple(side) for side in Format.parse(form).sides)


def _read_database(after: int, upto: int) -> dict[str, Rows]:
    """The results with ordinals in (after, upto], by format."""
    matches = countable_matches().filter(ordinal__gt=after, ordinal__lte=upto).order_by("ordinal")
    columns = ("ordinal", "pk", "deal_group", "format", "tournament__partners")
    values = list(matches.values_list(*columns))
    if not values:
        return {}
    ordinals, keys, deal_groups, texts, partners = zip(*values, strict=True)
    form_of = {text: str(Format.parse(text)) for text in set(texts)}
    forms = np.array([form_of[text] for text in texts])
    numbers = np.array([ordinals, keys, deal_groups])
    rotating = np.array([partner == _ROTATING for partner in partners])
    versions = _values_by_ordinal(Seat.objects.all(), after, upto, "index", "version")
    owners = _owners(versions[:, 1])
    ranks_of_matches = _values_by_ordinal(SideResult.objects.all(), after, upto, "side", "rank")
    rows = {}
    for form in sorted(set(form_of.values())):
        in_form = forms == form
        sides = sides_of(form)
        seats = _values_of(versions, numbers[0, in_form]).reshape(in_form.sum(), -1)
        array = np.empty(len(seats), dtype=row_type(sides))
        array["ordinal"], array["match"], array["deal_group"] = numbers[:, in_form]
        array["versions"] = seats
        array["ranks"] = _values_of(ranks_of_matches, numbers[0, in_form]).reshape(len(array), -1)
        array["strangers"] = are_strangers(sides, seats, owners[seats], rotating[in_form])
        rows[form] = array
    return rows


_ROTATING = Tournament.Partners.ROTATING


def _values_by_ordinal(rows: QuerySet[Any], after: int, upto: int, place: str, column: str) -> Ints:
    """[rows, 2]: the match's ordinal and a column, ordered by match and place."""
    finished = rows.filter(
        match__ordinal__gt=after, match__ordinal__lte=upto, match__state=Match.State.FINISHED
    )
    values = finished.order_by("match__ordinal", place).values_list("match__ordinal", column)
    flat = np.fromiter(chain.from_iterable(values), dtype=np.int64)
    return flat.reshape(-1, 2)


def _owners(versions: Ints) -> Ints:
    """The owners of these versions: an array with the versions' primary keys as indices. -1: the
    house."""
    bot_versions = BotVersion.objects.filter(pk__gte=versions.min(), pk__lte=versions.max())
    result = np.full(int(versions.max()) + 1, -1)
    for version, owner in bot_versions.values_list("pk", "bot__owner"):
        result[version] = -1 if owner is None else owner
    return result


def _values_of(rows: Ints, ordinals: Ints) -> Ints:
    """The values in `rows` (ordinal, value) of the matches with these ordinals, which ascend."""
    positions = np.minimum(np.searchsorted(ordinals, rows[:, 0]), len(ordinals) - 1)
    return np.asarray(rows[ordinals[positions] == rows[:, 0], 1], dtype=np.int64)


def are_strangers(
    sides: Sides, versions: Ints, owners: Ints, rotating: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """[matches]: whether all partners are different versions, and of different authors or rotating.

    False for a format without partners. `versions` and `owners`: [matches, seats]; `rotating`:
    [matches].
    """
    sides_with_partners = [list(side) for side in sides if len(side) > 1]
    result = np.full(len(versions), bool(sides_with_partners))
    for side in sides_with_partners:
        result &= _all_differ(versions[:, side]) & (_all_differ(owners[:, side]) | rotating)
    return result


def _all_differ(numbers: Ints) -> NDArray[np.bool_]:
    """[rows]: whether all numbers of the row differ."""
    return np.asarray((np.diff(np.sort(numbers, axis=1), axis=1) > 0).all(axis=1))

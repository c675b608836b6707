"""Compute the batch fit of every pool from all its results, and store it."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable

import numpy as np
from django.db import transaction

from cardroom_base.db import database
from tournaments.models import Ledger, PoolFit
from tournaments.projections.live import OVERALL, anchors, locked_ledger
from tournaments.projections.results import RatedResults, Rows, results, sides_of
from tournaments.projections.storing import Fitted, store
from tournaments.ratings import fit
from tournaments.ratings.overall import overall
from tournaments.ratings.scale import Anchor, Anchors
from tournaments.ratings.store import block_from_rows
from tournaments.ratings.table import RatingTable


def refresh_fit() -> int:
    """Fit all pools with results since their last fit; the number of pools."""
    upto = Ledger.objects.values_list("ordinal", flat=True).first() or 0
    pools = 0
    while some := fit_next(upto):
        pools += some
    return pools


def fit_next(upto: int | None = None) -> int:
    """Fit the next pool with new results, and other pools with the same results.

    Returns the number of pools; 0 if all are fitted. Results after the ordinal `upto` wait.
    """
    with transaction.atomic():
        ledger = locked_ledger()
        upto, epoch = ledger.ordinal if upto is None else upto, ledger.epoch
        if ledger.stale or ledger.fitted >= upto:
            return 0
    data = results(epoch, upto)
    before = dict(PoolFit.objects.values_list("pool", "ordinal"))
    waiting = {pool for pool, last in data.last().items() if last > before.get(pool, 0)}
    turn = _next(data, waiting, before)
    for pool in turn:
        fitted = _of_pool(data, pool, before.get(pool, 0), epoch)
        with transaction.atomic(), database.patient():
            if _void(locked_ledger(), epoch):
                return 0
            if not _overtaken(fitted):
                store(fitted)
    if waiting == set(turn):
        _all_fitted(epoch, upto)
    return len(turn)


def _next(data: RatedResults, waiting: set[str], before: dict[str, int]) -> list[str]:
    """The pool with the oldest fit, and those with the same results.

    So all pools take turns, and a rarely played one is fitted soon. Among pools without a fit the
    overall one, the most expensive, comes last.
    """
    order = sorted(waiting, key=lambda pool: (before.get(pool, 0), pool == OVERALL, pool))
    forms = {pool: set(data.of_pool(pool)) for pool in order}
    return [pool for pool in order if forms[pool] == forms[order[0]]]


def _void(ledger: Ledger, epoch: str) -> bool:
    """Whether the results read are no longer valid."""
    return ledger.stale or ledger.epoch != epoch


def _overtaken(fitted: Fitted) -> bool:
    """Whether another process has stored a fit of the same or more results meanwhile."""
    last = max(fitted.last.values())
    return PoolFit.objects.filter(pool=fitted.pool, ordinal__gte=last).exists()


def _all_fitted(epoch: str, upto: int) -> None:
    with transaction.atomic(), database.patient():
        ledger = locked_ledger()
        if not _void(ledger, epoch) and ledger.fitted < upto:
            ledger.fitted = upto
            ledger.save(update_fields=["fitted"])


def _of_pool(data: RatedResults, pool: str, before: int, epoch: str) -> Fitted:
    """Fit a pool whose last fit included results up to the ordinal `before`."""
    began = time.monotonic()
    rows = data.of_pool(pool)
    every = _mean_of_games(rows, epoch)
    some = {form: form_rows[form_rows["strangers"]] for form, form_rows in rows.items()}
    some = {form: form_rows for form, form_rows in some.items() if len(form_rows)}
    new = any(form_rows["ordinal"][-1] > before for form_rows in some.values())
    return Fitted(
        pool=pool,
        every=every,
        strangers=_mean_of_games(some, epoch) if new else None,
        strangers_are_new=new or not before,
        last=_last(rows),
        tables=len(_tables(rows)),
        anchors={v: anchor.points for v, anchor in _anchors(rows).items() if v in every.ratings},
        covariance=zlib.compress(every.covariance.astype("<f4").tobytes()),
        seconds=time.monotonic() - began,
    )


def _mean_of_games(rows: dict[str, Rows], epoch: str) -> fit.Fit:
    """The mean of the fits of all games in it; of one game its fit."""
    by_game: dict[str, dict[str, Rows]] = {}
    for form in sorted(rows):
        by_game.setdefault(form.partition("/")[0], {})[form] = rows[form]
    return overall([_known(some, epoch) for some in by_game.values()])


def _tables(rows: Iterable[str]) -> list[str]:
    """The formats without options."""
    return sorted({form.partition("?")[0] for form in rows})


def _anchors(rows: Iterable[str]) -> dict[int, Anchor]:
    """Those of the table form; in a pool of several the usual ones."""
    tables = _tables(rows)
    return anchors(tables[0] if len(tables) == 1 else "")


_Key = tuple[str, frozenset[int], tuple[tuple[str, int, int], ...]]
_fits: dict[_Key, fit.Fit] = {}
"""The last fits of this process, as several pools may have the same results."""

_MAX_FITS = 16


def _known(rows: dict[str, Rows], epoch: str) -> fit.Fit:
    """The fit of these results, cached."""
    # Within an epoch these numbers identify the results: all of a form's or those with strangers.
    contents = tuple(
        (form, len(some), int(some["ordinal"][-1])) for form, some in sorted(rows.items())
    )
    fixed = _anchors(rows)
    key = (epoch, frozenset(fixed), contents)
    if key not in _fits:
        while len(_fits) >= _MAX_FITS:
            _fits.pop(next(iter(_fits)), None)
        _fits[key] = _fit(rows, fixed)
    return _fits[key]


def _fit(rows: dict[str, Rows], fixed: Anchors) -> fit.Fit:
    """Entrants are the versions' primary keys."""
    per_form = [np.unique(row["versions"]) for row in rows.values()]
    versions = np.unique(np.concatenate(per_form)).astype(np.int64)
    blocks = [
        block_from_rows(form, sides_of(form), form_rows, versions)
        for form, form_rows in rows.items()
    ]
    present = [int(version) for version in versions]
    return fit.fit(RatingTable.from_blocks(present, blocks), anchors=fixed)


def _last(rows: dict[str, Rows]) -> dict[int, int]:
    last: dict[int, int] = {}
    for row in rows.values():
        # Rows are in the order of ordinals: from behind, a version's first one is its last.
        seats = row["versions"].shape[1]
        versions, first = np.unique(row["versions"][::-1].reshape(-1), return_index=True)
        ordinals = row["ordinal"][::-1][first // seats]
        for version, ordinal in zip(versions.tolist(), ordinals.tolist(), strict=True):
            last[version] = max(last.get(version, 0), ordinal)
    return last

"""Compute the batch fit of every pool from all its results, and store it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from django.db import transaction

from cardroom_base.db import database
from tournaments.models import Ledger, PoolFit
from tournaments.projections.live_elo import OVERALL, anchors, lock_ledger
from tournaments.projections.results import RatedResults, Rows, rated_results, sides_of
from tournaments.projections.scale_changes import PastFit
from tournaments.projections.storing import FittedPool, store_fit
from tournaments.ratings import fit
from tournaments.ratings.overall import overall
from tournaments.ratings.result_arrays import RatingTable
from tournaments.ratings.scale import Anchor, Anchors
from tournaments.ratings.store import block_from_rows

_failed: Final[dict[tuple[str, str], int]] = {}
"""By epoch and pool, the last results of a fit that failed in this process. It is tried again with
newer results, so that other pools have their turn."""


def refresh_fit(past_fits: Mapping[str, PastFit] = MappingProxyType({})) -> int:
    """Fit all pools with results since their last fit; return the number of pools.

    `past_fits`: by pool, the last fits that are no longer stored.
    """
    upto = Ledger.objects.values_list("ordinal", flat=True).first() or 0
    pools = 0
    while count := fit_next(upto, past_fits):
        pools += count
    return pools


def fit_next(
    upto: int | None = None, past_fits: Mapping[str, PastFit] = MappingProxyType({})
) -> int:
    """Fit the next pool with new results, and other pools with the same results.

    Only results up to the ordinal `upto` cause a fit and are included; None: all results. Returns
    the number of fitted pools: 0 if there are no new results, or the ledger became stale.
    """
    with transaction.atomic():
        ledger = lock_ledger()
        upto, epoch = ledger.ordinal if upto is None else upto, ledger.epoch
        if ledger.stale or ledger.fitted >= upto:
            return 0
    data = rated_results(epoch, upto)
    fitted_ordinals = dict(PoolFit.objects.values_list("pool", "ordinal"))
    last_ordinals = data.last_ordinals()
    waiting = {
        pool
        for pool, last in last_ordinals.items()
        if last > max(fitted_ordinals.get(pool, 0), _failed.get((epoch, pool), 0))
    }
    next_pools = _next_pools(data, waiting, fitted_ordinals)
    for pool in next_pools:
        fitted_ordinal = fitted_ordinals.get(pool, 0)
        name = f"The fit of {pool}"
        fitted = database.try_piece(name, _fit_pool, data, pool, fitted_ordinal, epoch)
        if fitted is None:
            _failed[epoch, pool] = last_ordinals[pool]
            continue
        _failed.pop((epoch, pool), None)
        with transaction.atomic(), database.long_timeouts():
            if _is_outdated(lock_ledger(), epoch):
                return 0
            if not _is_overtaken(fitted):
                store_fit(fitted, past_fits.get(pool))
    if waiting == set(next_pools) and not _failed:
        _mark_all_fitted(epoch, upto)
    return len(next_pools)


def _next_pools(data: RatedResults, pools: set[str], fitted_ordinals: dict[str, int]) -> list[str]:
    """The pool with the oldest fit, and all pools with the same results.

    So all pools take turns, and a rarely played one is fitted soon. Among pools without a fit the
    overall one, the most expensive, comes last.
    """
    order = sorted(pools, key=lambda pool: (fitted_ordinals.get(pool, 0), pool == OVERALL, pool))
    forms = {pool: set(data.of_pool(pool)) for pool in order}
    return [pool for pool in order if forms[pool] == forms[order[0]]]


def _is_outdated(ledger: Ledger, epoch: str) -> bool:
    """Whether the results that were read are no longer valid."""
    return ledger.stale or ledger.epoch != epoch


def _is_overtaken(fitted: FittedPool) -> bool:
    """Whether another process has stored a fit of the same or more results meanwhile."""
    last = max(fitted.last.values())
    return PoolFit.objects.filter(pool=fitted.pool, ordinal__gte=last).exists()


def _mark_all_fitted(epoch: str, upto: int) -> None:
    with transaction.atomic(), database.long_timeouts():
        ledger = lock_ledger()
        if not _is_outdated(ledger, epoch) and ledger.fitted < upto:
            ledger.fitted = upto
            ledger.save(update_fields=["fitted"])


def _fit_pool(data: RatedResults, pool: str, fitted_ordinal: int, epoch: str) -> FittedPool:
    """Fit a pool whose last fit included results up to the ordinal `fitted_ordinal`."""
    start = time.monotonic()
    rows = data.of_pool(pool)
    fit_of_all = _mean_of_games(rows, epoch)
    stranger_rows = {form: form_rows[form_rows["strangers"]] for form, form_rows in rows.items()}
    stranger_rows = {form: form_rows for form, form_rows in stranger_rows.items() if len(form_rows)}
    has_new = any(form_rows["ordinal"][-1] > fitted_ordinal for form_rows in stranger_rows.values())
    return FittedPool(
        pool=pool,
        all_results=fit_of_all,
        strangers=_mean_of_games(stranger_rows, epoch) if has_new else None,
        strangers_are_new=has_new or not fitted_ordinal,
        last=_last_ordinals(rows),
        tables=len(_tables(rows)),
        anchors={
            version: anchor.points
            for version, anchor in _pool_anchors(rows).items()
            if version in fit_of_all.ratings
        },
        covariance=fit_of_all.covariance.astype("<f4").tobytes(),
        seconds=time.monotonic() - start,
    )


def _mean_of_games(rows: dict[str, Rows], epoch: str) -> fit.Fit:
    """The mean of the fits of all games in `rows`; with a single game, its fit."""
    by_game: dict[str, dict[str, Rows]] = {}
    for form in sorted(rows):
        by_game.setdefault(form.partition("/")[0], {})[form] = rows[form]
    return overall([_cached_fit(game_rows, epoch) for game_rows in by_game.values()])


def _tables(rows: Iterable[str]) -> list[str]:
    """The formats without options."""
    return sorted({form.partition("?")[0] for form in rows})


def _pool_anchors(rows: Iterable[str]) -> dict[int, Anchor]:
    """The anchors of the pool's table form; with several forms, the default ones."""
    tables = _tables(rows)
    return anchors(tables[0] if len(tables) == 1 else "")


_Key = tuple[str, frozenset[int], tuple[tuple[str, int, int], ...]]
_fits: dict[_Key, fit.Fit] = {}
"""The last fits of this process, kept because several pools may have the same results."""

_MAX_FITS = 16


def _cached_fit(rows: dict[str, Rows], epoch: str) -> fit.Fit:
    """The fit of these results, cached."""
    # Within an epoch, these numbers identify a form's results: all, or only those with strangers.
    contents = tuple(
        (form, len(form_rows), int(form_rows["ordinal"][-1]))
        for form, form_rows in sorted(rows.items())
    )
    anchors_of_pool = _pool_anchors(rows)
    key = (epoch, frozenset(anchors_of_pool), contents)
    if key not in _fits:
        while len(_fits) >= _MAX_FITS:
            _fits.pop(next(iter(_fits)), None)
        _fits[key] = _fit(rows, anchors_of_pool)
    return _fits[key]


def _fit(rows: dict[str, Rows], anchors_of_pool: Anchors) -> fit.Fit:
    """Entrants are the versions' primary keys."""
    per_form = [np.unique(form_rows["versions"]) for form_rows in rows.values()]
    versions = np.unique(np.concatenate(per_form)).astype(np.int64)
    blocks = [
        block_from_rows(form, sides_of(form), form_rows, versions)
        for form, form_rows in rows.items()
    ]
    entrants = [int(version) for version in versions]
    return fit.fit(RatingTable.from_blocks(entrants, blocks), anchors=anchors_of_pool)


def _last_ordinals(rows: dict[str, Rows]) -> dict[int, int]:
    """By version: the ordinal of its last result."""
    last_ordinals: dict[int, int] = {}
    for form_rows in rows.values():
        # Rows are in the order of ordinals, so in reversed rows a version's last result is first.
        seats = form_rows["versions"].shape[1]
        versions, first = np.unique(form_rows["versions"][::-1].reshape(-1), return_index=True)
        ordinals = form_rows["ordinal"][::-1][first // seats]
        for version, ordinal in zip(versions.tolist(), ordinals.tolist(), strict=True):
            last_ordinals[version] = max(last_ordinals.get(version, 0), ordinal)
    return last_ordinals

"""tournaments.projections.fits and .results: stored fits, and results on disk."""

from __future__ import annotations

import zlib
from importlib import import_module
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.apps import apps

from bots.models import Bot
from cardroom_base.db.db_time import Now
from tests import factories as make
from tournaments import actions, projections
from tournaments.models import (
    Ledger,
    PoolFit,
    Rating,
    RatingPoint,
    ScaleChange,
    Seat,
    SideResult,
    TeamRating,
    Tournament,
)
from tournaments.projections import fits, results, storing
from tournaments.projections.scale_changes import PastFit
from tournaments.ratings.fit import Fit
from tournaments.ratings.fit_result import deviation
from tournaments.ratings.scale import Anchors
from tournaments.reading.ratings import covariance, difference_sd

pytestmark = pytest.mark.django_db

POOL = "cassino/standard/1v1"
PAIRS = "cassino/standard/2v2"
ZWICKER = "zwicker/grupp/1v1?deals=1"


@pytest.fixture(autouse=True)
def results_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(results, "_folder", lambda: tmp_path / "results")
    return tmp_path / "results"


def seat_as_team(cup: Tournament, first: Any, second: Any) -> None:
    """Seat two different versions, like a team, on the first version's side of every match."""
    for match in cup.matches.all():
        sides = {seat.version_id for seat in match.seats.all()}
        if first.pk not in sides:
            continue
        last = match.seats.filter(version=first).latest("index")
        match.seats.filter(pk=last.pk).update(version=second)


def test_a_pool_that_cannot_be_fitted_does_not_hold_up_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fit_pool(data: Any, pool: str, *words: Any) -> Any:
        assert pool != POOL or not is_broken, "A bug"
        return original(data, pool, *words)

    original, is_broken = fits._fit_pool, True
    monkeypatch.setattr(fits, "_fit_pool", fit_pool)
    monkeypatch.setattr(fits, "_failed", {})
    bots = [make.bot() for _ in range(2)]
    for format_text in (make.FORMAT, f"{PAIRS}?deals=1"):
        make.finish_all(make.tournament(bots, format=format_text, start=True))
    projections.refresh()
    pools = set(PoolFit.objects.values_list("pool", flat=True))
    assert pools == {PAIRS, "cassino", "overall"}
    assert not Ledger.objects.filter(fitted__gt=0).exists()
    is_broken = False
    make.finish_all(make.tournament(bots, start=True))
    projections.refresh()
    assert PoolFit.objects.filter(pool=POOL).exists()
    assert Ledger.objects.filter(fitted__gt=0).exists()


def play_with_foreign_partner(**fields: Any) -> tuple[Any, Any]:
    """Play a tournament in which one side has another author's bot; the two partners."""
    bots = [make.bot() for _ in range(3)]
    partner = make.bot().active_version
    cup = make.tournament(bots, format=f"{PAIRS}?deals=1", groups=2, start=True, **fields)
    seat_as_team(cup, bots[0].active_version, partner)
    make.finish_all(cup)
    projections.refresh()
    return bots[0].active_version, partner


def test_an_interrupted_fit_stores_pools_and_continues(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make.finish_all(make.tournament(3, groups=2, start=True))
    store_fit = storing.store_fit

    def interrupt(fitted_pool: storing.FittedPool, past: PastFit | None) -> None:
        if fitted_pool.pool == "overall":
            raise InterruptedError
        store_fit(fitted_pool, past)

    with monkeypatch.context() as patch:
        patch.setattr(fits, "store_fit", interrupt)
        with pytest.raises(InterruptedError):
            projections.refresh()
    assert set(PoolFit.objects.values_list("pool", flat=True)) == {POOL, "cassino"}
    assert Ledger.objects.get().fitted == 0
    projections.refresh()
    assert PoolFit.objects.filter(pool="overall").exists()
    assert Ledger.objects.get().fitted == 12


def test_a_pool_keeps_its_covariance_and_effects() -> None:
    make.finish_all(make.tournament(3, groups=2, start=True))
    projections.refresh()
    pool_fit = PoolFit.objects.get(pool=POOL)
    assert (pool_fit.groups, pool_fit.components, pool_fit.ordinal) == (6, 1, 12)
    assert len(pool_fit.effects) == 2
    matrix = covariance(pool_fit)
    ratings = Rating.objects.filter(pool=POOL)
    assert pool_fit.averages == [[pytest.approx(1200), 3]]
    assert pool_fit.forms == [[f"{POOL}?deals=1", 1.0, pool_fit.dispersion, 12, 6]]
    for number, version in enumerate(pool_fit.entrants):
        rating = ratings.get(version=version)
        assert (rating.component, rating.games) == (0, 1)
        # With few results the interval is only near that of the curvature.
        sd = np.sqrt(matrix[number, number])
        for end in (rating.low, rating.high):
            assert end is None or 1 < abs(end - (rating.fitted or 0)) / sd < 4
        point = RatingPoint.objects.get(pool=POOL, version=version)
        assert (point.fitted, point.low, point.high) == (rating.fitted, rating.low, rating.high)
    assert len(PoolFit.objects.get(pool="overall").effects) == 2  # the only form has two


def test_errors_of_differences_are_read_without_the_whole_covariance() -> None:
    make.finish_all(make.tournament(3, groups=2, start=True))
    projections.refresh()
    pool_fit = PoolFit.objects.defer("covariance").get(pool=POOL)
    matrix = covariance(PoolFit.objects.get(pool=POOL))
    for i, j in permutations(range(3), 2):
        assert difference_sd(pool_fit, i, j) == pytest.approx(deviation(matrix, i, j))
    assert "covariance" in pool_fit.get_deferred_fields()
    PoolFit.objects.filter(pool=POOL).update(at=Now(1))
    assert difference_sd(pool_fit, 0, 1) is None, "fitted again, perhaps with other entrants"


def test_covariances_of_earlier_versions_are_decompressed() -> None:
    migration = import_module("tournaments.migrations.0008_plain_covariances")
    plain = np.arange(4, dtype="<f4").tobytes()
    PoolFit.objects.create(pool=POOL, covariance=zlib.compress(plain))
    PoolFit.objects.create(pool=PAIRS)
    migration.decompress(apps, None)
    assert [bytes(fit.covariance) for fit in PoolFit.objects.all()] == [plain, b""]
    migration.compress(apps, None)
    contents = [bytes(fit.covariance) for fit in PoolFit.objects.all()]
    assert (zlib.decompress(contents[0]), contents[1]) == (plain, b"")


def test_bots_that_never_met_are_in_different_components() -> None:
    for _ in range(2):
        make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    assert PoolFit.objects.get(pool=POOL).components == 2
    rows = Rating.objects.filter(pool=POOL).order_by("version")
    assert list(rows.values_list("component", flat=True)) == [0, 0, 1, 1]
    first, _, third, _ = rows.values_list("version", flat=True)
    points = RatingPoint.objects.filter(pool=POOL).order_by("version")
    assert [point.component for point in points] == [first, first, third, third]


def test_partners_of_different_authors_are_a_team() -> None:
    first, partner = play_with_foreign_partner()
    team = TeamRating.objects.get(pool=PAIRS)
    assert list(team.members.order_by("pk")) == sorted([first, partner], key=lambda v: v.pk)
    assert team.groups == 4
    assert team.low < team.fitted < team.high
    members = Rating.objects.filter(pool=PAIRS, kind="all", version__in=[first, partner])
    mean = sum(rating.fitted or 0 for rating in members) / 2
    assert team.fitted == pytest.approx(mean + team.bond, abs=1e-3)
    # The other side has copies, so no bot plays beside strangers.
    assert not Rating.objects.filter(kind="strangers").exists()


def test_teams_follow_each_fit_and_vanish_without_results() -> None:
    first, partner = play_with_foreign_partner()
    before = TeamRating.objects.get(pool=PAIRS)
    TeamRating.objects.update(fitted=0, low=0, high=0, bond=77, groups=0)
    play_with_foreign_partner()
    after = TeamRating.objects.get(pk=before.pk)
    assert (after.key, after.fitted, after.groups) == (before.key, before.fitted, before.groups)
    assert after.low < after.fitted < after.high
    assert abs(after.bond) < 50
    assert list(after.members.order_by("pk")) == sorted([first, partner], key=lambda v: v.pk)
    other = TeamRating.objects.filter(pool=PAIRS).exclude(pk=before.pk).get()
    assert other.members.count() == 2
    # A team without results.
    TeamRating.objects.create(pool=PAIRS, key="1+2", fitted=0, low=0, high=0)
    refit()
    assert not TeamRating.objects.filter(key="1+2").exists()
    assert set(TeamRating.objects.filter(pool=PAIRS)) == {before, other}


def test_pools_of_the_same_results_are_fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted_formats = []
    fit_rows = fits._fit

    def count_fit(rows: dict[str, results.Rows], fixed: Anchors) -> Fit:
        fitted_formats.append(sorted(rows))
        return fit_rows(rows, fixed)

    monkeypatch.setattr(fits, "_fit", count_fit)
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    assert fitted_formats == [[f"{POOL}?deals=1"]]  # once for three pools
    points = RatingPoint.objects.order_by("version")
    of_pools = [points.filter(pool=p).values_list("fitted") for p in (POOL, "cassino", "overall")]
    assert list(of_pools[0]) == list(of_pools[1]) == list(of_pools[2])
    make.finish_all(make.tournament(2, format=f"{PAIRS}?deals=1", start=True))
    projections.refresh()
    one, two = f"{POOL}?deals=1", f"{PAIRS}?deals=1"
    assert fitted_formats == [[one], [two], [one, two]]


def test_each_turn_fits_one_set_of_results() -> None:
    bots = [make.bot(formats=["*/*/*"]) for _ in range(2)]
    zwicker = "zwicker/grupp/1v1"
    for form in (POOL, PAIRS, zwicker):
        make.finish_all(make.tournament(bots, format=f"{form}?deals=1", start=True))
    assert fit_all_turns() == [{"cassino"}, {POOL}, {PAIRS}, {"zwicker", zwicker}, {"overall"}]
    ledger = Ledger.objects.get()
    assert ledger.fitted == ledger.ordinal
    make.finish_all(make.tournament(bots, format=f"{POOL}?deals=1", start=True))
    assert projections.refresh_next() == 1
    # A result in between gets its turn after pools that have been due for longer.
    make.finish_all(make.tournament(bots, format=f"{zwicker}?deals=1", start=True))
    assert fit_all_turns() == [{"cassino"}, {"zwicker", zwicker}, {"overall"}]


def fit_all_turns() -> list[set[str]]:
    """Fit all due pools; the pools of each turn."""
    turns = []
    before = set(PoolFit.objects.values_list("pool", "ordinal"))
    while projections.refresh_next():
        after = set(PoolFit.objects.values_list("pool", "ordinal"))
        turns.append({pool for pool, _ in after - before})
        before = after
    return turns


def test_the_order_of_turns_does_not_change_ratings() -> None:
    cup = make.tournament(3, groups=2, start=True)
    for match in cup.matches.order_by("pk"):
        make.finish(match)
        projections.refresh_next()  # one of three pools each time
    play_strangers()
    ratings = fitted_ratings()
    assert None not in {rating for rating, *_ in ratings}
    assert refit() == ratings


def play_strangers() -> None:
    """Play a tournament in which every side has partners of different authors."""
    bots = [make.bot() for _ in range(2)]
    cup = make.tournament(bots, format=f"{PAIRS}?deals=1", start=True)
    for bot in bots:
        seat_as_team(cup, bot.active_version, make.bot().active_version)
    make.finish_all(cup)
    projections.refresh()


def test_only_results_beside_strangers_change_their_fit() -> None:
    play_strangers()
    ratings = Rating.objects.filter(kind="strangers")
    assert ratings.update(fitted=-1.0)
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    assert set(ratings.values_list("fitted", flat=True)) == {-1.0}
    play_strangers()
    assert -1.0 not in ratings.values_list("fitted", flat=True)


def test_results_beside_strangers_are_fitted_separately() -> None:
    bots = [make.bot() for _ in range(2)]
    cup = make.tournament(bots, format=f"{PAIRS}?deals=1", groups=2, start=True)
    for bot in bots:
        seat_as_team(cup, bot.active_version, make.bot().active_version)
    make.finish_all(cup)
    make.finish_all(make.tournament(bots, format=f"{PAIRS}?deals=1", start=True))
    projections.refresh()
    strangers = Rating.objects.filter(pool=PAIRS, kind="strangers")
    assert set(strangers.values_list("groups", "matches")) == {(2, 4)}
    assert strangers.count() == 4
    rating = Rating.objects.filter(pool=PAIRS, kind="all", version=bots[0].active_version).get()
    assert (rating.groups, rating.matches) == (3, 6)


def test_bots_of_one_author_are_no_strangers() -> None:
    def are_strangers(versions: str, owners: list[int | None], *, rotating: bool = False) -> bool:
        sides = ((0, 2), (1, 3)) if len(versions) == 4 else ((0,), (1,))
        names = np.array([[ord(version) for version in versions]])
        authors = np.array([[owner or -1 for owner in owners]])
        (is_strange,) = results.are_strangers(sides, names, authors, np.array([rotating]))
        return bool(is_strange)

    assert are_strangers("abcd", [1, 2, 3, None])
    assert not are_strangers("abcd", [1, 2, 1, 3])
    assert are_strangers("abcd", [1, 2, 1, 3], rotating=True)
    assert not are_strangers("abad", [1, 2, 1, 3], rotating=True)
    assert not are_strangers("abcd", [None, 2, None, 3])
    assert not are_strangers("ab", [1, 2])


def fitted_ratings() -> list[tuple[Any, ...]]:
    return list(Rating.objects.order_by("pk").values_list("fitted", "low", "high", "groups"))


def refit() -> list[tuple[Any, ...]]:
    """Fit everything again from the results on disk and in the database."""
    Ledger.objects.update(fitted=0)
    PoolFit.objects.update(ordinal=0)
    Rating.objects.update(fitted=None)
    fits._fits.clear()
    assert fits.refresh_fit()
    return fitted_ratings()


def test_ratings_do_not_depend_on_the_stored_file(results_folder: Path) -> None:
    cup = make.tournament(3, groups=2, start=True)
    for match in cup.matches.order_by("pk")[:5]:
        make.finish(match)
    projections.refresh()
    (stored,) = results_folder.glob("*/*.rows")
    size = stored.stat().st_size
    make.finish_all(cup)
    projections.refresh()
    assert stored.stat().st_size * 5 == size * 12  # only new rows are added
    before = fitted_ratings()
    assert refit() == before
    stored.unlink()
    assert refit() == before
    with stored.open("ab") as file:
        file.write(b"half a row")
    assert refit() == before
    assert stored.stat().st_size * 5 == size * 12


def test_the_stored_file_is_used(results_folder: Path) -> None:
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    before = fitted_ratings()
    SideResult.objects.update(rank=1)  # impossible, but shows whether the file is read
    assert refit() == before
    (stored,) = results_folder.glob("*/*.rows")
    stored.write_bytes(stored.read_bytes() * 2)  # a wrong number of rows
    assert refit() != before


def test_an_empty_file_is_filled(results_folder: Path) -> None:
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    before = fitted_ratings()
    (stored,) = results_folder.glob("*/*.rows")
    size = stored.stat().st_size
    stored.write_bytes(b"")
    assert refit() == before
    assert stored.stat().st_size == size


def test_a_new_epoch_deletes_stored_results(results_folder: Path) -> None:
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    (old,) = results_folder.glob("*/*.rows")
    projections.rebuild()
    (new,) = results_folder.glob("*/*.rows")
    assert new.parent.name == Ledger.objects.get().epoch != old.parent.name


def test_results_are_read_from_the_database_if_the_disk_fails(results_folder: Path) -> None:
    results_folder.write_text("a file in the way")
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    assert None not in fitted_ratings()[0]


def test_histories_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "MAX_POINTS", 4)
    cup = make.tournament(2, groups=5, start=True)
    counts = []
    for match in cup.matches.order_by("pk"):
        make.finish(match)
        projections.refresh()
        points = RatingPoint.objects.filter(pool=POOL).order_by("version", "ordinal")
        counts.append(points.count() / 2)
        newest = points.last()
        assert newest is not None
        assert newest.ordinal == len(counts)
    assert counts == [1, 2, 3, 4, 3, 4, 3, 4, 3, 4]


def test_formats_that_differ_in_length_have_slopes_in_one_pool() -> None:
    bots = [make.bot() for _ in range(3)]
    for options in ("?deals=1", "?deals=2"):
        make.finish_all(make.tournament(bots, format=f"{POOL}{options}", groups=2, start=True))
    projections.refresh()
    forms = PoolFit.objects.get(pool=POOL).forms
    assert [name for name, *_ in forms] == [f"{POOL}?deals=1", f"{POOL}?deals=2"]
    # Without a standard match the mean logarithm is 0.
    assert np.prod([slope for _, slope, *_ in forms]) == pytest.approx(1, abs=1e-3)


def test_the_overall_rating_is_the_mean_of_the_games() -> None:
    bots = [make.bot(formats=("cassino/*/*", "zwicker/*/*")) for _ in range(3)]
    make.finish_all(make.tournament(bots, groups=4, start=True))
    make.finish_all(make.tournament(bots[:2], format=ZWICKER, start=True))
    projections.refresh()
    for bot in bots:
        rows = dict(Rating.objects.filter(version__bot=bot).values_list("pool", "fitted"))
        games = [rows[pool] or 0.0 for pool in ("cassino", "zwicker") if pool in rows]
        overall = Rating.objects.get(version__bot=bot, pool="overall")
        assert overall.games == len(games)
        assert overall.fitted == pytest.approx(np.mean(games), abs=1e-3)
    assert PoolFit.objects.get(pool="overall").components == 1


def play_and_win(winner: Bot, loser: Bot) -> Tournament:
    """Play a tournament that the winner wins."""
    cup = make.finish_all(make.tournament([winner, loser], groups=6, start=True))
    results = SideResult.objects.filter(match__tournament=cup)
    results.update(rank=2)
    for seat in Seat.objects.filter(match__tournament=cup, version__bot=winner):
        results.filter(match=seat.match_id, side=seat.side).update(rank=1)
    return cup


def test_changes_of_the_scale_are_recorded_with_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "MIN_SHIFT", 0.1)
    bots = [make.bot() for _ in range(4)]
    make.finish_all(make.tournament(bots[:2], groups=6, start=True))
    make.finish_all(make.tournament(bots[2:], groups=6, start=True))
    projections.refresh()
    assert not ScaleChange.objects.exists()
    # A newcomer changes the average.
    play_and_win(make.bot(), bots[0])
    projections.refresh()
    (change,) = ScaleChange.objects.filter(pool=POOL)
    assert change.reason == "newcomers"
    assert set(change.versions.all()) == {bot.active_version for bot in bots[:2]}
    # The average of both bots; one has lost.
    rows = Rating.objects.filter(pool=POOL, version__bot__in=bots[:2])
    average = np.mean([rating or 0.0 for rating in rows.values_list("fitted", flat=True)])
    assert change.points == pytest.approx(average - 1200, abs=0.1)
    shifts = RatingPoint.objects.filter(pool=POOL, version__bot=bots[1])
    assert list(shifts.values_list("shift", flat=True)) == [change.points]
    play_and_win(bots[2], bots[0])
    projections.refresh()
    reasons = ScaleChange.objects.filter(pool=POOL).values_list("reason", flat=True)
    assert list(reasons) == ["newcomers", "connected", "connected"], "each of two components"
    monkeypatch.setattr(storing, "MIN_SHIFT", 0.001)
    level = make.house_bot("house:expert-5")
    play_and_win(level, bots[0])
    projections.refresh()
    assert ScaleChange.objects.filter(pool=POOL).latest("ordinal").reason == "anchors"
    projections.rebuild()
    assert ScaleChange.objects.filter(pool=POOL).count() == 4


def test_withdrawing_a_newcomers_results_moves_the_scale_back() -> None:
    bots = [make.bot() for _ in range(2)]
    play_and_win(bots[0], bots[1])
    projections.refresh()
    before = own_ratings(bots)
    cup = play_and_win(make.bot(), bots[0])
    projections.refresh()
    assert ScaleChange.objects.get(pool=POOL).points < -5
    withdraw_all(cup)
    projections.refresh()
    shifts = RatingPoint.objects.filter(pool=POOL, version__bot__in=bots)
    assert own_ratings(bots) == pytest.approx(before, abs=1e-3)
    assert list(shifts.values_list("shift", flat=True)) == pytest.approx([0, 0], abs=1e-3)
    assert not ScaleChange.objects.exists()
    # A change at a result that stays is not deleted, so the way back is a change, too.
    cup = play_and_win(make.bot(), bots[0])
    play_and_win(bots[0], bots[1])
    projections.refresh()
    withdraw_all(cup)
    projections.refresh()
    changes = ScaleChange.objects.filter(pool=POOL)
    assert list(changes.values_list("reason", flat=True)) == ["newcomers", "withdrawn"]
    assert sum(changes.values_list("points", flat=True)) == pytest.approx(0, abs=1e-3)


def withdraw_all(cup: Tournament) -> None:
    """Void all matches of a tournament."""
    finished = cup.matches.filter(state="finished")
    while match := finished.first():
        actions.void_match(match, None, "A wrong table.")


def own_ratings(bots: list[Bot]) -> list[float | None]:
    rows = Rating.objects.filter(pool=POOL, kind="all", version__bot__in=bots)
    return list(rows.order_by("version").values_list("fitted", flat=True))

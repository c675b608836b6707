"""tournaments.projections.fits and .results: what is kept of a fit, and of the results."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bots.models import Bot
from tests import factories as make
from tournaments import projections
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
from tournaments.ratings.fit import Fit
from tournaments.ratings.scale import Anchors

pytestmark = pytest.mark.django_db

POOL = "cassino/standard/1v1"
PAIRS = "cassino/standard/2v2"
ZWICKER = "zwicker/grupp/1v1?deals=1"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(results, "_folder", lambda: tmp_path / "results")
    return tmp_path / "results"


def as_team(cup: Tournament, first: Any, second: Any) -> None:
    """Seat two different versions on the first side of every match, as a team would be."""
    for match in cup.matches.all():
        sides = {seat.version_id for seat in match.seats.all()}
        if first.pk not in sides:
            continue
        last = match.seats.filter(version=first).latest("index")
        match.seats.filter(pk=last.pk).update(version=second)


def play_pairs(**fields: Any) -> tuple[Any, Any]:
    """A tournament in which one side has another author's bot for a partner."""
    bots = [make.bot() for _ in range(3)]
    partner = make.bot().active_version
    cup = make.tournament(bots, format=f"{PAIRS}?deals=1", groups=2, start=True, **fields)
    as_team(cup, bots[0].active_version, partner)
    make.finish_all(cup)
    projections.refresh()
    return bots[0].active_version, partner


def test_each_pool_is_stored_at_once_and_who_broke_off_begins_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make.finish_all(make.tournament(3, groups=2, start=True))
    store = storing.store_fit

    def breaks_off(fitted: storing.FittedPool) -> None:
        if fitted.pool == "overall":
            raise InterruptedError
        store(fitted)

    with monkeypatch.context() as patch:
        patch.setattr(fits, "store_fit", breaks_off)
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
    covariance = np.frombuffer(zlib.decompress(pool_fit.covariance), dtype="<f4").reshape(3, 3)
    ratings = Rating.objects.filter(pool=POOL)
    assert pool_fit.averages == [[pytest.approx(1200), 3]]
    assert pool_fit.forms == [[f"{POOL}?deals=1", 1.0, pool_fit.dispersion, 12, 6]]
    for number, version in enumerate(pool_fit.entrants):
        rating = ratings.get(version=version)
        assert (rating.component, rating.games) == (0, 1)
        # With so few results the interval is not that of the curvature, but near.
        sd = np.sqrt(covariance[number, number])
        for end in (rating.low, rating.high):
            assert end is None or 1 < abs(end - (rating.fitted or 0)) / sd < 4
        point = RatingPoint.objects.get(pool=POOL, version=version)
        assert (point.fitted, point.low, point.high) == (rating.fitted, rating.low, rating.high)
    assert len(PoolFit.objects.get(pool="overall").effects) == 2  # of the only form there is


def test_bots_that_never_met_are_in_different_parts() -> None:
    for _ in range(2):
        make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    assert PoolFit.objects.get(pool=POOL).components == 2
    rows = Rating.objects.filter(pool=POOL).order_by("version")
    assert list(rows.values_list("component", flat=True)) == [0, 0, 1, 1]


def test_partners_of_different_authors_are_a_team() -> None:
    first, partner = play_pairs()
    team = TeamRating.objects.get(pool=PAIRS)
    assert list(team.members.order_by("pk")) == sorted([first, partner], key=lambda v: v.pk)
    assert team.groups == 4
    assert team.low < team.fitted < team.high
    members = Rating.objects.filter(pool=PAIRS, kind="all", version__in=[first, partner])
    mean = sum(rating.fitted or 0 for rating in members) / 2
    assert team.fitted == pytest.approx(mean + team.bond, abs=1e-3)
    # The other side has copies: nobody there plays with strangers.
    assert not Rating.objects.filter(kind="strangers").exists()


def test_teams_follow_each_fit_and_go_with_their_results() -> None:
    first, partner = play_pairs()
    before = TeamRating.objects.get(pool=PAIRS)
    TeamRating.objects.update(fitted=0, low=0, high=0, bond=77, groups=0)
    play_pairs()
    after = TeamRating.objects.get(pk=before.pk)
    assert (after.key, after.fitted, after.groups) == (before.key, before.fitted, before.groups)
    assert after.low < after.fitted < after.high
    assert abs(after.bond) < 50
    assert list(after.members.order_by("pk")) == sorted([first, partner], key=lambda v: v.pk)
    other = TeamRating.objects.filter(pool=PAIRS).exclude(pk=before.pk).get()
    assert other.members.count() == 2
    # A team that nobody knows any more.
    TeamRating.objects.create(pool=PAIRS, key="1+2", fitted=0, low=0, high=0)
    refit()
    assert not TeamRating.objects.filter(key="1+2").exists()
    assert set(TeamRating.objects.filter(pool=PAIRS)) == {before, other}


def test_pools_of_the_same_results_are_fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = []
    fit_rows = fits._fit

    def counted(rows: dict[str, results.Rows], fixed: Anchors) -> Fit:
        fitted.append(sorted(rows))
        return fit_rows(rows, fixed)

    monkeypatch.setattr(fits, "_fit", counted)
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    assert fitted == [[f"{POOL}?deals=1"]]  # for the three pools
    points = RatingPoint.objects.order_by("version")
    of_pools = [points.filter(pool=p).values_list("fitted") for p in (POOL, "cassino", "overall")]
    assert list(of_pools[0]) == list(of_pools[1]) == list(of_pools[2])
    make.finish_all(make.tournament(2, format=f"{PAIRS}?deals=1", start=True))
    projections.refresh()
    one, two = f"{POOL}?deals=1", f"{PAIRS}?deals=1"
    assert fitted == [[one], [two], [one, two]]


def test_a_turn_is_a_pool_and_each_has_its_turn() -> None:
    bots = [make.bot(formats=["*/*/*"]) for _ in range(2)]
    zwicker = "zwicker/grupp/1v1"
    for form in (POOL, PAIRS, zwicker):
        make.finish_all(make.tournament(bots, format=f"{form}?deals=1", start=True))
    assert turn_after_turn() == [{"cassino"}, {POOL}, {PAIRS}, {"zwicker", zwicker}, {"overall"}]
    ledger = Ledger.objects.get()
    assert ledger.fitted == ledger.ordinal
    make.finish_all(make.tournament(bots, format=f"{POOL}?deals=1", start=True))
    assert projections.refresh_next() == 1
    # What comes in the midst of the turns has its own when it is longer due than others.
    make.finish_all(make.tournament(bots, format=f"{zwicker}?deals=1", start=True))
    assert turn_after_turn() == [{"cassino"}, {"zwicker", zwicker}, {"overall"}]


def turn_after_turn() -> list[set[str]]:
    """Fit what waits; the pools of each turn."""
    found = []
    before = set(PoolFit.objects.values_list("pool", "ordinal"))
    while projections.refresh_next():
        after = set(PoolFit.objects.values_list("pool", "ordinal"))
        found.append({pool for pool, _ in after - before})
        before = after
    return found


def test_the_same_results_give_the_same_in_any_turns() -> None:
    cup = make.tournament(3, groups=2, start=True)
    for match in cup.matches.order_by("pk"):
        make.finish(match)
        projections.refresh_next()  # one pool of three, every time
    play_strangers()
    after = fitted()
    assert None not in {rating for rating, *_ in after}
    assert refit() == after


def play_strangers() -> None:
    """A tournament in which every side has partners of different authors."""
    bots = [make.bot() for _ in range(2)]
    cup = make.tournament(bots, format=f"{PAIRS}?deals=1", start=True)
    for bot in bots:
        as_team(cup, bot.active_version, make.bot().active_version)
    make.finish_all(cup)
    projections.refresh()


def test_a_fit_beside_strangers_waits_for_results_beside_strangers() -> None:
    play_strangers()
    ratings = Rating.objects.filter(kind="strangers")
    assert ratings.update(fitted=-1.0)
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    assert set(ratings.values_list("fitted", flat=True)) == {-1.0}
    play_strangers()
    assert -1.0 not in ratings.values_list("fitted", flat=True)


def test_results_beside_strangers_have_a_fit_of_their_own() -> None:
    bots = [make.bot() for _ in range(2)]
    cup = make.tournament(bots, format=f"{PAIRS}?deals=1", groups=2, start=True)
    for bot in bots:
        as_team(cup, bot.active_version, make.bot().active_version)
    make.finish_all(cup)
    make.finish_all(make.tournament(bots, format=f"{PAIRS}?deals=1", start=True))
    projections.refresh()
    strangers = Rating.objects.filter(pool=PAIRS, kind="strangers")
    assert set(strangers.values_list("groups", "matches")) == {(2, 4)}
    assert strangers.count() == 4
    every = Rating.objects.filter(pool=PAIRS, kind="all", version=bots[0].active_version).get()
    assert (every.groups, every.matches) == (3, 6)


def test_two_bots_of_one_author_are_no_strangers() -> None:
    def strange(versions: str, owners: list[int | None], *, rotating: bool = False) -> bool:
        sides = ((0, 2), (1, 3)) if len(versions) == 4 else ((0,), (1,))
        names = np.array([[ord(version) for version in versions]])
        authors = np.array([[owner or -1 for owner in owners]])
        (found,) = results.are_strangers(sides, names, authors, np.array([rotating]))
        return bool(found)

    assert strange("abcd", [1, 2, 3, None])
    assert not strange("abcd", [1, 2, 1, 3])
    assert strange("abcd", [1, 2, 1, 3], rotating=True)
    assert not strange("abad", [1, 2, 1, 3], rotating=True)
    assert not strange("abcd", [None, 2, None, 3])
    assert not strange("ab", [1, 2])


def fitted() -> list[tuple[Any, ...]]:
    return list(Rating.objects.order_by("pk").values_list("fitted", "low", "high", "groups"))


def refit() -> list[tuple[Any, ...]]:
    """All of it again, from what the disk and the database hold."""
    Ledger.objects.update(fitted=0)
    PoolFit.objects.update(ordinal=0)
    Rating.objects.update(fitted=None)
    fits._fits.clear()
    assert fits.refresh_fit()
    return fitted()


def test_kept_results_give_the_same_as_those_read_anew(own_folder: Path) -> None:
    cup = make.tournament(3, groups=2, start=True)
    for match in cup.matches.order_by("pk")[:5]:
        make.finish(match)
    projections.refresh()
    (kept,) = own_folder.glob("*/*.rows")
    size = kept.stat().st_size
    make.finish_all(cup)
    projections.refresh()
    assert kept.stat().st_size * 5 == size * 12  # only what was new is added
    before = fitted()
    assert refit() == before
    kept.unlink()
    assert refit() == before
    with kept.open("ab") as file:
        file.write(b"half a row")
    assert refit() == before
    assert kept.stat().st_size * 5 == size * 12


def test_kept_results_are_used(own_folder: Path) -> None:
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    before = fitted()
    SideResult.objects.update(rank=1)  # nobody does that; it shows where the results come from
    assert refit() == before
    (kept,) = own_folder.glob("*/*.rows")
    kept.write_bytes(kept.read_bytes() * 2)  # not as many as there are
    assert refit() != before


def test_a_file_that_a_full_disk_left_empty_is_filled(own_folder: Path) -> None:
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    before = fitted()
    (kept,) = own_folder.glob("*/*.rows")
    size = kept.stat().st_size
    kept.write_bytes(b"")
    assert refit() == before
    assert kept.stat().st_size == size


def test_a_new_epoch_throws_the_kept_results_away(own_folder: Path) -> None:
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    (old,) = own_folder.glob("*/*.rows")
    projections.rebuild()
    (new,) = own_folder.glob("*/*.rows")
    assert new.parent.name == Ledger.objects.get().epoch != old.parent.name


def test_without_a_disk_the_results_are_read_each_time(own_folder: Path) -> None:
    own_folder.write_text("a file in the way")
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    assert None not in fitted()[0]


def test_histories_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "MAX_POINTS", 4)
    cup = make.tournament(2, groups=5, start=True)
    seen = []
    for match in cup.matches.order_by("pk"):
        make.finish(match)
        projections.refresh()
        points = RatingPoint.objects.filter(pool=POOL).order_by("version", "ordinal")
        seen.append(points.count() / 2)
        newest = points.last()
        assert newest is not None
        assert newest.ordinal == len(seen)
    assert seen == [1, 2, 3, 4, 3, 4, 3, 4, 3, 4]


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


def beats(winner: Bot, loser: Bot) -> None:
    """A tournament that one of them wins."""
    cup = make.finish_all(make.tournament([winner, loser], groups=6, start=True))
    results = SideResult.objects.filter(match__tournament=cup)
    results.update(rank=2)
    for seat in Seat.objects.filter(match__tournament=cup, version__bot=winner):
        results.filter(match=seat.match_id, side=seat.side).update(rank=1)


def test_a_move_of_the_scale_is_recorded_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "MIN_MOVE", 0.1)
    bots = [make.bot() for _ in range(4)]
    make.finish_all(make.tournament(bots[:2], groups=6, start=True))
    make.finish_all(make.tournament(bots[2:], groups=6, start=True))
    projections.refresh()
    assert not ScaleChange.objects.exists()
    # A newcomer changes the average.
    beats(make.bot(), bots[0])
    projections.refresh()
    (change,) = ScaleChange.objects.filter(pool=POOL)
    assert change.reason == "newcomers"
    assert set(change.versions.all()) == {bot.active_version for bot in bots[:2]}
    # The average of both, one of whom has lost.
    rows = Rating.objects.filter(pool=POOL, version__bot__in=bots[:2])
    average = np.mean([fitted or 0.0 for fitted in rows.values_list("fitted", flat=True)])
    assert change.points == pytest.approx(average - 1200, abs=0.1)
    shifts = RatingPoint.objects.filter(pool=POOL, version__bot=bots[1])
    assert list(shifts.values_list("shift", flat=True)) == [change.points]
    beats(bots[2], bots[0])
    projections.refresh()
    reasons = ScaleChange.objects.filter(pool=POOL).values_list("reason", flat=True)
    assert list(reasons) == ["newcomers", "connected", "connected"], "each of two components"
    monkeypatch.setattr(storing, "MIN_MOVE", 0.001)
    level = make.house_bot("house:expert-5")
    beats(level, bots[0])
    projections.refresh()
    assert ScaleChange.objects.filter(pool=POOL).latest("ordinal").reason == "anchors"
    projections.rebuild()
    assert ScaleChange.objects.filter(pool=POOL).count() == 4

"""tournaments.projections: tables, live Elo, fits, and rebuilding."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom.pages.common.queries import list_ratings
from cardroom_base.core.names import RANDOM
from tests import factories as make
from tournaments import actions, projections, reading
from tournaments.models import (
    Entry,
    Ledger,
    Match,
    PoolFit,
    Rating,
    RatingChange,
    RatingPoint,
    TeamRating,
    Tournament,
)

pytestmark = pytest.mark.django_db

POOL = "cassino/standard/1v1"


def ratings() -> list[tuple[Any, ...]]:
    fields = ("pool", "version", "live", "matches", "groups", "fitted", "low", "high", "updated")
    rows = Rating.objects.order_by("pool", "kind", "version")
    return list(rows.values_list(*fields, "kind"))


def fits() -> list[Any]:
    """All other stored data of the fits, except their duration."""
    teams = TeamRating.objects.order_by("pool", "key")
    return [
        list(RatingPoint.objects.order_by("pk").values()),
        [{**row, "id": 0} for row in teams.values()],
        [[version.pk for version in team.members.order_by("pk")] for team in teams],
        [{**row, "id": 0, "seconds": 0} for row in PoolFit.objects.order_by("pool").values()],
    ]


def history() -> list[tuple[Any, ...]]:
    fields = ("pool", "version", "match", "before", "after", "at")
    return list(RatingChange.objects.order_by("id").values_list(*fields))


def test_pools_of_a_format() -> None:
    assert projections.pools_of("cassino/royal/2v2?target=11") == (
        "cassino/royal/2v2",
        "cassino",
        "overall",
    )


def test_each_match_moves_the_live_ratings_once_in_every_pool() -> None:
    cup = make.tournament(2, start=True)
    match = make.finish(cup.matches.earliest("pk"), faults=[(1, "time")])
    assert projections.update_live() == 1
    assert projections.update_live() == 0
    match.refresh_from_db()
    assert match.ordinal == 1
    for pool in (POOL, "cassino", "overall"):
        changes = RatingChange.objects.filter(pool=pool).order_by("version")
        assert [change.before for change in changes] == [1200.0, 1200.0]
        assert sum(change.after for change in changes) == pytest.approx(2400)
        winner = match.seats.get(side=0).version_id
        assert changes.get(version=winner).after == pytest.approx(1220)  # K 40, expected one half
    assert set(Rating.objects.values_list("matches", flat=True)) == {1}


def test_ordinals_follow_the_order_of_finishing() -> None:
    cup = make.tournament(2, groups=2, start=True)
    order = list(cup.matches.order_by("-pk"))
    for match in order:
        make.finish(match)
    projections.update_live()
    ordinals = [Match.objects.get(pk=match.pk).ordinal for match in order]
    assert ordinals == [1, 2, 3, 4]
    assert Ledger.objects.get().ordinal == 4


def test_unrated_tournaments_move_nothing() -> None:
    make.finish_all(make.tournament(2, rated=False, start=True))
    projections.refresh()
    assert ratings() == []


@pytest.mark.parametrize(("name", "elo"), [(RANDOM, 1000), ("house:expert-4", 1650)])
def test_the_live_elo_of_an_anchor_is_nominal(name: str, elo: float) -> None:
    anchor = make.house_bot(name)
    make.finish_all(make.tournament([anchor, make.bot()], groups=3, start=True))
    projections.update_live()
    rating = Rating.objects.get(pool=POOL, version=anchor.active_version)
    assert rating.live == elo
    assert list_ratings([rating])[0].nominal
    projections.refresh()
    rating.refresh_from_db()
    assert rating.live == elo
    assert not list_ratings([rating])[0].nominal


def test_anchors_alone_average_their_nominal_ratings() -> None:
    names = ("house:expert-1", "house:expert-5")
    bots = [make.house_bot(name) for name in names]
    make.finish_all(make.tournament(bots, groups=3, start=True))
    projections.refresh()
    ratings_by_name = {
        rating.version.bot.name: rating for rating in Rating.objects.filter(pool=POOL)
    }
    levels = [ratings_by_name[name].fitted or 0.0 for name in names]
    assert sum(levels) / 2 == pytest.approx(1500, abs=1e-3)
    lines = list_ratings(ratings_by_name.values())
    assert not any(line.nominal for line in lines)
    before = ratings()
    projections.rebuild()
    assert [rating[:-2] for rating in ratings()] == [row[:-2] for row in before]


def test_fits_count_deal_groups_and_only_their_own_pool() -> None:
    bots = [make.bot() for _ in range(3)]
    make.finish_all(make.tournament(bots, groups=2, start=True))
    make.finish_all(make.tournament(bots, format="cassino/royal/ffa3?deals=1", start=True))
    projections.refresh()
    groups = {
        pool: set(Rating.objects.filter(pool=pool).values_list("groups", "matches"))
        for pool in (POOL, "cassino/royal/ffa3", "cassino", "overall")
    }
    assert groups == {
        POOL: {(4, 8)},
        "cassino/royal/ffa3": {(1, 3)},
        "cassino": {(5, 11)},
        "overall": {(5, 11)},
    }
    for rating in Rating.objects.all():
        assert rating.low is not None
        assert rating.fitted is not None
        assert rating.high is not None
        assert rating.low < rating.fitted < rating.high


def test_a_fit_is_refreshed_only_for_pools_with_new_results() -> None:
    make.finish_all(make.tournament(2, start=True))
    projections.refresh()
    assert projections.refresh_fit() == 0
    make.finish_all(make.tournament(2, format="cassino/royal/1v1?deals=1", start=True))
    projections.update_live()
    assert projections.refresh_fit() == 3  # its pool, the game's and the overall pool


def play_some() -> Tournament:
    bots = [make.bot() for _ in range(3)]
    make.finish_all(make.tournament(bots, groups=2, start=True))
    projections.update_live()
    running = make.tournament([*bots, make.bot()], groups=2, start=True)
    for match in running.matches.order_by("-pk")[:5]:
        make.finish(match, faults=[(0, "time")] if match.pk % 2 else ())
    projections.refresh()
    return running


def test_rebuilding_gives_the_same() -> None:
    play_some()
    before = ratings(), history(), fits()
    assert all(before[-1][n] for n in (0, 3))
    ordinals = dict(Match.objects.values_list("pk", "ordinal"))
    assert projections.rebuild() == 17
    assert (ratings(), history(), fits()) == before
    assert dict(Match.objects.values_list("pk", "ordinal")) == ordinals
    Rating.objects.update(live=0.0, fitted=None)
    RatingChange.objects.all().delete()
    projections.rebuild()
    assert (ratings(), history(), fits()) == before


def test_a_void_result_leaves_no_trace_in_the_ratings() -> None:
    running = play_some()
    finished = running.matches.filter(state="finished")
    void = finished.earliest("ordinal")
    actions.void_match(void, None, "A wrong table.")
    assert projections.update_live() == 0  # live ratings wait for the corrected history
    projections.refresh()
    assert not RatingChange.objects.filter(match=void).exists()
    counted = Match.objects.filter(ordinal__isnull=False).values("ordinal")
    assert not RatingPoint.objects.exclude(ordinal__in=counted).exists()
    after = ratings()
    projections.rebuild()
    assert ratings() == after
    assert sum(r[3] for r in after if r[0] == POOL) == 2 * 15  # its whole deal group does not count


def test_standings_and_cross_table_of_a_running_tournament() -> None:
    cup = make.tournament(3, groups=2, start=True)
    assert [row.matches for row in reading.tournament_standings(cup)] == [0, 0, 0]
    make.finish_all(cup)
    rows = reading.tournament_standings(cup)
    assert {row.entrant for row in rows} == set(cup.entries.values_list("pk", flat=True))
    assert [row.matches for row in rows] == [8, 8, 8]
    assert sum(row.points for row in rows) == pytest.approx(6)
    table = reading.tournament_cross_table(cup)
    for row in rows:
        cells = table[row.entrant].values()
        assert sum(cell.points for cell in cells) == pytest.approx(row.points)


def test_void_matches_do_not_count_in_the_tables() -> None:
    cup = make.tournament(2, groups=1, start=True)
    match = make.finish(cup.matches.earliest("pk"))
    assert len(reading.group_results(reading.paired_stages(cup))) == 1
    actions.void_match(match, None, "A test.")
    assert reading.group_results(reading.paired_stages(cup)) == []


def test_standings_take_few_queries(django_assert_max_num_queries: Any) -> None:
    cup = make.finish_all(make.tournament(4, groups=3, start=True))
    with django_assert_max_num_queries(5):  # entries, deal groups, sides, results, stages
        reading.tournament_standings(cup)


def test_entries_are_the_entrants() -> None:
    cup = make.finish_all(make.tournament(2, start=True))
    row = reading.tournament_standings(cup)[0]
    assert Entry.objects.get(pk=row.entrant).tournament == cup

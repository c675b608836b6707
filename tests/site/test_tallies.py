"""Totals about bots: each result once, none before its cards are open, the same when made anew."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest
from django.core.management import call_command

from tests import factories as make
from tests.cups import play_out, win
from tournaments import actions, projections
from tournaments.models import BotTotal, Match, MatchFigures
from tournaments.projections import tallies
from tournaments.reading import fans

pytestmark = pytest.mark.django_db
NAMES = ("Magpie", "Jay", "Wren")
POOL = "cassino/standard/1v1"


@pytest.fixture
def bots() -> list[Any]:
    return [make.bot(name=name) for name in NAMES]


def totals() -> list[Any]:
    """Everything that is kept, comparable."""
    return sorted(
        BotTotal.objects.values_list(
            "bot", "pool", "kind", "key", "name", "other", "count", "total", "drawn"
        ),
        key=str,
    )


def by_slug(met: list[tuple[fans.Met, fans.Tally]]) -> dict[str, fans.Tally]:
    return {other.slug: tally for other, tally in met}


def test_every_result_counts_once(bots: list[Any]) -> None:
    play_out(make.tournament(bots, start=True), NAMES)  # each pair meets on both sides
    assert not tallies.waiting()  # the live ratings come first
    projections.refresh()
    assert tallies.waiting()
    assert tallies.count_new() == 6
    assert not tallies.waiting()
    assert tallies.count_new() == 0
    found = fans.told_of(bots[0], "cassino")
    assert found.whole == fans.Tally(4, 4, 0)
    assert by_slug(found.versus) == {bot.slug: fans.Tally(2, 2, 0) for bot in bots[1:]}
    assert dict(found.forms) == {POOL: fans.Tally(4, 4, 0)}
    assert dict(found.sides) == dict(found.seats) == dict.fromkeys((0, 1), fans.Tally(2, 2, 0))
    assert found.partners == []
    assert fans.told_of(bots[2], "cassino").whole == fans.Tally(4, 0, 0)
    assert fans.told_of(bots[0], "canasta") == fans.Told()


def test_figures_stand_beside_the_mean_of_all(bots: list[Any]) -> None:
    play_out(make.tournament(bots, start=True), NAMES)
    projections.refresh()
    tallies.count_new()
    shown = {figure.figure.name: figure for figure in fans.told_of(bots[0], "cassino").figures}
    assert shown["cards"].count == 4  # deals
    assert 0 <= shown["cards"].value <= 1
    means = [
        next(
            figure
            for figure in fans.told_of(bot, "cassino").figures
            if figure.figure.name == "aces"
        )
        for bot in bots
    ]
    assert len({mean.field for mean in means}) == 1
    assert sum(mean.value for mean in means) / 3 == pytest.approx(means[0].field)


def test_the_matches_to_see(bots: list[Any]) -> None:
    play_out(make.tournament(bots, start=True), NAMES)
    projections.refresh()
    tallies.count_new()
    best = fans.told_of(bots[0], "cassino").matches
    assert list(best) == ["best", "longest"]  # it lost none, and was never behind
    assert list(fans.told_of(bots[2], "cassino").matches) == ["worst", "longest"]
    assert Match.objects.get(pk=best["best"][0]).seats.filter(version__bot=bots[0]).exists()


def test_partners_are_counted_and_copies_are_not(bots: list[Any]) -> None:
    pairs = "cassino/standard/2v2?deals=1"
    four = [*bots, make.bot(name="Owl")]
    cup = make.tournament(format=pairs, partners="fixed")
    for name, members in (("A", four[:2]), ("B", four[2:])):
        entry = actions.enter_team(cup, members, None, name)
        assert entry is not None
    cup = actions.start(cup, None)
    make.finish_all(cup)
    projections.refresh()
    tallies.count_new()
    found = fans.told_of(bots[0], "cassino")
    outcome = (found.whole.won, found.whole.drawn)
    assert by_slug(found.partners) == {bots[1].slug: fans.Tally(2, *outcome)}
    assert set(by_slug(found.versus)) == {four[2].slug, four[3].slug}
    copies = make.finish_all(make.tournament(bots[:2], format=pairs, start=True))
    projections.refresh()
    tallies.count_new()
    found = fans.told_of(bots[0], "cassino")
    assert copies.matches.count() == 2
    assert by_slug(found.partners) == {bots[1].slug: fans.Tally(2, *outcome)}
    assert found.whole.matches == 4
    assert sum(tally.matches for _, tally in found.seats) == 2 + 2 * 2


def test_nothing_counts_while_its_cards_are_played(bots: list[Any]) -> None:
    cup = make.tournament(bots[:2], start=True)
    first, second = actions.claim("test/1", 2)
    win(first.match, first.pk, NAMES)
    projections.refresh()
    assert tallies.count_new() == 0
    assert MatchFigures.objects.get().content == {}
    win(second.match, second.pk, NAMES)
    projections.refresh()
    assert tallies.count_new() == cup.matches.count() == 2


def test_what_is_unrated_does_not_count(bots: list[Any]) -> None:
    play_out(make.tournament(bots, rated=False, start=True), NAMES)
    projections.refresh()
    assert not tallies.waiting()
    assert tallies.count_new() == 0


def test_a_result_that_is_set_aside_goes_and_the_rest_is_not_played_again(
    bots: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = make.tournament(bots, start=True)
    play_out(cup, NAMES)
    projections.refresh()
    tallies.count_new()
    actions.void_match(cup.matches.earliest("pk"), None, reason="A test.")
    left = cup.matches.filter(state=Match.State.FINISHED).count()
    refuse = Mock(side_effect=AssertionError("It is played again."))
    monkeypatch.setattr(tallies, "count", refuse)
    projections.refresh()
    assert tallies.count_new() == left
    assert sum(fans.told_of(bot, "cassino").whole.matches for bot in bots) == 2 * left


def test_rebuild_makes_the_same(bots: list[Any]) -> None:
    play_out(make.tournament(bots, start=True), NAMES)
    projections.refresh()
    tallies.count_new()
    before = totals()
    MatchFigures.objects.update(content={"deals": 77})  # and believes nothing
    call_command("rebuild")
    assert totals() == before


def test_a_record_that_cannot_be_played_again_counts_as_a_result(
    bots: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_record: object) -> None:
        raise ValueError("of other rules")

    monkeypatch.setattr(tallies, "count", refuse)
    play_out(make.tournament(bots[:2], start=True), NAMES)
    projections.refresh()
    assert tallies.count_new() == 2
    assert fans.told_of(bots[0], "cassino").whole.matches == 2
    assert fans.told_of(bots[0], "cassino").figures == []

"""Totals of bots: each result counts once, only after its group ends, and also in a rebuild."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest
from django.core.management import call_command

from tests import factories as make
from tests.chosen_winners import play_out, win
from tournaments import actions, projections
from tournaments.models import BotTotal, Match, MatchFigures
from tournaments.projections import tallies
from tournaments.reading.bot_results import BotFigure, Tally, results_of

pytestmark = pytest.mark.django_db
NAMES = ("Magpie", "Jay", "Wren")
POOL = "cassino/standard/1v1"


@pytest.fixture
def bots() -> list[Any]:
    return [make.bot(name=name) for name in NAMES]


def totals() -> list[Any]:
    """All stored totals, sorted."""
    return sorted(
        BotTotal.objects.values_list(
            "bot", "pool", "kind", "key", "name", "other", "count", "total", "drawn"
        ),
        key=str,
    )


def outcome(tally: Tally) -> tuple[int, int, int, int]:
    return tally.matches, tally.won, tally.drawn, tally.lost


def outcomes(tallies: list[Tally]) -> dict[str, tuple[int, int, int, int]]:
    """The outcomes by the subjects of the tallies."""
    return {tally.of: outcome(tally) for tally in tallies}


def test_every_result_counts_once(bots: list[Any]) -> None:
    play_out(make.tournament(bots, start=True), NAMES)  # each pair meets on both sides
    assert not tallies.has_uncounted()  # the live ratings come first
    projections.refresh()
    assert tallies.has_uncounted()
    assert tallies.count_new() == 6
    assert not tallies.has_uncounted()
    assert tallies.count_new() == 0
    results = results_of(bots[0], "cassino")
    assert outcome(results.whole) == (4, 4, 0, 0)
    assert outcomes(results.against) == {bot.slug: (2, 2, 0, 0) for bot in bots[1:]}
    assert outcomes(results.forms) == {POOL: (4, 4, 0, 0)}
    assert outcomes(results.sides) == outcomes(results.seats) == dict.fromkeys("01", (2, 2, 0, 0))
    assert results.partners == []
    assert outcome(results_of(bots[2], "cassino").whole) == (4, 0, 0, 4)
    assert results_of(bots[0], "canasta").whole == Tally()


def test_figures_are_compared_with_the_mean(bots: list[Any]) -> None:
    play_out(make.tournament(bots, start=True), NAMES)
    projections.refresh()
    tallies.count_new()
    figures = [_figures(bot) for bot in bots]
    assert figures[0]["cards"].count == 4  # deals
    assert 0 <= figures[0]["cards"].value <= 1
    aces = [by_name["aces"] for by_name in figures]
    assert len({figure.mean for figure in aces}) == 1
    assert sum(figure.value for figure in aces) / 3 == pytest.approx(aces[0].mean)


def _figures(bot: Any) -> dict[str, BotFigure]:
    return {figure.name: figure for figure in results_of(bot, "cassino").figures}


def test_highlights(bots: list[Any]) -> None:
    play_out(make.tournament(bots, start=True), NAMES)
    projections.refresh()
    tallies.count_new()
    best = results_of(bots[0], "cassino").highlights
    assert list(best) == ["best", "longest"]  # it lost no match and was never behind
    assert list(results_of(bots[2], "cassino").highlights) == ["worst", "longest"]
    assert Match.objects.get(pk=best["best"]).seats.filter(version__bot=bots[0]).exists()


def test_partners_are_counted_and_copies_are_not(bots: list[Any]) -> None:
    pairs = "cassino/standard/2v2?deals=1"
    team_bots = [*bots, make.bot(name="Owl")]
    cup = make.tournament(format=pairs, partners="fixed")
    for name, members in (("A", team_bots[:2]), ("B", team_bots[2:])):
        entry = actions.enter_team(cup, members, None, name)
        assert entry is not None
    cup = actions.start(cup, None)
    make.finish_all(cup)
    projections.refresh()
    tallies.count_new()
    results = results_of(bots[0], "cassino")
    partners = {bots[1].slug: outcome(results.whole)}
    assert outcomes(results.partners) == partners
    assert set(outcomes(results.against)) == {team_bots[2].slug, team_bots[3].slug}
    copies = make.finish_all(make.tournament(bots[:2], format=pairs, start=True))
    projections.refresh()
    tallies.count_new()
    results = results_of(bots[0], "cassino")
    assert copies.matches.count() == 2
    assert outcomes(results.partners) == partners
    assert results.whole.matches == 4
    assert sum(tally.matches for tally in results.seats) == 2 + 2 * 2


def test_results_count_only_after_their_group_ends(bots: list[Any]) -> None:
    cup = make.tournament(bots[:2], start=True)
    first, second = actions.claim("test/1", 2)
    win(first.match, first.pk, NAMES)
    projections.refresh()
    assert tallies.count_new() == 0
    assert MatchFigures.objects.get().content == {}
    win(second.match, second.pk, NAMES)
    projections.refresh()
    assert tallies.count_new() == cup.matches.count() == 2


def test_unrated_results_do_not_count(bots: list[Any]) -> None:
    play_out(make.tournament(bots, rated=False, start=True), NAMES)
    projections.refresh()
    assert not tallies.has_uncounted()
    assert tallies.count_new() == 0


def test_a_void_result_is_removed_without_replaying_others(
    bots: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = make.tournament(bots, start=True)
    play_out(cup, NAMES)
    projections.refresh()
    tallies.count_new()
    actions.void_match(cup.matches.earliest("pk"), None, reason="A test.")
    remaining = cup.matches.filter(state=Match.State.FINISHED).count()
    refuse = Mock(side_effect=AssertionError("A record is replayed."))
    monkeypatch.setattr(tallies, "count_figures", refuse)
    projections.refresh()
    assert tallies.count_new() == remaining
    assert sum(results_of(bot, "cassino").whole.matches for bot in bots) == 2 * remaining


def test_rebuild_gives_the_same_totals(bots: list[Any]) -> None:
    play_out(make.tournament(bots, start=True), NAMES)
    projections.refresh()
    tallies.count_new()
    before = totals()
    MatchFigures.objects.update(content={"deals": 77})  # it ignores stored figures
    call_command("rebuild")
    assert totals() == before


def test_a_record_of_other_rules_counts_without_figures(
    bots: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_record: object) -> None:
        raise ValueError("of other rules")

    monkeypatch.setattr(tallies, "count_figures", refuse)
    play_out(make.tournament(bots[:2], start=True), NAMES)
    projections.refresh()
    assert tallies.count_new() == 2
    assert results_of(bots[0], "cassino").whole.matches == 2
    assert results_of(bots[0], "cassino").figures == []

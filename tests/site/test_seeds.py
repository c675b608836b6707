"""The house bots, the demo tournaments, and commands that need no services."""

from __future__ import annotations

import zlib
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from bots.models import Bot, BotVersion, StoredPackage
from bots.referee import house
from engine import Format
from engine.registry import BUILT_IN
from seeds.demo import (
    DEMOS,
    FEW_PLAYOUTS,
    LADDER,
    demo_analyses,
    demo_ladders,
    demo_tournaments,
    seed_house_bots,
)
from tests import factories as make
from tournaments.models import Match, Rating, StoredRecord, Tournament

pytestmark = pytest.mark.django_db


def counts() -> list[int]:
    return [model.objects.count() for model in (Bot, BotVersion, StoredPackage, Tournament, Match)]


def test_seeding_twice_changes_nothing() -> None:
    seed_house_bots()
    names = set(Bot.objects.values_list("name", flat=True))
    assert names == {house.PREFIX + name for name in house.names()}
    for bot in Bot.objects.all():
        assert bot.is_house
        assert bot.slug == bot.name.replace(":", "-")
        assert bot.description
        assert bot.active_version is not None
        assert bot.active_version.status == "ready"
    first = demo_tournaments()
    before = counts()
    seed_house_bots()
    assert demo_tournaments() == first
    assert counts() == before


def test_the_demo_has_round_robins_of_house_bots() -> None:
    seed_house_bots()
    for demo, tournament in zip(DEMOS, demo_tournaments(groups=2), strict=True):
        assert tournament.state == "running"
        assert tournament.slug == demo.slug
        names = set(tournament.entries.values_list("bot__name", flat=True))
        assert names == set(demo.bots) >= {"house:random", "house:greedy"}
        pairs = len(names) * (len(names) - 1) // 2
        assert tournament.matches.count() == pairs * 2 * 2


def test_the_demo_shows_every_built_in_game() -> None:
    assert {Format.parse(demo.format).game for demo in DEMOS} == set(BUILT_IN)


def test_the_demo_has_a_ladder_of_each_game() -> None:
    seed_house_bots()
    ladders = demo_ladders()
    assert {Format.parse(ladder.format).game for ladder in ladders} == set(BUILT_IN)
    assert {ladder.state for ladder in ladders} == {"running"}
    assert demo_ladders() == ladders
    assert all(ladder.stages.get().settings == LADDER for ladder in ladders)


def test_an_interrupted_demo_continues() -> None:
    seed_house_bots()
    demo = demo_tournaments()[0]
    Tournament.objects.filter(pk=demo.pk).update(state="draft")
    demo.deal_groups.all().delete()
    demo.entries.filter(bot__name="house:random").delete()
    assert demo_tournaments()[0].state == "running"
    assert demo.entries.count() == 3


def run(*command: str) -> str:
    output = StringIO()
    call_command(*command, stdout=output)
    return output.getvalue()


def test_rebuild_prints_the_number_of_matches() -> None:
    make.finish_all(make.tournament(2, start=True))
    assert run("rebuild").splitlines() == [
        "Ratings were rebuilt from 2 matches.",
        "The totals of the bots were recounted from 2 matches.",
        "1 tables were rebuilt.",
    ]
    assert Rating.objects.count() == 2 * 3


def test_verify_matches_names_the_first_wrong_record() -> None:
    cup = make.finish_all(make.tournament(2, groups=2, start=True))
    assert run("verify_matches") == "4 matches; every record agrees.\n"
    assert run("verify_matches", "--tournament", cup.slug) == "4 matches; every record agrees.\n"
    second = cup.matches.order_by("pk")[1]
    stored = StoredRecord.objects.get(match=second)
    text = zlib.decompress(stored.content).decode()
    winner = second.results.get(side=0)
    StoredRecord.objects.filter(match=second).update(
        content=zlib.compress(text.replace('"moves":["', '"moves":["XX","').encode())
    )
    with pytest.raises(
        CommandError, match=f"Match {second.pk} of {cup.slug} .*Move 1 .*1 matches before it"
    ):
        run("verify_matches")
    StoredRecord.objects.filter(match=second).update(content=stored.content)
    second.results.filter(side=0).update(score=winner.score + 1)
    with pytest.raises(
        CommandError, match="its stored result differs from the result of its record"
    ):
        run("verify_matches")
    StoredRecord.objects.filter(match=second).delete()
    with pytest.raises(CommandError, match="it is finished but has no record"):
        run("verify_matches")
    with pytest.raises(CommandError, match="There is no tournament nowhere"):
        run("verify_matches", "--tournament", "nowhere")


def test_sweep_prints_its_changes() -> None:
    cup = make.tournament(2, start=True)
    for match in cup.matches.all():
        make.finish(match)
    assert "tournaments advanced: 1" in run("sweep")
    assert "tournaments advanced: 0" in run("sweep")


def test_a_match_of_each_game_is_analysed() -> None:
    assert demo_analyses([make.tournament(2)]) == []  # no match is finished
    cup = make.tournament(2, format="cassino/standard/1v1?deals=1", start=True)
    make.finish_all(cup)
    [analysis] = demo_analyses([cup, cup])
    assert (analysis.by, analysis.playouts) == (None, FEW_PLAYOUTS)
    assert analysis.record.match.tournament == cup

"""A Swiss on a site: byes, pairing by results, late entries."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cardroom_base.core.errors import ActionError
from cardroom_base.db import db_time
from tests import chosen_winners, factories
from tournaments import actions, archive
from tournaments.actions import deal_groups
from tournaments.exports.archive import archive_of
from tournaments.models import Seat, Tournament
from tournaments.reading import tournament_standings

pytestmark = pytest.mark.django_db


def rounds(cup: Tournament) -> list[set[str]]:
    """The pairings of each round, such as {"ac", "be"}."""
    pairings: dict[int, dict[int, str]] = {}
    rows = cup.deal_groups.filter(retired__isnull=True, group=1).order_by("round", "sides__index")
    for number, pk, name in rows.values_list("round", "pk", "sides__entry__bot__name"):
        names_by_group = pairings.setdefault(number, {})
        names_by_group[pk] = names_by_group.get(pk, "") + name
    return [{"".join(sorted(names)) for names in pairings[number].values()} for number in pairings]


def points_and_groups(cup: Tournament) -> dict[str, tuple[float, int]]:
    entries = dict(cup.entries.values_list("pk", "bot__name"))
    return {
        entries[int(row.entrant)]: (row.points, row.groups) for row in tournament_standings(cup)
    }


def test_a_swiss_is_played_to_the_end_and_byes_count() -> None:
    bots = [factories.bot(name=name) for name in "abcde"]
    stages = [{"system": "swiss", "groups": 2, "settings": {"rounds": 3}}]
    cup = factories.tournament(bots, stages=stages, start=True)
    assert rounds(cup) == [{"ac", "bd"}]  # the last seed has the bye
    assert points_and_groups(cup)["e"] == (2.0, 0)
    chosen_winners.play_round(cup, "abcde")
    assert len(rounds(cup)) == 2
    chosen_winners.play_out(cup, "abcde")
    assert cup.state == "finished"
    points = points_and_groups(cup)
    assert next(iter(points)) == "a"
    assert points["a"] == (6.0, 6)
    assert sum(value for value, _ in points.values()) == 3 * (2 * 2 + 2)
    assert sum(groups == 4 for _, groups in points.values()) == 3  # the other three had a bye


def test_a_rerun_round_replaces_later_rounds() -> None:
    bots = [factories.bot(name=name) for name in "abcdef"]
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": 3}}]
    cup = factories.tournament(bots, stages=stages, start=True)
    chosen_winners.play_out(cup, "abcdef")
    assert rounds(cup)[:2] == [{"ad", "be", "cf"}, {"ab", "cd", "ef"}]
    actions.rerun_round(cup, 1, 1, None, "The clocks stood still.")
    chosen_winners.play_round(cup, "fedcba")
    assert rounds(cup) == [{"ad", "be", "cf"}, {"de", "af", "bc"}]
    retired = cup.deal_groups.filter(retired__isnull=False)
    assert sorted(retired.values_list("round", flat=True)) == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    chosen_winners.play_out(cup, "fedcba")
    assert cup.state == "finished"
    assert next(iter(points_and_groups(cup))) == "f"


def late_cup(names: str = "abcd", **fields: Any) -> Tournament:
    bots = [factories.bot(name=name) for name in names]
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": 3}}]
    return factories.tournament(bots, stages=stages, late=True, start=True, **fields)


def test_a_late_entrant_plays_from_the_next_round() -> None:
    cup = late_cup()
    late = factories.bot(name="e")
    entry = actions.enter(cup, late, late.owner)
    assert (entry.late, entry.seeding, entry.number) == (1, 5, 5)
    assert [len(round_) for round_ in rounds(cup)] == [2]
    chosen_winners.play_round(cup, "eabcd")
    assert points_and_groups(cup)["e"] == (1.0, 0)  # a bye in round 2; round 1 gave nothing
    other = factories.bot(name="f")
    actions.enter(cup, other, other.owner)
    chosen_winners.play_out(cup, "feabcd")
    cup.refresh_from_db()
    assert cup.state == "finished"
    assert [len(round_) for round_ in rounds(cup)] == [2, 2, 3]
    assert points_and_groups(cup)["f"] == (1.0, 1)
    assert list(cup.decisions.filter(kind="late").values_list("what", "reason")) == [
        ("e", "It plays from round 2 on; earlier rounds give it no points."),
        ("f", "It plays from round 3 on; earlier rounds give it no points."),
    ]


def test_a_rerun_round_excludes_later_entrants() -> None:
    cup = late_cup(rated=False)
    chosen_winners.play_round(cup, "abcd")
    late = factories.bot(name="e")
    assert actions.enter(cup, late, late.owner).late == 2
    actions.rerun_round(cup, 1, 1, None, "The clocks stood still.")
    chosen_winners.play_round(cup, "dcba")
    assert [len(round_) for round_ in rounds(cup)] == [2, 2]
    assert not any("e" in pairing for round_ in rounds(cup) for pairing in round_)
    chosen_winners.play_out(cup, "edcba")
    assert [len(round_) for round_ in rounds(cup)] == [2, 2, 2]


def test_an_archive_with_a_late_entry_is_verified() -> None:
    cup = late_cup()
    for _ in range(3):
        factories.finish_all(cup)
        if cup.entries.count() == 4:
            actions.enter(cup, factories.bot(name="e"), None)
    assert (cup.state, cup.entries.get(bot__name="e").late) == ("finished", 2)
    assert archive.verify(io.BytesIO(b"".join(archive_of(cup)))).groups == 6


def test_there_is_no_late_entry_after_the_last_pairing() -> None:
    cup, late = late_cup(), factories.bot(name="e")
    for _ in range(2):
        chosen_winners.play_round(cup, "abcd")
    with pytest.raises(ActionError, match="no further round") as error:
        actions.enter(cup, late, late.owner)
    assert error.value.field == "bot"


@pytest.mark.parametrize(
    ("later", "max_matches", "sentence"),
    [
        ([], 4, "That would be 6 matches; at most 4"),
        ([{"system": "round-robin", "take": 6, "groups": 1}], 20, "30 matches; at most 20"),
    ],
)
def test_a_late_entry_does_not_make_a_round_impossible(
    later: list[dict[str, Any]], max_matches: int, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Formerly the tournament stopped forever before that round or stage."""
    monkeypatch.setattr(deal_groups, "MAX_MATCHES", max_matches)
    swiss = {"system": "swiss", "groups": 1, "settings": {"rounds": 3}}
    bots = [factories.bot(name=name) for name in "abcdef"]
    cup = factories.tournament(bots[:4], stages=[swiss, *later], late=True, start=True)
    actions.enter(cup, bots[4], bots[4].owner)
    with pytest.raises(ActionError, match=sentence) as error:
        actions.enter(cup, bots[5], bots[5].owner)
    assert (error.value.field, cup.entries.count()) == ("bot", 5)
    chosen_winners.play_out(cup, "abcdef")
    assert cup.state == "finished"


def test_a_withdrawn_bot_cannot_enter_again() -> None:
    cup = late_cup()
    bot = cup.entries.get(bot__name="d").bot
    actions.withdraw(cup, bot, bot.owner)
    with pytest.raises(ActionError, match="only a ladder accepts bots that have left"):
        actions.enter(cup, bot, bot.owner)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"system": "round-robin"}, "accepts no late entries"),
        ({"system": "knock-out"}, "accepts no late entries"),
        ({"system": "swiss", "divisions": 2}, "with divisions"),
        (
            {"system": "swiss", "format": "cassino/standard/2v2?deals=1", "partners": "fixed"},
            "Teams cannot enter late",
        ),
    ],
)
def test_late_entry_is_for_single_bots_in_a_swiss(fields: dict[str, str], sentence: str) -> None:
    values = {"name": "Late Cup", "format": factories.FORMAT, "late": True, **fields}
    with pytest.raises(ActionError, match=sentence) as error:
        actions.create_tournament(None, **values)
    assert error.value.field == "late"
    cup = factories.tournament(2, start=True)
    with pytest.raises(ActionError, match="it can be entered only while it is open"):
        actions.enter(cup, factories.bot(), None)


def test_matches_of_slow_bots_are_played_first() -> None:
    bots = [factories.bot(name=name) for name in "abcdefgh"]
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": 2}}]
    cup = factories.tournament(bots, stages=stages, start=True)
    for attempt in actions.claim("test/1", 1000):
        chosen_winners.win(attempt.match, attempt.pk, "abcdefgh")
    for name, ms in {"a": 10, "d": 400, "h": 900}.items():
        Seat.objects.filter(version__bot__name=name).update(wall_ms=ms)
    Seat.objects.exclude(version__bot__name__in="adh").update(wall_ms=1)
    actions.advance(cup.pk)
    names = [
        "".join(sorted(attempt.match.seats.values_list("version__bot__name", flat=True)))
        for attempt in actions.claim("test/1", 1000)
    ]
    slowest = [next((name for name in "hda" if name in pair), "") for pair in names]
    assert slowest == ["h", "h", "d", "d", "a", "a", "", ""]


def test_a_round_paired_after_a_withdrawal_is_no_bye(monkeypatch: pytest.MonkeyPatch) -> None:
    """Formerly it was one if the machine of the request was ahead of the database's clock."""
    cup = factories.tournament(
        [factories.bot(name=name) for name in "abcdef"], system="swiss", groups=1, start=True
    )
    for attempt in actions.claim("test/1", 6):
        chosen_winners.win(attempt.match, attempt.pk, "abcdef")
    entry = cup.entries.get(bot__name="a")
    with monkeypatch.context() as patch:
        patch.setattr(db_time, "_machine_time", lambda: datetime.now(UTC) + timedelta(seconds=5))
        actions.withdraw(cup, entry.bot, None)
    assert actions.advance(cup.pk)
    assert len(rounds(cup)) == 2
    assert points_and_groups(cup)["a"] == (1.0, 1)


def play_and_rerun(cup: Tournament, winners: str, number: int) -> None:
    """Play the first waiting match, which is of this round, and have its deal group redealt."""
    [attempt] = actions.claim("test/1", 1)
    assert attempt.match.deal_group.round == number
    chosen_winners.win(attempt.match, attempt.pk, winners)
    actions.rerun_match(attempt.match, None, "The clocks stood still.")


def test_a_swiss_ends_after_a_rerun_a_withdrawal_and_another_pairing() -> None:
    """Formerly the second round was paired again forever: the replaced deal group of a retired
    round counted as a round that the bot had been paired in."""
    cup = factories.tournament(
        [factories.bot(name=name) for name in "abcdef"],
        stages=[{"system": "swiss", "groups": 1, "settings": {"rounds": 3}}],
        start=True,
    )
    chosen_winners.play_round(cup, "abcdef")
    play_and_rerun(cup, "abcdef", 2)
    actions.withdraw(cup, cup.entries.get(bot__name="f").bot, None)
    actions.rerun_round(cup, 1, 1, None, "The clocks stood still.")
    chosen_winners.play_out(cup, "fedcba")
    assert [len(round_) for round_ in rounds(cup)] == [3, 2, 2]
    assert cup.state == "finished"


def test_a_division_ends_after_a_withdrawal_and_another_pairing() -> None:
    """Formerly its second round was paired again forever, because that of the other division had
    been paired before the bot left."""
    swiss = {"system": "swiss", "groups": 1, "settings": {"rounds": 3}}
    cup = factories.tournament(
        [factories.bot(name=name) for name in "abcdefgh"],
        stages=[{**swiss, "divisions": 2}],
        start=True,
    )
    chosen_winners.play_round(cup, "abcdefgh")
    leaving = cup.deal_groups.filter(division=2, round=1).order_by("pk")[0].sides.all()[0].entry
    actions.withdraw(cup, leaving.bot, None)
    for deal_group in cup.deal_groups.filter(division=2, round=1):
        actions.rerun_match(deal_group.matches.all()[0], None, "The clocks stood still.")
    chosen_winners.play_out(cup, "hgfedcba")
    assert cup.state == "finished"

"""Challenges: rights, formats, quotas, results."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from bots import actions as bot_actions
from bots.models import Bot, BotVersion
from cardroom_base.core.errors import ActionError
from tests import factories as make
from tournaments import actions, projections
from tournaments.actions.challenges import MAX_RUNNING, SIDES
from tournaments.actions.matchups import common_formats
from tournaments.models import Challenge, Match, Rating, Tournament
from tournaments.reading.challenges import (
    ChallengeGroup,
    challenges,
    own_challenges,
    score_of,
    total_score,
)
from tournaments.visibility import NOBODY, listed_matches, visible_to

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make.user("owner")


@pytest.fixture
def magpie(owner: User) -> Bot:
    return make.bot(owner, "Magpie")


@pytest.fixture
def jay() -> Bot:
    return make.bot(make.user("other"), "Jay")


def active_version(bot: Bot) -> BotVersion:
    bot.refresh_from_db()
    assert bot.active_version is not None
    return bot.active_version


def start_challenge(bot: Bot, other: Bot, by: User | None, **fields: Any) -> Challenge:
    arguments: dict[str, Any] = {"format_text": make.FORMAT, "groups": 2} | fields
    return actions.start_challenge(active_version(bot), active_version(other), by, **arguments)


def test_a_challenge_is_played_unrated_and_ends_by_itself(
    magpie: Bot, jay: Bot, owner: User
) -> None:
    challenge = start_challenge(magpie, jay, owner)
    cup = challenge.tournament
    assert (cup.state, cup.rated, cup.format) == ("running", False, make.FORMAT)
    assert [match.state for match in cup.matches.all()] == ["waiting"] * 4
    assert score_of(challenge).over == 0
    make.finish_all(cup)
    score = score_of(challenge)
    assert Tournament.objects.get(pk=cup.pk).state == "finished"
    assert [group.points for group in score.groups] == [0.5, 0.5]  # the first legal move of both
    assert (score.won, score.level, score.lost, score.share) == (0, 2, 0, 0.5)
    assert score.better is None


def test_challenges_count_neither_in_ratings_nor_head_to_head(
    magpie: Bot, jay: Bot, owner: User
) -> None:
    make.finish_all(start_challenge(magpie, jay, owner).tournament)
    projections.refresh()
    projections.rebuild()
    assert not Rating.objects.exists()
    assert not listed_matches(NOBODY).exists()
    make.finish_all(make.tournament([magpie, jay], start=True))
    projections.refresh()
    assert set(Rating.objects.values_list("matches", flat=True)) == {2}


def test_challenges_are_played_before_tournaments(magpie: Bot, jay: Bot, owner: User) -> None:
    make.tournament([magpie, jay], start=True)
    challenge = start_challenge(magpie, jay, owner)
    assert [attempt.match.tournament_id for attempt in actions.claim("test/1", 4)] == [
        challenge.tournament_id
    ] * 4


def test_both_bots_play_each_side_of_a_deal_group(magpie: Bot, jay: Bot, owner: User) -> None:
    cup = start_challenge(magpie, jay, owner).tournament
    for group in cup.deal_groups.all():
        sides = {
            match.seats.get(version__bot=magpie).side
            for match in group.matches.prefetch_related("seats")
        }
        assert sides == {0, 1}


def test_the_score_is_the_challengers(magpie: Bot, jay: Bot, owner: User) -> None:
    challenge = start_challenge(magpie, jay, owner, groups=8)
    for number, attempt in enumerate(actions.claim("test/1", 100)):
        outcome: Any = make.outcome(attempt.match)
        side = attempt.match.seats.get(version__bot=magpie).side
        ranks = [2, 2]
        ranks[side if number else 1 - side] = 1  # the challenger loses one match
        outcome.record.result = outcome.record.result | {"scores": [9, 9], "ranks": ranks}
        assert actions.store_result(attempt.pk, outcome)
    score = score_of(challenge)
    assert (score.won, score.level, score.lost) == (7, 1, 0)
    assert score.share == pytest.approx(7.5 / 8)
    assert score.better is True


@pytest.mark.parametrize(
    ("points", "better"),
    [
        ([], None),
        ([0.0] * 5, None),  # a fair coin: one in sixteen
        ([0.0] * 6, False),  # one in thirty-two
        ([1.0] * 6, True),
        ([0.5] * 50, None),
        ([1.0] * 30 + [0.0] * 20, None),
        ([1.0] * 35 + [0.0] * 15, True),
    ],
)
def test_few_groups_do_not_show_the_better_bot(points: list[float], better: bool | None) -> None:
    score = total_score(
        [ChallengeGroup(number, (), value) for number, value in enumerate(points, 1)]
    )
    assert score.better is better
    assert (score.interval is None) == (not points)


def test_a_challenge_of_own_versions_is_private(magpie: Bot, jay: Bot, owner: User) -> None:
    second = make.version(magpie)
    challenge = actions.start_challenge(second, active_version(magpie), owner, groups=1)
    assert challenge.own
    assert [entry.title for entry in challenge.tournament.entries.all()] == [
        "Magpie v2",
        "Magpie v1",
    ]
    assert list(challenges(owner)) == [challenge]
    assert not challenges(jay.owner).exists()
    assert not challenges(None).exists()
    assert not visible_to(jay.owner).filter(pk=challenge.tournament_id).exists()


def test_a_challenge_between_authors_is_public_but_unlisted(
    magpie: Bot, jay: Bot, owner: User
) -> None:
    challenge = start_challenge(magpie, jay, owner)
    assert list(challenges(None)) == [challenge]
    assert jay.owner is not None
    assert list(own_challenges(jay.owner)) == list(own_challenges(owner)) == [challenge]
    assert not own_challenges(make.user(staff=True)).exists()
    assert not Tournament.objects.listed().exists()


def test_a_bot_can_refuse_challenges(magpie: Bot, jay: Bot, owner: User) -> None:
    bot_actions.allow_challenges(jay, jay.owner, allowed=False)
    with pytest.raises(ActionError, match="accepts no challenges"):
        start_challenge(magpie, jay, owner)
    assert start_challenge(jay, magpie, jay.owner)  # it may still challenge others
    with pytest.raises(ActionError, match="not yours"):
        bot_actions.allow_challenges(magpie, jay.owner, allowed=False)


def test_everybody_may_challenge_house_bots(magpie: Bot, owner: User) -> None:
    assert start_challenge(magpie, make.house_bot("house:random"), owner)


def test_only_the_owner_challenges_with_a_bot(magpie: Bot, jay: Bot) -> None:
    with pytest.raises(ActionError, match="Magpie is not yours"):
        start_challenge(magpie, jay, jay.owner)


def test_only_the_active_version_of_an_opponent_is_challenged(
    magpie: Bot, jay: Bot, owner: User
) -> None:
    with pytest.raises(ActionError, match="Only the active version"):
        actions.start_challenge(active_version(magpie), make.version(jay), owner)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"groups": 0}, "1 to 50 deal groups, not 0"),
        ({"groups": 51}, "1 to 50 deal groups, not 51"),
        ({"format_text": "chess"}, "chess"),
        ({"format_text": "cassino/standard/ffa3"}, "two sides; cassino/standard/ffa3 has 3"),
        ({"format_text": "zwicker/grupp/1v1"}, "do not both play zwicker/grupp/1v1"),
    ],
)
def test_impossible_challenges_are_refused(
    magpie: Bot, jay: Bot, owner: User, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(ActionError, match=words):
        start_challenge(magpie, jay, owner, **fields)
    assert not Tournament.objects.exists()


def test_a_version_that_is_not_ready_does_not_play(magpie: Bot, jay: Bot, owner: User) -> None:
    with pytest.raises(ActionError, match="rejected; only a version that is ready"):
        actions.start_challenge(
            make.version(magpie, verdict="rejected"), active_version(jay), owner
        )
    with pytest.raises(ActionError, match="cannot challenge itself"):
        start_challenge(magpie, magpie, owner)


def test_the_format_has_two_sides_and_suits_both_bots(owner: User, jay: Bot) -> None:
    rook = make.bot(owner, "Rook", formats=("cassino/royal/*", "zwicker/*/*"))
    assert {
        (fmt.game, fmt.variant)
        for fmt in common_formats(active_version(rook), active_version(jay), SIDES)
    } == {("cassino", "royal")}
    challenge = start_challenge(rook, jay, owner, format_text="")
    assert challenge.tournament.format == "cassino/royal/1v1"
    finch = make.bot(owner, "Finch", formats=("zwicker/*/*",))
    with pytest.raises(ActionError, match="no format for two sides in common"):
        start_challenge(finch, jay, owner, format_text="")


def test_quotas_limit_running_and_daily_challenges(
    magpie: Bot, jay: Bot, owner: User, settings: Any
) -> None:
    settings.MAX_CHALLENGES, settings.MAX_CHALLENGES_PER_DAY = 1, 2
    make.finish_all(start_challenge(magpie, jay, owner, groups=1).tournament)
    start_challenge(magpie, jay, owner, groups=1)
    with pytest.raises(ActionError, match=r"simultaneous challenges \(1\)"):
        start_challenge(magpie, jay, owner)
    make.finish_all(Challenge.objects.latest("pk").tournament)
    with pytest.raises(ActionError, match=r"within 24 hours \(2\)"):
        start_challenge(magpie, jay, owner)
    assert start_challenge(jay, magpie, jay.owner)  # each author has a quota
    assert start_challenge(magpie, jay, make.user(staff=True))


def test_the_challenges_of_an_opponent_are_limited(magpie: Bot, jay: Bot, owner: User) -> None:
    for _ in range(MAX_RUNNING):
        challenger = make.bot()
        start_challenge(challenger, jay, challenger.owner, groups=1)
    with pytest.raises(ActionError, match="Jay is already playing 5 challenges"):
        start_challenge(magpie, jay, owner)
    assert start_challenge(jay, magpie, jay.owner)


def test_only_the_challenger_cancels_a_challenge(magpie: Bot, jay: Bot, owner: User) -> None:
    challenge = start_challenge(magpie, jay, owner)
    first = challenge.tournament.matches.earliest("pk")
    make.finish(first)
    with pytest.raises(ActionError, match="Only the person who made this challenge"):
        actions.cancel_challenge(challenge, jay.owner)
    actions.cancel_challenge(challenge, owner)
    assert challenge.tournament.state == "cancelled"
    states = set(challenge.tournament.matches.values_list("state", flat=True))
    assert states == {Match.State.FINISHED, Match.State.VOID}
    assert score_of(challenge).over == 0  # half a deal group shows only who had the better cards
    with pytest.raises(ActionError, match="is cancelled"):
        actions.cancel_challenge(challenge, owner)


def test_the_title_is_short_enough_for_long_names(owner: User) -> None:
    bots = [make.bot(owner, f"{letter * 46}") for letter in "mw"]
    challenge = start_challenge(bots[0], bots[1], owner, groups=1)
    assert len(challenge.tournament.name) <= 80
    assert " against " in challenge.tournament.name

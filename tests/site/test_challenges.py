"""Challenges: who may challenge whom, in what, how often, and what comes of it."""

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


def active(bot: Bot) -> BotVersion:
    bot.refresh_from_db()
    assert bot.active_version is not None
    return bot.active_version


def challenge(bot: Bot, other: Bot, by: User | None, **fields: Any) -> Challenge:
    asked: dict[str, Any] = {"format_text": make.FORMAT, "groups": 2} | fields
    return actions.start_challenge(active(bot), active(other), by, **asked)


def test_a_challenge_is_played_unrated_and_ends_by_itself(
    magpie: Bot, jay: Bot, owner: User
) -> None:
    made = challenge(magpie, jay, owner)
    cup = made.tournament
    assert (cup.state, cup.rated, cup.format) == ("running", False, make.FORMAT)
    assert [match.state for match in cup.matches.all()] == ["waiting"] * 4
    assert score_of(made).over == 0
    make.finish_all(cup)
    score = score_of(made)
    assert Tournament.objects.get(pk=cup.pk).state == "finished"
    assert [group.points for group in score.groups] == [0.5, 0.5]  # the first legal move of both
    assert (score.won, score.level, score.lost, score.share) == (0, 2, 0, 0.5)
    assert score.better is None


def test_no_rating_hears_of_it_nor_does_head_to_head(magpie: Bot, jay: Bot, owner: User) -> None:
    make.finish_all(challenge(magpie, jay, owner).tournament)
    projections.refresh()
    projections.rebuild()
    assert not Rating.objects.exists()
    assert not listed_matches(NOBODY).exists()
    make.finish_all(make.tournament([magpie, jay], start=True))
    projections.refresh()
    assert set(Rating.objects.values_list("matches", flat=True)) == {2}


def test_it_is_played_before_what_organizers_run(magpie: Bot, jay: Bot, owner: User) -> None:
    make.tournament([magpie, jay], start=True)
    made = challenge(magpie, jay, owner)
    assert [each.match.tournament_id for each in actions.claim("test/1", 4)] == [
        made.tournament_id
    ] * 4


def test_each_deal_group_has_both_sides_of_the_same_cards(
    magpie: Bot, jay: Bot, owner: User
) -> None:
    cup = challenge(magpie, jay, owner).tournament
    for group in cup.deal_groups.all():
        sides = {
            match.seats.get(version__bot=magpie).side
            for match in group.matches.prefetch_related("seats")
        }
        assert sides == {0, 1}


def test_what_is_won_is_the_challenger_s(magpie: Bot, jay: Bot, owner: User) -> None:
    made = challenge(magpie, jay, owner, groups=8)
    for number, attempt in enumerate(actions.claim("test/1", 100)):
        outcome: Any = make.outcome(attempt.match)
        mine = attempt.match.seats.get(version__bot=magpie).side
        ranks = [2, 2]
        ranks[mine if number else 1 - mine] = 1  # it loses a single match
        outcome.record.result = outcome.record.result | {"scores": [9, 9], "ranks": ranks}
        assert actions.store_result(attempt.pk, outcome)
    score = score_of(made)
    assert (score.won, score.level, score.lost) == (7, 1, 0)
    assert score.share == pytest.approx(7.5 / 8)
    assert score.better is True


@pytest.mark.parametrize(
    ("points", "better"),
    [
        ([], None),
        ([0.0] * 5, None),  # a coin does so once in sixteen times
        ([0.0] * 6, False),  # … once in thirty-two
        ([1.0] * 6, True),
        ([0.5] * 50, None),
        ([1.0] * 30 + [0.0] * 20, None),
        ([1.0] * 35 + [0.0] * 15, True),
    ],
)
def test_few_groups_do_not_tell_who_is_better(points: list[float], better: bool | None) -> None:
    score = total_score([ChallengeGroup(number, (), each) for number, each in enumerate(points, 1)])
    assert score.better is better
    assert (score.interval is None) == (not points)


def test_one_s_own_versions_meet_and_nobody_else_sees_it(
    magpie: Bot, jay: Bot, owner: User
) -> None:
    second = make.version(magpie)
    made = actions.start_challenge(second, active(magpie), owner, groups=1)
    assert made.own
    assert [entry.title for entry in made.tournament.entries.all()] == ["Magpie v2", "Magpie v1"]
    assert list(challenges(owner)) == [made]
    assert not challenges(jay.owner).exists()
    assert not challenges(None).exists()
    assert not visible_to(jay.owner).filter(pk=made.tournament_id).exists()


def test_all_see_one_between_bots_of_different_authors_and_no_list_has_it(
    magpie: Bot, jay: Bot, owner: User
) -> None:
    made = challenge(magpie, jay, owner)
    assert list(challenges(None)) == [made]
    assert jay.owner is not None
    assert list(own_challenges(jay.owner)) == list(own_challenges(owner)) == [made]
    assert not own_challenges(make.user(staff=True)).exists()
    assert not Tournament.objects.listed().exists()


def test_whoever_does_not_want_to_is_left_alone(magpie: Bot, jay: Bot, owner: User) -> None:
    bot_actions.allow_challenges(jay, jay.owner, allowed=False)
    with pytest.raises(ActionError, match="takes no challenges"):
        challenge(magpie, jay, owner)
    assert challenge(jay, magpie, jay.owner)  # it may challenge others all the same
    with pytest.raises(ActionError, match="not yours"):
        bot_actions.allow_challenges(magpie, jay.owner, allowed=False)


def test_house_bots_are_challenged_by_everybody(magpie: Bot, owner: User) -> None:
    assert challenge(magpie, make.house_bot("house:random"), owner)


def test_only_the_owner_challenges_with_a_bot(magpie: Bot, jay: Bot) -> None:
    with pytest.raises(ActionError, match="Magpie is not yours"):
        challenge(magpie, jay, jay.owner)


def test_a_bot_of_somebody_else_is_met_in_its_active_version(
    magpie: Bot, jay: Bot, owner: User
) -> None:
    with pytest.raises(ActionError, match="Only the active version"):
        actions.start_challenge(active(magpie), make.version(jay), owner)


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
def test_what_cannot_be_is_refused_in_words(
    magpie: Bot, jay: Bot, owner: User, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(ActionError, match=words):
        challenge(magpie, jay, owner, **fields)
    assert not Tournament.objects.exists()


def test_a_version_that_is_not_ready_does_not_play(magpie: Bot, jay: Bot, owner: User) -> None:
    with pytest.raises(ActionError, match="rejected; only a version that is ready"):
        actions.start_challenge(make.version(magpie, verdict="rejected"), active(jay), owner)
    with pytest.raises(ActionError, match="cannot challenge itself"):
        challenge(magpie, magpie, owner)


def test_the_format_is_one_for_two_sides_that_both_play(owner: User, jay: Bot) -> None:
    both = make.bot(owner, "Rook", formats=("cassino/royal/*", "zwicker/*/*"))
    assert {
        (fmt.game, fmt.variant) for fmt in common_formats(active(both), active(jay), SIDES)
    } == {("cassino", "royal")}
    made = challenge(both, jay, owner, format_text="")
    assert made.tournament.format == "cassino/royal/1v1"
    none = make.bot(owner, "Finch", formats=("zwicker/*/*",))
    with pytest.raises(ActionError, match="no format for two sides in common"):
        challenge(none, jay, owner, format_text="")


def test_there_are_as_many_at_a_time_and_a_day_as_the_site_allows(
    magpie: Bot, jay: Bot, owner: User, settings: Any
) -> None:
    settings.MAX_CHALLENGES, settings.MAX_CHALLENGES_PER_DAY = 1, 2
    make.finish_all(challenge(magpie, jay, owner, groups=1).tournament)
    challenge(magpie, jay, owner, groups=1)
    with pytest.raises(ActionError, match=r"at a time \(1\)"):
        challenge(magpie, jay, owner)
    make.finish_all(Challenge.objects.latest("pk").tournament)
    with pytest.raises(ActionError, match=r"within 24 hours \(2\)"):
        challenge(magpie, jay, owner)
    assert challenge(jay, magpie, jay.owner)  # everybody has their own
    assert challenge(magpie, jay, make.user(staff=True))


def test_no_bot_is_challenged_by_many_at_a_time(magpie: Bot, jay: Bot, owner: User) -> None:
    for _ in range(MAX_RUNNING):
        challenger = make.bot()
        challenge(challenger, jay, challenger.owner, groups=1)
    with pytest.raises(ActionError, match="Jay plays 5 challenges already"):
        challenge(magpie, jay, owner)
    assert challenge(jay, magpie, jay.owner)


def test_who_made_it_may_end_it(magpie: Bot, jay: Bot, owner: User) -> None:
    made = challenge(magpie, jay, owner)
    first = made.tournament.matches.earliest("pk")
    make.finish(first)
    with pytest.raises(ActionError, match="Only the person who made this challenge"):
        actions.cancel_challenge(made, jay.owner)
    actions.cancel_challenge(made, owner)
    assert made.tournament.state == "cancelled"
    states = set(made.tournament.matches.values_list("state", flat=True))
    assert states == {Match.State.FINISHED, Match.State.VOID}
    assert score_of(made).over == 0  # half a deal group says who had the better cards
    with pytest.raises(ActionError, match="is cancelled"):
        actions.cancel_challenge(made, owner)


def test_names_of_any_length_make_a_title_that_fits(owner: User) -> None:
    long = [make.bot(owner, f"{letter * 46}") for letter in "mw"]
    made = challenge(long[0], long[1], owner, groups=1)
    assert len(made.tournament.name) <= 80
    assert " against " in made.tournament.name

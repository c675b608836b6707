"""tournaments.access: rights to results, and to other people's bots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from rest_framework.test import APIClient

from bots.access import owns
from cardroom_base.core.errors import ActionError
from tests import factories as make
from tests.pages.conftest import stuck
from tournaments import actions
from tournaments.actions import attempts
from tournaments.models import Attempt, Match, Tournament
from tournaments.organizing import organizes

pytestmark = pytest.mark.django_db

WHY = "A test."
NOBODY, OWNER, ORGANIZER, STAFF = "stranger", "owner", "organizer", "staff"


@pytest.fixture
def people() -> dict[str, User]:
    return {
        name: make.user(name, staff=name == STAFF) for name in (NOBODY, OWNER, ORGANIZER, STAFF)
    }


def refusal_code(act: Callable[..., Any], *arguments: Any) -> str:
    """The error code of an action; empty if the action succeeds."""
    try:
        act(*arguments)
    except ActionError as error:
        return error.code
    return ""


# --- results ------------------------------------------------------------------------------------


def running_tournament(people: dict[str, User], *, rated: bool) -> tuple[Tournament, Match, Match]:
    """A tournament with a stuck match, and a finished match in another deal group."""
    bots = [make.bot(people[OWNER]), make.bot(people[ORGANIZER])]
    cup = make.tournament(bots, by=people[ORGANIZER], rated=rated, groups=2, start=True)
    number = stuck(cup)
    for attempt in Attempt.objects.filter(outcome="running"):  # claimed on the way
        attempts.release_attempts([attempt.pk], WHY)
    finished = make.finish(cup.deal_groups.get(group=2).matches.earliest("pk"))
    return cup, Match.objects.get(pk=number), finished


@pytest.mark.parametrize("role", [NOBODY, OWNER, ORGANIZER, STAFF])
@pytest.mark.parametrize("rated", [True, False])
@pytest.mark.parametrize("act", [actions.rerun_match, actions.void_match])
def test_organizer_and_staff_decide_about_results(
    people: dict[str, User], act: Any, role: str, *, rated: bool
) -> None:
    cup, stuck_match, finished = running_tournament(people, rated=rated)
    by = people[role]
    may_decide = role in (ORGANIZER, STAFF)
    may_withdraw_results = role == STAFF or (role == ORGANIZER and not rated)
    assert refusal_code(act, finished, by, WHY) == ("" if may_withdraw_results else "forbidden")
    assert refusal_code(act, stuck_match, by, WHY) == ("" if may_decide else "forbidden")
    finished.refresh_from_db()
    assert (finished.state == "void") == may_withdraw_results
    assert cup.decisions.filter(by=by).count() == may_withdraw_results + may_decide


@pytest.mark.parametrize(("rated", "rerun_groups"), [(True, {1}), (False, {1, 2})])
def test_an_organizer_reruns_only_stuck_groups_of_a_rated_round(
    people: dict[str, User], rerun_groups: set[int], *, rated: bool
) -> None:
    cup, _, _ = running_tournament(people, rated=rated)
    last = cup.deal_groups.latest("number").number
    assert actions.rerun_round(cup, 1, 1, people[ORGANIZER], WHY) == 2 * len(rerun_groups)
    new_groups = cup.deal_groups.filter(number__gt=last).values_list("group", flat=True)
    assert set(new_groups) == rerun_groups
    if rated:
        with pytest.raises(ActionError, match=r"is stuck\..*staff can withdraw results"):
            actions.rerun_round(cup, 1, 1, people[ORGANIZER], WHY)
        assert actions.rerun_round(cup, 1, 1, people[STAFF], WHY) == 2


def test_only_staff_rerun_a_rated_match_after_the_end(people: dict[str, User]) -> None:
    cup = make.finish_all(make.tournament(2, by=people[ORGANIZER], start=True))
    match = cup.matches.earliest("pk")
    with pytest.raises(ActionError, match="is rated: its organizer may decide only about stuck"):
        actions.rerun_match(match, people[ORGANIZER], WHY)
    cup.refresh_from_db()
    assert cup.state == "finished"
    actions.rerun_match(match, people[STAFF], WHY)
    cup.refresh_from_db()
    assert cup.state == "running"


def test_a_cancelled_tournament_keeps_its_results(people: dict[str, User]) -> None:
    cup, _, finished = running_tournament(people, rated=True)
    actions.cancel(cup, people[ORGANIZER])
    entry = cup.decisions.latest("pk")
    assert (entry.kind, entry.by) == ("ended", people[ORGANIZER])
    finished.refresh_from_db()
    assert finished.state == "finished"
    for by in (people[ORGANIZER], people[STAFF]):
        assert refusal_code(actions.rerun_match, finished, by, WHY) == "conflict"


def test_rated_changes_only_in_a_draft(people: dict[str, User]) -> None:
    cup = make.tournament(2, by=people[ORGANIZER], rated=False)
    for by in (people[ORGANIZER], people[STAFF]):
        with pytest.raises(ActionError, match="only while it is draft"):
            actions.update_tournament(cup, by, rated=True)


# --- bots of others -----------------------------------------------------------------------------


@pytest.mark.parametrize("role", [NOBODY, ORGANIZER, STAFF])
def test_only_the_owner_enters_a_bot(people: dict[str, User], role: str) -> None:
    cup = make.tournament(by=people[ORGANIZER])
    bot, house = make.bot(people[OWNER]), make.house_bot("house:one")
    with pytest.raises(ActionError, match="only its owner can enter it"):
        actions.enter(cup, bot, people[role])
    api = APIClient()
    api.force_authenticate(people[role])
    address = f"/api/v1/tournaments/{cup.slug}/entries/"
    assert api.post(address, {"bot": bot.slug}, format="json").status_code == 403
    assert not cup.entries.exists()
    organizes_it = role != NOBODY
    assert refusal_code(actions.enter, cup, house, people[role]) == (
        "" if organizes_it else "forbidden"
    )
    assert actions.enter(cup, bot, people[OWNER]).bot == bot


@pytest.mark.parametrize("partners", ["copies", "rotating"])
def test_only_the_owner_enters_a_bot_into_a_running_ladder(
    people: dict[str, User], partners: str
) -> None:
    stages = [{"system": "ladder", "groups": 1}]
    cup = make.tournament(
        4, by=people[ORGANIZER], format="cassino/standard/2v2?deals=1", partners=partners,
        stages=stages, start=True,
    )  # fmt: skip
    bot = make.bot(people[OWNER])
    for role in (ORGANIZER, STAFF):
        with pytest.raises(ActionError, match="only its owner can enter it"):
            actions.enter(cup, bot, people[role])


def test_staff_enter_a_team_only_with_own_bot_and_owners_consent(
    people: dict[str, User],
) -> None:
    cup = make.tournament(format="cassino/standard/2v2?deals=1", partners="fixed")
    owners_bot, staffs_bot = make.bot(people[OWNER]), make.bot(people[STAFF])
    with pytest.raises(ActionError, match="a bot of your own"):
        actions.enter_team(cup, [owners_bot, make.bot()], people[STAFF])
    entry = actions.enter_team(cup, [owners_bot, staffs_bot], people[STAFF])
    assert [mate.agreed for mate in entry.mates.all()] == [False]
    for role in (STAFF, ORGANIZER):
        with pytest.raises(ActionError, match="is not waiting for a bot of yours"):
            actions.agree(entry, people[role])
    actions.agree(entry, people[OWNER])
    assert all(mate.agreed for mate in entry.mates.all())


@pytest.mark.parametrize("rated", [True, False])
def test_withdrawing_a_bot_after_the_start(people: dict[str, User], *, rated: bool) -> None:
    def swiss(bot: Any) -> Tournament:
        stages = [{"system": "swiss", "groups": 1}]
        bots = [bot, *(make.bot() for _ in range(4))]
        return make.tournament(bots, by=people[ORGANIZER], rated=rated, stages=stages, start=True)

    expected = {NOBODY: False, OWNER: True, ORGANIZER: not rated, STAFF: True}
    for role, is_allowed in expected.items():
        bot = make.bot(people[OWNER])
        cup = swiss(bot)
        assert refusal_code(actions.withdraw, cup, bot, people[role]) == (
            "" if is_allowed else "forbidden"
        )
    house = make.house_bot("house:one")
    cup = swiss(house)
    assert refusal_code(actions.withdraw, cup, house, people[ORGANIZER]) == ""


def test_the_log_lists_bots_of_the_organizer(people: dict[str, User]) -> None:
    bots = [make.bot(people[ORGANIZER], name) for name in ("Zoë", "Ada", "Late")]
    stages = [{"system": "ladder", "groups": 1}]
    cup = make.tournament([*bots[:2], make.bot()], by=people[ORGANIZER], stages=stages)
    actions.start(cup, people[ORGANIZER])
    actions.enter(cup, make.bot(people[OWNER]), people[OWNER])
    actions.enter(cup, bots[2], people[ORGANIZER])
    names = cup.decisions.filter(kind="interest").values_list("what", flat=True)
    assert list(names) == ["Ada, Zoë", "Late"]


# --- the rule itself ----------------------------------------------------------------------------


def test_only_staff_own_and_organize_for_the_site(people: dict[str, User]) -> None:
    house = make.bot(None)
    of_site = make.tournament([], by=None)
    for by in (AnonymousUser(), people[NOBODY]):
        assert not owns(house, by)
        assert not organizes(of_site, by)
    for staff in (people[STAFF], None):
        assert owns(house, staff)
        assert organizes(of_site, staff)

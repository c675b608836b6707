"""Notifications: recipients, repetition, texts, privacy."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from bots.actions import forget_worker, report_recovery, report_trouble
from bots.actions.checking import begin_check, finish_check
from bots.models import BotVersion, Check
from cardroom.actions.deletion import delete_account
from cardroom.actions.moderation import hide_tournament
from cardroom.notification_texts import HIDDEN_TEXT
from cardroom_base.core.errors import ActionError
from cardroom_base.db import notifications
from cardroom_base.db.db_time import now
from cardroom_base.models import Notification
from tests import factories as make
from tournaments import actions
from tournaments.actions import attempts, notifying
from tournaments.models import Attempt, Match, Tournament

pytestmark = pytest.mark.django_db
PAGE = "/notifications/"
PAIRS = "cassino/standard/2v2?deals=1"


def kinds(user: User) -> list[str]:
    """The kinds of a user's notifications, oldest first."""
    return list(user.notifications.order_by("pk").values_list("kind", flat=True))


def running_cup(owner: User, organizer: User, **fields: Any) -> Tournament:
    """A running tournament of Magpie, the owner's bot, and another bot."""
    bots = [make.bot(owner, "Magpie"), make.bot()]
    return make.tournament(bots, by=organizer, start=True, **fields)


def test_people_of_a_tournament_are_notified_except_of_own_steps() -> None:
    owner, organizer, helper, guest = (make.user() for _ in range(4))
    cup = actions.create_tournament(
        organizer, name="Cup", format=make.FORMAT, groups=1, rated=False, visibility="invited"
    )
    actions.change_organizers(cup, organizer, [helper.username])
    actions.set_visibility(cup, organizer, invited=[guest.username])
    actions.open_(cup, organizer)
    bots = [make.bot(owner), make.bot(guest)]
    for bot in bots:
        actions.enter(cup, bot, None)
    actions.start(cup, organizer)
    actions.post_announcement(cup, helper, "Pizza at eight.")
    make.finish_all(cup)
    assert kinds(owner) == ["started", "announced", "ended"]
    assert kinds(guest) == ["opened", "started", "announced", "ended"]
    assert kinds(organizer) == ["announced", "ended"]
    assert kinds(helper) == ["opened", "started", "ended"]


def test_entrants_are_notified_of_a_cancellation(client: Client) -> None:
    owner, organizer = make.user(), make.user()
    cup = running_cup(owner, organizer, name="Spring Cup")
    actions.cancel(cup, organizer)
    client.force_login(owner)
    assert "Spring Cup was cancelled." in client.get(PAGE).content.decode()


def test_the_owner_is_notified_of_a_checks_result(client: Client) -> None:
    owner = make.user()
    bot = make.bot(owner, "Magpie")
    version = make.version(bot, verdict=BotVersion.Status.QUEUED)
    Check.objects.filter(version=version).update(finished=None, worker="")
    check = begin_check(version.pk, "here/1")
    assert check is not None
    assert finish_check(check, "rejected", steps=[], summary="It crashed.")
    assert not finish_check(check, "rejected", steps=[], summary="It crashed.")
    assert kinds(owner) == ["checked"]
    client.force_login(owner)
    page = client.get(PAGE).content.decode()
    assert "Magpie 2: the check rejected it." in page
    assert "/bots/magpie/versions/2/" in page


def test_only_the_first_fault_of_a_bot_in_a_tournament_is_reported() -> None:
    owner = make.user()
    cup = running_cup(owner, make.user(), groups=2)
    for match in cup.matches.order_by("pk"):
        seat = match.seats.get(version__bot__owner=owner).index
        make.finish(match, faults=[(seat, "crash")])
    assert cup.matches.filter(faulted=True).count() > 1
    assert kinds(owner).count("fault") == 1
    other = cup_of_same_bot(owner)
    match = other.matches.earliest("pk")
    make.finish(match, faults=[(match.seats.get(version__bot__owner=owner).index, "crash")])
    assert kinds(owner).count("fault") == 2


def cup_of_same_bot(owner: User) -> Tournament:
    return make.tournament([owner.bots.get(), make.bot()], start=True)


def test_frozen_standings_hide_faults_from_owners() -> None:
    owner, organizer = make.user(), make.user()
    cup = running_cup(owner, organizer, rated=False)
    actions.freeze(cup, organizer)
    match = cup.matches.earliest("pk")
    make.finish(match, faults=[(match.seats.get(version__bot__owner=owner).index, "crash")])
    assert "fault" not in kinds(owner)


def test_nobody_floods_others_with_notifications(settings: Any) -> None:
    settings.MAX_NOTIFYING_PER_DAY = 3
    organizer, partner = make.user(), make.user()
    cup = make.tournament([], by=organizer, format=PAIRS, partners="fixed")
    own_bot, other_bot = make.bot(organizer), make.bot(partner)
    team = actions.enter_team(cup, [own_bot, other_bot], organizer)
    actions.post_announcement(cup, organizer, "Only the organizer sees this.")
    assert kinds(partner) == ["team"]
    actions.agree(team, partner)
    for text in ("One", "Two"):
        actions.delete_announcement(actions.post_announcement(cup, organizer, text), organizer)
    with pytest.raises(ActionError, match="notified others 3 times"):
        actions.post_announcement(cup, organizer, "Three")
    actions.withdraw_team(team, organizer)
    with pytest.raises(ActionError, match="notified others 3 times"):
        actions.enter_team(cup, [own_bot, other_bot], organizer)
    assert kinds(partner) == ["team", "announced", "announced"]
    Notification.objects.update(at=now() - timedelta(days=1))
    actions.enter_team(cup, [own_bot, other_bot], organizer)
    assert kinds(partner)[-1] == "team"


def test_a_partner_is_notified_of_an_invitation() -> None:
    owner, partner = make.user(), make.user()
    team_cup = make.tournament(name="Team Cup", format=PAIRS, partners="fixed")
    actions.enter_team(team_cup, [make.bot(owner), make.bot(partner)], owner, "Two birds")
    assert kinds(partner) == ["team"]
    assert kinds(owner) == []


def test_staff_and_organizers_are_notified_of_stuck_matches_hourly(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    staff, owner, organizer = make.user(staff=True), make.user(), make.user()
    cup = running_cup(owner, organizer, name="Spring Cup", groups=2)
    monkeypatch.setattr(attempts, "match_is_stuck", lambda match: True)
    hour = now().replace(minute=0, second=0, microsecond=0)

    def stick(minutes: int) -> None:
        monkeypatch.setattr(notifying, "now", lambda: hour + timedelta(minutes=minutes))
        make.end_retry_delays()
        attempt = attempts.claim("here/1")[0]
        actions.fail_attempt(attempt.pk, "The machine failed.", seated=False)
        assert Match.objects.get(pk=attempt.match_id).state == Match.State.STUCK
        assert Attempt.objects.get(pk=attempt.pk).outcome == Attempt.Outcome.FAILED

    stick(1)
    stick(59)
    assert kinds(staff) == ["stuck"]
    stick(60)
    assert kinds(staff) == ["stuck"] * 2
    assert kinds(organizer).count("stuck") == 2
    assert "stuck" not in kinds(owner)
    client.force_login(staff)
    page = client.get(PAGE).content.decode()
    assert "Matches of Spring Cup are stuck." in page
    assert f"/tournaments/{cup.slug}/matches/?state=stuck" in page


def test_staff_are_notified_once_of_an_unhealthy_worker(client: Client) -> None:
    staff, other = make.user(staff=True), make.user()
    make.worker("worker@one")
    for cause in ("The disk is full.", "The disk is still full."):
        report_trouble("worker@one", cause)
    report_trouble("worker@gone", "It has not reported.")
    assert (kinds(staff), kinds(other)) == (["unhealthy"], [])
    client.force_login(staff)
    assert "worker@one is unhealthy." in client.get(PAGE).content.decode()
    make.worker("worker@two")
    report_recovery("worker@two")
    assert unread_of(staff) == 1
    report_recovery("worker@one")
    assert unread_of(staff) == 0
    page = client.get(PAGE).content.decode()
    assert "A worker was unhealthy." in page
    assert "worker@one" not in page
    report_trouble("worker@one", "The disk is full.")
    assert (len(kinds(staff)), unread_of(staff)) == (2, 1)
    forget_worker("worker@one")
    assert unread_of(staff) == 0


def test_notifications_of_hidden_tournaments_have_no_text(client: Client) -> None:
    owner = make.user()
    cup = running_cup(owner, make.user(), name="Secret Cup")
    client.force_login(owner)
    assert "Secret Cup has started." in client.get(PAGE).content.decode()
    hide_tournament(cup, None, "x")
    assert "Secret Cup" not in client.get(PAGE).content.decode()
    [row] = client.get("/api/v1/notifications/").json()["results"]
    assert "Secret" not in row["text"] + row["address"]


def test_notifications_of_deleted_announcements_and_teams_have_no_text(client: Client) -> None:
    organizer, owner, partner = make.user(), make.user(), make.user()
    cup = make.tournament(name="Team Cup", by=organizer, format=PAIRS, partners="fixed")
    bots = [make.bot(owner), make.bot(partner)]
    team = actions.agree(actions.enter_team(cup, bots, owner, "Two birds"), partner)
    posted = actions.post_announcement(cup, organizer, "Pizza at eight.")
    client.force_login(partner)
    page = client.get(PAGE).content.decode()
    assert "There is a new announcement in Team Cup." in page
    assert "invited to join a team in Team Cup." in page
    actions.delete_announcement(posted, organizer)
    actions.withdraw_team(team, owner)
    rows = client.get("/api/v1/notifications/").json()["results"]
    assert [(row["text"], row["address"]) for row in rows] == [(HIDDEN_TEXT, "")] * 2


def test_the_bell_counts_unread_notifications(client: Client) -> None:
    owner, organizer = make.user(), make.user()
    cup = running_cup(owner, organizer)
    client.force_login(owner)
    page = client.get(PAGE)
    assert "Notifications, 1 unread" in page.content.decode()
    actions.post_announcement(cup, organizer, "Pizza at eight.")
    client.post("/notifications/read/", {"until": page.context["newest"]})
    assert unread_of(owner) == 1  # newer than the page
    client.post("/notifications/read/", {"until": "x"})
    assert unread_of(owner) == 1
    assert _read_by_rest(client) == 204
    assert "unread" not in client.get(PAGE).content.decode()
    assert all(row["read"] for row in client.get("/api/v1/notifications/").json()["results"])


def unread_of(user: User) -> int:
    return Notification.objects.filter(user=user, read__isnull=True).count()


def _read_by_rest(client: Client) -> int:
    address = "/api/v1/notifications/read/"
    return client.post(address, {}, content_type="application/json").status_code


def test_notifications_of_others_cannot_be_read_or_marked(client: Client) -> None:
    owner, other = make.user(), make.user()
    running_cup(owner, make.user())
    client.force_login(other)
    assert client.get("/api/v1/notifications/").json()["results"] == []
    assert _read_by_rest(client) == 204
    assert unread_of(owner) == 1


def test_the_page_uses_the_same_number_of_queries_for_any_length(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    owner, organizer = make.user(), make.user()
    cups = [running_cup(owner, organizer)]
    client.force_login(owner)
    client.get(PAGE)
    with django_assert_max_num_queries(10) as queries:
        client.get(PAGE)
    cups += [cup_of_same_bot(owner) for _ in range(3)]
    with django_assert_max_num_queries(len(queries)):
        assert len(client.get(PAGE).context["lines"]) == len(cups)


def test_old_notifications_and_those_of_deleted_accounts_are_deleted() -> None:
    owner, other = make.user(), make.user()
    for user in (owner, other):
        notifications.notify({user.pk}, Notification.Kind.CHECKED, subject=1)
    owner.notifications.update(at=now() - notifications.KEEP - timedelta(hours=1))
    assert notifications.purge() == 1
    assert kinds(other) == ["checked"]
    delete_account(other)
    notifications.notify({other.pk}, Notification.Kind.CHECKED, subject=2)  # a closed account
    assert not Notification.objects.exists()

"""Quotas and priorities: refusals and their texts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from bots import actions as bot_actions
from bots.actions import uploading
from cardroom_base.core.errors import ActionError
from tests import factories as make
from tournaments import actions
from tournaments.actions.tournaments import set_priority
from tournaments.models import Match, Tournament

pytestmark = pytest.mark.django_db


def test_quota_of_bots(settings: Any) -> None:
    settings.MAX_BOTS = 1
    author = make.user()
    bot_actions.register_bot(author, "One")
    with pytest.raises(ActionError, match="You have 1 bots, which is the limit"):
        bot_actions.register_bot(author, "Two")
    bot_actions.register_bot(make.user(), "Two")
    bot_actions.register_bot(make.user(staff=True), "Three")


def test_quotas_of_uploads(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "refuse_without_sandbox", lambda: None)
    settings.MAX_WAITING_CHECKS = 1
    settings.MAX_VERSIONS_PER_DAY = 2
    author = make.user()

    def upload(remark: str) -> Any:
        bot = author.bots.first()
        name = {"bot": bot} if bot else {"name": "Mine"}
        return bot_actions.upload_version(author, make.source(remark), "bot.py", **name)

    def check_version(version: Any) -> None:
        check = bot_actions.begin_check(version.pk, "w")
        assert check is not None
        assert bot_actions.finish_check(check, "ready", steps=[], summary="")

    first = upload("a")
    with pytest.raises(ActionError, match="waiting for their checks"):
        upload("b")
    check_version(first)
    check_version(upload("b"))
    with pytest.raises(ActionError, match="uploaded 2 versions within 24 hours"):
        upload("c")


def test_quota_of_tournaments(settings: Any) -> None:
    settings.MAX_ACTIVE_TOURNAMENTS = 1
    organizer = make.user()

    def open_cup(by: Any) -> Any:
        fields = {"name": f"A cup of {by}", "format": make.FORMAT}
        return actions.open_(actions.create_tournament(by, **fields), by)

    first = open_cup(organizer)
    with pytest.raises(ActionError, match="1 of your tournaments are open or running"):
        open_cup(organizer)
    actions.cancel(first, organizer)
    open_cup(organizer)
    staff = make.user(staff=True)
    open_cup(staff)
    open_cup(staff)


def test_quota_of_drafts(settings: Any) -> None:
    settings.MAX_DRAFTS = 1
    organizer = make.user()

    def draft(by: Any) -> Tournament:
        return actions.create_tournament(by, name=f"A cup of {by}", format=make.FORMAT)

    first = draft(organizer)
    with pytest.raises(ActionError, match="You have 1 drafts"):
        draft(organizer)
    actions.cancel(first, organizer)
    with pytest.raises(ActionError, match="You have 1 drafts"):
        actions.repeat(first, organizer)
    Tournament.objects.update(created=F("created") - timedelta(days=1))
    actions.open_(draft(organizer), organizer)
    draft(organizer)
    draft(staff := make.user(staff=True))
    draft(staff)


def test_quota_of_entries(settings: Any) -> None:
    settings.MAX_ENTRIES_PER_AUTHOR = 1
    author, cup = make.user(), make.tournament()
    first, second = make.bot(author), make.bot(author)
    actions.enter(cup, first, author)
    with pytest.raises(ActionError, match="You have 1 entries"):
        actions.enter(cup, second, author)
    actions.withdraw(cup, first, author)
    actions.enter(cup, second, author)
    actions.enter(cup, make.bot(), None)


def test_only_agreed_teams_count_as_entries(settings: Any) -> None:
    settings.MAX_ENTRIES_PER_AUTHOR = 1
    format_fields: dict[str, Any] = {"format": "cassino/standard/2v2?deals=1", "partners": "fixed"}
    cup = make.tournament(**format_fields)
    author, friend, stranger = make.user(), make.user(), make.user()
    bots = [make.bot(author) for _ in range(4)]
    actions.enter_team(cup, [make.bot(stranger), bots[0]], stranger)
    invitation = actions.enter_team(cup, [make.bot(friend), bots[1]], friend)
    actions.enter_team(cup, bots[2:], author)
    with pytest.raises(ActionError, match="You have 1 entries in"):
        actions.agree(invitation, author)


def test_priorities() -> None:
    organizer = make.user()
    cup = make.tournament(2, groups=2, by=organizer, start=True)
    newcomers_match = cup.matches.order_by("pk").first()
    assert newcomers_match is not None
    Match.objects.filter(pk=newcomers_match.pk).update(priority=7)
    with pytest.raises(ActionError, match="must be 0 to 5, not 6"):
        set_priority(cup, 6, organizer)
    with pytest.raises(ActionError, match="Only the organizer"):
        set_priority(cup, 1, make.user())
    assert set_priority(cup, 3, organizer).priority == 3
    priorities = list(cup.matches.order_by("pk").values_list("priority", flat=True))
    assert priorities == [5, 3, 3, 3]
    assert set_priority(cup, 9, make.user(staff=True)).priority == 9

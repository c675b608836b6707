"""Retiring bots, quarantine, suspended accounts, the moderators' log."""

from __future__ import annotations

import pytest
from django.test import Client

from bots.actions import set_active_version
from cardroom_base.core.errors import ActionError
from tests import factories as make
from tournaments import actions

pytestmark = pytest.mark.django_db

LADDER = [{"system": "ladder", "groups": 1, "settings": {"ahead": 3, "first": 1}}]


def test_a_retired_bot_leaves_what_can_do_without_it(client: Client) -> None:
    owner = make.user("wren")
    bot, other = make.bot(owner, "Magpie"), make.bot(name="Jay")
    sibling = make.bot(owner, "Rook")
    open_cup = make.tournament([bot, sibling])
    ladder = make.tournament([bot, other], stages=LADDER, start=True)
    running = make.tournament([bot, other], start=True)
    first, second = bot.versions.get(number=1), make.version(bot)
    trial = actions.start_trial(second, owner, format_text=make.FORMAT)
    challenge = actions.start_challenge(other.versions.get(), first, other.owner, groups=1)
    with pytest.raises(ActionError, match="not yours"):
        actions.retire_bot(bot, other.owner)

    client.force_login(owner)
    page = client.post("/bots/magpie/retire/", {}, follow=True).content.decode()
    assert "Tick the box" in page
    assert open_cup.entries.filter(bot=bot).exists()
    page = client.post("/bots/magpie/retire/", {"agreed": "on"}, follow=True).content.decode()
    assert "<span>retired</span>" in page
    assert not open_cup.entries.filter(bot=bot).exists()
    assert open_cup.entries.filter(bot=sibling).exists()
    assert ladder.entries.get(bot=bot).withdrawn
    assert running.entries.get(bot=bot).withdrawn is None
    trial.refresh_from_db()
    challenge.tournament.refresh_from_db()
    assert (trial.state, challenge.tournament.state) == ("abandoned", "cancelled")
    with pytest.raises(ActionError, match="no version"):
        actions.enter(open_cup, bot, owner)

    bot = set_active_version(bot, 2, owner)
    assert not bot.is_retired
    actions.enter(open_cup, bot, owner)


def test_house_bots_do_not_retire() -> None:
    with pytest.raises(ActionError, match="comes with the site"):
        actions.retire_bot(make.house_bot("house:random"), None)

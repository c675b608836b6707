"""Webhooks in Discord's format, against a fake of Discord that enforces the documented limits
(https://discord.com/developers/docs/resources/webhook#execute-webhook and …/topics/rate-limits)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User

from bots.models import Bot
from cardroom import outbound, webhooks
from cardroom.actions import webhooks as webhook_actions
from cardroom_base.db import notifications
from cardroom_base.db.db_time import Now, now
from cardroom_base.models import Notification, Webhook, WebhookDelivery
from tests import factories as make
from tournaments import actions
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db
Kind = Notification.Kind
MENTION = re.compile(r"@everyone|@here|<@[!&]?\d+>")
FIELDS = frozenset(
    {
        *("content", "username", "avatar_url", "tts", "embeds", "allowed_mentions", "components"),
        *("attachments", "flags", "thread_name", "applied_tags", "poll"),
    }
)
MENTION_TYPES = frozenset({"roles", "users", "everyone"})


class Discord:
    """A fake of a webhook of Discord."""

    def __init__(self) -> None:
        self.contents: list[str] = []
        """The messages in the channel."""
        self.pings: list[str] = []
        """The mentions that notified somebody."""
        self.refusals: list[int] = []
        """The statuses of refused requests."""
        self.deleted = False
        self.remaining = 1000
        """Messages until the rate limit."""
        self.retry_after = 0.0

    async def post(self, _: str, body: bytes, headers: dict[str, str]) -> outbound.HostResponse:
        if self.deleted:
            return self.refuse(404, {"message": "Unknown Webhook", "code": 10015})
        if not self.remaining:
            problem = {"message": "You are being rate limited.", "retry_after": self.retry_after}
            return self.refuse(429, problem | {"global": False})
        message = json.loads(body)
        if headers["Content-Type"] != "application/json" or not is_valid(message):
            return self.refuse(400, {"message": "Invalid Form Body", "code": 50035})
        self.remaining -= 1
        self.contents.append(message["content"])
        # Without `allowed_mentions` all are parsed; a backslash does not prevent a mention.
        if message.get("allowed_mentions", {"parse": ["everyone"]})["parse"]:
            self.pings += MENTION.findall(message["content"])
        return outbound.HostResponse(204, "")

    def refuse(self, status: int, problem: dict[str, Any]) -> outbound.HostResponse:
        self.refusals.append(status)
        wait = self.retry_after if status == 429 else 0.0
        return outbound.HostResponse(status, json.dumps(problem), wait)


def is_valid(message: dict[str, Any]) -> bool:
    """Whether Discord accepts the message. Its text may have 2000 characters, here counted as in
    UTF-16, which is the stricter way."""
    content = message.get("content", "")
    mentions = message.get("allowed_mentions", {})
    return (
        message.keys() <= FIELDS
        and isinstance(content, str)
        and len(content.strip()) > 0
        and len(content.encode("utf-16-le")) <= 2 * 2000
        and mentions.keys() <= {"parse", "roles", "users", "replied_user"}
        and set(mentions.get("parse", ())) <= MENTION_TYPES
    )


@pytest.fixture(autouse=True)
def discord(monkeypatch: pytest.MonkeyPatch) -> Discord:
    fake = Discord()
    monkeypatch.setattr(outbound, "post", fake.post)
    return fake


@pytest.fixture
def user() -> User:
    return make.user("ada")


@pytest.fixture
def hook(user: User) -> Webhook:
    url, origin = "https://discord.com/api/webhooks/1/x", f"https://{'cards.' * 40}example"
    return webhook_actions.create_webhook(user, url, Kind.values, "discord", origin)


def notify(user: User, *subjects: int) -> None:
    for subject in subjects:
        notifications.notify({user.pk}, Kind.CHECKED, subject=subject)


@pytest.mark.parametrize("letter", ["*", "\N{PLAYING CARD BACK}", "@", "字"])
def test_discord_accepts_every_message_and_pings_nobody(
    discord: Discord, user: User, hook: Webhook, letter: str
) -> None:
    bots = [make.bot(user), make.bot()]
    cup = make.tournament(bots, by=make.user(), start=True)
    name = f"@everyone @here <@12> <@&34> {letter * 80}"
    Tournament.objects.filter(pk=cup.pk).update(name=name[:80], slug="x" * 50)
    Bot.objects.filter(pk=bots[0].pk).update(name=name[:48])
    posted = actions.post_announcement(cup, None, "Hello")
    WebhookDelivery.objects.all().delete()
    subjects = {Kind.CHECKED: bots[0].versions.get().pk, Kind.FAULT: bots[0].pk}
    subjects |= {Kind.ANNOUNCED: posted.pk, Kind.TEAM: cup.entries.all()[0].pk}
    Notification.objects.all().delete()
    for kind in Kind:
        about = 0 if kind in (Kind.WEBHOOK, Kind.UNHEALTHY) else cup.pk
        notifications.notify({user.pk}, kind, tournament=about, subject=subjects.get(kind, 1))
    while webhooks.send_due():
        pass
    assert not discord.refusals
    assert len(discord.contents) == len(Kind)
    assert sum("everyone" in content for content in discord.contents) == 9
    assert not discord.pings
    assert set(hook.deliveries.values_list("status", "trouble")) == {(204, "")}


def test_a_rate_limit_stops_all_messages_of_the_webhook(
    discord: Discord, user: User, hook: Webhook
) -> None:
    notify(user, *range(1, 9))
    discord.remaining, discord.retry_after = 5, 200.0
    webhooks.send_due()
    assert (len(discord.contents), discord.refusals) == (5, [429])
    waiting = hook.deliveries.filter(finished=None)
    assert waiting.count() == 3
    for delivery in waiting:
        assert 150 < (delivery.not_before - now()).total_seconds() < 201
    assert waiting.exclude(trouble="").get().trouble == "429 Too Many Requests"
    discord.remaining = 5
    waiting.update(not_before=Now())
    webhooks.send_due()
    assert (len(discord.contents), discord.refusals) == (8, [429])


@pytest.mark.parametrize(("wait", "expected"), [(1.0, 60), (10.0**8, webhooks.DELAYS[-1])])
def test_a_pause_has_limits(
    discord: Discord, user: User, hook: Webhook, wait: float, expected: int
) -> None:
    notify(user, 1)
    discord.remaining, discord.retry_after = 0, wait
    webhooks.send_due()
    pause = hook.deliveries.get().not_before - now()
    assert expected - 50 < pause.total_seconds() < expected + 1


def test_a_deleted_webhook_is_not_used_again(discord: Discord, user: User, hook: Webhook) -> None:
    notify(user, 1, 2)
    discord.deleted = True
    while webhooks.send_due():
        WebhookDelivery.objects.filter(finished=None).update(not_before=Now())
    assert discord.refusals == [404]
    hook.refresh_from_db()
    assert hook.state == Webhook.State.FAILED

"""Webhooks: recorded deliveries, messages, failures, actions."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from cardroom import outbound, webhooks
from cardroom.actions import webhooks as webhook_actions
from cardroom.actions.deletion import delete_account
from cardroom.actions.moderation import hide_tournament
from cardroom.notification_texts import word_notifications
from cardroom_base.core.errors import ActionError
from cardroom_base.db import notifications
from cardroom_base.db.db_time import Now, now
from cardroom_base.models import Notification, Webhook, WebhookDelivery
from tests import factories as make

pytestmark = pytest.mark.django_db
Kind = Notification.Kind
ORIGIN = "https://cards.example"
URL = "https://hook.example/a"


class Receivers:
    """Fakes of all receivers, which store requests and give prepared answers."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes, dict[str, str]]] = []
        self.answers: list[int | Exception] = []
        """The answers to the next requests; all others get 204."""

    async def post(self, url: str, body: bytes, headers: dict[str, str]) -> outbound.HostResponse:
        self.sent.append((url, body, headers))
        answer = self.answers.pop(0) if self.answers else 204
        if isinstance(answer, Exception):
            raise answer
        return outbound.HostResponse(answer, "said\0" + "x" * 600)

    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body, _ in self.sent]


@pytest.fixture(autouse=True)
def receivers(monkeypatch: pytest.MonkeyPatch) -> Receivers:
    fake = Receivers()
    monkeypatch.setattr(outbound, "post", fake.post)
    return fake


def webhook(user: User, kinds: Any = Kind.values, url: str = URL, format_: str = "standard") -> Any:
    return webhook_actions.create_webhook(user, url, kinds, format_, ORIGIN)


def notify(user: User, subject: int = 1, kind: Notification.Kind = Kind.CHECKED) -> None:
    notifications.notify({user.pk}, kind, subject=subject)


def make_due() -> None:
    """End the pauses before further attempts."""
    WebhookDelivery.objects.filter(finished=None).update(not_before=Now())


# --- recording ------------------------------------------------------------------------------------


def test_each_subscribed_webhook_gets_a_notification_once(
    receivers: Receivers,
) -> None:
    user, other = make.user(), make.user()
    webhook(user, url="https://hook.example/all")
    webhook(user, [Kind.CHECKED], "https://hook.example/checks")
    webhook(user, [Kind.STARTED], "https://hook.example/starts")
    webhook(other, url="https://hook.example/other")
    notify(user)
    notify(user)
    while webhooks.send_due():
        pass
    urls = sorted(url for url, _, _ in receivers.sent)
    assert urls == ["https://hook.example/all", "https://hook.example/checks"]
    notify(user)
    assert webhooks.send_due() == 0


def test_a_webhook_gets_no_earlier_notification(receivers: Receivers) -> None:
    user = make.user()
    notify(user)
    webhook(user)
    notify(user)
    webhooks.send_due()
    assert not receivers.sent


def test_deliveries_are_part_of_the_transaction() -> None:
    user = make.user()
    webhook(user)
    with transaction.atomic():
        notify(user)
        transaction.set_rollback(True)
    assert not WebhookDelivery.objects.exists()


def test_closed_accounts_and_disabled_webhooks_get_nothing(
    receivers: Receivers,
) -> None:
    user, other = make.user(), make.user()
    hook = webhook(user)
    webhook(other)
    notify(user)
    notify(other)
    webhook_actions.change_webhook(hook, on=False)
    User.objects.filter(pk=other.pk).update(is_active=False)
    notify(user, 2)
    webhook_actions.change_webhook(hook, on=True)
    webhooks.send_due()
    assert not receivers.sent
    [delivery] = hook.deliveries.all()
    assert delivery.trouble == "The webhook was switched off."


# --- messages -------------------------------------------------------------------------------------


def test_messages_are_signed_by_standard_webhooks(receivers: Receivers) -> None:
    user, organizer = make.user(), make.user()
    hook = webhook(user)
    cup = make.tournament([make.bot(user), make.bot()], by=organizer, name="Spring Cup", start=True)
    webhooks.send_due()
    [(url, body, headers)] = receivers.sent
    notification = user.notifications.get()
    assert url == URL
    assert json.loads(body) == {
        "type": "notification.started",
        "timestamp": notification.at.isoformat(),
        "data": {
            "id": notification.pk,
            "kind": "started",
            "text": "Spring Cup has started.",
            "address": f"{ORIGIN}/tournaments/{cup.slug}/",
        },
    }
    key = base64.b64decode(hook.secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert abs(int(headers["webhook-timestamp"]) - now().timestamp()) < 60
    assert 24 <= len(key) <= 64


def test_the_published_example_of_a_signature() -> None:
    """From the documentation of Svix, which started Standard Webhooks."""
    signature = webhooks.signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_hidden_tournament_is_not_named(receivers: Receivers) -> None:
    user = make.user()
    webhook(user)
    bots = [make.bot(user), make.bot()]
    cup = make.tournament(bots, by=make.user(), name="Secret Cup", start=True)
    hide_tournament(cup, None, "x")
    webhooks.send_due()
    [body] = receivers.bodies()
    assert body["data"]["text"].startswith("About something")
    assert body["data"]["address"] == ""
    assert "ecret" not in json.dumps(body)


def test_discord_gets_escaped_names_and_no_mentions(receivers: Receivers) -> None:
    user = make.user()
    webhook(user, format_="discord")
    bots = [make.bot(user), make.bot()]
    name = "[@everyone](https://e.example) *cup*"
    cup = make.tournament(bots, by=make.user(), start=True)
    type(cup).objects.filter(pk=cup.pk).update(name=name)
    webhooks.send_due()
    type(cup).objects.filter(pk=cup.pk).update(name="*" * 3000)
    notifications.notify({user.pk}, Kind.ENDED, tournament=cup.pk)
    webhooks.send_due()
    plain, long = receivers.bodies()
    assert plain["allowed_mentions"] == {"parse": []}
    assert plain["content"] == (
        r"\[\@everyone\]\(https\://e.example\) \*cup\* has started."
        f"\n<{ORIGIN}/tournaments/{cup.slug}/>"
    )
    assert 1000 < len(long["content"]) <= webhooks.MAX_DISCORD
    assert "webhook-signature" not in receivers.sent[0][2]


# --- failures -------------------------------------------------------------------------------------


def test_a_failed_delivery_is_tried_again_with_the_same_id(receivers: Receivers) -> None:
    user = make.user()
    hook = webhook(user)
    notify(user)
    receivers.answers = [500, outbound.NoResponseError("No answer within 10 seconds."), 200]
    assert webhooks.send_due() == 1
    delivery = hook.deliveries.get()
    assert (delivery.status, delivery.trouble) == (500, "500 Internal Server Error")
    assert delivery.answer.startswith(r"said\x00xxx")
    assert len(delivery.answer) == 500
    assert delivery.finished is None
    assert webhooks.send_due() == 0  # it pauses
    make_due()
    webhooks.send_due()
    delivery.refresh_from_db()
    assert (delivery.status, delivery.trouble) == (None, "No answer within 10 seconds.")
    make_due()
    webhooks.send_due()
    delivery.refresh_from_db()
    assert (delivery.status, delivery.trouble, delivery.tries) == (200, "", 3)
    assert delivery.state == "delivered"
    assert len({headers["webhook-id"] for _, _, headers in receivers.sent}) == 1
    assert Webhook.objects.get().succeeded is not None


def test_a_delivery_of_a_dead_sender_is_sent_again(receivers: Receivers) -> None:
    user = make.user()
    webhook(user)
    notify(user)
    lost = WebhookDelivery.objects.take("died")
    assert lost is not None
    assert webhooks.send_due() == 0
    WebhookDelivery.objects.update(lease_until=Now())
    assert webhooks.send_due() == 1
    assert not lost.finish(status=500)
    assert WebhookDelivery.objects.get().status == 204
    assert receivers.sent[0][2]["webhook-id"] == f"msg_{lost.key.hex}"


def test_pauses_grow_to_hours_within_a_day(receivers: Receivers) -> None:
    user = make.user()
    webhook(user)
    notify(user)
    pauses = []
    for _ in range(7):
        receivers.answers = [503]
        webhooks.send_due()
        delivery = WebhookDelivery.objects.get()
        pauses.append(round((delivery.not_before - now()).total_seconds(), -1))
        make_due()
    assert pauses == list(webhooks.DELAYS)
    assert timedelta(hours=12) < timedelta(seconds=sum(pauses)) < timedelta(days=1)


def test_a_failing_webhook_is_switched_off_and_its_owner_notified(
    receivers: Receivers,
) -> None:
    user = make.user()
    hook = webhook(user)
    notify(user)
    for attempt in range(8):
        if attempt == 7:
            notify(user, 2)
        receivers.answers = [
            outbound.ForbiddenAddressError("hook.example is not on the public internet.")
        ]
        assert webhooks.send_batch() == 1
        hook.deliveries.filter(notification__subject=1).update(not_before=Now())
    hook.refresh_from_db()
    assert hook.state == Webhook.State.FAILED
    assert not hook.deliveries.filter(finished=None).exists()
    newest = user.notifications.first()
    assert newest is not None
    assert (newest.kind, newest.subject) == ("webhook", hook.deliveries.earliest("pk").pk)
    webhook_actions.change_webhook(hook, on=True)
    notify(user, 99)
    assert webhooks.send_due() == 1


def test_a_failed_delivery_among_successes_leaves_the_webhook_on(receivers: Receivers) -> None:
    user = make.user()
    hook = webhook(user)
    notify(user)
    WebhookDelivery.objects.update(tries=len(webhooks.DELAYS))
    Webhook.objects.update(succeeded=Now(1))
    receivers.answers = [400]
    webhooks.send_due()
    hook.refresh_from_db()
    assert hook.state == Webhook.State.ON
    assert hook.deliveries.get().finished is not None
    assert "webhook" not in user.notifications.values_list("kind", flat=True)


def test_status_410_switches_a_webhook_off(receivers: Receivers) -> None:
    user = make.user()
    hook = webhook(user)
    notify(user)
    receivers.answers = [410]
    webhooks.send_due()
    hook.refresh_from_db()
    assert hook.state == Webhook.State.FAILED


def test_an_unexpected_error_does_not_affect_other_deliveries(
    receivers: Receivers, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def word(rows: Any, viewer: Any) -> Any:
        assert rows[0].kind != Kind.STARTED, "A bug"
        return word_notifications(rows, viewer)

    monkeypatch.setattr(webhooks, "word_notifications", word)
    for kind in (Kind.CHECKED, Kind.STARTED, Kind.CHECKED):
        user = make.user()
        webhook(user)
        notify(user, kind=kind)
    receivers.answers = [ZeroDivisionError(), 200]
    assert webhooks.send_due() == 3
    troubles = sorted(WebhookDelivery.objects.values_list("trouble", flat=True))
    assert troubles == ["", *["The site could not send this."] * 2]
    assert "could not be sent" in caplog.text


def test_an_account_has_one_delivery_in_a_batch(receivers: Receivers) -> None:
    busy, other = make.user(), make.user()
    webhook(busy)
    webhook(busy)
    webhook(other, url="https://hook.example/other")
    for subject in range(3):
        notify(busy, subject)
    notify(other)
    assert webhooks.send_batch() == 2
    assert {url for url, _, _ in receivers.sent} == {URL, "https://hook.example/other"}
    assert webhooks.send_due() == 5


# --- actions --------------------------------------------------------------------------------------


def test_a_test_message_is_sent_once(receivers: Receivers) -> None:
    hook = webhook(make.user())
    webhook_actions.send_test(hook)
    with pytest.raises(ActionError, match="less than"):
        webhook_actions.send_test(hook)
    receivers.answers = [500]
    webhooks.send_due()
    make_due()
    assert webhooks.send_due() == 0
    assert receivers.bodies()[0]["type"] == "notification.test"
    assert hook.deliveries.get().finished is not None
    hook.refresh_from_db()
    assert hook.state == Webhook.State.ON
    hook.deliveries.update(created=Now(-60))
    webhook_actions.send_test(hook)


def test_a_new_secret_replaces_the_old_one(receivers: Receivers) -> None:
    hook = webhook(make.user())
    old = hook.secret
    secret = webhook_actions.rotate_secret(hook)
    assert secret != old
    assert Webhook.objects.get().secret == secret


def test_webhooks_are_limited() -> None:
    user = make.user()
    for url in ("http://hook.example/", "https://10.0.0.1/", "https://h.example/" + "é" * 490):
        with pytest.raises(ActionError):
            webhook(user, url=url)
    for kinds in ([], ["nothing"], ["checked", "nothing"]):
        with pytest.raises(ActionError):
            webhook(user, kinds)
    for _ in range(webhook_actions.MAX_WEBHOOKS):
        hook = webhook(user)
    with pytest.raises(ActionError):
        webhook(user)
    webhook_actions.delete_webhook(hook)
    webhook(user)


def test_old_deliveries_and_webhooks_of_deleted_accounts_are_deleted() -> None:
    user = make.user()
    hook = webhook(user)
    notify(user)
    notify(user, 2)
    old = hook.deliveries.earliest("pk")
    hook.deliveries.filter(pk=old.pk).update(created=now() - timedelta(days=31))
    notifications.purge()
    assert hook.deliveries.get() != old
    delete_account(user)
    assert not Webhook.objects.exists()
    assert not WebhookDelivery.objects.exists()

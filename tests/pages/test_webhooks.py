"""Webhooks on pages and by REST."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from rest_framework.test import APIClient

from cardroom import outbound, webhooks
from cardroom.actions.tokens import make_token
from cardroom.actions.webhooks import send_test
from cardroom_base.db import notifications
from cardroom_base.models import Notification, Webhook
from tests import factories as make
from tests.pages.test_pages import read

pytestmark = pytest.mark.django_db
PAGE = "/account/webhooks/"
URL = "https://hook.example/a"
SENT = {"url": URL, "kinds": ["checked", "started"], "format": "standard"}


@pytest.fixture
def user(client: Client) -> User:
    user = make.user("ada")
    client.force_login(user)
    return user


@pytest.fixture(autouse=True)
def _receiver(monkeypatch: pytest.MonkeyPatch) -> None:
    async def post(*_: Any) -> outbound.HostResponse:
        return outbound.HostResponse(503, "<b>Come back later</b>")

    monkeypatch.setattr(outbound, "post", post)


def test_a_secret_is_shown_once_and_after_renewal(client: Client, user: User) -> None:
    page = client.post(PAGE, SENT).content.decode()
    read(page)
    hook = user.webhooks.get()
    old_secret = hook.secret
    assert old_secret in page
    assert (hook.kinds, hook.origin) == (["checked", "started"], "http://testserver")
    address = f"{PAGE}{hook.pk}/"
    for other in (PAGE, address):
        page = client.get(other).content.decode()
        read(page)
        assert URL in page
        assert old_secret not in page
    page = client.post(f"{address}secret/").content.decode()
    hook.refresh_from_db()
    assert hook.secret != old_secret
    assert hook.secret in page
    assert hook.secret not in client.get(address).content.decode()


def test_a_refused_address_is_shown_at_its_field(client: Client, user: User) -> None:
    page = client.post(PAGE, SENT | {"url": "https://10.0.0.1/"})
    assert page.context["form"].errors["url"] == ["10.0.0.1 is not on the public internet."]
    hook = make_webhook(user)
    page = client.post(f"{PAGE}{hook.pk}/", {"url": "http://x.example/", "kinds": ["checked"]})
    assert "https://" in page.context["form"].errors["url"][0]
    assert Webhook.objects.get().url == URL


def make_webhook(user: User) -> Webhook:
    return Webhook.objects.create(
        user=user, url=URL, kinds=["checked"], secret=webhooks.new_secret(), origin="https://x"
    )


def test_deliveries_show_the_receivers_response_escaped(client: Client, user: User) -> None:
    hook = make_webhook(user)
    version = make.version(make.bot(user, "Magpie"))
    notifications.notify({user.pk}, Notification.Kind.CHECKED, subject=version.pk)
    assert webhooks.send_due() == 1
    send_test(hook)
    page = client.get(f"{PAGE}{hook.pk}/").content.decode()
    read(page)
    assert "Magpie 2: the check passed." in page
    assert "&lt;b&gt;Come back later" in page
    assert "503" in page
    assert webhooks.TEST_TEXT in page


def test_a_webhook_is_tested_switched_and_deleted(client: Client, user: User) -> None:
    hook = make_webhook(user)
    address = f"{PAGE}{hook.pk}/"
    page = client.post(f"{address}test/", follow=True).content.decode()
    assert "A test is on its way" in page
    assert hook.deliveries.count() == 1
    assert (
        "less than 10 seconds old" in client.post(f"{address}test/", follow=True).content.decode()
    )
    client.post(f"{address}off/")
    assert "This webhook is off" in client.post(f"{address}test/", follow=True).content.decode()
    assert Webhook.objects.get().state == "off"
    client.post(f"{address}on/")
    assert Webhook.objects.get().state == "on"
    client.post(address, {"url": "https://hook.example/b", "kinds": ["stuck"]})
    hook.refresh_from_db()
    assert (hook.url, hook.kinds) == ("https://hook.example/b", ["stuck"])
    assert client.post(f"{address}delete/")["Location"] == PAGE
    assert not Webhook.objects.exists()


def test_a_notification_leads_to_the_webhook_that_was_switched_off(
    client: Client, user: User
) -> None:
    hook = make_webhook(user)
    send_test(hook)
    delivery = hook.deliveries.get()
    notifications.notify({user.pk}, Notification.Kind.WEBHOOK, subject=delivery.pk)
    page = client.get("/notifications/").content.decode()
    assert "Your webhook at hook.example was switched off" in page
    assert f'href="{PAGE}{hook.pk}/"' in page
    hook.delete()
    assert "Your webhook" not in client.get("/notifications/").content.decode()


def test_webhooks_by_rest(user: User) -> None:
    def api(*scopes: str) -> APIClient:
        client = APIClient()
        _, secret = make_token(user, "x", scopes, 1)
        client.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
        return client

    client = api("read", "upload", "organize")
    created = client.post("/api/v1/webhooks/", {"url": URL, "kinds": ["checked"]}, format="json")
    assert created.status_code == 201
    assert "no-store" in created["Cache-Control"]
    assert created.json()["secret"].startswith("whsec_")
    address = f"/api/v1/webhooks/{created.json()['id']}/"
    webhook = client.get(address).json()
    assert webhook == {name: value for name, value in created.json().items() if name != "secret"}
    refusal = client.post("/api/v1/webhooks/", {"url": "https://[::1]/"}, format="json")
    assert refusal.status_code == 400
    assert "url" in refusal.json()["errors"]
    update = client.patch(address, {"kinds": ["stuck"]}, format="json").json()
    assert update["kinds"] == ["stuck"]
    tested = client.post(f"{address}test/")
    assert tested.status_code == 201
    assert tested.json()["state"] == "waiting"
    assert client.post(f"{address}test/").status_code == 409
    webhooks.send_due()
    [line] = client.get(f"{address}deliveries/").json()["results"]
    assert (line["id"], line["state"], line["status"]) == (tested.json()["id"], "failed", 503)
    assert line["next"] is None
    assert client.post(f"{address}secret/").json()["secret"] != created.json()["secret"]
    assert client.patch(address, {"on": False}, format="json").json()["state"] == "off"
    reader = api("read")
    assert reader.get(address).status_code == 200
    assert reader.patch(address, {"on": True}, format="json").status_code == 403
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404

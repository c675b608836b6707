"""REST: bots, versions, checks, uploads."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient
from rest_framework.throttling import SimpleRateThrottle

from bots.limits import MAX_PACKED
from bots.models import Bot, BotVersion, StoredPackage
from tests.api.conftest import SOURCE, ApiWorld, assert_problem, pass_check

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries

BOTS = "/api/v1/bots/"


def file(content: bytes = SOURCE, name: str = "bot.py") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def post(client: APIClient, path: str = BOTS, **fields: Any) -> Any:
    return client.post(path, {"package": file(), **fields}, format="multipart")


def test_the_list_has_active_and_own_bots(world: ApiWorld, client: APIClient) -> None:
    Bot.objects.filter(name="Rook").update(active_version=None)

    def names() -> set[str]:
        return {bot["name"] for bot in client.get(BOTS).json()["results"]}

    assert names() == {"Magpie", "Jay", "house:first"}
    client.force_authenticate(world.owner)
    assert names() == {"Magpie", "Jay", "house:first", "Rook"}
    client.force_authenticate(world.other)
    assert "Rook" not in names()


def test_the_list_can_be_filtered_and_ordered(world: ApiWorld, client: APIClient) -> None:
    def names(**query: Any) -> list[str]:
        return [bot["name"] for bot in client.get(BOTS, query).json()["results"]]

    assert names(owner="owner") == ["Magpie", "Rook"]
    assert names(owner="owner", ordering="-name") == ["Rook", "Magpie"]
    assert names(house="true") == ["house:first"]
    assert names(name="ag") == ["Magpie"]
    assert names(page_size=1, page=2) == ["Magpie"]
    assert_problem(client.get(BOTS, {"page": 99}), 404, "no page 99")


def test_lists_of_any_length_use_the_same_number_of_queries(
    world: ApiWorld, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):  # count, rows
        assert len(client.get(BOTS).json()["results"]) == 4
    slug = world.bots[0].slug
    with django_assert_num_queries(3):  # bot, count, rows
        client.get(f"{BOTS}{slug}/versions/")


def test_a_bot_lists_its_formats(world: ApiWorld, client: APIClient) -> None:
    bot = client.get(f"{BOTS}magpie/").json()
    assert bot | {"created": None} == {
        "slug": "magpie",
        "name": "Magpie",
        "owner": "owner",
        "house": False,
        "description": "",
        "active": 1,
        "plays_people": True,
        "takes_challenges": True,
        "quarantined": None,
        "formats": ["cassino/*/*"],
        "created": None,
    }
    assert_problem(client.get(f"{BOTS}nobody/"), 404)


def test_an_upload_creates_a_bot_with_a_queued_version(world: ApiWorld, client: APIClient) -> None:
    client.force_authenticate(world.owner)
    response = post(client, name="Wren", description="small", notes="first")
    assert response.status_code == 201, response.content
    version = response.json()
    assert (version["bot"], version["number"], version["status"]) == ("wren", 1, "queued")
    assert response["Location"].endswith("/api/v1/bots/wren/versions/1/")
    assert client.get(response["Location"]).json() == version
    bot = Bot.objects.get(slug="wren")
    assert bot.description == "small"
    assert bot.active_version is None


def test_a_zip_may_give_the_bots_name(world: ApiWorld, client: APIClient) -> None:
    upload = io.BytesIO()
    with zipfile.ZipFile(upload, "w") as archive:
        archive.writestr("bot.py", SOURCE)
        archive.writestr("cardroom.toml", 'name = "Lark"\nformats = ["cassino/*/1v1"]\n')
    client.force_authenticate(world.owner)
    response = client.post(BOTS, {"package": file(upload.getvalue(), "x.zip")}, format="multipart")
    assert response.status_code == 201, response.content
    assert response.json()["formats"] == ["cassino/*/1v1"]
    assert Bot.objects.filter(name="Lark", owner=world.owner).exists()


def test_a_version_can_be_uploaded_and_made_active(world: ApiWorld, client: APIClient) -> None:
    client.force_authenticate(world.owner)
    path = f"{BOTS}magpie/versions/"
    response = client.post(path, {"package": file(SOURCE + b"# 2\n")}, format="multipart")
    assert response.status_code == 201, response.content
    assert response.json()["number"] == 2
    body = assert_problem(client.patch(f"{BOTS}magpie/", {"active": 2}, format="json"), 409)
    assert list(body["errors"]) == ["active"]
    assert "queued" in body["detail"]
    pass_check(BotVersion.objects.get(bot__slug="magpie", number=2))
    assert client.patch(f"{BOTS}magpie/", {"active": 2}, format="json").json()["active"] == 2
    assert_problem(client.patch(f"{BOTS}magpie/", {"active": 9}, format="json"), 400, "version 9")


def test_a_change_is_atomic(world: ApiWorld, client: APIClient) -> None:
    client.force_authenticate(world.owner)
    invalid = {"description": "new words", "active": 9}
    assert_problem(client.patch(f"{BOTS}magpie/", invalid, format="json"), 400)
    assert client.get(f"{BOTS}magpie/").json()["description"] == ""
    valid = {"description": "new words", "name": "Pica"}
    bot = client.patch(f"{BOTS}magpie/", valid, format="json").json()
    assert (bot["slug"], bot["name"], bot["description"]) == ("magpie", "Pica", "new words")


def test_only_the_owner_writes(world: ApiWorld, client: APIClient) -> None:
    assert_problem(post(client), 401)
    assert_problem(client.patch(f"{BOTS}magpie/", {"description": "x"}, format="json"), 401)
    client.force_authenticate(world.other)
    assert_problem(post(client, f"{BOTS}magpie/versions/"), 403, "owner")
    assert_problem(client.patch(f"{BOTS}magpie/", {"description": "x"}, format="json"), 403)
    assert_problem(client.patch(f"{BOTS}house-first/", {"description": "x"}, format="json"), 403)
    assert BotVersion.objects.filter(bot__slug="magpie").count() == 1


def test_only_the_owner_sees_a_check(world: ApiWorld, client: APIClient) -> None:
    path = f"{BOTS}wren/versions/1/check/"
    client.force_authenticate(world.owner)
    post(client, name="Wren")
    pass_check(BotVersion.objects.get(bot__slug="wren"))
    client.force_authenticate(None)
    assert_problem(client.get(path), 401)
    client.force_authenticate(world.other)
    assert_problem(client.get(path), 403)
    for user in (world.owner, world.staff):
        client.force_authenticate(user)
        check = client.get(path).json()
        assert check["status"] == "ready"
        assert check["log"] == "hello from the bot"
        assert check["steps"][0]["name"] == "package"


@pytest.mark.parametrize(
    ("content", "name", "detail"),
    [
        (b"", "bot.py", "empty"),
        (b"PK\x03\x04 nonsense", "bot.zip", "broken"),
        (b"text", "bot.txt", "send a .py file"),
        (b"def choose(:\n", "bot.py", "bot.py"),
    ],
)
def test_bad_packages_are_refused_and_not_stored(
    world: ApiWorld, client: APIClient, content: bytes, name: str, detail: str
) -> None:
    client.force_authenticate(world.owner)
    counts = (Bot.objects.count(), StoredPackage.objects.count())
    response = client.post(
        BOTS, {"package": file(content, name), "name": "Wren"}, format="multipart"
    )
    body = assert_problem(response, 400, detail)
    assert set(body["errors"]) == {"package"}
    assert (Bot.objects.count(), StoredPackage.objects.count()) == counts


def test_a_missing_package_is_an_error_at_its_field(world: ApiWorld, client: APIClient) -> None:
    client.force_authenticate(world.owner)
    body = assert_problem(client.post(BOTS, {"name": "Wren"}, format="multipart"), 400)
    assert list(body["errors"]) == ["package"]
    assert_problem(client.post(BOTS, {"name": "Wren"}, format="json"), 415, "application/json")


def test_a_too_large_package_is_refused_before_it_is_read(
    world: ApiWorld, client: APIClient
) -> None:
    client.force_authenticate(world.owner)
    upload = file(b"#" * (MAX_PACKED + 1024 * 1024))
    assert_problem(client.post(BOTS, {"package": upload}, format="multipart"), 413, "MiB")
    just = file(b"#" * (MAX_PACKED + 1))
    assert_problem(client.post(BOTS, {"package": just}, format="multipart"), 400, "4 MiB")


def test_a_repeated_package_or_name_is_a_conflict(world: ApiWorld, client: APIClient) -> None:
    client.force_authenticate(world.owner)
    assert post(client, f"{BOTS}magpie/versions/").status_code == 201
    body = assert_problem(post(client, f"{BOTS}magpie/versions/"), 409, "Version 2")
    assert body["type"] == "urn:cardroom:problem:duplicate"
    assert_problem(post(client, name="magpie"), 409, "already a bot called")


def test_uploads_are_throttled(
    world: ApiWorld, client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = {"upload": "1/hour", "anon": None, "user": None, "token": None}
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", rates)
    client.force_authenticate(world.owner)
    assert post(client, name="Wren").status_code == 201
    response = post(client, name="Lark")
    assert_problem(response, 429)
    assert int(response["Retry-After"]) > 3000
    assert client.get(BOTS).status_code == 200

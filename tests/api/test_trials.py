"""REST: trials of versions, and going back."""

from __future__ import annotations

from rest_framework.test import APIClient

from tests import factories
from tests.api.conftest import World, assert_problem

AT = "/api/v1/bots/magpie/versions/2/trial/"


def test_a_version_is_tried(world: World, client: APIClient) -> None:
    magpie = world.bots[0]
    factories.version(magpie)
    assert_problem(client.get(AT), 401)
    client.force_authenticate(world.other)
    for call in (client.get, client.post, client.delete):
        assert_problem(call(AT), 403)
    client.force_authenticate(world.owner)
    assert_problem(client.get(AT), 404)
    assert_problem(client.delete(AT), 409, "is not in a trial")
    assert_problem(client.post(AT, {"gain": 2}, format="json"), 400, "gain")
    assert_problem(client.post(AT, {"format": "chess"}, format="json"), 400, "format", "chess")
    made = client.post(AT, {"gain": 40}, format="json")
    assert made.status_code == 201
    trial = made.json()
    assert (trial["bot"], trial["candidate"], trial["stable"]) == ("magpie", 2, 1)
    assert (trial["format"], trial["state"]) == ("cassino/standard/1v1", "running")
    assert (trial["elo0"], trial["elo1"], trial["llr"], trial["groups"]) == (0, 40, 0, 0)
    assert trial["lower"] < 0 < trial["upper"]
    assert client.get(AT).json() == trial
    assert_problem(client.post(AT), 409, "is being tried now")
    ended = client.delete(AT)
    assert (ended.status_code, ended.json()["state"]) == (200, "abandoned")


def test_rolling_back(world: World, client: APIClient) -> None:
    at = "/api/v1/bots/magpie/rollback/"
    factories.version(world.bots[0])
    client.force_authenticate(world.other)
    assert_problem(client.post(at), 403)
    client.force_authenticate(world.owner)
    assert_problem(client.post(at), 409, "no earlier active version")
    client.patch("/api/v1/bots/magpie/", {"active": 2}, format="json")
    assert client.post(at).json()["active"] == 1

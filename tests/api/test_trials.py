"""REST: trials and rollbacks."""

from __future__ import annotations

from rest_framework.test import APIClient

from tests import factories
from tests.api.conftest import ApiWorld, assert_problem

TRIAL = "/api/v1/bots/magpie/versions/2/trial/"


def test_a_trial_of_a_version(world: ApiWorld, client: APIClient) -> None:
    magpie = world.bots[0]
    factories.version(magpie)
    assert_problem(client.get(TRIAL), 401)
    client.force_authenticate(world.other)
    for call in (client.get, client.post, client.delete):
        assert_problem(call(TRIAL), 403)
    client.force_authenticate(world.owner)
    assert_problem(client.get(TRIAL), 404)
    assert_problem(client.delete(TRIAL), 409, "is not in a trial")
    assert_problem(client.post(TRIAL, {"gain": 2}, format="json"), 400, "gain")
    assert_problem(client.post(TRIAL, {"format": "chess"}, format="json"), 400, "format", "chess")
    response = client.post(TRIAL, {"gain": 40}, format="json")
    assert response.status_code == 201
    trial = response.json()
    assert (trial["bot"], trial["candidate"], trial["stable"]) == ("magpie", 2, 1)
    assert (trial["format"], trial["state"]) == ("cassino/standard/1v1", "running")
    assert (trial["elo0"], trial["elo1"], trial["llr"], trial["groups"]) == (0, 40, 0, 0)
    assert trial["lower"] < 0 < trial["upper"]
    assert client.get(TRIAL).json() == trial
    assert_problem(client.post(TRIAL), 409, "is being tried now")
    response = client.delete(TRIAL)
    assert (response.status_code, response.json()["state"]) == (200, "abandoned")


def test_rolling_back(world: ApiWorld, client: APIClient) -> None:
    address = "/api/v1/bots/magpie/rollback/"
    factories.version(world.bots[0])
    client.force_authenticate(world.other)
    assert_problem(client.post(address), 403)
    client.force_authenticate(world.owner)
    assert_problem(client.post(address), 409, "no earlier active version")
    client.patch("/api/v1/bots/magpie/", {"active": 2}, format="json")
    assert client.post(address).json()["active"] == 1

"""REST: challenges."""

from __future__ import annotations

from rest_framework.test import APIClient

from tests import factories
from tests.api.conftest import World, assert_problem
from tournaments.models import Challenge

AT = "/api/v1/challenges/"


def test_a_challenge_by_one_call(world: World, client: APIClient) -> None:
    asked = {"bot": "magpie", "against": "jay", "format": factories.FORMAT, "groups": 2}
    assert_problem(client.post(AT, asked, format="json"), 401)
    client.force_authenticate(world.owner)
    made = client.post(AT, asked, format="json")
    assert made.status_code == 201, made.content
    found = made.json()
    assert made["Location"].endswith(f"{AT}{found['id']}/")
    assert (found["bot"], found["version"], found["against"]) == ("magpie", 1, "jay")
    assert (found["state"], found["groups"], found["private"]) == ("running", 2, False)
    assert (found["points"], found["low"], len(found["matches"])) == (None, None, 4)
    factories.finish_all(Challenge.objects.get().tournament)
    client.force_authenticate(None)
    over = client.get(f"{AT}{found['id']}/").json()
    assert (over["state"], over["won"], over["level"], over["lost"]) == ("finished", 0, 2, 0)
    assert over["points"] == 0.5
    assert 0 < over["low"] < 0.5 < over["high"] < 1
    listed = client.get(f"/api/v1/tournaments/{over['tournament']}/matches/").json()["results"]
    assert sorted(match["id"] for match in listed) == sorted(over["matches"])


def test_versions_of_one_s_own_bot(world: World, client: APIClient) -> None:
    factories.version(world.bots[0])
    client.force_authenticate(world.owner)
    asked = {"bot": "magpie", "version": 2, "against": "magpie", "groups": 1}
    found = client.post(AT, asked, format="json").json()
    assert (found["version"], found["against_version"], found["private"]) == (2, 1, True)
    client.force_authenticate(world.other)
    assert_problem(client.get(f"{AT}{found['id']}/"), 404)
    assert_problem(client.delete(f"{AT}{found['id']}/"), 404)
    client.force_authenticate(world.owner)
    assert client.delete(f"{AT}{found['id']}/").json()["state"] == "cancelled"
    assert_problem(client.delete(f"{AT}{found['id']}/"), 409)


def test_what_is_wrong_is_said_with_its_field(world: World, client: APIClient) -> None:
    client.force_authenticate(world.owner)

    def refused(status: int, field: str, **asked: object) -> None:
        sent = {"bot": "magpie", "against": "jay"} | asked
        assert field in assert_problem(client.post(AT, sent, format="json"), status)["errors"]

    refused(400, "against", against="nobody")
    refused(400, "version", version=9)
    refused(400, "groups", groups=51)
    refused(400, "format", format="chess")
    refused(400, "oops", oops=1)
    client.force_authenticate(world.other)
    client.patch("/api/v1/bots/jay/", {"takes_challenges": False}, format="json")
    assert client.get("/api/v1/bots/jay/").json()["takes_challenges"] is False
    client.force_authenticate(world.owner)
    refused(403, "against")

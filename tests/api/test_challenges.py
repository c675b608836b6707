"""REST: challenges."""

from __future__ import annotations

from rest_framework.test import APIClient

from tests import factories
from tests.api.conftest import ApiWorld, assert_problem
from tournaments.models import Challenge

CHALLENGES = "/api/v1/challenges/"


def test_a_challenge_by_one_call(world: ApiWorld, client: APIClient) -> None:
    data = {"bot": "magpie", "against": "jay", "format": factories.FORMAT, "groups": 2}
    assert_problem(client.post(CHALLENGES, data, format="json"), 401)
    client.force_authenticate(world.owner)
    response = client.post(CHALLENGES, data, format="json")
    assert response.status_code == 201, response.content
    challenge = response.json()
    assert response["Location"].endswith(f"{CHALLENGES}{challenge['id']}/")
    assert (challenge["bot"], challenge["version"], challenge["against"]) == ("magpie", 1, "jay")
    assert (challenge["state"], challenge["groups"], challenge["private"]) == ("running", 2, False)
    assert (challenge["points"], challenge["low"], len(challenge["matches"])) == (None, None, 4)
    factories.finish_all(Challenge.objects.get().tournament)
    client.force_authenticate(None)
    finished = client.get(f"{CHALLENGES}{challenge['id']}/").json()
    assert (finished["state"], finished["won"], finished["level"], finished["lost"]) == (
        "finished",
        0,
        2,
        0,
    )
    assert finished["points"] == 0.5
    assert 0 < finished["low"] < 0.5 < finished["high"] < 1
    matches = client.get(f"/api/v1/tournaments/{finished['tournament']}/matches/").json()["results"]
    assert sorted(match["id"] for match in matches) == sorted(finished["matches"])


def test_a_challenge_between_versions_of_one_bot_is_private(
    world: ApiWorld, client: APIClient
) -> None:
    factories.version(world.bots[0])
    client.force_authenticate(world.owner)
    data = {"bot": "magpie", "version": 2, "against": "magpie", "groups": 1}
    challenge = client.post(CHALLENGES, data, format="json").json()
    assert (challenge["version"], challenge["against_version"], challenge["private"]) == (
        2,
        1,
        True,
    )
    client.force_authenticate(world.other)
    assert_problem(client.get(f"{CHALLENGES}{challenge['id']}/"), 404)
    assert_problem(client.delete(f"{CHALLENGES}{challenge['id']}/"), 404)
    client.force_authenticate(world.owner)
    assert client.delete(f"{CHALLENGES}{challenge['id']}/").json()["state"] == "cancelled"
    assert_problem(client.delete(f"{CHALLENGES}{challenge['id']}/"), 409)


def test_errors_name_their_fields(world: ApiWorld, client: APIClient) -> None:
    client.force_authenticate(world.owner)

    def assert_refused(status: int, field: str, **fields: object) -> None:
        data = {"bot": "magpie", "against": "jay"} | fields
        assert (
            field in assert_problem(client.post(CHALLENGES, data, format="json"), status)["errors"]
        )

    assert_refused(400, "against", against="nobody")
    assert_refused(400, "version", version=9)
    assert_refused(400, "groups", groups=51)
    assert_refused(400, "format", format="chess")
    assert_refused(400, "oops", oops=1)
    client.force_authenticate(world.other)
    client.patch("/api/v1/bots/jay/", {"takes_challenges": False}, format="json")
    assert client.get("/api/v1/bots/jay/").json()["takes_challenges"] is False
    client.force_authenticate(world.owner)
    assert_refused(403, "against")

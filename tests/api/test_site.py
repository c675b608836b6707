"""REST: the root, games, formats, status, sessions, and problems in general."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone
from rest_framework.test import APIClient

from bots.actions import report_trouble, report_worker
from bots.models import WorkerNode
from bots.sandbox import Isolation, libraries
from bots.schemas.documents import names, schema
from cardroom import last_runs, reachable
from cardroom.models import LastRun
from cardroom_base.core import compiled
from engine import Format, all_formats
from tests import factories as make
from tests.api.conftest import ApiWorld, assert_problem
from tests.pages.markup import flat
from tournaments import actions
from tournaments.models import Attempt, Match

V1 = "/api/v1/"


def test_every_address_of_the_root_answers(world: ApiWorld, client: APIClient) -> None:
    addresses = client.get(V1).json()
    for name, address in addresses.items():
        assert client.get(address).status_code == (401 if name == "tokens" else 200), name


def test_unknown_addresses_get_a_problem(client: APIClient) -> None:
    assert_problem(client.get("/api/v1/nonsense/"), 404, "/api/v1/")
    assert_problem(client.post("/api/nonsense/"), 404)
    assert client.get("/api/v1/games").status_code == 301


def test_json_schemas_are_listed_and_served(client: APIClient) -> None:
    addresses = {row["name"]: row["url"] for row in client.get(f"{V1}schemas/").json()}
    assert list(addresses) == names()
    response = client.get(addresses["cassino-view"])
    assert response["Content-Type"] == "application/schema+json"
    assert response.json() == schema("cassino-view")
    assert_problem(client.get(f"{V1}schemas/whist-view/"), 404, "/api/v1/schemas/")


def test_games_with_options_and_rule_sheet(client: APIClient) -> None:
    [cassino] = [g for g in client.get(f"{V1}games/").json()["results"] if g["name"] == "cassino"]
    target = next(option for option in cassino["options"] if option["name"] == "target")
    assert target["type"] == "int"
    assert target["default"] == 21
    assert (target["low"], target["high"]) == (0, 999)
    assert target["clause"]
    assert {variant["name"] for variant in cassino["variants"]} >= {"standard", "royal"}
    one = client.get(f"{V1}games/cassino/").json()
    assert {key: one[key] for key in cassino} == cassino
    assert "rule_sheet" in one
    assert_problem(client.get(f"{V1}games/whist/"), 404, "cassino")


def test_formats(client: APIClient) -> None:
    page = client.get(f"{V1}formats/", {"page_size": 500}).json()
    assert [row["format"] for row in page["results"]] == [str(fmt) for fmt in all_formats()]
    narrowed = client.get(f"{V1}formats/", {"game": "cassino", "table": "2v2"}).json()["results"]
    assert narrowed
    for row in narrowed:
        fmt = Format.parse(row["format"])
        assert row["sides"] == [list(side) for side in fmt.sides] == [[0, 2], [1, 3]]
        assert row["options"] == dict(fmt.options)
    assert client.get(f"{V1}formats/", {"game": "whist"}).json()["results"] == []


def test_status_counts_waiting_work(world: ApiWorld, client: APIClient) -> None:
    status = client.get(f"{V1}status/").json()
    assert (status["waiting_matches"], status["running_matches"]) == (2, 0)
    assert status["workers"] == 0
    assert status["matches_per_minute"] == 12 / 5
    assert 0 < status["expected_wait_seconds"] < 2 / (12 / 300)  # no worker was busy all the time
    actions.claim("second", 1)
    status = client.get(f"{V1}status/").json()
    assert (status["waiting_matches"], status["running_matches"]) == (1, 1)


@pytest.fixture
def interpreted_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "kind", lambda: compiled.EngineKind("interpreted", "no compiler"))


@pytest.mark.usefixtures("interpreted_rules")
def test_status_counts_running_workers(world: ApiWorld, client: APIClient) -> None:
    """Names of recent claims are not counted: a restarted process is one worker, not two."""
    walled = Isolation("full", (), "Fine.", "a wall")
    report_worker("worker@one", walled, 2)
    report_worker("worker@two", walled, 1)
    actions.claim("worker@one/11", 1)
    actions.claim("worker@one/12", 1)
    report_worker("worker@one", walled, 2)
    status = client.get(f"{V1}status/").json()
    assert status["workers"] == 3
    assert [walls["workers"] for walls in status["sandboxes"]] == [3]
    assert [walls["engine"] for walls in status["sandboxes"]] == ["interpreted"]
    assert "The rules run interpreted." in flat(client.get("/status/").content.decode())


def test_only_the_staff_sees_ill_workers_in_the_status(world: ApiWorld, client: APIClient) -> None:
    walled = Isolation("full", (), "Fine.", "a wall")
    report_worker("worker@one", walled, 2)
    report_worker("worker@two", walled, 1)
    report_trouble("worker@one", "The disk is full.")
    status = client.get(f"{V1}status/").json()
    assert (status["workers"], status["ill_workers"], status["troubles"]) == (1, 2, [])
    client.force_authenticate(make.user(staff=True))
    response = client.get(f"{V1}status/")
    [trouble] = response.json()["troubles"]
    assert (trouble["worker"], trouble["cause"]) == ("worker@one", "The disk is full.")
    assert trouble["since"]
    page = flat(client.get("/status/").content.decode())
    assert (
        "2 workers cannot run bots now. They take no work until their own tests pass again" in page
    )
    assert "The disk is full." not in page


def test_status_shows_broker_housekeeping_and_backup(
    world: ApiWorld, client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def status() -> tuple[dict[str, Any], str]:
        page = flat(client.get("/status/").content.decode())
        return client.get(f"{V1}status/").json(), page

    figures, page = status()
    assert (figures["broker_trouble"], figures["last_housekeeping"], figures["late_jobs"]) == (
        "",
        None,
        [],
    )
    assert "The message broker:" not in page
    monkeypatch.setattr(reachable, "broker", reachable.ReachabilityCheck(lambda: "It is off.", 5))
    last_runs.record(last_runs.BACKUP)
    for job, minutes in (("sweep", 1), ("ratings", 6)):
        last_runs.record(job)
        LastRun.objects.filter(job=job).update(at=timezone.now() - timedelta(minutes=minutes))
    figures, page = status()
    assert (figures["broker_trouble"], figures["late_jobs"]) == ("It is off.", ["ratings"])
    assert "The message broker: It is off." in page
    assert "The housekeeper is late with: ratings." in page
    assert figures["last_housekeeping"]
    assert figures["last_backup"] is None
    assert "Last backup" not in page
    staff = make.user(staff=True)
    client.force_authenticate(staff)
    client.force_login(staff)
    figures, page = status()
    assert figures["last_backup"]
    assert "Last backup" in page


def test_status_without_a_pace_estimates_no_wait(world: ApiWorld, client: APIClient) -> None:
    Attempt.objects.update(finished=timezone.now() - timedelta(hours=1))
    assert client.get(f"{V1}status/").json()["expected_wait_seconds"] is None
    Match.objects.filter(state="waiting").update(state="void")
    assert client.get(f"{V1}status/").json()["expected_wait_seconds"] == 0


@pytest.mark.usefixtures("interpreted_rules")
def test_status_shows_the_walls_that_workers_report(world: ApiWorld, client: APIClient) -> None:
    assert client.get(f"{V1}status/").json()["sandboxes"] == []
    walled = Isolation("full", ("namespaces", "filter"), "Fine.", "control group (memory.max)")
    for name in ("worker@one", "worker@two"):
        report_worker(name, walled)
    report_worker("worker@three", Isolation("none", (), "secret-host: install bubblewrap"))
    report_worker("worker@gone", walled)
    WorkerNode.objects.filter(name="worker@gone").update(seen=timezone.now() - timedelta(minutes=6))
    response = client.get(f"{V1}status/")
    runtimes = libraries.runtimes()
    assert response.json()["sandboxes"] == [
        {
            "workers": 1,
            "level": "none",
            "memory": "",
            "layers": [],
            "engine": "interpreted",
            "runtimes": runtimes,
        },
        {
            "workers": 2,
            "level": "full",
            "memory": "control group (memory.max)",
            "layers": ["namespaces", "filter"],
            "engine": "interpreted",
            "runtimes": runtimes,
        },
    ]
    assert "worker@" not in response.content.decode()
    assert "secret-host" not in response.content.decode()
    assert f"numpy {runtimes['numpy']}" in flat(client.get("/status/").content.decode())


def test_session_needs_its_csrf_token(world: ApiWorld) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(world.owner)
    assert_problem(client.patch(f"{V1}bots/magpie/", {"name": "x"}, format="json"), 403, "CSRF")


def test_bad_bodies_get_problems(world: ApiWorld, client: APIClient) -> None:
    client.force_authenticate(world.owner)
    path = f"{V1}tournaments/"
    json = "application/json"
    assert_problem(client.post(path, "{", content_type=json), 400, "JSON")
    assert_problem(client.post(path, "[1]", content_type=json), 400)
    assert_problem(client.post(path, "a=1", content_type="text/plain"), 415, "text/plain")
    assert_problem(client.post(path, '"' + "x" * 70_000 + '"', content_type=json), 413, "64 KiB")
    assert_problem(client.put(path, {}, format="json"), 405, "PUT")


def test_problems_name_the_address_and_the_kind(world: ApiWorld, client: APIClient) -> None:
    body = assert_problem(client.get(f"{V1}bots/nobody/"), 404)
    assert body["instance"] == f"{V1}bots/nobody/"
    assert body["type"] == "urn:cardroom:problem:not-found"
    assert body["title"] == "Not Found"


def test_a_race_for_a_name_is_a_conflict(
    world: ApiWorld, client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(*args: object, **fields: object) -> None:
        raise IntegrityError("UNIQUE constraint failed")

    monkeypatch.setattr(actions, "create_tournament", lose)
    client.force_authenticate(world.owner)
    data = {"name": "x", "format": "cassino/standard/1v1"}
    assert_problem(client.post(f"{V1}tournaments/", data, format="json"), 409, "changed this first")


def test_server_errors_are_problems_without_a_traceback(
    world: ApiWorld, client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*args: object, **fields: object) -> None:
        raise RuntimeError("a secret of the house")

    monkeypatch.setattr(actions, "create_tournament", break_down)
    client.raise_request_exception = False
    client.force_authenticate(world.owner)
    data = {"name": "x", "format": "cassino/standard/1v1"}
    body = assert_problem(client.post(f"{V1}tournaments/", data, format="json"), 500, "logged")
    assert "secret" not in str(body)


def test_a_wrong_host_gets_a_problem(client: APIClient) -> None:
    assert_problem(client.get(f"{V1}games/", HTTP_HOST="elsewhere.example"), 400)


def test_responses_are_json_for_any_accept_header(client: APIClient) -> None:
    response = client.get(f"{V1}games/", HTTP_ACCEPT="text/html")
    assert response["Content-Type"] == "application/json"


def test_docs_load_nothing_from_other_sites(client: APIClient) -> None:
    response = client.get("/api/docs/")
    assert response.status_code == 200
    page = response.content.decode()
    assert "swagger-ui" in page
    assert "https://" not in page


def test_docs_have_the_sites_name_and_theme(client: APIClient) -> None:
    client.cookies["theme"] = "dark"
    page = client.get("/api/docs/").content.decode()
    assert 'data-theme="dark"' in page
    assert "Cardroom</a>" in page
    assert "cardroom/css/api.css" in page

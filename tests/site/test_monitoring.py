"""Health checks, metrics, error reports, alerts and the dashboard."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import yaml
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from bots.actions import report_trouble, report_worker
from bots.models import Bot
from bots.sandbox import Isolation
from cardroom import last_runs, reachable
from cardroom.status import site_status
from cardroom_base.db import outbox, schema_number
from cardroom_base.db.db_time import now
from cardroom_tables.actions.hosting import report_host
from tests import factories as make
from tournaments import actions
from tournaments.models import Attempt, Ledger, Match
from tournaments.queue.task_names import ADVANCE_TASK, PLAY_TASK

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "0f1e2d3c4b5a69788796"

PLAIN = {"HTTP_HOST": "10.0.0.9:8000"}
"""Addresses a machine by number, over plain HTTP."""


@pytest.fixture
def strict(settings: Any) -> None:
    """Redirect to HTTPS, allow only another host, and set a broker."""
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["cards.example.org"]
    settings.EMBEDDED_BROKER = False
    reachable.database.forget()
    reachable.broker.forget()


def not_ready(client: Client) -> dict[str, str]:
    response = client.get("/readyz", **PLAIN)  # type: ignore[arg-type]  # part of the environment
    readiness = response.json()
    assert response.status_code == (200 if readiness["ready"] else 503)
    assert response["Cache-Control"] == "no-store"
    return {part["part"]: part["reason"] for part in readiness["not_ready"]}


def test_a_running_process_is_healthy_without_a_database(client: Client, strict: None) -> None:
    response = client.get("/healthz", **PLAIN)  # type: ignore[arg-type]  # part of the environment
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert client.get("/status/", **PLAIN).status_code == 400  # type: ignore[arg-type]


def test_a_process_without_its_database_is_not_ready(client: Client, strict: None) -> None:
    """Tests without the mark `django_db` have no database."""
    assert not_ready(client) == {"database": "It cannot be reached."}


@pytest.mark.django_db
def test_a_process_is_ready_with_its_schema_and_its_broker(
    client: Client, strict: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    assert not_ready(client) == {}
    monkeypatch.setattr(schema_number, "program_number", lambda: 0)
    reachable.database.forget()
    frozen = Event()
    monkeypatch.setattr(reachable, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(
        reachable, "broker", reachable.ReachabilityCheck(lambda: str(frozen.wait()), 5)
    )
    troubles = not_ready(client)
    assert troubles["broker"] == reachable.SILENT
    assert "newer" in troubles["database"]
    settings.EMBEDDED_BROKER = True
    assert not_ready(client).keys() == {"database"}
    frozen.set()


# --- metrics --------------------------------------------------------------------------------------


def scrape(client: Client) -> dict[str, Metric]:
    """The metrics by name, as Prometheus reads them."""
    response = client.get("/metrics", **PLAIN, HTTP_AUTHORIZATION=f"Bearer {TOKEN}")  # type: ignore[arg-type]
    assert response.status_code == 200, response.content
    families = text_string_to_metric_families(response.content.decode())
    return {family.name: family for family in families}


def samples(family: Metric) -> dict[tuple[str, ...], float]:
    return {tuple(sample.labels.values()): sample.value for sample in family.samples}


@pytest.mark.django_db
def test_only_the_token_and_the_networks_open_the_metrics(
    client: Client, strict: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def status(token: str = "", peer: str = "192.0.2.1", **extra: str) -> int:
        headers = {"HTTP_AUTHORIZATION": f"Bearer {token}"} if token else {}
        environ: Any = PLAIN | {"REMOTE_ADDR": peer} | headers | extra
        return Client().get("/metrics", **environ).status_code

    assert status(TOKEN) == status(peer="127.0.0.1") == 404
    settings.METRICS_TOKEN = TOKEN
    assert [status(), status(TOKEN[:-1]), status("ü" * 20), status(TOKEN)] == [403, 403, 403, 200]
    settings.METRICS_TOKEN = ""
    settings.METRICS_NETWORKS = ["10.0.0.0/8"]
    settings.TRUSTED_PROXIES = ["10.0.0.1"]
    assert [status(), status(TOKEN), status(peer="10.0.0.7")] == [403, 403, 200]
    # Clients of a proxy inside are refused, and so are strangers with a forged header.
    assert status(peer="10.0.0.1", HTTP_X_FORWARDED_FOR="203.0.113.5") == 403
    assert status(HTTP_X_FORWARDED_FOR="10.0.0.7") == 403

    def fail(_accept: str) -> tuple[bytes, str]:
        raise OperationalError("gone")

    monkeypatch.setattr("cardroom.metrics.exposition", fail)
    assert status(peer="10.0.0.7") == 503


@pytest.mark.django_db
def test_metrics_show_the_database_in_few_queries(
    client: Client, strict: None, settings: Any, django_assert_max_num_queries: Any
) -> None:
    settings.METRICS_TOKEN = TOKEN
    isolation = Isolation("full", (), "Fine.", "a wall")
    owner = make.user('<b>"owner')
    cup = make.tournament([make.bot(owner, "Wren"), make.bot(owner, "Jay")], by=owner, start=True)
    report_worker("worker@one", isolation, 2)
    report_worker("worker@two", Isolation("none", (), "no bubblewrap"), 1)
    report_trouble("worker@two", "The disk is full.")
    report_host("tables@one", isolation, 4)
    outbox.announce(PLAY_TASK)
    outbox.announce(ADVANCE_TASK, tournament=1)
    waiting = Match.objects.filter(state="waiting").count()
    with django_assert_max_num_queries(17):
        before = scrape(client)
    assert samples(before["cardroom_queue_waiting"])["matches",] == waiting > 1
    assert samples(before["cardroom_queue_waiting"])["requests",] >= 1
    assert samples(before["cardroom_worker_processes"])["full", "well"] == 2
    assert samples(before["cardroom_worker_processes"])["none", "ill"] == 1
    assert samples(before["cardroom_table_host_threads"]) == {(): 4}
    assert samples(before["cardroom_broker_up"]) == {(): 1}
    assert not samples(before["cardroom_backup_age_seconds"])

    make.finish(cup.matches.earliest("pk"), faults=[(0, "time")])
    make.end_retry_delays()
    (attempt,) = actions.claim("worker@one/7", 1)
    Attempt.objects.filter(pk=attempt.pk).update(outcome="lost", finished=timezone.now())
    Ledger.objects.update(ordinal=7, fitted=5)
    for job in (last_runs.BACKUP, "sweep"):
        last_runs.record(job)
    make.bot(make.user("another"), "Rook")
    with django_assert_max_num_queries(17):
        after = scrape(client)
    assert samples(after["cardroom_attempts_recent"])["lost",] == 1
    assert samples(after["cardroom_faults_recent"])["time",] == 1
    assert 0 <= samples(after["cardroom_housekeeping_age_seconds"])["sweep",] < 600
    assert 0 <= samples(after["cardroom_backup_age_seconds"])[()] < 600
    assert before.keys() == after.keys()
    labels = {value for family in after.values() for key in samples(family) for value in key}
    assert not [value for value in labels if not re.fullmatch(r"[a-z_]+|[0-9.]+\w*", value)]
    assert not labels & {"wren", "jay", "rook", "owner"}


@pytest.mark.django_db
def test_matches_of_quarantined_bots_do_not_count_as_waiting() -> None:
    bots = [make.bot() for _ in range(3)]
    cup = make.tournament(bots, start=True)
    free = cup.matches.exclude(seats__version__bot=bots[0])
    assert 0 < free.count() < cup.matches.count()
    Bot.objects.filter(pk=bots[0].pk).update(quarantined=now())
    status = site_status()
    assert status["waiting_matches"] == free.count()
    assert status["first_waiting_match"] == free.earliest("pk").pk


def test_optional_libraries_are_loaded_only_if_used() -> None:
    code = (
        "import sys, django; django.setup(); from cardroom import probes, wsgi; "
        "print([name for name in ('prometheus_client', 'sentry_sdk') if name in sys.modules])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout == "[]\n"


# --- error reports --------------------------------------------------------------------------------

BROKEN = """
import json, logging
secret = "SEC" + "RET"  # an event contains lines of source code
import django; django.setup()
import sentry_sdk
from django.db import OperationalError
from django.test import RequestFactory
from cardroom import middleware
errors = [OperationalError("gone"), RuntimeError(f"It broke at invitation={secret}")]
ids, envelopes = [], []
sentry_sdk.get_client().transport.capture_envelope = envelopes.append
def fail(self, request, *_):
    password = request.POST["password"]
    raise errors.pop()
middleware.RequestLimits.process_view = fail
from cardroom.wsgi import application
def post():
    path, form = f"/login/?invitation={secret}", {"password": secret}
    request = RequestFactory().post(path, form, HTTP_HOST="localhost", HTTP_COOKIE=f"a={secret}")
    start = lambda _, headers: ids.append(dict(headers)["X-Request-ID"])
    b"".join(application(request.environ, start))
post(), logging.getLogger("site").warning(secret), post()
events = [event for event in (envelope.get_event() for envelope in envelopes) if event]
print(json.dumps([ids, events]))
"""


def test_sentry_gets_mistakes_without_secrets(tmp_path: Path) -> None:
    """An error of an unavailable database is not sent."""
    environment = os.environ | {
        "CARDROOM_SENTRY_DSN": "http://key@127.0.0.1:9/1",
        "CARDROOM_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    command = [sys.executable, "-c", BROKEN]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    (first, _), [event] = json.loads(process.stdout)
    [error] = event["exception"]["values"]
    assert (error["type"], error["value"]) == ("RuntimeError", "It broke at invitation=***")
    assert error["stacktrace"]["frames"][-1]["function"] == "fail"
    assert event["tags"]["request_id"] == first
    assert event["request"] == {"method": "POST", "url": "http://localhost/login/"}
    assert "SECRET" not in json.dumps(event)
    assert "127.0.0.1" not in json.dumps(event)


# --- alerts and dashboard -------------------------------------------------------------------------


def expressions() -> Iterator[tuple[str, str]]:
    """The queries of all alerts and panels in `deploy/`, with their names."""
    rules = yaml.safe_load((ROOT / "deploy/prometheus/cardroom.rules.yml").read_text())
    for group in rules["groups"]:
        for rule in group["rules"]:
            assert rule["labels"]["severity"] in {"critical", "warning"}
            assert {"summary", "description"} <= rule["annotations"].keys()
            yield rule["alert"], rule["expr"]
    dashboard = json.loads((ROOT / "deploy/grafana/cardroom.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]


@pytest.mark.django_db
def test_alerts_and_dashboard_use_all_metrics(client: Client, strict: None, settings: Any) -> None:
    """Each metric is used, and the labels of each query exist."""
    settings.METRICS_TOKEN = TOKEN
    for job in settings.CELERY_BEAT_SCHEDULE:
        last_runs.record(job)
    families = scrape(client)
    series = {sample.name: family for family in families.values() for sample in family.samples}
    series |= families
    used = set()
    for title, expression in expressions():
        names = re.findall(r"(cardroom_\w+)(?:\{([^}]*)\})?", expression)
        assert names or "up{" in expression, title
        for name, selector in names:
            assert name in series, (title, name)
            used.add(series[name].name)
            for label, value in re.findall(r'(\w+)="([^"]*)"', selector):
                values = {sample.labels.get(label) for sample in series[name].samples}
                assert value in values, (title, name, label, value)
    assert used == families.keys()

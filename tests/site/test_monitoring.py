"""What supervisors and monitors ask the site."""

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
from bots.sandbox import Isolation
from cardroom import last_runs, reachable
from cardroom_base.db import outbox, schema
from cardroom_tables.actions.hosting import report_host
from tests import factories as make
from tournaments import actions
from tournaments.models import Attempt, Ledger, Match
from tournaments.queue.messages import ADVANCE_TASK, PLAY_TASK

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "0f1e2d3c4b5a69788796"

PLAIN = {"HTTP_HOST": "10.0.0.9:8000"}
"""By the address of a machine, over plain HTTP."""


@pytest.fixture
def strict(settings: Any) -> None:
    """The site redirects to HTTPS, has another name, and its settings name a broker."""
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["cards.example.org"]
    settings.EMBEDDED_BROKER = False
    reachable.database.forget()
    reachable.broker.forget()


def not_ready(client: Client) -> dict[str, str]:
    answer = client.get("/readyz", **PLAIN)  # type: ignore[arg-type]  # part of the environment
    readiness = answer.json()
    assert answer.status_code == (200 if readiness["ready"] else 503)
    assert answer["Cache-Control"] == "no-store"
    return {part["part"]: part["reason"] for part in readiness["not_ready"]}


def test_a_living_process_says_so_without_a_database(client: Client, strict: None) -> None:
    answer = client.get("/healthz", **PLAIN)  # type: ignore[arg-type]  # part of the environment
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert client.get("/status/", **PLAIN).status_code == 400  # type: ignore[arg-type]


def test_a_process_without_its_database_is_not_ready(client: Client, strict: None) -> None:
    """Tests without the mark `django_db` have none."""
    assert not_ready(client) == {"database": "It cannot be reached."}


@pytest.mark.django_db
def test_a_process_is_ready_with_its_schema_and_its_broker(
    client: Client, strict: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    assert not_ready(client) == {}
    monkeypatch.setattr(schema, "program_number", lambda: 0)
    reachable.database.forget()
    frozen = Event()
    monkeypatch.setattr(reachable, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(reachable, "broker", reachable.Check(lambda: str(frozen.wait()), 5))
    troubles = not_ready(client)
    assert troubles["broker"] == reachable.SILENT
    assert "newer" in troubles["database"]
    settings.EMBEDDED_BROKER = True
    assert not_ready(client).keys() == {"database"}
    frozen.set()


# --- metrics --------------------------------------------------------------------------------------


def scraped(client: Client) -> dict[str, Metric]:
    """The metrics by name, as Prometheus reads them."""
    answer = client.get("/metrics", **PLAIN, HTTP_AUTHORIZATION=f"Bearer {TOKEN}")  # type: ignore[arg-type]
    assert answer.status_code == 200, answer.content
    families = text_string_to_metric_families(answer.content.decode())
    return {family.name: family for family in families}


def samples(family: Metric) -> dict[tuple[str, ...], float]:
    return {tuple(sample.labels.values()): sample.value for sample in family.samples}


@pytest.mark.django_db
def test_only_the_token_and_the_networks_open_the_metrics(
    client: Client, strict: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def status(token: str = "", peer: str = "192.0.2.1", **more: str) -> int:
        headers = {"HTTP_AUTHORIZATION": f"Bearer {token}"} if token else {}
        sent: Any = PLAIN | {"REMOTE_ADDR": peer} | headers | more
        return Client().get("/metrics", **sent).status_code

    assert status(TOKEN) == status(peer="127.0.0.1") == 404
    settings.METRICS_TOKEN = TOKEN
    assert [status(), status(TOKEN[:-1]), status("ü" * 20), status(TOKEN)] == [403, 403, 403, 200]
    settings.METRICS_TOKEN = ""
    settings.METRICS_NETWORKS = ["10.0.0.0/8"]
    settings.TRUSTED_PROXIES = ["10.0.0.1"]
    assert [status(), status(TOKEN), status(peer="10.0.0.7")] == [403, 403, 200]
    # A proxy inside does not open them to its clients, nor does a stranger by a header.
    assert status(peer="10.0.0.1", HTTP_X_FORWARDED_FOR="203.0.113.5") == 403
    assert status(HTTP_X_FORWARDED_FOR="10.0.0.7") == 403

    def away(_accept: str) -> tuple[bytes, str]:
        raise OperationalError("gone")

    monkeypatch.setattr("cardroom.metrics.exposition", away)
    assert status(peer="10.0.0.7") == 503


@pytest.mark.django_db
def test_metrics_show_what_the_database_holds_in_few_queries(
    client: Client, strict: None, settings: Any, django_assert_max_num_queries: Any
) -> None:
    settings.METRICS_TOKEN = TOKEN
    walled = Isolation("full", (), "Fine.", "a wall")
    owner = make.user('<b>"owner')
    cup = make.tournament([make.bot(owner, "Wren"), make.bot(owner, "Jay")], by=owner, start=True)
    report_worker("worker@one", walled, 2)
    report_worker("worker@two", Isolation("none", (), "no bubblewrap"), 1)
    report_trouble("worker@two", "The disk is full.")
    report_host("tables@one", walled, 4)
    outbox.announce(PLAY_TASK)
    outbox.announce(ADVANCE_TASK, tournament=1)
    waiting = Match.objects.filter(state="waiting").count()
    with django_assert_max_num_queries(17):
        few = scraped(client)
    assert samples(few["cardroom_queue_waiting"])["matches",] == waiting > 1
    assert samples(few["cardroom_queue_waiting"])["requests",] >= 1
    assert samples(few["cardroom_worker_processes"])["full", "well"] == 2
    assert samples(few["cardroom_worker_processes"])["none", "ill"] == 1
    assert samples(few["cardroom_table_host_threads"]) == {(): 4}
    assert samples(few["cardroom_broker_up"]) == {(): 1}
    assert not samples(few["cardroom_backup_age_seconds"])

    make.finish(cup.matches.earliest("pk"), faults=[(0, "time")])
    make.end_retry_delays()
    (lost,) = actions.claim("worker@one/7", 1)
    Attempt.objects.filter(pk=lost.pk).update(outcome="lost", finished=timezone.now())
    Ledger.objects.update(ordinal=7, fitted=5)
    for job in (last_runs.BACKUP, "sweep"):
        last_runs.record(job)
    make.bot(make.user("another"), "Rook")
    with django_assert_max_num_queries(17):
        more = scraped(client)
    assert samples(more["cardroom_attempts_recent"])["lost",] == 1
    assert samples(more["cardroom_faults_recent"])["time",] == 1
    assert 0 <= samples(more["cardroom_housekeeping_age_seconds"])["sweep",] < 600
    assert 0 <= samples(more["cardroom_backup_age_seconds"])[()] < 600
    assert few.keys() == more.keys()
    labels = {value for family in more.values() for key in samples(family) for value in key}
    assert not [value for value in labels if not re.fullmatch(r"[a-z_]+|[0-9.]+\w*", value)]
    assert not labels & {"wren", "jay", "rook", "owner"}


def test_only_a_reader_of_metrics_loads_their_library() -> None:
    code = (
        "import sys, django; django.setup(); from cardroom import probes, wsgi; "
        "print([name for name in ('prometheus_client', 'sentry_sdk') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


# --- reports of errors ----------------------------------------------------------------------------

BROKEN = """
import json, logging
import django; django.setup()
import sentry_sdk
from django.db import OperationalError
from django.test import RequestFactory
from cardroom import middleware
errors = [OperationalError("gone"), RuntimeError("It broke at invitation=SECRET")]
ids, envelopes = [], []
sentry_sdk.get_client().transport.capture_envelope = envelopes.append
def broken(self, request, *_):
    password = request.POST["password"]
    raise errors.pop()
middleware.RequestLimits.process_view = broken
from cardroom.wsgi import application
def ask():
    path, form = "/login/?invitation=SECRET", {"password": "SECRET"}
    request = RequestFactory().post(path, form, HTTP_HOST="localhost", HTTP_COOKIE="a=SECRET")
    start = lambda _, headers: ids.append(dict(headers)["X-Request-ID"])
    b"".join(application(request.environ, start))
ask(), logging.getLogger("site").warning("SECRET"), ask()
events = [event for event in (envelope.get_event() for envelope in envelopes) if event]
print(json.dumps([ids, events]))
"""


def test_sentry_hears_of_our_mistakes_and_of_nothing_secret(tmp_path: Path) -> None:
    """Not of a database that is away."""
    environment = os.environ | {
        "CARDROOM_SENTRY_DSN": "http://key@127.0.0.1:9/1",
        "CARDROOM_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    code = [sys.executable, "-c", BROKEN]
    ran = subprocess.run(code, env=environment, capture_output=True, text=True, check=True)
    (first, _), [event] = json.loads(ran.stdout)
    [error] = event["exception"]["values"]
    assert (error["type"], error["value"]) == ("RuntimeError", "It broke at invitation=***")
    assert error["stacktrace"]["frames"][-1]["function"] == "broken"
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
def test_alerts_and_dashboard_ask_for_metrics_that_exist(
    client: Client, strict: None, settings: Any
) -> None:
    """Each metric is shown or watched, and each label has the value that a query names."""
    settings.METRICS_TOKEN = TOKEN
    for job in settings.CELERY_BEAT_SCHEDULE:
        last_runs.record(job)
    families = scraped(client)
    series = {sample.name: family for family in families.values() for sample in family.samples}
    series |= families
    asked = set()
    for title, expression in expressions():
        names = re.findall(r"(cardroom_\w+)(?:\{([^}]*)\})?", expression)
        assert names or "up{" in expression, title
        for name, selector in names:
            assert name in series, (title, name)
            asked.add(series[name].name)
            for label, value in re.findall(r'(\w+)="([^"]*)"', selector):
                values = {sample.labels.get(label) for sample in series[name].samples}
                assert value in values, (title, name, label, value)
    assert asked == families.keys()

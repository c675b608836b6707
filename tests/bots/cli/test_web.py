"""Asking servers of strangers: where they may lead, how long they may take and talk."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.request import Request

import pytest

from bots.cli import site, sources, web
from bots.cli.common import UsageError
from bots.limits import MAX_REDIRECTS

from .conftest import Run


class Stranger(BaseHTTPRequestHandler):
    """Leads on to `target`, or sends `content` for ever."""

    target: ClassVar[str] = ""
    asked: ClassVar[list[str]] = []
    content: ClassVar[bytes] = b"{}"

    def do_GET(self) -> None:
        self.asked.append(self.path + self.headers.get("Authorization", ""))
        if self.path.startswith("/on") or "/api/v1/" in self.path:
            self.send_response(302)
            self.send_header("Location", self.target)
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        try:
            while self.path == "/endless":
                self.wfile.write(self.content * 4096)
            self.wfile.write(self.content)
        except OSError:
            return  # nobody listens any more

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *args: object) -> None:
        """Silence."""


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Stranger, "asked", [])
    server = HTTPServer(("127.0.0.1", 0), Stranger)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def leads_to(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    monkeypatch.setattr(Stranger, "target", target)


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher:x"]
)
def test_no_answer_leads_away_from_http(
    run: Run, stranger: str, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    leads_to(monkeypatch, target)
    ran = run("verify", f"{stranger}/on")
    assert (ran.status, "302" in ran.err) == (2, True)


def test_answers_lead_on_a_few_times(
    run: Run, stranger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    leads_to(monkeypatch, "/there")
    assert "record" in run("verify", f"{stranger}/on").out.lower()
    leads_to(monkeypatch, "/on")
    assert run("verify", f"{stranger}/on").status == 2
    assert len(Stranger.asked) <= MAX_REDIRECTS + 3


def test_an_answer_ends_or_is_left(
    run: Run, stranger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_RECORDS", 100_000)
    assert "is longer than" in run("verify", f"{stranger}/endless").err
    monkeypatch.setattr(sources, "MAX_RECORDS", 10**9)
    request = Request(f"{stranger}/endless")
    with pytest.raises(UsageError, match="takes longer than 0 s"):
        list(web.answer(request, web.Moves, seconds=0.0))


def test_the_token_stays_at_its_site(
    run: Run, stranger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    leads_to(monkeypatch, f"{stranger}/elsewhere")
    monkeypatch.setenv("CARDROOM_TOKEN", "secret")
    Path("magpie.py").write_text("def choose(view, legal):\n    return legal[0]\n")
    ran = run("submit", "magpie.py", "--server", stranger)
    assert (ran.status, "302" in ran.err) == (2, True)
    assert not [path for path in Stranger.asked if path.startswith("/elsewhere")]


def test_a_long_answer_is_not_read_whole(stranger: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "MAX_ANSWER", 100_000)
    request = Request(f"{stranger}/endless")
    with pytest.raises(ValueError, match="sends more than"):
        site._whole(request)

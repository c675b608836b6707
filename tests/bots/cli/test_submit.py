"""`submit` with a small server that responds like the REST interface."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from bots.package.package import Package

from .conftest import Run

GOOD = "def choose(view, legal):\n    return legal[0]\n"


def step(name: str, status: str) -> dict[str, Any]:
    return {
        "name": name,
        "title": f"Step {name}",
        "status": status,
        "seconds": 0.1,
        "text": "",
        "detail": "detail" if status == "failed" else "",
    }


def tournament(slug: str, system: str, state: str) -> dict[str, str]:
    return {"slug": slug, "name": "A\x1b[1mcup", "format": "f", "system": system, "state": state}


class FakeSiteHandler(BaseHTTPRequestHandler):
    """Bots by slug; a check runs at the first poll and is finished at the second."""

    bots: ClassVar[dict[str, str]] = {}
    uploads: ClassVar[list[tuple[str, dict[str, Any]]]] = []
    looks: ClassVar[list[str]] = []
    outcome = "ready"

    def do_GET(self) -> None:
        if self.headers["Authorization"] != "Token secret":
            return self._answer(401, {"title": "Unauthorized", "detail": "Invalid token."})
        if self.path.startswith("/api/v1/bots/?name="):
            rows = [{"slug": slug, "name": name} for slug, name in self.bots.items()]
            return self._answer(200, {"results": rows})
        if self.path.startswith("/api/v1/tournaments/?state="):
            state = self.path.rpartition("=")[2]
            systems = ("swiss", "ladder")
            rows = [tournament(f"{state}-{system}", system, state) for system in systems]
            return self._answer(200, {"results": rows})
        if self.path.endswith("/versions/"):
            digest = Package.load("magpie.py").digest
            versions = [
                {"bot": "magpie", "number": number, "status": status, "digest": digest}
                for number, status in ((3, "rejected"), (2, "ready"))
            ]
            return self._answer(200, {"results": versions})
        if self.path.endswith("/entries/magpie/"):
            return self._answer(200, {"version": 1})
        if "/tournaments/" in self.path:
            slug = self.path.split("/")[4]
            if slug == "nowhere":
                kind = "urn:cardroom:problem:not-found"
                return self._answer(404, {"detail": "No match.", "type": kind})
            state = "finished" if slug == "old" else "running"
            fmt = "paks/standard/1v1" if slug == "paks" else "f"
            return self._answer(200, tournament(slug, "ladder", state) | {"format": fmt})
        self.looks.append(self.path)
        if len(self.looks) == 1:
            steps = [step("package", "running")]
            return self._answer(200, _check("checking", steps, ""))
        status = "ok" if self.outcome == "ready" else "failed"
        steps = [step("package", "ok"), step("start", status)]
        return self._answer(200, _check(self.outcome, steps, "its log"))

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        if "/bots/small/" in self.path:  # refuses immediately, without reading the body
            detail = "The request has 4.5 MiB; this address accepts 4.1 MiB."
            return self._answer(413, {"detail": detail, "errors": {"package": [detail]}})
        if "/tournaments/" in self.path:
            self.uploads.append((self.path, json.loads(self.rfile.read(length))))
            if "/full/" in self.path:
                return self._answer(409, {"detail": "You have 16 entries.", "type": "conflict"})
            if "/joined/" in self.path:
                kind = "urn:cardroom:problem:duplicate"
                return self._answer(409, {"detail": "It has already entered.", "type": kind})
            return self._answer(201, {"version": 2})
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        form = BytesParser(policy=HTTP).parsebytes(head + self.rfile.read(length))
        fields: dict[str, Any] = {}
        for part in form.iter_parts():
            name = str(part.get_param("name", header="content-disposition"))
            if name == "games":
                fields.setdefault(name, []).append(_content(part))
            else:
                fields[name] = _content(part)
        self.uploads.append((self.path, fields))
        if self.path == "/api/v1/bots/full/versions/":
            return self._answer(400, {"detail": "No more versions today.", "status": 400})
        slug = self.path.split("/")[4] or "magpie"
        version = {"bot": slug, "number": 3, "status": "queued", "digest": ""}
        if fields.get("notes") == b"again":
            kind = "urn:cardroom:problem:duplicate"
            return self._answer(409, {"detail": "Version 2 has exactly these files.", "type": kind})
        return self._answer(201, version)

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *args: object) -> None:
        """Silence."""


def _content(part: Message) -> bytes:
    return cast("bytes", part.get_payload(decode=True))


def _check(status: str, steps: list[dict[str, Any]], log: str) -> dict[str, Any]:
    return {"status": status, "summary": f"It is {status}.", "steps": steps, "log": log}


@pytest.fixture
def server(run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("CARDROOM_TOKEN", "secret")
    monkeypatch.setattr("bots.cli.submit.POLL_S", 0.01)
    monkeypatch.setattr(FakeSiteHandler, "bots", {})
    monkeypatch.setattr(FakeSiteHandler, "uploads", [])
    monkeypatch.setattr(FakeSiteHandler, "looks", [])
    Path("magpie.py").write_text(GOOD)
    httpd = HTTPServer(("127.0.0.1", 0), FakeSiteHandler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}/"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def test_a_new_bot_is_uploaded_and_its_check_awaited(run: Run, server: str) -> None:
    ran = run("submit", "magpie.py", "--server", server, "--notes", "first ♠")
    assert ran.status == 0, ran.err
    ((path, fields),) = FakeSiteHandler.uploads
    assert path == "/api/v1/bots/"
    assert fields["name"] == b"magpie"
    assert fields["notes"].decode() == "first ♠"
    assert Package.load(fields["package"], "bot.zip") == Package.load("magpie.py")
    assert FakeSiteHandler.looks == ["/api/v1/bots/magpie/versions/3/check/"] * 2
    assert "✓ Step start" in ran.err
    assert "It is ready." in ran.out


def test_a_local_site_needs_no_scheme(run: Run, server: str) -> None:
    address = server.removeprefix("http://")
    assert run("submit", "magpie.py", "--server", address).status == 0


def test_an_existing_bot_gets_a_new_version(run: Run, server: str) -> None:
    FakeSiteHandler.bots.update({"magpie-2": "magpie", "other": "magpie too"})
    assert run("submit", "magpie.py", "--server", server).status == 0
    assert run("submit", "magpie.py", "--server", server, "--bot", "mine").status == 0
    assert [path for path, _ in FakeSiteHandler.uploads] == [
        "/api/v1/bots/magpie-2/versions/",
        "/api/v1/bots/mine/versions/",
    ]


def test_a_failed_check_is_status_1_with_its_log(
    run: Run, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeSiteHandler, "outcome", "rejected")
    ran = run("submit", "magpie.py", "--server", server)
    assert ran.status == 1
    assert "It is rejected." in ran.out
    assert "its log" in ran.out
    assert run("submit", "magpie.py", "--server", server, "--json").json["ok"] is False


def test_the_command_stops_waiting_for_a_long_check(run: Run, server: str) -> None:
    ran = run("submit", "magpie.py", "--server", server, "--wait", "0")
    assert ran.status == 1
    assert "still checking" in ran.out


def test_a_refusal_of_the_site_is_printed(
    run: Run, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = run("submit", "magpie.py", "--server", server, "--bot", "full")
    assert (ran.status, ran.err) == (2, "The site refused this (400): No more versions today.\n")
    monkeypatch.setenv("CARDROOM_TOKEN", "wrong")
    assert "Invalid token." in run("submit", "magpie.py", "--server", server).err
    monkeypatch.delenv("CARDROOM_TOKEN")
    assert "Set CARDROOM_TOKEN" in run("submit", "magpie.py", "--server", server).err


def test_a_bot_that_cannot_be_read_is_not_sent(run: Run, server: str) -> None:
    Path("bad.py").write_text("def choose(")
    assert run("submit", "bad.py", "--server", server).status == 2
    assert run("submit", "magpie.py", "--server", "ftp://x").status == 2
    assert run("submit", "magpie.py", "--server", "http://127.0.0.1:1").status == 2
    assert FakeSiteHandler.uploads == []


def test_success_prints_the_address_and_how_to_enter(
    run: Run, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = run("submit", "magpie.py", "--server", server)
    assert f"{server}bots/magpie/" in ran.out
    assert f"cardroom enter TOURNAMENT magpie --server {server.rstrip('/')}" in ran.out
    monkeypatch.setattr(FakeSiteHandler, "outcome", "rejected")
    assert "cardroom enter" not in run("submit", "magpie.py", "--server", server).out


def test_a_name_may_be_chosen(run: Run, server: str) -> None:
    FakeSiteHandler.bots.update({"magpie": "magpie"})
    assert run("submit", "magpie.py", "--server", server, "--name", "Rook").status == 0
    ((path, fields),) = FakeSiteHandler.uploads
    assert (path, fields["name"]) == ("/api/v1/bots/", b"Rook")
    assert run("submit", "magpie.py", "--server", server, "--name", "x", "--bot", "y").status == 2


def test_the_games_may_be_chosen(run: Run, server: str) -> None:
    options = ("--game", "paks", "--game", "zwicker")
    assert run("submit", "magpie.py", "--server", server, *options).status == 0
    ((_, fields),) = FakeSiteHandler.uploads
    assert fields["games"] == [b"paks", b"zwicker"]


def test_the_response_of_a_site_that_closes_early_is_read(run: Run, server: str) -> None:
    Path("large").mkdir()
    Path("large/bot.py").write_text(GOOD)
    Path("large/table").write_bytes(os.urandom(4_000_000))
    ran = run("submit", "large", "--server", server, "--bot", "small")
    detail = "The request has 4.5 MiB; this address accepts 4.1 MiB."
    assert (ran.status, ran.err) == (2, f"The site refused this (413): {detail}\n")


def test_a_package_too_large_for_any_site_is_not_sent(run: Run, server: str) -> None:
    Path("large").mkdir()
    Path("large/bot.py").write_text(GOOD)
    Path("large/table").write_bytes(os.urandom(5_000_000))
    submitted, checked = (
        run("submit", "large", "--server", server),
        run("check", "large", "--trusted"),
    )
    assert (submitted.status, checked.status) == (2, 1)
    assert submitted.err == "'large' is 4.8 MiB packed; the limit is 4 MiB.\n"
    assert submitted.err in checked.out
    assert FakeSiteHandler.uploads == []


def test_a_bot_is_entered(run: Run, server: str) -> None:
    ran = run("enter", "summer/cup", "magpie", "--server", server)
    assert (ran.status, ran.out) == (
        0,
        "magpie version 2 has entered summer/cup.\n"
        f"Standings and ratings: {server}tournaments/summer%2Fcup/\n",
    )
    assert FakeSiteHandler.uploads == [
        ("/api/v1/tournaments/summer%2Fcup/entries/", {"bot": "magpie"})
    ]
    assert run("enter", "summer", "--server", server).status == 2


def test_a_bot_that_passed_its_check_is_entered_in_a_ladder(run: Run, server: str) -> None:
    ran = run("submit", "magpie.py", "--server", server, "--enter", "ladder")
    assert ran.status == 0, ran.err
    assert [path for path, _ in FakeSiteHandler.uploads] == [
        "/api/v1/bots/",
        "/api/v1/tournaments/ladder/entries/",
    ]
    assert "magpie plays in ladder with version 2." in ran.out
    assert "Version 3 plays there once you make it active" in ran.out
    assert f"{server}tournaments/ladder/" in ran.out
    assert "cardroom enter TOURNAMENT" not in ran.out


def test_a_bot_that_is_on_the_ladder_stays_there(run: Run, server: str) -> None:
    ran = run("submit", "magpie.py", "--server", server, "--enter", "joined", "--json")
    assert (ran.status, ran.json["ok"], ran.json["entry"]) == (0, True, {"version": 1})


@pytest.mark.parametrize(
    ("ladder", "error"),
    [
        ("old", "old is closed to entries: it is finished."),
        ("nowhere", "There is no tournament nowhere."),
        ("paks", "paks plays paks/standard/1v1, which wren does not claim; it claims cassino/*/*."),
    ],
)
def test_a_ladder_that_refuses_the_bot_is_an_error_before_the_upload(
    run: Run, server: str, ladder: str, error: str
) -> None:
    Path("wren").mkdir()
    Path("wren/bot.py").write_text(GOOD)
    Path("wren/cardroom.toml").write_text('formats = ["cassino/*/*"]')
    ran = run("submit", "wren", "--server", server, "--enter", ladder)
    assert (ran.status, FakeSiteHandler.uploads) == (2, [])
    assert ran.err.startswith(error)


def test_a_refused_entry_is_reported_after_the_upload(run: Run, server: str) -> None:
    ran = run("submit", "magpie.py", "--server", server, "--enter", "full")
    assert ran.status == 1
    assert "It is ready." in ran.out
    assert "but was not entered in full. The site refused this (409): You have 16" in ran.out
    FakeSiteHandler.looks.clear()
    ran = run("submit", "magpie.py", "--server", server, "--enter", "full", "--json")
    assert (ran.status, ran.json["ok"], ran.json["entry"]) == (1, False, None)
    assert ran.json["check"]["status"] == "ready"


def test_a_repeated_command_enters_the_existing_version(run: Run, server: str) -> None:
    FakeSiteHandler.bots["magpie"] = "magpie"
    arguments = ("submit", "magpie.py", "--server", server, "--notes", "again")
    assert run(*arguments).status == 2
    ran = run(*arguments, "--enter", "ladder")
    assert ran.status == 0, ran.err
    assert FakeSiteHandler.looks[-1] == "/api/v1/bots/magpie/versions/2/check/"
    assert FakeSiteHandler.uploads[-1] == ("/api/v1/tournaments/ladder/entries/", {"bot": "magpie"})


def test_a_bot_that_fails_its_check_is_not_entered(
    run: Run, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeSiteHandler, "outcome", "rejected")
    ran = run("submit", "magpie.py", "--server", server, "--enter", "ladder")
    assert (ran.status, len(FakeSiteHandler.uploads)) == (1, 1)
    assert "It was not entered in ladder." in ran.out


def test_tournaments_that_accept_bots_are_listed(run: Run, server: str) -> None:
    ran = run("enter", "--server", server)
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == [
        "open-swiss",
        "open-ladder",
        "running-ladder",
    ]
    assert "A\\x1b[1mcup" in ran.out

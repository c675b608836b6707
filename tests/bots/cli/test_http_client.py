"""Requests to foreign servers: redirects, time limits and sizes."""

from __future__ import annotations

import gzip
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from bots.cli import http_client, site, sources
from bots.cli.common import UsageError
from bots.limits import MAX_REDIRECTS

from .conftest import Run


class Stranger(BaseHTTPRequestHandler):
    """A server that redirects to `target`, or sends `content` for ever."""

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
            return  # the client has closed the connection

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


def redirect_to(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    monkeypatch.setattr(Stranger, "target", target)


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher:x"]
)
def test_redirects_to_other_schemes_are_refused(
    run: Run, stranger: str, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    redirect_to(monkeypatch, target)
    ran = run("verify", f"{stranger}/on")
    assert ran.status == 2
    assert "answered 302 Found" in ran.err or "redirects to an invalid address" in ran.err
    assert Stranger.asked == ["/on"]


def test_the_number_of_redirects_is_limited(
    run: Run, stranger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    redirect_to(monkeypatch, "/there")
    assert "record" in run("verify", f"{stranger}/on").out.lower()
    redirect_to(monkeypatch, "/on")
    assert run("verify", f"{stranger}/on").status == 2
    assert len(Stranger.asked) <= MAX_REDIRECTS + 3


def test_an_endless_response_is_abandoned(
    run: Run, stranger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_RECORDS", 100_000)
    assert "is longer than" in run("verify", f"{stranger}/endless").err
    monkeypatch.setattr(sources, "MAX_RECORDS", 10**9)
    address = f"{stranger}/endless"
    with (
        pytest.raises(UsageError, match="took longer than 0 s"),
        http_client.send("GET", address, name="It", headers={}) as response,
    ):
        list(http_client.chunks(response, "It", seconds=0.0))


def test_the_token_is_not_sent_to_other_sites(
    run: Run, stranger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    redirect_to(monkeypatch, f"{stranger}/elsewhere")
    monkeypatch.setenv("CARDROOM_TOKEN", "secret")
    Path("magpie.py").write_text("def choose(view, legal):\n    return legal[0]\n")
    ran = run("submit", "magpie.py", "--server", stranger)
    assert (ran.status, "302" in ran.err) == (2, True)
    assert not [path for path in Stranger.asked if path.startswith("/elsewhere")]


def test_a_long_response_is_not_read_to_its_end(
    stranger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "MAX_ANSWER", 100_000)
    with pytest.raises(UsageError, match="sent more than"):
        site.SiteClient(f"{stranger}/", "secret").get("endless", dict[str, Any])


def test_redirects_from_https_to_http_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A redirect that is followed does not carry the first site's headers."""
    requests: list[str] = []

    def answers(request: httpx.Request) -> httpx.Response:
        requests.append(str(request.url))
        targets = {"/1": "https://b.example/2", "/2": "http://b.example/3"}
        headers = {"Location": targets[request.url.path]}
        return httpx.Response(302, headers=headers, stream=httpx.ByteStream(b""))

    client = httpx.Client(transport=httpx.MockTransport(answers))
    monkeypatch.setattr(http_client, "client", lambda: client)
    address = "https://a.example/1"
    with http_client.send("GET", address, name="It", headers={}, redirects=True) as response:
        assert response.status_code == 302
    assert requests == ["https://a.example/1", "https://b.example/2"]


def test_the_size_of_a_response_is_limited_as_received(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unrequested compressed response is not decompressed."""
    headers = {"Content-Encoding": "gzip"}
    stream = httpx.ByteStream(gzip.compress(bytes(10_000_000)))
    requests: list[httpx.Request] = []

    def answers(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, headers=headers, stream=stream)

    client = httpx.Client(transport=httpx.MockTransport(answers))
    monkeypatch.setattr(http_client, "client", lambda: client)
    with http_client.send("GET", "https://a.example/", name="It", headers={}) as response:
        assert sum(map(len, http_client.chunks(response, "It"))) < 100_000
    assert requests[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("HTTP_PROXY", "http://127.0.0.1:1", "cannot be reached"),
        ("ALL_PROXY", "socks5://127.0.0.1:1", "httpx[socks]"),
        ("HTTP_PROXY", "gopher://127.0.0.1:1", "gopher"),
    ],
)
def test_proxies_of_the_environment_are_used(
    run: Run, stranger: str, monkeypatch: pytest.MonkeyPatch, name: str, value: str, error: str
) -> None:
    monkeypatch.setenv(name, value)
    ran = run("verify", f"{stranger}/there")
    assert (ran.status, error in ran.err) == (2, True), ran.err
    assert not Stranger.asked


@pytest.mark.parametrize(
    "address",
    [
        *("http://", "http://[::1", "http://a b/", "http://a:99999/", "http://a:b/"),
        *("http://\ud800/", "http://xn--/", "http://a\n.example/", "https:///x"),
        f"http://{'a' * 300}.example/",
    ],
)
def test_an_invalid_address_is_refused(run: Run, address: str) -> None:
    for ran in (run("verify", address), run("submit", "bot.py", "--server", address)):
        assert ran.status == 2
        assert ran.err


@pytest.mark.parametrize("token", ["two\nlines", "späße", "\udcff"])
def test_a_token_with_invalid_characters_is_refused(
    run: Run, stranger: str, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    Path("magpie.py").write_text("def choose(view, legal):\n    return legal[0]\n")
    monkeypatch.setattr("bots.cli.site.os.environ", {"CARDROOM_TOKEN": token})
    ran = run("submit", "magpie.py", "--server", stranger)
    assert (ran.status, "Set CARDROOM_TOKEN to a token" in ran.err) == (2, True)
    assert not Stranger.asked


def test_a_server_that_disconnects_is_an_error(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        heads = (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", b"no HTTP\r\n\r\n", b"")

        def serve() -> None:
            for head in heads:
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(head)

        thread = threading.Thread(target=serve)
        thread.start()
        for _ in heads:
            ran = run("verify", f"http://127.0.0.1:{listening.getsockname()[1]}/")
            assert (ran.status, "cannot be read: " in ran.err) == (2, True), ran.err
        thread.join()


def test_offline_commands_do_not_load_httpx() -> None:
    """It takes a third of a second."""
    program = "import sys, tournaments.home.cli; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

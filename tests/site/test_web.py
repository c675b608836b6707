"""The web server: slow connections hold up nobody, limits hold, and it ends in good order."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from cardroom import services
from cardroom.processes import die_with_parent
from tests.servers import free_port, wait_for
from tests.site.slow_connections import HEAD, PATIENCE, SLOWNESS, connect, hold_up
from tests.sites import ROOT, Site, migrate


@contextmanager
def running(command: Sequence[str], environ: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, env={**os.environ, **environ}, cwd=ROOT, preexec_fn=die_with_parent
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def unit_command(port: int) -> list[str]:
    """What the unit for systemd starts, from here."""
    unit = (ROOT / "deploy/systemd/cardroom-web.service").read_text().replace("\\\n", " ")
    (line,) = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    line = line.replace("/opt/cardroom/.venv/bin/python", sys.executable)
    return [*shlex.split(line.replace("/opt/cardroom", str(ROOT))), "--port", str(port)]


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated site."""
    site = Site(tmp_path_factory.mktemp("web"))
    migrate(site.var)
    (site.var / "static").mkdir()
    for name in ("staticfiles.json", ".stamp"):
        (site.var / "static" / name).write_text("{}")
    site.run("collectstatic", "--noinput", "-v0")
    return site.var


@pytest.fixture(scope="module", params=["up", "unit"])
def port(request: pytest.FixtureRequest, var: Path) -> Iterator[int]:
    """The site, served by what `up` or the unit starts."""
    port = free_port()
    paths = os.pathsep.join([str(ROOT), str(ROOT / "platform")])
    own = {"CARDROOM_VAR": str(var), "DJANGO_SETTINGS_MODULE": "cardroom.settings"}
    by_up = services._web_service("127.0.0.1", port).command
    command = by_up if request.param == "up" else unit_command(port)
    with running(command, own | {"PYTHONPATH": paths}):
        wait_for(lambda: services.is_listening("127.0.0.1", port), "It does not listen.")
        yield port


@pytest.mark.parametrize("slowness", SLOWNESS)
def test_slow_connections_hold_up_nobody(port: int, slowness: str) -> None:
    hold_up(port, [slowness])


def test_a_body_that_no_address_takes_is_refused_in_our_words(port: int) -> None:
    with closing(connect(port)) as client:
        head = b"POST /api/v1/bots/ HTTP/1.1\r\n" + HEAD + b"Content-Length: 99999999\r\n\r\n"
        client.sendall(head)
        said = b"".join(iter(lambda: client.recv(4096), b""))
    assert said.startswith(b"HTTP/1.1 413 ")
    assert b"this address accepts" in said


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nContent-Length: " + b"9" * 6_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 40_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: 1\r\n" % n for n in range(9_000)) + b"\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_odd_requests_are_refused(port: int, sent: bytes) -> None:
    with closing(connect(port)) as client:
        try:
            client.sendall(sent)
            said = b"".join(iter(lambda: client.recv(4096), b""))
        except ConnectionError:  # it stopped reading
            return
    assert re.match(rb"HTTP/1\.[01] (400|414|431|501) ", said), said[:200]


def test_the_folder_of_static_files_holds_nothing_else(port: int, var: Path) -> None:
    """As `collectstatic` leaves it, over the list of an earlier version, and as `up` does."""
    assert "cardroom/" in (var / "static.json").read_text()
    files = [path for path in (var / "static").rglob("*") if path.is_file()]
    assert len(files) > 100
    assert not [path for path in files if path.name.startswith(".")]
    names = (".stamp", "staticfiles.json", "static.json", "../static.json", "%2e%2e/static.json")
    for name in names:
        address = f"http://127.0.0.1:{port}/static/{name}"
        with pytest.raises(HTTPError, match="404"), urlopen(address):
            pass
    with urlopen(f"http://127.0.0.1:{port}/static/cardroom/cards.svg") as answer:
        assert answer.status == 200


def test_headers_say_nothing_of_where_the_site_stands(port: int) -> None:
    """No header of a stranger is taken for the server's own word."""
    forged = [
        b"SCRIPT_NAME: /x",
        b"Script-Name: /x",
        b"X-Script-Name: /x",
        b"X-Forwarded-Prefix: /x",
    ]
    forged += [b"X-Forwarded-Proto: https", b"X-Forwarded-Protocol: ssl", b"X-Forwarded-Ssl: on"]
    forged += [b"X-Forwarded-Host: evil.example", b"Forwarded: proto=https;host=evil.example"]
    for header in [*forged, b"\r\n".join(forged), b"SCRIPT_NAME: http://evil.example"]:
        with closing(connect(port)) as client:
            lines = [b"GET /api/v1/ HTTP/1.1", b"Host: localhost", b"Connection: close", header]
            client.sendall(b"\r\n".join(lines) + b"\r\n\r\n")
            said = b"".join(iter(lambda: client.recv(4096), b""))
        assert said.startswith(b"HTTP/1.1 200 "), header
        assert b'"http://localhost/api/v1/' in said, header


# --- with a site of a few lines -------------------------------------------------------------------

TINY = """
import sys, time
from pathlib import Path
from cardroom import web
web.IDLE_SECONDS, web.GRACE_SECONDS = int(sys.argv[2]), 20.0

def site(environ, start_response):
    path = environ["PATH_INFO"]
    start_response("200 OK", [("Content-Type", "text/plain")])
    if path == "/slow":
        print("asked", flush=True)
        time.sleep(1)
    if path == "/long":
        return (b"x" * 1_000_000 for _ in range(100))
    return [f"{environ['REMOTE_ADDR']} {path}".encode()]

where = sys.argv[1]
listener = web.listen("", 0, Path(where)) if "/" in where else web.listen("127.0.0.1", int(where))
web.serve(site, listener)
"""


def is_listening(where: int | Path) -> bool:
    if isinstance(where, int):
        return services.is_listening("127.0.0.1", where)
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        return probe.connect_ex(str(where)) == 0


@contextmanager
def tiny(where: int | Path, quiet: int = 60) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", TINY, str(where), str(quiet)],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=die_with_parent,
    )
    try:
        wait_for(lambda: is_listening(where), "It does not listen.")
        yield process
    finally:
        process.kill()
        process.wait()


def trickle(client: socket.socket) -> None:
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        client.sendall(b"x")
        time.sleep(0.2)


def test_a_request_that_trickles_in_is_given_up(tmp_path: Path) -> None:
    port = free_port()
    with tiny(port, quiet=2), closing(connect(port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises(ConnectionError):
            trickle(client)


def test_long_answers_that_nobody_reads_hold_up_nobody() -> None:
    port = free_port()
    with tiny(port), ExitStack() as clients:
        for _ in range(20):
            client = clients.enter_context(closing(connect(port)))
            client.sendall(b"GET /long HTTP/1.1\r\n\r\n")
        for _ in range(20):
            with urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE) as answer:
                assert answer.read()


def test_a_long_answer_comes_whole() -> None:
    port = free_port()
    with tiny(port), urlopen(f"http://127.0.0.1:{port}/long", timeout=PATIENCE) as answer:
        assert sum(len(piece) for piece in iter(lambda: answer.read(65_536), b"")) == 100_000_000


def test_an_answer_that_was_begun_is_finished_at_the_end() -> None:
    port = free_port()
    with tiny(port) as server, closing(connect(port)) as client:
        assert server.stdout is not None
        client.sendall(b"GET /slow HTTP/1.1\r\nConnection: close\r\n\r\n")
        assert server.stdout.readline() == "asked\n"
        server.send_signal(signal.SIGTERM)
        said = b"".join(iter(lambda: client.recv(4096), b""))
        assert said.endswith(b"127.0.0.1 /slow")
        assert server.wait(PATIENCE) == 0


def test_a_proxy_on_this_machine_connects_by_a_socket(tmp_path: Path) -> None:
    path = tmp_path / "web.sock"
    for _ in range(2):  # what a killed one left behind is no obstacle
        with tiny(path), closing(socket.socket(socket.AF_UNIX)) as client:
            client.settimeout(PATIENCE)
            client.connect(str(path))
            client.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            assert b"200 OK" in b"".join(iter(lambda: client.recv(4096), b""))
        assert path.exists()

"""The web server: slow connections, limits, headers, a proper end."""

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
from tests.site.slow_connections import (
    HEAD,
    PATIENCE,
    SLOWNESS,
    assert_visitor_is_answered,
    connect,
)
from tests.sites import ROOT, Site, migrate


@contextmanager
def running_process(
    command: Sequence[str], environ: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, env={**os.environ, **environ}, cwd=ROOT, preexec_fn=die_with_parent
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def unit_command(port: int) -> list[str]:
    """The command of systemd's unit, with this checkout."""
    unit = (ROOT / "deploy/systemd/cardroom-web.service").read_text().replace("\\\n", " ")
    (line,) = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    line = line.replace("/opt/cardroom/.venv/bin/python", sys.executable)
    return [*shlex.split(line.replace("/opt/cardroom", str(ROOT))), "--port", str(port)]


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a migrated site."""
    site = Site(tmp_path_factory.mktemp("web"))
    migrate(site.var)
    (site.var / "static").mkdir()
    for name in ("staticfiles.json", ".stamp"):
        (site.var / "static" / name).write_text("{}")
    site.run("collectstatic", "--noinput", "-v0")
    return site.var


@pytest.fixture(scope="module", params=["up", "unit"])
def port(request: pytest.FixtureRequest, var: Path) -> Iterator[int]:
    """The port of the site, served by the command of `up` or the unit."""
    port = free_port()
    paths = os.pathsep.join([str(ROOT), str(ROOT / "platform")])
    environ = {"CARDROOM_VAR": str(var), "DJANGO_SETTINGS_MODULE": "cardroom.settings"}
    up_command = services._web_service("127.0.0.1", port).command
    command = up_command if request.param == "up" else unit_command(port)
    with running_process(command, environ | {"PYTHONPATH": paths}):
        wait_for(lambda: services.is_listening("127.0.0.1", port), "It does not listen.")
        yield port


@pytest.mark.parametrize("slowness", SLOWNESS)
def test_slow_connections_do_not_delay_others(port: int, slowness: str) -> None:
    assert_visitor_is_answered(port, [slowness])


def test_a_body_over_all_limits_gets_the_sites_error(port: int) -> None:
    with closing(connect(port)) as client:
        head = b"POST /api/v1/bots/ HTTP/1.1\r\n" + HEAD + b"Content-Length: 99999999\r\n\r\n"
        client.sendall(head)
        response = b"".join(iter(lambda: client.recv(4096), b""))
    assert response.startswith(b"HTTP/1.1 413 ")
    assert b"this address accepts" in response


@pytest.mark.parametrize(
    "message",
    [
        b"GET / HTTP/1.1\r\nContent-Length: " + b"9" * 6_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 40_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: 1\r\n" % n for n in range(9_000)) + b"\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_odd_requests_are_refused(port: int, message: bytes) -> None:
    with closing(connect(port)) as client:
        try:
            client.sendall(message)
            response = b"".join(iter(lambda: client.recv(4096), b""))
        except ConnectionError:  # the server stopped reading
            return
    assert re.match(rb"HTTP/1\.[01] (400|414|431|501) ", response), response[:200]


def test_the_folder_of_static_files_has_no_other_files(port: int, var: Path) -> None:
    """This holds after `collectstatic` over the files of an earlier version, and under `up`."""
    assert "cardroom/" in (var / "static.json").read_text()
    files = [path for path in (var / "static").rglob("*") if path.is_file()]
    assert len(files) > 100
    assert not [path for path in files if path.name.startswith(".")]
    names = (".stamp", "staticfiles.json", "static.json", "../static.json", "%2e%2e/static.json")
    for name in names:
        address = f"http://127.0.0.1:{port}/static/{name}"
        with pytest.raises(HTTPError, match="404"), urlopen(address):
            pass
    with urlopen(f"http://127.0.0.1:{port}/static/cardroom/cards.svg") as response:
        assert response.status == 200


def test_headers_do_not_change_the_sites_address(port: int) -> None:
    """The server trusts no header of a stranger."""
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
            response = b"".join(iter(lambda: client.recv(4096), b""))
        assert response.startswith(b"HTTP/1.1 200 "), header
        assert b'"http://localhost/api/v1/' in response, header


# --- with a tiny application ----------------------------------------------------------------------

TINY = """
import sys, time
from pathlib import Path
from cardroom import web
web.IDLE_SECONDS, web.GRACE_SECONDS = int(sys.argv[2]), 20.0

def site(environ, start_response):
    path = environ["PATH_INFO"]
    start_response("200 OK", [("Content-Type", "text/plain")])
    if path == "/slow":
        print("requested", flush=True)
        time.sleep(1)
    if path == "/long":
        return (b"x" * 1_000_000 for _ in range(100))
    return [f"{environ['REMOTE_ADDR']} {path}".encode()]

address = sys.argv[1]
if "/" in address:
    listener = web.listen("", 0, Path(address))
else:
    listener = web.listen("127.0.0.1", int(address))
web.serve(site, listener)
"""


def is_listening(address: int | Path) -> bool:
    if isinstance(address, int):
        return services.is_listening("127.0.0.1", address)
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        return probe.connect_ex(str(address)) == 0


@contextmanager
def tiny_server(address: int | Path, idle_seconds: int = 60) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", TINY, str(address), str(idle_seconds)],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=die_with_parent,
    )
    try:
        wait_for(lambda: is_listening(address), "It does not listen.")
        yield process
    finally:
        process.kill()
        process.wait()


def trickle(client: socket.socket) -> None:
    start = time.monotonic()
    while time.monotonic() - start < PATIENCE:
        client.sendall(b"x")
        time.sleep(0.2)


def test_a_request_that_trickles_in_is_cut_off(tmp_path: Path) -> None:
    port = free_port()
    with tiny_server(port, idle_seconds=2), closing(connect(port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises(ConnectionError):
            trickle(client)


def test_unread_long_answers_do_not_delay_others() -> None:
    port = free_port()
    with tiny_server(port), ExitStack() as clients:
        for _ in range(20):
            client = clients.enter_context(closing(connect(port)))
            client.sendall(b"GET /long HTTP/1.1\r\n\r\n")
        for _ in range(20):
            with urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE) as response:
                assert response.read()


def test_a_long_answer_is_complete() -> None:
    port = free_port()
    with tiny_server(port), urlopen(f"http://127.0.0.1:{port}/long", timeout=PATIENCE) as response:
        assert sum(len(piece) for piece in iter(lambda: response.read(65_536), b"")) == 100_000_000


def test_a_stopping_server_finishes_its_answers() -> None:
    port = free_port()
    with tiny_server(port) as server, closing(connect(port)) as client:
        assert server.stdout is not None
        client.sendall(b"GET /slow HTTP/1.1\r\nConnection: close\r\n\r\n")
        assert server.stdout.readline() == "requested\n"
        server.send_signal(signal.SIGTERM)
        response = b"".join(iter(lambda: client.recv(4096), b""))
        assert response.endswith(b"127.0.0.1 /slow")
        assert server.wait(PATIENCE) == 0


def test_a_local_proxy_connects_through_a_socket(tmp_path: Path) -> None:
    path = tmp_path / "web.sock"
    for _ in range(2):  # the second finds the socket of the killed first
        with tiny_server(path), closing(socket.socket(socket.AF_UNIX)) as client:
            client.settimeout(PATIENCE)
            client.connect(str(path))
            client.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            assert b"200 OK" in b"".join(iter(lambda: client.recv(4096), b""))
        assert path.exists()

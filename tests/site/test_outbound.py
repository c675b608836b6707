"""Requests to addresses chosen by users reach no internal host, and end."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from cardroom import outbound, webhooks
from cardroom.actions.webhooks import create_webhook
from cardroom_base.db.notifications import notify
from cardroom_base.models import MAX_URL, Notification
from tests import factories as make

NAME = "hook.example"


class Receiver:
    """A server with TLS on this machine. `answer` is called with each connection after its
    request."""

    def __init__(self, certificate: Path, answer: Callable[[ssl.SSLSocket], object]) -> None:
        self.requests: list[bytes] = []
        self.names: list[str | None] = []
        self._answer = answer
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        context.sni_callback = lambda _, name, __: self.names.append(name)
        self._context = context
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                plain, _ = self._socket.accept()
            except OSError:
                return
            try:
                with self._context.wrap_socket(plain, server_side=True) as connection:
                    request = b""
                    while not request.endswith((b"\r\n\r\n{}", b"}}")):
                        piece = connection.recv(10_000)
                        if not piece:
                            raise ConnectionError
                        request += piece
                    self.requests.append(request)
                    self._answer(connection)
            except OSError:
                pass  # the client closed it

    def stop(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a key and a self-signed certificate for `NAME`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    day = datetime.now(UTC)
    signed_certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(day - timedelta(days=1))
        .not_valid_after(day + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    pem = serialization.Encoding.PEM
    plain = serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    file.write_bytes(private + signed_certificate.public_bytes(pem))
    return file


@pytest.fixture
def receivers(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A function that starts receivers; 127.0.0.1 and 127.0.0.2 count as public."""
    trusted = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(outbound, "_certificates", lambda: trusted)
    check = outbound.is_public
    local = ("127.0.0.1", "127.0.0.2")
    monkeypatch.setattr(outbound, "is_public", lambda address: address in local or check(address))
    running: list[Receiver] = []

    def start(answer: Callable[[ssl.SSLSocket], object]) -> Receiver:
        running.append(Receiver(certificate, answer))
        return running[-1]

    yield start
    for receiver in running:
        receiver.stop()


def fake_resolver(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let name servers give these answers one after another; returns the list of resolved names."""
    hosts: list[str] = []

    def resolve(host: Any, *_: object, **__: object) -> list[Any]:
        hosts.append(host)
        addresses = answers[min(len(hosts), len(answers)) - 1]
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses
        ]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return hosts


def post(url: str) -> outbound.HostResponse:
    """Post from another thread: after tests with a browser, this one has an event loop."""
    with ThreadPoolExecutor(1) as thread:
        request = outbound.post(url, b"{}", {"X-Test": "1"})
        return thread.submit(asyncio.run, request).result()


def ok(connection: ssl.SSLSocket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


# --- addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["0.0.0.0"],
        ["10.0.0.1"],
        ["100.64.0.1"],
        ["169.254.169.254"],
        ["192.168.1.1"],
        ["192.0.0.192"],
        ["192.88.99.1"],
        ["168.63.129.16"],
        ["::1"],
        ["::"],
        ["fd00::1"],
        ["fe80::1%eth0"],
        ["fec0::1"],
        ["::ffff:127.0.0.1"],
        ["::127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["64:ff9b:1::a00:1"],
        ["2002:7f00:1::"],
        ["2002:c000:c0::"],
        ["2001:0:7f00:1::"],
        ["224.0.0.1"],
        ["ff0e::1"],
        ["255.255.255.255"],
        ["1.1.1.1", "10.0.0.1"],
    ],
)
def test_internal_and_mixed_answers_are_refused(
    monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    fake_resolver(monkeypatch, addresses)
    with pytest.raises(outbound.ForbiddenAddressError, match="not on the public internet"):
        post(f"https://{NAME}/hook")


@pytest.mark.parametrize(
    "host", ["0x7f.1", "2130706433", "0177.1", "127.1", "0", "localhost", "0xa9fea9fe"]
)
def test_every_notation_of_an_internal_address_is_refused(host: str) -> None:
    with pytest.raises(outbound.ForbiddenAddressError, match="not on the public internet"):
        post(f"https://{host}/latest/meta-data")


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_public_addresses_are_public(address: str) -> None:
    assert outbound.is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://a:b@example.org/",
        "https://1.1.1.1\\@10.0.0.1/",
        "https:///x",
        "https://example.org:22/",
        "https://example.org:0/",
        "https://example.org:99999/",
        "https://example.org:x/",
        "https://[::1]/",
        "https://[fe80::1%25eth0]/",
        "https://127.0.0.1/",
        "https://0177.0.0.1/",
        "https://exa mple.org/",
        "https://[1.1.1.1/",
        "file:///etc/passwd",
        "//example.org/",
        "",
        "https://example.org/" + "a" * MAX_URL,
    ],
)
def test_bad_addresses_are_refused_before_name_resolution(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    hosts = fake_resolver(monkeypatch, ["1.1.1.1"])
    with pytest.raises(outbound.ForbiddenAddressError):
        post(url)
    assert not hosts


def test_the_checked_address_is_used_for_the_connection(
    receivers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://10.0.0.1:3128")
    receiver = receivers(ok)
    hosts = fake_resolver(monkeypatch, ["127.0.0.1"], ["10.0.0.1"])
    answer = post(f"https://{NAME}:{receiver.port}/hook?a=1")
    assert (answer.status, answer.text) == (200, "ok")
    assert hosts == [NAME]
    assert receiver.names == [NAME]
    [request] = receiver.requests
    assert request.startswith(b"POST /hook?a=1 HTTP/1.1\r\n")
    assert f"\r\nHost: {NAME}:{receiver.port}\r\n".encode() in request


def test_the_next_address_is_tried_if_the_first_is_dead(
    receivers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = receivers(ok)
    fake_resolver(monkeypatch, ["127.0.0.2", "127.0.0.1"])
    assert post(f"https://{NAME}:{receiver.port}/").status == 200
    receiver = receivers(ok)
    fake_resolver(monkeypatch, ["127.0.0.2"])
    with pytest.raises(outbound.NoResponseError, match="ConnectError"):
        post(f"https://{NAME}:{receiver.port}/")


def test_a_certificate_of_another_name_is_refused(
    receivers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = receivers(ok)
    fake_resolver(monkeypatch, ["127.0.0.1"])
    with pytest.raises(outbound.NoResponseError, match="certificate verify failed"):
        post(f"https://other.example:{receiver.port}/")
    assert not receiver.requests


def test_a_name_without_addresses_gives_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(outbound.NoResponseError, match="has no address"):
        post(f"https://{NAME}/")


# --- responses ------------------------------------------------------------------------------------


def test_redirects_are_not_followed(receivers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def redirect(connection: ssl.SSLSocket) -> None:
        connection.sendall(
            b"HTTP/1.1 307 Temporary Redirect\r\nLocation: https://169.254.169.254/\r\n"
            b"Content-Length: 0\r\n\r\n"
        )

    receiver = receivers(redirect)
    hosts = fake_resolver(monkeypatch, ["127.0.0.1"])
    assert post(f"https://{NAME}:{receiver.port}/").status == 307
    assert hosts == [NAME]
    assert len(receiver.requests) == 1


def test_only_the_beginning_of_an_endless_answer_is_read(
    receivers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flood(connection: ssl.SSLSocket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"\xff" * 10_000)

    receiver = receivers(flood)
    fake_resolver(monkeypatch, ["127.0.0.1"])
    assert post(f"https://{NAME}:{receiver.port}/").text == "\N{REPLACEMENT CHARACTER}" * 2048


def test_compressed_answers_are_not_unpacked(
    receivers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def send_compressed(connection: ssl.SSLSocket) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n"
        connection.sendall(head + b"bomb")

    receiver = receivers(send_compressed)
    fake_resolver(monkeypatch, ["127.0.0.1"])
    assert post(f"https://{NAME}:{receiver.port}/").text == "bomb"
    assert b"\r\nAccept-Encoding: identity\r\n" in receiver.requests[0]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (b"Retry-After: 120\r\n", 120.0),
        (b"Retry-After: 2.5\r\n", 2.5),
        (b"Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n", 0.0),
        (b"Retry-After: -1\r\n", 0.0),
        (b"Retry-After: 1e9\r\n", 0.0),
        (b"", 0.0),
    ],
)
def test_the_pause_that_a_receiver_demands_is_read(
    receivers: Any, monkeypatch: pytest.MonkeyPatch, header: bytes, seconds: float
) -> None:
    def refuse(connection: ssl.SSLSocket) -> None:
        head = b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n"
        connection.sendall(head + header + b"\r\n")

    receiver = receivers(refuse)
    fake_resolver(monkeypatch, ["127.0.0.1"])
    answer = post(f"https://{NAME}:{receiver.port}/")
    assert (answer.status, answer.retry_after) == (429, seconds)


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_slow_answer_is_given_up(
    receivers: Any, monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    monkeypatch.setattr(outbound, "SECONDS", 0.5)
    stop = threading.Event()

    def drip(connection: ssl.SSLSocket) -> None:
        connection.sendall(head)
        while not stop.wait(0.05):
            connection.sendall(b"x")

    receiver = receivers(drip)
    fake_resolver(monkeypatch, ["127.0.0.1"])
    try:
        with pytest.raises(outbound.NoResponseError, match="No answer within"):
            post(f"https://{NAME}:{receiver.port}/")
    finally:
        stop.set()


@pytest.mark.parametrize(
    "answer", [b"", b"SSH-2.0\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50_000]
)
def test_other_protocols_are_no_answer(
    receivers: Any, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    receiver = receivers(lambda connection: connection.sendall(answer))
    fake_resolver(monkeypatch, ["127.0.0.1"])
    with pytest.raises(outbound.NoResponseError):
        post(f"https://{NAME}:{receiver.port}/")


def test_statuses_have_names() -> None:
    assert outbound.status_text(404) == "404 Not Found"
    assert outbound.status_text(799) == "799"


# --- with a webhook -------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_notification_arrives_at_a_receiver(
    receivers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = receivers(ok)
    fake_resolver(monkeypatch, ["127.0.0.1"])
    user = make.user()
    url = f"https://{NAME}:{receiver.port}/hook"
    hook = create_webhook(user, url, ["checked"], "standard", "https://cards.example")
    notify({user.pk}, Notification.Kind.CHECKED, subject=1)
    assert webhooks.send_due() == 1
    delivery = hook.deliveries.get()
    assert (delivery.status, delivery.answer, delivery.state) == (200, "ok", "delivered")
    [request] = receiver.requests
    head, _, body = request.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
    assert headers["webhook-id"] == f"msg_{delivery.key.hex}"
    assert headers["Content-Type"] == "application/json"
    assert headers["webhook-signature"] == webhooks.signature(
        hook.secret, headers["webhook-id"], int(headers["webhook-timestamp"]), body
    )

"""A fake chat endpoint with given answers and faults."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Policy = Callable[[str], Any]
"""The reply to the last message."""

BODIES = {
    "garbage": b"<html>\xff Welcome",
    "deep": b"[" * 100_000,
    "huge": b" " * 1_100_000,
    "empty": b'{"choices": []}',
    "nothing": b"",
}
"""Bodies that are not chat completions."""


class FakeEndpoint:
    """A fake endpoint. `faults`: names of the first answers; then `policy` replies."""

    def __init__(self, policy: Policy, faults: list[str] | None = None) -> None:
        self.policy = policy
        self.faults = list(faults or ())
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.on_request: Callable[[int], None] = lambda _number: None
        self.finish = "stop"
        self.usage: Any = {"prompt_tokens": 100, "completion_tokens": 2}
        self.released = threading.Event()
        """Ends the answers that stall."""
        self.url = ""
        self._lock = threading.Lock()

    @property
    def questions(self) -> list[str]:
        """The last messages of all requests."""
        return [request["messages"][-1]["content"] for request in self.requests]

    def take(self, request: dict[str, Any], key: str | None) -> str:
        """Count a request; return the name of the fault to answer with, or an empty text."""
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
            number = len(self.requests)
            fault = self.faults.pop(0) if self.faults else ""
        self.on_request(number)
        return fault

    def completion(self, text: Any) -> bytes:
        """The body of a valid answer."""
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": self.finish}
        return json.dumps({"choices": [choice], "usage": self.usage}).encode()


@contextmanager
def serving(policy: Policy, faults: list[str] | None = None) -> Iterator[FakeEndpoint]:
    """A fake endpoint that serves until the end of `with`."""
    fake = FakeEndpoint(policy, faults)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = (
            1 << 20
        )  # otherwise headers and body are sent separately, and the body waits for an ACK

        def log_message(self, *_: Any) -> None: ...

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fault = fake.take(request, self.headers["Authorization"])
            with suppress(OSError):  # the client does not wait for all answers
                handle_request(self, fake, fault, request["messages"][-1]["content"])

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.released.set()
        server.shutdown()
        server.server_close()


def handle_request(
    handler: BaseHTTPRequestHandler, fake: FakeEndpoint, fault: str, question: str
) -> None:
    """Answer a request, correctly or with a fault."""
    if fault.isdecimal():  # a status
        echo = f"wrong key: {handler.headers['Authorization']}\x1b[31m"
        send(handler, json.dumps({"error": {"message": echo}}).encode(), int(fault))
    elif fault.startswith("wait "):
        send(handler, b"slower", 429, {"Retry-After": fault.removeprefix("wait ")})
    elif fault.startswith("bare "):
        send(handler, b"", int(fault.removeprefix("bare ")))
    elif fault == "redirect":
        send(handler, b"", 307, {"Location": f"{fake.url}/elsewhere"})
    elif fault == "disconnect":
        handler.close_connection = True
    elif fault == "half":
        send(handler, fake.completion("1")[:20], length=1_000)
    elif fault == "stall":
        fake.released.wait(30)
        handler.close_connection = True
    elif fault == "drip":
        send(handler, b"", length=1_000)
        while not fake.released.wait(0.05):
            handler.wfile.write(b" ")
            handler.wfile.flush()
    elif fault:
        send(handler, BODIES[fault])
    else:
        send(handler, fake.completion(fake.policy(question)))


def send(
    handler: BaseHTTPRequestHandler,
    body: bytes,
    status: int = 200,
    headers: dict[str, str] | None = None,
    length: int | None = None,
) -> None:
    """Send an answer; with a wrong `length`, close the connection."""
    handler.send_response(status)
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.end_headers()
    handler.wfile.write(body)
    handler.wfile.flush()
    handler.close_connection = length is not None


def numbers(question: str) -> list[str]:
    """The numbers of the legal moves in a question."""
    return re.findall(r"^(\d+)\. ", question, re.MULTILINE)

"""Requests to a chat endpoint that errs, stalls, disconnects, limits and answers nonsense."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from bots.cli.common import UsageError
from tests.tournaments.measure.fake_endpoint import FakeEndpoint, serving
from tournaments.measure.endpoint import (
    MAX_REPLY,
    MAX_WAIT_S,
    Endpoint,
    EndpointError,
    Interrupted,
    Reply,
    address,
    key_from,
)

KEY = "sk-very-secret-key"


def endpoint(fake: FakeEndpoint, stopping: Any = None, **changes: Any) -> Endpoint:
    values = {"timeout_s": 5.0, "attempts": 3, "first_wait_s": 0.001} | changes
    event = stopping or threading.Event()
    return Endpoint(address(fake.url), "small", KEY, {"temperature": 0}, stopping=event, **values)


def ask(client: Endpoint, failures: list[str] | None = None) -> Reply:
    causes = [] if failures is None else failures
    try:
        return client.ask([{"role": "user", "content": "?"}], lambda: None, causes.append)
    finally:
        client.close()


class FakeEvent(threading.Event):
    """An event that is never set; waits return immediately and are recorded."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(round(timeout or 0.0))
        return self.is_set()


def test_a_request_has_model_messages_parameters_and_key() -> None:
    with serving(lambda _: "7") as fake:
        reply = ask(endpoint(fake))
    assert (reply.text, reply.cut, reply.prompt_tokens, reply.completion_tokens) == (
        "7",
        False,
        100,
        2,
    )
    assert fake.requests == [
        {"model": "small", "messages": [{"role": "user", "content": "?"}], "temperature": 0}
    ]
    assert fake.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize(
    "fault",
    ["500", "408", "wait 0", "disconnect", "half", "garbage", "deep", "huge", "empty"],
)
def test_a_request_is_repeated_after_a_temporary_failure(fault: str) -> None:
    failures: list[str] = []
    with serving(lambda _: "7", [fault]) as fake:
        assert ask(endpoint(fake), failures).text == "7"
    assert len(fake.requests) == 2
    assert len(failures) == 1
    assert KEY not in failures[0]
    assert failures[0].isprintable()
    assert len(failures[0]) <= 500


@pytest.mark.parametrize("fault", ["stall", "drip"])
def test_a_slow_answer_times_out(fault: str) -> None:
    failures: list[str] = []
    with serving(lambda _: "7", [fault]) as fake:
        assert ask(endpoint(fake, timeout_s=0.3), failures).text == "7"
    assert len(failures) == 1


@pytest.mark.parametrize("fault", ["401", "400", "404", "redirect"])
def test_a_refusal_is_final_and_does_not_show_the_key(fault: str) -> None:
    failures: list[str] = []
    with serving(lambda _: "7", [fault]) as fake, pytest.raises(EndpointError) as error:
        ask(endpoint(fake), failures)
    assert len(fake.requests) == 1
    assert failures == [str(error.value)]
    assert KEY not in str(error.value)
    assert str(error.value).isprintable()


def test_a_redirect_is_explained() -> None:
    with serving(lambda _: "7", ["redirect"]) as fake, pytest.raises(EndpointError) as error:
        ask(endpoint(fake))
    assert f"307 and redirects to {fake.url}/elsewhere" in str(error.value)
    assert "--endpoint" in str(error.value)


@pytest.mark.parametrize("fault", ["nothing", "bare 404", "bare 500"])
def test_no_error_ends_in_a_colon(fault: str) -> None:
    with serving(lambda _: "7", [fault]) as fake, pytest.raises(EndpointError) as error:
        ask(endpoint(fake, attempts=1))
    assert str(error.value).endswith(("completion.", "Not Found.", "Internal Server Error."))
    assert " times" not in str(error.value)


def test_after_the_last_attempt_the_endpoint_has_failed() -> None:
    warnings: list[str] = []
    with serving(lambda _: "7", ["500"] * 9) as fake, pytest.raises(EndpointError, match="3 times"):
        ask(endpoint(fake, warn=warnings.append))
    assert len(fake.requests) == 3
    [warning] = warnings  # only the first one
    assert "500" in warning


def test_waits_follow_the_endpoints_requests() -> None:
    faults = ["wait 7", "wait 99999", "wait Thu, 01 Jan 1970 00:00:00 GMT", "wait soon", "500"]
    waits = FakeEvent()
    with serving(lambda _: "7", faults) as fake:
        ask(endpoint(fake, waits, attempts=6, first_wait_s=2.0))
    pauses = waits.seconds[1:]
    # For each failure: its wait, then the rest of the wait for all requests.
    assert pauses[::2] == [7, MAX_WAIT_S, 0, 16, 32]
    assert pauses[1] == 7
    assert pauses[3] == MAX_WAIT_S


def test_a_stopped_run_sends_no_requests() -> None:
    stopping = threading.Event()
    stopping.set()
    with serving(lambda _: "7") as fake, pytest.raises(Interrupted):
        ask(endpoint(fake, stopping))
    assert fake.requests == []


def test_a_hostile_reply_is_cut_and_has_no_key() -> None:
    text = f"{KEY}\ud800\x1b[2J" + "x" * 50_000
    with serving(lambda _: text) as fake:
        fake.usage = {"prompt_tokens": "many", "completion_tokens": -5}
        fake.finish = "length"
        reply = ask(endpoint(fake))
    assert len(reply.text) == MAX_REPLY
    assert reply.cut
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, None)
    with serving(lambda _: f"my {KEY}\ud800") as fake:
        reply = ask(endpoint(fake))
    assert reply.text == "my [key]?"
    assert KEY not in repr(endpoint(fake))


@pytest.mark.parametrize("content", [None, 5, [{"type": "text", "text": "7"}, 3, {"text": 4}]])
def test_content_that_is_not_text_is_an_error(content: Any) -> None:
    with serving(lambda _: content) as fake:
        assert ask(endpoint(fake)).text == ("7" if isinstance(content, list) else "")


def test_addresses() -> None:
    assert address("https://a.example/v1/") == "https://a.example/v1/chat/completions"
    assert address("http://a/v1/chat/completions?v=2") == "http://a/v1/chat/completions?v=2"
    for wrong_address in (
        *("a.example/v1", "ftp://a/v1", "https://user:word@a/v1", "https:///v1"),
        *("https://[::1/v1", "https://a:99999/v1", "https://a:b/v1"),
    ):
        with pytest.raises(UsageError) as error:
            address(wrong_address)
        assert "word" not in str(error.value).replace("password", "")


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    assert key_from("MY_KEY", required=True) == KEY
    assert key_from("NO_KEY", required=False) == ""
    for value in ("two words", "schlüssel", ""):
        monkeypatch.setenv("MY_KEY", value)
        with pytest.raises(UsageError) as error:
            key_from("MY_KEY", required=True)
        assert not value or value not in str(error.value)

"""Requests to a chat endpoint that errs, stalls, disconnects, limits and answers nonsense."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from bots.cli.common import UsageError
from tests.tournaments.measure.fake_endpoint import Fake, serving
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


def endpoint(fake: Fake, stopping: Any = None, **changes: Any) -> Endpoint:
    values = {"timeout_s": 5.0, "attempts": 3, "first_wait_s": 0.001} | changes
    event = stopping or threading.Event()
    return Endpoint(address(fake.url), "small", KEY, {"temperature": 0}, stopping=event, **values)


def asked(client: Endpoint, failures: list[str] | None = None) -> Reply:
    found = [] if failures is None else failures
    try:
        return client.ask([{"role": "user", "content": "?"}], lambda: None, found.append)
    finally:
        client.close()


class Waits(threading.Event):
    """An event that nobody sets, and for which nobody really waits."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(round(timeout or 0.0))
        return self.is_set()


def test_a_request_has_model_messages_parameters_and_key() -> None:
    with serving(lambda _: "7") as fake:
        reply = asked(endpoint(fake))
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
def test_after_a_passing_failure_the_request_is_sent_again(fault: str) -> None:
    failures: list[str] = []
    with serving(lambda _: "7", [fault]) as fake:
        assert asked(endpoint(fake), failures).text == "7"
    assert len(fake.requests) == 2
    assert len(failures) == 1
    assert KEY not in failures[0]
    assert failures[0].isprintable()
    assert len(failures[0]) <= 500


@pytest.mark.parametrize("fault", ["stall", "drip"])
def test_a_slow_answer_is_given_up(fault: str) -> None:
    failures: list[str] = []
    with serving(lambda _: "7", [fault]) as fake:
        assert asked(endpoint(fake, timeout_s=0.3), failures).text == "7"
    assert len(failures) == 1


@pytest.mark.parametrize("fault", ["401", "400", "404", "redirect"])
def test_a_refusal_is_final_and_names_no_key(fault: str) -> None:
    failures: list[str] = []
    with serving(lambda _: "7", [fault]) as fake, pytest.raises(EndpointError) as refused:
        asked(endpoint(fake), failures)
    assert len(fake.requests) == 1
    assert failures == [str(refused.value)]
    assert KEY not in str(refused.value)
    assert str(refused.value).isprintable()


def test_after_the_last_attempt_the_endpoint_has_failed() -> None:
    warnings: list[str] = []
    with serving(lambda _: "7", ["500"] * 9) as fake, pytest.raises(EndpointError, match="3 times"):
        asked(endpoint(fake, warn=warnings.append))
    assert len(fake.requests) == 3
    [warning] = warnings  # the first one only
    assert "500" in warning


def test_the_waits_are_those_that_the_endpoint_asks_for() -> None:
    faults = ["wait 7", "wait 99999", "wait Thu, 01 Jan 1970 00:00:00 GMT", "wait soon", "500"]
    waits = Waits()
    with serving(lambda _: "7", faults) as fake:
        asked(endpoint(fake, waits, attempts=6, first_wait_s=2.0))
    between = waits.seconds[1:]
    # For each failure: the wait, then what remains of the wait that holds for all requests.
    assert between[::2] == [7, MAX_WAIT_S, 0, 16, 32]
    assert between[1] == 7
    assert between[3] == MAX_WAIT_S


def test_a_stopped_run_asks_nothing() -> None:
    stopping = threading.Event()
    stopping.set()
    with serving(lambda _: "7") as fake, pytest.raises(Interrupted):
        asked(endpoint(fake, stopping))
    assert fake.requests == []


def test_a_hostile_reply_is_cut_and_has_no_key() -> None:
    text = f"{KEY}\ud800\x1b[2J" + "x" * 50_000
    with serving(lambda _: text) as fake:
        fake.usage = {"prompt_tokens": "many", "completion_tokens": -5}
        fake.finish = "length"
        reply = asked(endpoint(fake))
    assert len(reply.text) == MAX_REPLY
    assert reply.cut
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, None)
    with serving(lambda _: f"my {KEY}\ud800") as fake:
        reply = asked(endpoint(fake))
    assert reply.text == "my [key]?"
    assert KEY not in repr(endpoint(fake))


@pytest.mark.parametrize("content", [None, 5, [{"type": "text", "text": "7"}, 3, {"text": 4}]])
def test_content_that_is_no_text(content: Any) -> None:
    with serving(lambda _: content) as fake:
        assert asked(endpoint(fake)).text == ("7" if isinstance(content, list) else "")


def test_addresses() -> None:
    assert address("https://a.example/v1/") == "https://a.example/v1/chat/completions"
    assert address("http://a/v1/chat/completions?v=2") == "http://a/v1/chat/completions?v=2"
    for wrong in ("a.example/v1", "ftp://a/v1", "https://user:word@a/v1", "https:///v1"):
        with pytest.raises(UsageError) as refused:
            address(wrong)
        assert "word" not in str(refused.value).replace("password", "")


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    assert key_from("MY_KEY", required=True) == KEY
    assert key_from("NO_KEY", required=False) == ""
    for value in ("two words", "schlüssel", ""):
        monkeypatch.setenv("MY_KEY", value)
        with pytest.raises(UsageError) as refused:
            key_from("MY_KEY", required=True)
        assert not value or value not in str(refused.value)

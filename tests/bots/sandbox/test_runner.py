"""The runner's side of the bot protocol, over plain pipes and without a sandbox."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bots.sandbox import BotProcess, Program, Sandbox, SeatClosed

Play = Callable[..., tuple[list[Any], str]]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(trusted=True, warm=1) as factory:
        yield factory


@pytest.fixture
def play(sandbox: Sandbox) -> Play:
    """Send messages to a bot; return its answers, with None for its end, and its log."""

    def run(source: str, *messages: dict[str, Any], files: dict[str, bytes] | None = None) -> Any:
        code = textwrap.dedent(source).encode()
        seat: BotProcess = sandbox.open(Program({"bot.py": code} | (files or {})), name="bot")
        replies: list[Any] = []
        try:
            for message in messages:
                seat.send(json.dumps(message).encode())
                if message.get("type") in ("start", "move"):
                    replies.append(json.loads(seat.receive(10.0)))
        except SeatClosed:
            replies.append(None)
        seat.close(grace_s=60.0)
        return replies, seat.stderr().decode()

    return run


START = {"type": "start", "protocol": 1, "rng": "seed", "clock": {"move_ms": 9}, "seat": 2}
READY = {"type": "ready"}


def move(**fields: Any) -> dict[str, Any]:
    usual = {"type": "move", "view": {"hand": ["6C"]}, "legal": ["a", "b"], "events": []}
    return usual | fields


def test_function(play: Play) -> None:
    source = "def choose(view, legal): return view['hand'][0] + legal[-1]"
    assert play(source, START, move()) == ([READY, {"move": "6Cb"}], "")


CLASS = """
class Bot:
    clock = None
    def __init__(self):
        print("made")
    def start(self, info):
        print("start", info["seat"], self.clock)
    def choose(self, view, legal):
        print("choose", self.clock)
        return legal[0]
    def event(self, event):
        print("event", event)
    def deal(self, sheet):
        print("deal", sheet)
    def end(self, result):
        print("end", result)
"""


def test_class_gets_every_call_in_order(play: Play) -> None:
    replies, log = play(
        CLASS,
        START,
        move(events=["one", "two"], clock={"bank_ms": 5}),
        {"type": "deal", "sheet": {"sweeps": 1}},
        move(clock={"bank_ms": 4}),
        {"type": "end", "result": "won"},
    )
    assert replies == [READY, {"move": "a"}, {"move": "a"}]
    assert log.splitlines() == [
        "made",
        "start 2 {'move_ms': 9}",
        "event one",
        "event two",
        "choose {'bank_ms': 5}",
        "deal {'sweeps': 1}",
        "choose {'bank_ms': 4}",
        "end won",
    ]


def test_class_with_choose_alone(play: Play) -> None:
    source = "class Bot:\n    def choose(self, view, legal): return legal[0]"
    ending = ({"type": "deal", "sheet": {}}, {"type": "end", "result": {}})
    assert play(source, START, move(events=[1]), *ending) == ([READY, {"move": "a"}], "")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{'move': 'a', 'note': 'why not'}", {"move": "a", "note": "why not"}),
        ("{'move': 'a'}", {"move": "a", "note": ""}),
        ("{'move': 'a', 'note': 7}", {"move": "a", "note": "7"}),
        ("'ä\"\\\\\\n\u2660'", {"move": 'ä"\\\n\u2660'}),
        ("type('Text', (str,), {})('a')", {"move": "a"}),
    ],
)
def test_answers(play: Play, value: str, message: dict[str, str]) -> None:
    source = f"def choose(view, legal): return {value}"
    assert play(source, START, move())[0] == [READY, message]


@pytest.mark.parametrize("value", ["None", "7", "['a']", "{'note': 'a'}", "b'a'", "{'move': 1}"])
def test_invalid_return_values(play: Play, value: str) -> None:
    replies, log = play(f"def choose(view, legal): return {value}", START, move())
    assert replies == [READY, None]
    assert f"choose returned {value}" in log
    assert "it must return a move" in log


def test_unknown_types_and_fields_are_ignored(play: Play) -> None:
    source = "def choose(view, legal): return 'a'"
    strange = ({"type": "weather", "sky": [1]}, {"no": "type"})
    replies = play(source, START | {"new": 1}, *strange, move(new={"x": 2}))[0]
    assert replies == [READY, {"move": "a"}]


def test_ready_comes_after_start(play: Play) -> None:
    source = """
    class Bot:
        def start(self, info): raise RuntimeError("no " + "weights")
        def choose(self, view, legal): return "a"
    """
    replies, log = play(source, START)
    assert replies == [None]
    assert "RuntimeError: no weights" in log


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("x = 1", "neither a function choose(view, legal) nor a class Bot"),
        ("class Bot: pass", "the class Bot has no method choose"),
        ("def choose(:", "SyntaxError"),
        ("import missing_module", "No module named 'missing_module'"),
        ("raise SystemExit('bye')", ""),
        ("import sys; sys.exit()", ""),
    ],
)
def test_bots_that_cannot_be_loaded(play: Play, source: str, text: str) -> None:
    replies, log = play(source, START)
    assert replies == [None]
    assert text in log
    assert "runner.py" not in log


def test_a_traceback_has_only_the_bots_lines(play: Play) -> None:
    replies, log = play("def choose(view, legal):\n    return {}['key']", START, move())
    assert replies == [READY, None]
    assert "    return {}['key']" in log
    assert "KeyError: 'key'" in log
    assert "runner" not in log


def test_modules_and_data_beside_the_bot(play: Play) -> None:
    source = """
    from tactics.opening import best
    def choose(view, legal): return best() + open("data/book.txt").read()
    """
    files = {
        "tactics/__init__.py": b"",
        "tactics/opening.py": b"def best(): return 'x'",
        "data/book.txt": b"y",
    }
    assert play(source, START, move(), files=files)[0] == [READY, {"move": "xy"}]


def test_random_is_seeded_by_the_match(play: Play) -> None:
    source = "import random\ndef choose(view, legal): return str(random.random())"
    first, second = play(source, START, move()), play(source, START, move())
    other = play(source, START | {"rng": "another"}, move())
    assert first == second
    assert first != other


def test_the_collector_ignores_objects_of_the_start(play: Play) -> None:
    source = """
    import gc
    loaded = [[] for _ in range(50)]
    def choose(view, legal): return f"{gc.get_threshold()[0]} {gc.get_freeze_count() > 50}"
    """
    assert play(source, START, move())[0] == [READY, {"move": "10000 True"}]
    with_threshold = source.replace("    loaded", "    gc.set_threshold(77)\n    loaded")
    assert play(with_threshold, START, move())[0] == [READY, {"move": "77 True"}]


def test_end_of_input_ends_the_bot_quietly(play: Play) -> None:
    assert play("def choose(view, legal): return 'a'") == ([], "")


@pytest.mark.parametrize("leaving", ["sys.exit('no weights')", "raise SystemExit('no weights')"])
def test_an_exit_message_is_in_the_log(play: Play, leaving: str) -> None:
    source = f"import sys\ndef choose(view, legal): {leaving}"
    assert play(source, START, move()) == (
        [READY, None],
        "cardroom: choose called sys.exit()\nno weights\n",
    )


def test_random_is_seeded_even_if_imported_late(play: Play) -> None:
    source = """
    def choose(view, legal):
        import random
        return str(random.random())
    """
    first, second = play(source, START, move()), play(source, START, move())
    assert first == second
    assert first != play(source, START | {"rng": "another"}, move())
    early = "import random\ndef choose(view, legal): return str(random.random())"
    assert first == play(early, START, move())


def test_a_waiting_runner_loads_nothing_for_its_bot(play: Play) -> None:
    source = "import sys\ndef choose(view, legal): return ' '.join(sys.modules)"
    _, choice = play(source, START, move())[0]
    modules = {name.split(".")[0] for name in choice["move"].split()}
    assert modules.isdisjoint({"engine", "json", "re", "dataclasses", "typing"})

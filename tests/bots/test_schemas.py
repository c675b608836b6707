"""The JSON schemas of protocol, records and games accept real data and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema_rs import Draft202012Validator, meta

from bots.referee.outcome import FaultPolicy
from bots.referee.referee import play_match
from bots.schemas.documents import names, schema, with_current_tables
from engine import Format, Match, Record, registry
from engine.formats import all_formats
from engine.game import Game
from engine.json_types import FaultEntry
from engine.registry import BUILT_IN
from tests.bots.scripted import READY, ScriptedSandbox, players, until
from tests.engine.documents import blocks_of

DOCS = Path(__file__).parents[2] / "docs"
RECORDS = sorted((Path(__file__).parents[1] / "engine" / "records").glob("*.json"))
FORMATS = [str(fmt) for fmt in all_formats() if fmt.game in BUILT_IN]


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name))


def objects(part: Any) -> Iterator[dict[str, Any]]:
    """All schemas of objects in a document."""
    if isinstance(part, dict):
        if "properties" in part:
            yield part
        for value in part.values():
            yield from objects(value)
    elif isinstance(part, list):
        for value in part:
            yield from objects(value)


def event_type(game: str) -> Any:
    spec = registry.game(game)
    assert isinstance(spec, Game)
    types = spec.json_types()
    assert types is not None
    return types.event


class RandomBot:
    """A bot that plays random moves, half of them among the longest, which meld or take."""

    def __init__(self, seed: str) -> None:
        self.rng = Random(seed)
        self.answers: list[dict[str, Any]] = []

    def __call__(self, message: dict[str, Any]) -> bytes:
        if message["type"] == "start":
            return READY
        legal = message["legal"]
        if self.rng.random() < 0.5:
            longest = max(map(len, legal))
            legal = [move for move in legal if len(move) == longest]
        answer = {"move": self.rng.choice(legal), "n": message["n"]}
        if self.rng.random() < 0.1:
            answer["note"] = "Perhaps."
        self.answers.append(answer)
        return json.dumps(answer).encode()


@pytest.mark.parametrize("text", FORMATS)
def test_every_line_of_a_match_validates(text: str) -> None:
    fmt = Format.parse(f"{text}?deals=2")
    bots = [RandomBot(f"{text} {seat}") for seat in range(fmt.seats)]
    sandbox = ScriptedSandbox(bots)
    record = play_match(fmt, "schemas", players(fmt.seats), sandbox=sandbox).record
    assert record.result
    for bot, seat in zip(bots, sandbox.seats, strict=True):
        for message in seat.heard:
            kind = message["type"]
            validator(kind).validate(message)
            if kind in ("move", "deal"):
                validator(f"{fmt.game}-{kind}").validate(message)
        for answer in bot.answers:
            validator("answer").validate(answer)
    validator("ready").validate(json.loads(READY))
    check_record(record)


def check_record(record: Record) -> None:
    """Validate a record and the spectators' views of its match."""
    validator("record").validate(json.loads(record.dumps()))
    game = record.format.partition("/")[0]
    for frame in record.frames():
        validator(f"{game}-view").validate(frame["view"])
        check_events(game, frame["events"])


def check_events(game: str, events: list[dict[str, Any]]) -> None:
    for event in events:
        validator(f"{game}-event").validate(event)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_stored_records_validate(path: Path) -> None:
    check_record(Record.from_json(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("policy", ["fallback", "forfeit"])
def test_records_with_faults_validate_and_have_all_declared_keys(policy: FaultPolicy) -> None:
    sandbox = ScriptedSandbox([RandomBot("a"), until(3, b"no answer")])
    fmt = Format.parse("cassino/standard/1v1?deals=1")
    record = play_match(fmt, "s", players(2), sandbox=sandbox, fault_policy=policy).record
    check_record(record)
    assert [set(fault) for fault in record.faults] == [set(get_type_hints(FaultEntry))]


@pytest.mark.parametrize("game", ["canasta", "spoon-eye", "paks"])
def test_worked_examples_validate_and_show_rare_events(game: str) -> None:
    kinds = set()
    for example in blocks_of(registry.game(game).document):
        if "state" not in example:  # the view in the section for bots
            continue
        match = Match.from_position(example["format"], example["state"])
        for move in example.get("play", [example["move"]] if "move" in example else []):
            match.play(move)
        for move in match.legal_moves():
            position = match.copy()
            position.play(move)
            events = position.events(None)
            check_events(game, events)
            kinds |= {event["type"] for event in events}
            for seat in (None, *range(match.format.seats)):
                validator(f"{game}-view").validate(position.view(seat))
    declared = {get_args(get_type_hints(part)["type"])[0] for part in get_args(event_type(game))}
    assert declared - kinds <= {"deal", "deal_start", "upcard"}


@pytest.mark.parametrize("name", names())
def test_every_key_is_described_and_unknown_keys_are_refused(name: str) -> None:
    document = schema(name)
    meta.validate(document)
    for part in objects(document):
        assert part["description"].endswith("."), part
        assert part["additionalProperties"] is ("keys of their own" in part["description"])
        for key, value in part["properties"].items():
            assert value["description"].endswith((".", "…")), key


def test_an_unknown_or_missing_key_fails() -> None:
    view = Match("cassino/standard/1v1", "seed").view(0)
    check = validator("cassino-view")
    check.validate(view)
    assert not check.is_valid({**view, "colour": "red"})
    assert not check.is_valid({key: value for key, value in view.items() if key != "hand"})
    assert not check.is_valid({**view, "table": [{**view["table"][0], "colour": "red"}]})
    assert not check.is_valid({**view, "stock": "40"})
    assert not validator("cassino-event").is_valid({"type": "sweep", "seat": 0, "cards": []})
    assert not validator("cassino-event").is_valid({"type": "zwick", "seat": 0})


@pytest.mark.parametrize(
    "path", [*DOCS.glob("rules/*.md"), DOCS / "19-data.md"], ids=lambda path: path.stem
)
def test_documented_tables_of_keys_are_current(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    message = f"Refresh it: .venv/bin/python -m bots.schemas docs/{path.relative_to(DOCS)}"
    assert text == with_current_tables(text), message

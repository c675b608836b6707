"""`verify` and the sources of records."""

from __future__ import annotations

import json
import random
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from engine import Format, Match, Record
from engine.shuffle import commitment

from .conftest import Run


def record() -> dict[str, Any]:
    """A finished match of first legal moves."""
    match = Match(Format.parse("cassino/standard/1v1?deals=1"), seed="v")
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    return Record.of(match).to_json()


def test_a_valid_record_agrees(run: Run) -> None:
    Path("g.json").write_text(json.dumps(record()))
    ran = run("verify", "g.json")
    assert (ran.status, ran.out) == (0, "g.json: agrees (48 moves, 1 deals).\n")


def test_the_first_illegal_move_is_named(run: Run) -> None:
    edited = record()
    edited["moves"][20] = edited["moves"][21]
    Path("g.json").write_text(json.dumps(edited))
    ran = run("verify", "g.json", "--json")
    assert ran.status == 1
    assert ran.json[0]["move"] == 20
    assert "Move 21 (moves[20]) does not follow" in ran.json[0]["text"]


@pytest.mark.parametrize("key", ["scores", "ranks", "reason"])
def test_an_edited_result_is_named(run: Run, key: str) -> None:
    edited = record()
    edited["result"][key] = edited["result"][key] * 2
    Path("g.json").write_text(json.dumps(edited))
    ran = run("verify", "g.json")
    assert ran.status == 1
    assert f"The result's {key} do" in ran.out


def test_edits_of_all_kinds_fail_and_none_shows_a_traceback(run: Run) -> None:
    edits: list[tuple[str, Any]] = [
        ("cardroom", 2),
        ("format", "cassino/standard/2v2"),
        ("format", "bridge/x/y"),
        ("seed", "w"),
        ("seed", None),
        ("players", [{"name": "x"}]),
        ("players", 3),
        ("moves", []),
        ("moves", [None]),
        ("moves", "6C"),
        ("result", None),
        ("result", []),
        ("faults", [{"seat": 0, "kind": "illegal"}]),
        ("faults", [{"seat": 9, "kind": "illegal"}]),
        ("faults", [3]),
        ("clock_ms", 3),
    ]
    for number, (key, value) in enumerate(edits):
        Path(f"{number}.json").write_text(json.dumps({**record(), key: value}))
    ran = run("verify", *[f"{number}.json" for number in range(len(edits))], "--json")
    assert ran.status == 1
    assert [verdict["ok"] for verdict in ran.json] == [False] * len(edits)


def test_many_records_in_one_file(run: Run) -> None:
    valid, invalid = record(), record()
    invalid["moves"].pop()
    Path("all.jsonl").write_text(f"{json.dumps(valid)}\n{json.dumps(invalid)}\n")
    ran = run("verify", "all.jsonl")
    assert ran.status == 1
    assert "all.jsonl, record 1: agrees" in ran.out
    assert "all.jsonl, record 2: " in ran.out


@pytest.mark.parametrize("content", [b"", b"\xff", b"hello", b"[" * 100_000])
def test_an_unreadable_record_is_wrong_usage(run: Run, content: bytes) -> None:
    Path("g.json").write_bytes(content)
    ran = run("verify", "g.json")
    assert ran.status == 2
    assert "g.json is not a record" in ran.err


def test_an_unreadable_source_does_not_hide_the_others(run: Run) -> None:
    Path("good.json").write_text(json.dumps(record()))
    Path("empty.json").write_text("[]")
    ran = run("verify", "empty.json", "absent.json", "good.json")
    assert ran.status == 2
    assert ran.out.splitlines() == [
        "empty.json: contains no match: its list is empty.",
        "absent.json: cannot be read: No such file or directory.",
        "good.json: agrees (48 moves, 1 deals).",
    ]


@pytest.fixture
def address() -> Iterator[str]:
    """A server with a record at /record/, a site's matches 7 and 8, and 404 elsewhere."""
    finished_record = record()
    responses = {
        "/record/": finished_record,
        "/matches/7/record/": finished_record,
        "/matches/7/": {"commitment": commitment(finished_record["seed"])},
        "/matches/8/record/": finished_record,
        "/matches/8/": {"commitment": commitment("another")},
        "/matches/9/record/": finished_record,
        "/matches/9/": {"seed": finished_record["seed"]},  # a site without commitments
        "/matches/10/record/": finished_record,
        "/matches/10/": "?",
        "/api/v1/matches/7/record/": finished_record,
        "/api/v1/matches/7/": {"commitment": commitment(finished_record["seed"])},
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in responses else 404)
            self.end_headers()
            self.wfile.write(json.dumps(responses.get(self.path, {})).encode())

        def log_message(self, *args: object) -> None:
            """Silence."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_record_at_an_address_is_verified(run: Run, address: str) -> None:
    assert run("verify", f"{address}/record/").status == 0
    ran = run("verify", f"{address}/nothing/")
    assert ran.status == 2
    assert "answered 404" in ran.err
    assert run("verify", "http://127.0.0.1:1/").status == 2
    assert run("verify", "http://[").status == 2


def test_the_seed_of_a_match_is_checked_against_its_commitment(run: Run, address: str) -> None:
    ran = run("verify", f"{address}/matches/7/record/")
    confirmation = "its seed matches the commitment shown by the site."
    assert (ran.status, confirmation in ran.out) == (0, True)
    ran = run("verify", f"{address}/matches/8/record/")
    assert (ran.status, "does not match the commitment shown by the site" in ran.out) == (1, True)
    ran = run("verify", f"{address}/matches/9/record/")
    assert (ran.status, "commitment" in ran.out) == (0, False)
    assert run("verify", f"{address}/matches/10/record/").status == 0


@pytest.mark.parametrize("page", ["/matches/7/", "/matches/7", "/matches/7/?seat=1"])
def test_the_address_of_a_matchs_page_stands_for_its_record(
    run: Run, address: str, page: str
) -> None:
    expected = run("replay", f"{address}/record/#move-1")
    ran = run("replay", f"{address}{page}#move-1")
    assert (ran.status, ran.out) == (0, expected.out)
    ran = run("verify", f"{address}{page}")
    assert (ran.status, "matches the commitment shown by the site" in ran.out) == (0, True)
    ran = run("replay", f"{address}/matches/11/")
    assert (ran.status, "/matches/11/record/ answered 404" in ran.err) == (2, True)


def test_a_given_commitment_is_checked(run: Run) -> None:
    Path("g.json").write_text(json.dumps(record()))
    promised = commitment(record()["seed"])
    ran = run("verify", "g.json", "--commitment", promised)
    assert (ran.status, "its seed matches the commitment noted." in ran.out) == (0, True)
    ran = run("verify", "g.json", "--commitment", "0" * 64)
    assert (ran.status, "does not match the commitment noted" in ran.out) == (1, True)
    with zipfile.ZipFile("cup.zip", "w") as archive:
        archive.writestr("x", "y")
    ran = run("verify", "cup.zip", "--commitment", promised)
    assert (ran.status, "--commitment is for a single deal group" in ran.err) == (2, True)


ODD_VALUES: list[Any] = [None, 0, -1, 1e400, "", "x", "\ud800", "[/]", [], {}, [None], True, 10**30]


def _edited(rng: random.Random) -> dict[str, Any]:
    """A record with a fault and a note, changed in one or two places."""
    edited = record()
    edited["faults"] = [{"seat": 0, "kind": "crash", "move": 47, "received": "", "detail": "d"}]
    edited["notes"] = {"3": "hm"}
    for _ in range(rng.randint(1, 2)):
        place: Any = edited
        while True:
            key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.3:
                place[key] = rng.choice(ODD_VALUES)
                break
            place = place[key]
    return edited


@pytest.mark.parametrize("seed", range(40))
def test_records_edited_at_random_are_judged_without_a_traceback(run: Run, seed: int) -> None:
    Path("g.json").write_text(json.dumps(_edited(random.Random(seed))))
    verdict = run("verify", "g.json").status
    assert verdict in {0, 1, 2}
    assert run("replay", "g.json").status == verdict


def test_zips_are_refused_with_the_right_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from bots.cli import verify

    monkeypatch.setattr(verify, "zip_checks", [])
    with zipfile.ZipFile("cup.zip", "w") as archive:
        archive.writestr("x", "y")
    ran = run("verify", "cup.zip")
    assert (ran.status, "can verify only records" in ran.err) == (2, True)
    monkeypatch.setattr(verify, "zip_checks", [lambda file: (len(file.read()) > 9, "looked at.")])
    ran = run("verify", "cup.zip")
    assert (ran.status, ran.out) == (0, "cup.zip: looked at.\n")

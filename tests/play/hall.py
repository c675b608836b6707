"""People at tables, for tests: guests with browsers of their own, bots without processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client

from bots.sandbox import Program
from cardroom_tables import comparing, host, judging, match_cache, reading
from cardroom_tables.actions import tables
from cardroom_tables.actions.comparisons import request_comparison
from cardroom_tables.actions.placing import update_turn
from cardroom_tables.actions.tables import SeatChoice
from cardroom_tables.guests import Person, hash_secret
from cardroom_tables.models import Opinion, Table, TableMove
from engine import Format
from tests.bots.scripted import READY, Reply, ScriptedSeat

SHORT = "cassino/standard/1v1?deals=1"


class Bots:
    """A sandbox without processes: each bot answers as `reply` has it, else at random."""

    trusted = False

    def __init__(self, reply: Callable[[], Reply] | None = None) -> None:
        self.reply = reply or at_random
        self.seats: list[ScriptedSeat] = []

    def open(self, program: Program, *, name: str) -> ScriptedSeat:
        self.seats.append(ScriptedSeat(self.reply()))
        return self.seats[-1]

    @property
    def open_seats(self) -> int:
        return sum(not seat.closed for seat in self.seats)


def at_random(seed: int = 0) -> Reply:
    """Plays legal moves at random."""
    rng = Random(seed)

    def reply(message: dict[str, Any]) -> bytes:
        if message["type"] == "start":
            return READY
        return json.dumps({"move": rng.choice(message["legal"]), "note": "So it is."}).encode()

    return reply


def guest(name: str = "ada") -> Person:
    """Somebody without an account."""
    return Person(guest=hash_secret(name), address="192.0.2.1")


def account(user: User) -> Person:
    """Somebody with one."""
    return Person(user=user, address="192.0.2.2")


def table(
    text: str = SHORT, person: Person | None = None, *, friends: int = 0, **more: Any
) -> Table:
    """A table with the person at the first seat, friends at the next, house bots at the others."""
    seats = Format.parse(text).seats
    wanted = [SeatChoice("you"), *[SeatChoice("friend")] * friends]
    wanted += [SeatChoice("bot", "house:random")] * (seats - len(wanted))
    return tables.create_table(person or guest(), text, wanted, **more)


def finished(person: Person | None = None) -> Table:
    """A table that is over: everybody played the first legal move."""
    made = table(SHORT, person)
    match, seats = match_cache.position_of(made), reading.seats_of(made)
    rows: list[TableMove] = []
    while (seat := match.turn) is not None:
        rows.append(TableMove(table=made, n=len(rows), seat=seat, move=match.legal_moves()[0]))
        match.play(rows[-1].move)
    TableMove.objects.bulk_create(rows)
    made.moves = len(rows)
    update_turn(made, match, seats)
    made.save()
    request_comparison(made)
    made.refresh_from_db()
    return made


def play_bots(limit: int = 100) -> int:
    """Have a host do what waits; how many moves were stored."""
    waiting = Table.objects.filter(bots_turn=True, state=Table.State.PLAYING)
    return sum(host.play_bots(pk) for pk in waiting.values_list("pk", flat=True)[:limit])


def compare_deals() -> int:
    """Have a host compare the deals that wait; how many tables had some."""
    waiting = list(Table.objects.filter(compared__lt=F("deals")).values_list("pk", flat=True))
    for pk in waiting:
        while comparing.compare_next(pk):
            pass
    return len(waiting)


def judge_moves() -> int:
    """Have a host give the opinions that wait; how many."""
    waiting = Opinion.objects.free()
    keys = list(waiting.values_list("pk", flat=True))
    for pk in keys:
        judging.answer_opinion(pk)
    return len(keys)


class Visitor:
    """A browser at a table."""

    def __init__(self, key: str = "") -> None:
        self.client = Client()
        self.key = key

    def create(self, text: str, **fields: str) -> dict[str, Any]:
        """Make a table by the form; its first state."""
        answer = self.client.post("/play/", {"format": text, **fields})
        assert answer.status_code == 302, answer.content.decode()[-3000:]
        self.key = answer["Location"].split("/")[2]
        return self.state()

    def get(self, part: str = "", **query: Any) -> Any:
        """The answer to a question about the table."""
        return self.client.get(f"/play/{self.key}/{part}", query)

    def state(self, **query: Any) -> dict[str, Any]:
        """The table as this visitor is told."""
        answer = self.get("state/", **query)
        assert answer.status_code == 200, answer.content
        return dict(answer.json())

    def post(self, part: str, **sent: Any) -> Any:
        """The answer to something done there."""
        return self.client.post(f"/play/{self.key}/{part}/", sent, content_type="application/json")

    def move(self, state: dict[str, Any], move: str) -> dict[str, Any]:
        """Play a move; the state after it."""
        answer = self.post("move", n=state["n"], move=move, after=state["frames_total"])
        assert answer.status_code == 200, answer.content
        return dict(answer.json())


def played_out(visitors: Iterable[Visitor], rng: Random, most: int = 5_000) -> dict[str, Any]:
    """Have the visitors and the bots play at random to the end of the match; the last state."""
    sitting = {visitor.state()["you"]: visitor for visitor in visitors}
    for _ in range(most):
        play_bots()
        state = next(iter(sitting.values())).state()
        if state["result"] is not None:
            return state
        mover = sitting[state["turn"]]
        own = mover.state()
        mover.move(own, rng.choice(own["decision"]["moves"])["move"])
    raise AssertionError("The match does not end.")

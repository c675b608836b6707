"""People at tables, for tests: guests with separate browsers, bots without processes."""

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
    """A sandbox without processes. `reply` makes a function that answers for each bot; by default
    bots play at random."""

    trusted = False

    def __init__(self, reply: Callable[[], Reply] | None = None) -> None:
        self.reply = reply or random_reply
        self.seats: list[ScriptedSeat] = []

    def open(self, program: Program, *, name: str) -> ScriptedSeat:
        self.seats.append(ScriptedSeat(self.reply()))
        return self.seats[-1]

    @property
    def open_seats(self) -> int:
        return sum(not seat.closed for seat in self.seats)


def random_reply(seed: int = 0) -> Reply:
    """A reply that plays legal moves at random."""
    rng = Random(seed)

    def reply(message: dict[str, Any]) -> bytes:
        if message["type"] == "start":
            return READY
        return json.dumps({"move": rng.choice(message["legal"]), "note": "So it is."}).encode()

    return reply


def guest(name: str = "ada") -> Person:
    """A guest, who has no account."""
    return Person(guest=hash_secret(name), address="192.0.2.1")


def account(user: User) -> Person:
    """A person with an account."""
    return Person(user=user, address="192.0.2.2")


def new_table(
    text: str = SHORT, person: Person | None = None, *, friends: int = 0, **fields: Any
) -> Table:
    """A table with the person at the first seat, friends at the next, house bots at the others."""
    seats = Format.parse(text).seats
    choices = [SeatChoice("you"), *[SeatChoice("friend")] * friends]
    choices += [SeatChoice("bot", "house:random")] * (seats - len(choices))
    return tables.create_table(person or guest(), text, choices, **fields)


def finished_table(person: Person | None = None) -> Table:
    """A finished table; every seat played the first legal move."""
    table = new_table(SHORT, person)
    match, seats = match_cache.position_of(table), reading.seats_of(table)
    rows: list[TableMove] = []
    while (seat := match.turn) is not None:
        rows.append(TableMove(table=table, n=len(rows), seat=seat, move=match.legal_moves()[0]))
        match.play(rows[-1].move)
    TableMove.objects.bulk_create(rows)
    table.moves = len(rows)
    update_turn(table, match, seats)
    table.save()
    request_comparison(table)
    table.refresh_from_db()
    return table


def play_bots(limit: int = 100) -> int:
    """Let a host play the waiting bots; the number of stored moves."""
    waiting_tables = Table.objects.filter(bots_turn=True, state=Table.State.PLAYING)
    return sum(host.play_bots(pk) for pk in waiting_tables.values_list("pk", flat=True)[:limit])


def compare_deals() -> int:
    """Let a host compare all waiting deals; the number of their tables."""
    keys = list(Table.objects.filter(compared__lt=F("deals")).values_list("pk", flat=True))
    for pk in keys:
        while comparing.compare_next(pk):
            pass
    return len(keys)


def judge_moves() -> int:
    """Let a host give all waiting opinions; their number."""
    opinions = Opinion.objects.free()
    keys = list(opinions.values_list("pk", flat=True))
    for pk in keys:
        judging.answer_opinion(pk)
    return len(keys)


class Visitor:
    """A browser at a table."""

    def __init__(self, key: str = "") -> None:
        self.client = Client()
        self.key = key

    def create(self, text: str, **fields: str) -> dict[str, Any]:
        """Create a table with the form; its first state."""
        response = self.client.post("/play/", {"format": text, **fields})
        assert response.status_code == 302, response.content.decode()[-3000:]
        self.key = response["Location"].split("/")[2]
        return self.state()

    def get(self, part: str = "", **query: Any) -> Any:
        """The response of an address below the table's."""
        return self.client.get(f"/play/{self.key}/{part}", query)

    def state(self, **query: Any) -> dict[str, Any]:
        """The table's state for this visitor."""
        response = self.get("state/", **query)
        assert response.status_code == 200, response.content
        return dict(response.json())

    def post(self, part: str, **values: Any) -> Any:
        """The response to an action at the table."""
        return self.client.post(
            f"/play/{self.key}/{part}/", values, content_type="application/json"
        )

    def move(self, state: dict[str, Any], move: str) -> dict[str, Any]:
        """Play a move; the state after it."""
        response = self.post("move", n=state["n"], move=move, after=state["frames_total"])
        assert response.status_code == 200, response.content
        return dict(response.json())


def play_out(visitors: Iterable[Visitor], rng: Random, max_rounds: int = 5_000) -> dict[str, Any]:
    """Let visitors and bots play at random to the end of the match; the last state."""
    visitors_by_seat = {visitor.state()["you"]: visitor for visitor in visitors}
    for _ in range(max_rounds):
        play_bots()
        state = next(iter(visitors_by_seat.values())).state()
        if state["result"] is not None:
            return state
        mover = visitors_by_seat[state["turn"]]
        movers_state = mover.state()
        mover.move(movers_state, rng.choice(movers_state["decision"]["moves"])["move"])
    raise AssertionError("The match does not end.")

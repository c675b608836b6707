"""A table on a real site survives a killed host and a restart."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine import Record
from tests.full_size import FULL_SIZE_ONLY
from tests.play.browsers import Browser
from tests.servers import Postgres, Redis, wait_for
from tests.sites import Site, migrated_database

pytestmark = [pytest.mark.long, pytest.mark.sandbox]
PAIRS = "cassino/standard/2v2?deals=1"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path)
    yield site
    site.end()


def seat_two_friends(site: Site) -> list[Browser]:
    """Two people against two bots, each with a browser."""
    maker = Browser(site.url)
    state = maker.create(PAIRS, **{"seat-1": "house:greedy", "seat-2": "friend"})
    friend = Browser(site.url, maker.path)
    friends_state = friend.post("sit", token=state["invitations"][0]["url"].partition("=")[2])
    assert friends_state["you"] == 2
    return [maker, friend]


def play(people: list[Browser], moves: int, rng: Random, turn: int | None = None) -> dict[str, Any]:
    """Let people and bots play at least this number of moves; the last state.

    If `turn` is given, they continue to the turn of that seat, which must be a person's.
    """
    state = people[0].state()
    until = state["n"] + moves
    while state["result"] is None and (state["n"] < until or turn not in (None, state["turn"])):
        person_to_move = next((person for person in people if person.seat == state["turn"]), None)
        if person_to_move is None:
            state = people[0].wait(state)
            continue
        state_of_mover = person_to_move.state()
        person_to_move.move(state_of_mover, rng.choice(state_of_mover["decision"]["moves"])["move"])
        state = people[0].state()
    return state


def kill(site: Site, name: str) -> None:
    """Kill a service, and wait until it is restarted."""
    pid = site.services()[name]
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: site.services().get(name, pid) != pid, f"{name} is not restarted")


@FULL_SIZE_ONLY
def test_a_table_survives_its_host_and_its_site(site: Site) -> None:
    assert_survival(site, Random(1))


@pytest.mark.postgres
@pytest.mark.redis
def test_a_table_survives_on_postgresql_and_redis(
    tmp_path: Path, postgres: Postgres, redis_server: Redis
) -> None:
    environment = {"DATABASE_URL": migrated_database(postgres), "REDIS_URL": redis_server.url}
    site = Site(tmp_path, environment)
    try:
        assert_survival(site, Random(2))
    finally:
        site.end()


def assert_survival(site: Site, rng: Random) -> None:
    """Play a match; kill the host during a bot's turn, then the web server; restart the site."""
    site.up(workers=1)
    people = seat_two_friends(site)
    before = play(people, 10, rng, turn=0)
    assert before["turn"] == 0
    # The host is killed before, during or after the bot's answer to the message.
    after = people[0].move(before, before["decision"]["moves"][0]["move"])
    kill(site, "tables")
    state = people[0].wait(after) if after["n"] == before["n"] + 1 else after
    assert state["n"] == before["n"] + 2, "the bot's turn was not played once"
    kill(site, "web")
    wait_for(site.is_serving, "The web server is not restarted")
    state = play(people, 10, rng)
    move_count = state["n"]
    site.stop()
    site.up(workers=1)
    state = people[1].state()
    assert (state["n"], state["you"]) == (move_count, 2), "sessions or moves are lost"
    state = play(people, 10_000, rng)
    assert state["result"] is not None
    record = Record.from_json(people[0].get("record/"))
    assert record.verify().result == state["result"]
    assert record.faults == []

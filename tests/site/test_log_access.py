"""Rights to bots' logs: pages and REST agree for every reader, match and seat."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests import factories
from tournaments import actions
from tournaments.models import Match, Seat

pytestmark = pytest.mark.django_db

MATCHES = ("finished", "playing elsewhere", "void", "hidden", "hidden and waiting")
WAITING = ("playing elsewhere", "hidden and waiting")
READERS = ("nobody", "stranger", "opponent", "organizer", "owner", "staff")
REFUSED, HIDDEN, NOT_YET, SHOWN, LOGIN = 403, 404, 409, 200, 401
EXPECTED = {
    "nobody": (LOGIN,) * 5,
    "stranger": (REFUSED, REFUSED, REFUSED, HIDDEN, HIDDEN),
    "opponent": (REFUSED, REFUSED, REFUSED, HIDDEN, HIDDEN),
    "organizer": (REFUSED, REFUSED, REFUSED, HIDDEN, HIDDEN),
    "owner": (SHOWN, NOT_YET, SHOWN, SHOWN, NOT_YET),
    "staff": (SHOWN, NOT_YET, SHOWN, SHOWN, NOT_YET),
}
"""Status codes by reader, in the order of `MATCHES`."""


@dataclass
class LogAccessWorld:
    people: dict[str, User | None]
    seats: dict[str, Seat]


@pytest.fixture
def site() -> LogAccessWorld:
    people = {name: factories.user(name) for name in READERS[1:-1]}
    staff = factories.user("staff", staff=True)
    owned, other = (factories.bot(people[name]) for name in ("owner", "opponent"))
    factories.version(owned)
    one, two = owned.versions.order_by("number")

    def match(*, hidden: bool) -> Match:
        if hidden:
            cup = actions.start_challenge(two, one, people["owner"], groups=1).tournament
        else:
            bots, by = [owned, other], people["organizer"]
            cup = factories.tournament(bots, by=by, rated=False, start=True)
        return cup.matches.order_by("pk")[0]

    hidden = (False, False, False, True, True)
    matches: dict[str, Match] = {}
    # Waiting ones come last, because `finish_all` finishes all matches.
    for name in sorted(MATCHES, key=lambda name: name in WAITING):
        matches[name] = match(hidden=hidden[MATCHES.index(name)])
        if name not in WAITING:
            factories.finish_all(matches[name].tournament)
    factories.finish(matches["playing elsewhere"])
    actions.void_match(matches["void"], people["organizer"], "A test.")
    seats = {
        name: chosen.seats.filter(version__bot=owned).order_by("index")[0]
        for name, chosen in matches.items()
    }
    for seat in seats.values():
        seat.log = zlib.compress("what it wrote \x1b[2J \u202e".encode())
        seat.save()
    return LogAccessWorld({"nobody": None, **people, "staff": staff}, seats)


@pytest.mark.parametrize("reader", READERS)
def test_pages_and_rest_decide_alike(site: LogAccessWorld, reader: str) -> None:
    client = Client()
    user = site.people[reader]
    if user is not None:
        client.force_login(user)
    for name, expected in zip(MATCHES, EXPECTED[reader], strict=True):
        seat = site.seats[name]
        path = f"matches/{seat.match_id}/logs/{seat.index}/"
        rest, page = client.get(f"/api/v1/{path}"), client.get(f"/{path}")
        context = (name, reader)
        assert (rest.status_code, *context) == (expected, *context)
        if expected == LOGIN:
            assert page["Location"].startswith("/login/?next=")
            continue
        assert (page.status_code, *context) == (expected, *context)
        texts = [response.content.decode() for response in (rest, page)]
        assert [("what it wrote" in text) for text in texts] == [expected == SHOWN] * 2
        assert not any("\x1b" in text or "\u202e" in text for text in texts)
        if expected == SHOWN:
            assert rest.json()["log"] == "what it wrote \\x1b[2J \\u202e"
        words = {
            REFUSED: "Only the owner of this bot may read its log",
            NOT_YET: "still being played",
        }
        assert all(words.get(expected, "") in text for text in texts)
        if expected == NOT_YET:
            assert rest.json()["type"] == "urn:cardroom:problem:not-yet"


def test_an_unknown_seat_is_not_found(site: LogAccessWorld) -> None:
    client = Client()
    owner = site.people["owner"]
    assert owner is not None
    client.force_login(owner)
    path = f"matches/{site.seats['finished'].match_id}/logs/9/"
    assert [client.get(f"{root}{path}").status_code for root in ("/api/v1/", "/")] == [404, 404]

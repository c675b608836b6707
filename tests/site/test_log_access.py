"""Who reads a bot's log: pages and REST say the same of every reader, match and seat."""

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
"""By reader, for each of the matches."""


@dataclass
class Place:
    people: dict[str, User | None]
    seats: dict[str, Seat]


@pytest.fixture
def place() -> Place:
    people = {name: factories.user(name) for name in READERS[1:-1]}
    staff = factories.user("staff", staff=True)
    owned, other = (factories.bot(people[name]) for name in ("owner", "opponent"))
    factories.version(owned)
    one, two = owned.versions.order_by("number")

    def match(*, hidden: bool) -> Match:
        if hidden:
            made = actions.start_challenge(two, one, people["owner"], groups=1).tournament
        else:
            bots, by = [owned, other], people["organizer"]
            made = factories.tournament(bots, by=by, rated=False, start=True)
        return made.matches.order_by("pk")[0]

    hidden = (False, False, False, True, True)
    found: dict[str, Match] = {}
    # Those that wait come last: to finish a tournament finishes all matches.
    for name in sorted(MATCHES, key=lambda name: name in WAITING):
        found[name] = match(hidden=hidden[MATCHES.index(name)])
        if name not in WAITING:
            factories.finish_all(found[name].tournament)
    factories.finish(found["playing elsewhere"])
    actions.void_match(found["void"], people["organizer"], "A test.")
    seats = {
        name: each.seats.filter(version__bot=owned).order_by("index")[0]
        for name, each in found.items()
    }
    for seat in seats.values():
        seat.log = zlib.compress(b"what it wrote")
        seat.save()
    return Place({"nobody": None, **people, "staff": staff}, seats)


@pytest.mark.parametrize("reader", READERS)
def test_pages_and_rest_decide_alike(place: Place, reader: str) -> None:
    client = Client()
    user = place.people[reader]
    if user is not None:
        client.force_login(user)
    for name, expected in zip(MATCHES, EXPECTED[reader], strict=True):
        seat = place.seats[name]
        path = f"matches/{seat.match_id}/logs/{seat.index}/"
        rest, page = client.get(f"/api/v1/{path}"), client.get(f"/{path}")
        told = (name, reader)
        assert (rest.status_code, *told) == (expected, *told)
        if expected == LOGIN:
            assert page["Location"].startswith("/login/?next=")
            continue
        assert (page.status_code, *told) == (expected, *told)
        shown = [answer.content.decode() for answer in (rest, page)]
        assert [("what it wrote" in each) for each in shown] == [expected == SHOWN] * 2
        words = {
            REFUSED: "Only the owner of this bot may read its log",
            NOT_YET: "still being played",
        }
        assert all(words.get(expected, "") in each for each in shown)
        if expected == NOT_YET:
            assert rest.json()["type"] == "urn:cardroom:problem:not-yet"


def test_a_seat_that_is_not_there_is_nobodys(place: Place) -> None:
    client = Client()
    owner = place.people["owner"]
    assert owner is not None
    client.force_login(owner)
    path = f"matches/{place.seats['finished'].match_id}/logs/9/"
    assert [client.get(f"{door}{path}").status_code for door in ("/api/v1/", "/")] == [404, 404]

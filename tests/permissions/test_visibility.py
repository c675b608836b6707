"""Each person reads each address, with a tournament that is visible to all, by link, code or name.

The addresses come from the site's URL patterns. Addresses of the tournament or its match are
*guarded*: for outsiders they do not exist (404). All others must not mention it to outsiders.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.test import Client

from bots.access import MODERATOR
from tests import factories as make
from tests.addresses import addresses
from tests.full_size import FULL, FULL_SIZE_ONLY
from tournaments import actions, projections
from tournaments.actions.announcements import post_announcement
from tournaments.exports.dump import dump
from tournaments.models import Admission, Match, Tournament
from tournaments.reading.content_cache import compute_due
from tournaments.reading.kinds import LUCK, STORY, TABLES
from tournaments.visibility import LINKS, Viewer, listed_matches, readable_matches, visible_to

MARK = "whispering"
"""A word that occurs only in the tournament's name and address."""
PEOPLE = (
    *("nobody", "stranger", "link-holder", "code-holder", "invited", "entrant"),
    *("organizer", "co-organizer", "moderator", "staff"),
)
"""`link-holder` is not logged in and followed the link before the visibility changed. `code-holder`
entered a code, which has no effect if the tournament is not visible by code."""
ALWAYS = {"invited", "entrant", "organizer", "co-organizer", "staff"}
VIEWERS = {
    "all": set(PEOPLE),
    "link": ALWAYS | {"link-holder"},
    "code": ALWAYS | {"code-holder"},
    "invited": ALWAYS,
    "hidden": {"organizer", "co-organizer", "moderator", "staff"},
}
COLUMNS = PEOPLE if FULL else ("nobody", "stranger", "link-holder", "code-holder")
"""The people who read every address; the rule treats the others like `code-holder`."""

PARAMETERS = {
    ("tournaments", "slug"): f"{MARK}-cup",
    ("tournaments", "bot"): "magpie",
    ("matches", "number"): "1",
    ("bots", "slug"): "magpie",
    ("bots", "number"): "1",
    ("ratings", "bot"): "magpie",
    ("authors", "author"): "organizer",
    ("games", "game"): "cassino",
    ("schemas", "name"): "cassino-view",
    ("challenges", "pk"): "1",
    ("challenges", "id"): "1",
    ("account", "number"): "1",
    ("account", "pk"): "1",
    ("tokens", "number"): "1",
    ("webhooks", "number"): "1",
    ("play", "key"): "none",
    ("play", "number"): "1",
    ("play", "deal"): "1",
    ("dumps", "name"): "results.jsonl.gz",
}
"""Parameters of addresses, by the first word of the address and the name of the parameter."""
QUERIES = {
    "search/": "?q=whisp",
    "api/v1/search/": "?q=whisp",
    "api/v1/bots/<bot:slug>/results/": "?game=cassino",
    "api/v1/bots/<bot:slug>/losses/": "?game=cassino",
    "api/v1/ratings/table/": "?pool=overall",
    "ratings/head-to-head/": "?a=magpie&b=jay",
    "api/v1/ratings/head-to-head/": "?a=magpie&b=jay",
}
LIST_ADDRESSES = (
    *("matches/?state=all", "matches/?only=mine", "matches/?bot=magpie", "tournaments/?mine=1"),
    *("tournaments/?state=over", f"matches/?tournament={MARK}-cup", "authors/entrant/"),
    *("api/v1/tournaments/?bot=magpie", f"api/v1/matches/?tournament={MARK}-cup"),
    *(f"api/v1/tournaments/?name={MARK[:5]}", "api/v1/matches/?bot=magpie"),
)
"""Further addresses of lists."""
METHODS = ("get", "post", "put", "patch", "delete")
PUBLIC_ONLY = (
    *("/preview.png", "/picture.png", "/animation.webp", "/feed/"),
    "embed/matches/",
)
"""Parts of guarded addresses that other sites copy or cache, and which show only public data."""


@dataclass
class VisibilityWorld:
    """A finished tournament, and a client for each person."""

    tournament: Tournament
    match: Match
    seat: int
    day: str
    announcement: int
    """The primary key of an announcement."""
    users: dict[str, User | None]
    clients: dict[str, Client]

    def fill_in(self, route: str) -> str:
        """The address with its parameters. Raises KeyError for an unknown parameter."""
        word = route.removeprefix("api/v1/").partition("/")[0]
        values = PARAMETERS | {
            ("matches", "pk"): str(self.match.pk),
            ("embed", "pk"): str(self.match.pk),
            ("matches", "seat"): str(self.seat),
            ("dumps", "day"): self.day,
            ("tournaments", "pk"): str(self.announcement),
        }
        return re.sub(r"<(?:\w+:)?(\w+)>", lambda part: values[word, part[1]], f"/{route}")

    def mentions(self, content: bytes) -> bool:
        text = content.decode(errors="replace").lower()
        return MARK in text or bool(re.search(rf"/matches/{self.match.pk}/", text))


def create_world(visibility: str, tmp_path: Path) -> VisibilityWorld:
    """A world with a tournament that was visible by link before it got this visibility."""
    names = [name for name in PEOPLE if name not in ("nobody", "link-holder")]
    users: dict[str, Any] = dict.fromkeys(PEOPLE)
    users |= {name: make.user(name, staff=name == "staff") for name in names}
    clients = {name: Client() for name in PEOPLE}
    for name in names:
        clients[name].force_login(users[name])
    users["moderator"].groups.add(Group.objects.get_or_create(name=MODERATOR)[0])
    bots = [make.bot(users["entrant"], "Magpie"), make.bot(make.user("rival"), "Jay")]
    knock_out = [{"system": "knock-out", "groups": 1}]
    tournament = make.tournament(
        bots,
        name="Whispering Cup",
        by=users["organizer"],
        rated=False,
        visibility="link",
        stages=knock_out,
        start=True,
    )
    key = Tournament.objects.get(pk=tournament.pk).key
    clients["link-holder"].get(f"/tournaments/{tournament.slug}/?invitation={key}")
    chosen_visibility = "all" if visibility == "hidden" else visibility
    actions.set_visibility(tournament, None, visibility=chosen_visibility, invited=["invited"])
    actions.change_organizers(tournament, users["organizer"], ["co-organizer"])
    tournament.refresh_from_db()
    if visibility == "code":
        actions.join(tournament.key.lower(), users["code-holder"])
    else:  # an admission from an earlier time
        Admission.objects.create(tournament=tournament, user=users["code-holder"], by="code")
    announcement = post_announcement(tournament, users["organizer"], "Pizza at eight.")
    tournament = make.finish_all(tournament)
    if visibility == "hidden":
        tournament = actions.hide(tournament, None, "x")
    projections.refresh()
    compute_due([TABLES, STORY, LUCK])
    match = tournament.matches.order_by("pk")[0]
    actions.request_analysis(match, users["entrant"])
    seat = match.seats.get(version__bot=bots[0]).index
    day = dump(tmp_path, keep=1, parquet=False)[0].name
    return VisibilityWorld(tournament, match, seat, day, announcement.pk, users, clients)


@pytest.fixture(
    params=["code", *(pytest.param(name, marks=FULL_SIZE_ONLY) for name in ("link", "invited"))]
)
def world(request: pytest.FixtureRequest, quiet: None, db: None, tmp_path: Path) -> VisibilityWorld:
    return create_world(request.param, tmp_path)


def send(client: Client, address: str, method: str = "get") -> Any:
    """Send a request and roll it back, with the cookies; return the response with its `body`."""
    cookies: Any = client.cookies.copy()
    data: Any = {"data": "{}", "content_type": "application/json"} if "/api/" in address else {}
    with transaction.atomic():
        response: Any = getattr(client, method)(address, **(data if method != "get" else {}))
        if response.status_code == 405 and method == "get":
            response = client.post(address, **data)
        response.body = b"".join(response) if response.streaming else response.content
        transaction.set_rollback(True)
    client.cookies = cookies
    return response


def is_hidden(response: Any) -> bool:
    """Whether the address seems not to exist, or requires an account."""
    return requires_login(response) or response.status_code == 404


def requires_login(response: Any) -> bool:
    """Whether the response asks for an account, which happens before any lookup."""
    login = response.status_code == 302 and "/login/?next=" in response["Location"]
    return login or response.status_code == 401


def rows(world: VisibilityWorld) -> list[tuple[str, str]]:
    """(method, address) of every address.

    The addresses of allauth, which are regular expressions, have no parameters of a tournament.
    """
    return [
        (method, world.fill_in(route) + QUERIES.get(route, ""))
        for route, pattern in addresses()
        for method in METHODS
        if "(?P<" not in route and hasattr(getattr(pattern.callback, "cls", _Page), method)
    ]


class _Page:
    """The methods of a page; `send` also tries POST."""

    get = None


def is_guarded(world: VisibilityWorld, address: str) -> bool:
    return f"/{world.tournament.slug}/" in address or f"/matches/{world.match.pk}/" in address


@pytest.mark.parametrize("visibility", VIEWERS)
def test_people_see_the_tournament_by_its_visibility(
    visibility: str, quiet: None, db: None, tmp_path: Path
) -> None:
    world = create_world(visibility, tmp_path)
    for name in PEOPLE:
        links = tuple(world.clients[name].session.get(LINKS, ()))
        user = world.users[name]
        viewer = Viewer(user.pk if user else None, bool(user and user.is_staff), links)
        sees = name in VIEWERS[visibility]
        assert visible_to(viewer).filter(pk=world.tournament.pk).exists() == sees, name
        assert readable_matches(viewer).filter(pk=world.match.pk).exists() == sees, name
        assert listed_matches(viewer).filter(pk=world.match.pk).exists() == sees, name
        address = world.fill_in("tournaments/<slug:slug>/")
        assert is_hidden(send(world.clients[name], address)) != sees, name
    assert world.mentions(_read_dump(tmp_path)) == (visibility == "all")
    for address in PUBLIC:
        response = send(world.clients["nobody"], address)
        assert world.mentions(response.body) == (visibility == "all"), address


def test_addresses_of_the_tournament_do_not_exist_for_outsiders(world: VisibilityWorld) -> None:
    visibility = world.tournament.visibility
    mistakes = []
    for method, address in rows(world):
        if not is_guarded(world, address):
            continue
        missing_address = address.replace(world.tournament.slug, "no-cup").replace(
            f"/{world.match.pk}/", "/987/", 1
        )
        for name in COLUMNS:
            sees = name in VIEWERS[visibility]
            sees &= not any(part in address for part in PUBLIC_ONLY)
            client = world.clients[name]
            response = send(client, address, method)
            if sees:
                is_correct = response.status_code != 404
            else:
                is_correct = is_hidden(response)
                # Or the site refuses the request before any lookup.
                missing_response = send(client, missing_address, method)
                is_correct |= response.status_code == missing_response.status_code
            if not is_correct:
                mistakes.append(f"{method} {address}: {name} got {response.status_code}")
    assert not mistakes, "\n" + "\n".join(mistakes)


def test_other_addresses_do_not_mention_the_tournament_to_outsiders(world: VisibilityWorld) -> None:
    visibility = world.tournament.visibility
    mentions: dict[str, set[str]] = {name: set() for name in PEOPLE}
    others = [address for _, address in rows(world) if not is_guarded(world, address)]
    for address in [*dict.fromkeys(others), *(f"/{address}" for address in LIST_ADDRESSES)]:
        for name in COLUMNS:
            response = send(world.clients[name], address)
            if response.status_code != 404 and world.mentions(response.body):
                mentions[name].add(address)
    for name in COLUMNS:
        if name not in VIEWERS[visibility]:
            assert not mentions[name], name
        else:  # proves that `mentions` finds the tournament
            assert mentions[name] >= {*LISTS}, name


LISTS = ("/tournaments/", "/matches/", "/bots/magpie/", "/api/v1/tournaments/", "/api/v1/matches/")
PUBLIC = (
    *LISTS,
    *("/", "/feed/", "/search/?q=whisp", "/api/v1/search/?q=whisp", "/authors/organizer/"),
    *("/bots/magpie/feed/", "/ratings/head-to-head/?a=magpie&b=jay"),
)
"""Addresses that mention a tournament that is visible to all, which proves that marks are found."""


def _read_dump(folder: Path) -> bytes:
    return b"".join(gzip.decompress(path.read_bytes()) for path in folder.glob("*/*.gz"))

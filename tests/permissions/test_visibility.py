"""Every address × everybody, for a tournament that is visible to all, by link, by code, by name.

The rows come from the site's addresses. Addresses with a tournament or match are *guarded*: for
outsiders they do not exist (404). All others must not mention it to outsiders.
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
"""In the tournament's name and address, and nowhere else."""
PEOPLE = (
    *("nobody", "stranger", "link-holder", "code-holder", "invited", "entrant"),
    *("organizer", "co-organizer", "moderator", "staff"),
)
"""`link-holder` is not logged in and followed the link when there was one. `code-holder` entered a
code, which opens nothing once the tournament is not visible by code."""
ALWAYS = {"invited", "entrant", "organizer", "co-organizer", "staff"}
SEE = {
    "all": set(PEOPLE),
    "link": ALWAYS | {"link-holder"},
    "code": ALWAYS | {"code-holder"},
    "invited": ALWAYS,
    "hidden": {"organizer", "co-organizer", "moderator", "staff"},
}
COLUMNS = PEOPLE if FULL else ("nobody", "stranger", "link-holder", "code-holder")
"""Who tries every address; the others are seen by the same part of the rule as `code-holder`."""

FILLED = {
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
"""Parts of addresses, by the first word of the address and the name of the part."""
QUERIES = {
    "search/": "?q=whisp",
    "api/v1/search/": "?q=whisp",
    "api/v1/bots/<bot:slug>/results/": "?game=cassino",
    "api/v1/bots/<bot:slug>/losses/": "?game=cassino",
    "api/v1/ratings/table/": "?pool=overall",
    "ratings/head-to-head/": "?a=magpie&b=jay",
    "api/v1/ratings/head-to-head/": "?a=magpie&b=jay",
}
MORE = (
    *("matches/?state=all", "matches/?only=mine", "matches/?bot=magpie", "tournaments/?mine=1"),
    *("tournaments/?state=over", f"matches/?tournament={MARK}-cup", "authors/entrant/"),
    *("api/v1/tournaments/?bot=magpie", f"api/v1/matches/?tournament={MARK}-cup"),
    *(f"api/v1/tournaments/?name={MARK[:5]}", "api/v1/matches/?bot=magpie"),
)
"""Further addresses of lists."""
VERBS = ("get", "post", "put", "patch", "delete")
PUBLIC_ONLY = (
    *("/preview.png", "/picture.png", "/animation.webp", "/feed/"),
    "embed/matches/",
)
"""Parts of guarded addresses that others copy or cache: they show what everybody may see."""


@dataclass
class World:
    """A finished tournament, and clients of everybody."""

    cup: Tournament
    match: Match
    seat: int
    day: str
    notice: int
    """Key of an announcement."""
    users: dict[str, User | None]
    clients: dict[str, Client]

    def filled(self, route: str) -> str:
        """The address; KeyError for a part that `FILLED` does not know."""
        word = route.removeprefix("api/v1/").partition("/")[0]
        values = FILLED | {
            ("matches", "pk"): str(self.match.pk),
            ("embed", "pk"): str(self.match.pk),
            ("matches", "seat"): str(self.seat),
            ("dumps", "day"): self.day,
            ("tournaments", "pk"): str(self.notice),
        }
        return re.sub(r"<(?:\w+:)?(\w+)>", lambda part: values[word, part[1]], f"/{route}")

    def mentions(self, content: bytes) -> bool:
        text = content.decode(errors="replace").lower()
        return MARK in text or bool(re.search(rf"/matches/{self.match.pk}/", text))


def world_of(visibility: str, tmp_path: Path) -> World:
    """A tournament that was visible by link before it became what it is."""
    names = [name for name in PEOPLE if name not in ("nobody", "link-holder")]
    users: dict[str, Any] = dict.fromkeys(PEOPLE)
    users |= {name: make.user(name, staff=name == "staff") for name in names}
    clients = {name: Client() for name in PEOPLE}
    for name in names:
        clients[name].force_login(users[name])
    users["moderator"].groups.add(Group.objects.get_or_create(name=MODERATOR)[0])
    bots = [make.bot(users["entrant"], "Magpie"), make.bot(make.user("rival"), "Jay")]
    knock_out = [{"system": "knock-out", "groups": 1}]
    cup = make.tournament(
        bots,
        name="Whispering Cup",
        by=users["organizer"],
        rated=False,
        visibility="link",
        stages=knock_out,
        start=True,
    )
    key = Tournament.objects.get(pk=cup.pk).key
    clients["link-holder"].get(f"/tournaments/{cup.slug}/?invitation={key}")
    shown_to = "all" if visibility == "hidden" else visibility
    actions.set_visibility(cup, None, visibility=shown_to, invited=["invited"])
    actions.change_organizers(cup, users["organizer"], ["co-organizer"])
    cup.refresh_from_db()
    if visibility == "code":
        actions.join(cup.key.lower(), users["code-holder"])
    else:  # from an earlier time
        Admission.objects.create(tournament=cup, user=users["code-holder"], by="code")
    notice = post_announcement(cup, users["organizer"], "Pizza at eight.")
    cup = make.finish_all(cup)
    if visibility == "hidden":
        cup = actions.hide(cup, None, "x")
    projections.refresh()
    compute_due([TABLES, STORY, LUCK])
    match = cup.matches.order_by("pk")[0]
    actions.request_analysis(match, users["entrant"])
    seat = match.seats.get(version__bot=bots[0]).index
    day = dump(tmp_path, keep=1, parquet=False)[0].name
    return World(cup, match, seat, day, notice.pk, users, clients)


@pytest.fixture(
    params=["code", *(pytest.param(name, marks=FULL_SIZE_ONLY) for name in ("link", "invited"))]
)
def world(request: pytest.FixtureRequest, quiet: None, db: None, tmp_path: Path) -> World:
    return world_of(request.param, tmp_path)


def ask(client: Client, address: str, verb: str = "get") -> Any:
    """The answer, with its `body`; nothing of it stays, and nobody is logged out."""
    cookies: Any = client.cookies.copy()
    sent: Any = {"data": "{}", "content_type": "application/json"} if "/api/" in address else {}
    with transaction.atomic():
        response: Any = getattr(client, verb)(address, **(sent if verb != "get" else {}))
        if response.status_code == 405 and verb == "get":
            response = client.post(address, **sent)
        response.body = b"".join(response) if response.streaming else response.content
        transaction.set_rollback(True)
    client.cookies = cookies
    return response


def hidden(response: Any) -> bool:
    """Whether the answer is that of an address that does not exist, or asks for an account."""
    return asks(response) or response.status_code == 404


def asks(response: Any) -> bool:
    """Whether the answer asks for an account, as it does before anything is looked for."""
    login = response.status_code == 302 and "/login/?next=" in response["Location"]
    return login or response.status_code == 401


def rows(world: World) -> list[tuple[str, str]]:
    """(verb, address) of every address with a part of the tournament.

    The addresses of allauth, which are regular expressions, know none.
    """
    return [
        (verb, world.filled(route) + QUERIES.get(route, ""))
        for route, each in addresses()
        for verb in VERBS
        if "(?P<" not in route and hasattr(getattr(each.callback, "cls", _Page), verb)
    ]


class _Page:
    """The verbs of a page; `ask` tries POST, too."""

    get = None


def guarded(world: World, address: str) -> bool:
    return f"/{world.cup.slug}/" in address or f"/matches/{world.match.pk}/" in address


@pytest.mark.parametrize("visibility", SEE)
def test_the_rule(visibility: str, quiet: None, db: None, tmp_path: Path) -> None:
    """All four visibilities, and none, × all people."""
    world = world_of(visibility, tmp_path)
    for name in PEOPLE:
        links = tuple(world.clients[name].session.get(LINKS, ()))
        user = world.users[name]
        viewer = Viewer(user.pk if user else None, bool(user and user.is_staff), links)
        sees = name in SEE[visibility]
        assert visible_to(viewer).filter(pk=world.cup.pk).exists() == sees, name
        assert readable_matches(viewer).filter(pk=world.match.pk).exists() == sees, name
        assert listed_matches(viewer).filter(pk=world.match.pk).exists() == sees, name
        address = world.filled("tournaments/<slug:slug>/")
        assert hidden(ask(world.clients[name], address)) != sees, name
    assert world.mentions(_dumped(tmp_path)) == (visibility == "all")
    for address in PUBLIC:
        response = ask(world.clients["nobody"], address)
        assert world.mentions(response.body) == (visibility == "all"), address


def test_outsiders_find_nothing_at_an_address_of_the_tournament(world: World) -> None:
    visibility = world.cup.visibility
    wrong = []
    for verb, address in rows(world):
        if not guarded(world, address):
            continue
        nowhere = address.replace(world.cup.slug, "no-cup").replace(
            f"/{world.match.pk}/", "/987/", 1
        )
        for name in COLUMNS:
            sees = name in SEE[visibility]
            sees &= not any(part in address for part in PUBLIC_ONLY)
            client = world.clients[name]
            response = ask(client, address, verb)
            if sees:
                right = response.status_code != 404
            else:
                right = hidden(response)
                # Or the request is refused before anything is looked for.
                right |= response.status_code == ask(client, nowhere, verb).status_code
            if not right:
                wrong.append(f"{verb} {address}: {name} got {response.status_code}")
    assert not wrong, "\n" + "\n".join(wrong)


def test_outsiders_read_nothing_of_the_tournament_elsewhere(world: World) -> None:
    visibility = world.cup.visibility
    shown: dict[str, set[str]] = {name: set() for name in PEOPLE}
    others = [address for _, address in rows(world) if not guarded(world, address)]
    for address in [*dict.fromkeys(others), *(f"/{address}" for address in MORE)]:
        for name in COLUMNS:
            response = ask(world.clients[name], address)
            if response.status_code != 404 and world.mentions(response.body):
                shown[name].add(address)
    for name in COLUMNS:
        if name not in SEE[visibility]:
            assert not shown[name], name
        else:  # the marks are where they are looked for
            assert shown[name] >= {*LISTS}, name


LISTS = ("/tournaments/", "/matches/", "/bots/magpie/", "/api/v1/tournaments/", "/api/v1/matches/")
PUBLIC = (
    *LISTS,
    *("/", "/feed/", "/search/?q=whisp", "/api/v1/search/?q=whisp", "/authors/organizer/"),
    *("/bots/magpie/feed/", "/ratings/head-to-head/?a=magpie&b=jay"),
)
"""Where everybody reads of a tournament that is visible to all: the marks prove something."""


def _dumped(folder: Path) -> bytes:
    return b"".join(gzip.decompress(path.read_bytes()) for path in folder.glob("*/*.gz"))

"""Every page: sound markup, permissions, and few database queries."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from bots.actions import report_worker
from bots.models import Bot
from bots.sandbox import Isolation
from tests import factories
from tests.pages.conftest import World
from tests.pages.markup import flat
from tournaments import actions, projections
from tournaments.models import Match, RatingChange, ScaleChange

VOID = {"meta", "link", "input", "br", "path", "rect", "use", "circle", "polyline", "img", "hr"}


class Reader(HTMLParser):
    """Checks that elements nest, ids are unique, controls have names, nothing is inline."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.labels: set[str] = set()
        self.controls: list[dict[str, str]] = []
        self.levels: list[int] = []
        self.inside_label = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        assert "style" not in values, (tag, values)
        assert not [name for name in values if name.startswith("on")], (tag, values)
        assert tag != "style"
        assert tag != "script" or "src" in values or values.get("type") == "application/json"
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "label":
            self.labels.add(values.get("for", ""))
        if tag in {"input", "select", "textarea"} and values.get("type") != "hidden":
            self.controls.append(values)
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        for name in ("href", "src", "action", "hx-get"):
            address = values.get(name, "")
            assert not address.startswith(("http:", "https:", "//", "javascript:")), (tag, values)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        open_tags = list(self.open)
        self.handle_starttag(tag, attributes)
        self.open = open_tags

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes no element"
        assert self.open.pop() == tag, (tag, self.open[-3:])


def read(html: str) -> Reader:
    """Check the page; return its parser."""
    reader = Reader()
    reader.feed(html)
    assert not reader.open, reader.open
    assert len(reader.ids) == len(set(reader.ids)), sorted(reader.ids)
    for control in reader.controls:
        has_label = control.get("id") in reader.labels or "aria-label" in control
        assert has_label, f"{control} has no label"
    return reader


PUBLIC = [
    "/",
    "/status/",
    "/data/",
    "/signup/",
    "/login/",
    "/games/",
    "/games/cassino/",
    "/games/cassino/rules/",
    "/bots/",
    "/bots/?q=mag",
    "/bots/magpie/",
    "/bots/magpie/versions/1/",
    "/tournaments/",
    "/tournaments/?state=open",
    "/tournaments/autumn-cup/",
    "/tournaments/autumn-cup/standings/",
    "/tournaments/autumn-cup/crosstable/",
    "/tournaments/autumn-cup/matches/",
    "/tournaments/autumn-cup/entries/",
    "/tournaments/autumn-cup/conditions/",
    "/tournaments/winter-cup/",
    "/tournaments/winter-cup/crosstable/",
    "/tournaments/spring-cup/",
    "/matches/",
    "/matches/?state=all&bot=magpie&against=nagi&tournament=autumn-cup",
    "/ratings/",
    "/ratings/?pool=overall&versions=all",
    "/ratings/?pool=canasta",
    "/ratings/head-to-head/",
    "/ratings/head-to-head/?a=magpie&b=nagi",
    "/ratings/head-to-head/?a=magpie&b=magpie",
    "/ratings/how-to-read/",
]
SIGNED_IN = ["/account/", "/upload/", "/bots/magpie/upload/", "/tournaments/new/"]


@pytest.mark.parametrize("empty", [True, False])
def test_every_page_is_sound(client: Client, db: None, empty: bool) -> None:
    world = None if empty else World()
    for address in PUBLIC:
        if world is None and re.search("magpie|cup|bot=", address):
            continue
        response = client.get(address)
        assert response.status_code == 200, address
        reader = read(response.content.decode())
        assert reader.levels[0] == 1, address
        assert reader.levels.count(1) == 1, address
        assert all(b - a <= 1 for a, b in pairwise(reader.levels)), (
            address,
            reader.levels,
        )
        assert "default-src 'none'" in response["Content-Security-Policy"]
    if world is None:
        return
    client.force_login(world.owner)
    for address in [*SIGNED_IN, *PUBLIC]:
        response = client.get(address)
        assert response.status_code == (302 if address in {"/login/", "/signup/"} else 200), address
        if response.status_code == 200:
            read(response.content.decode())
            assert b"aria-invalid" not in response.content, address  # nothing has been submitted


def test_personal_pages_require_a_login(client: Client, world: World) -> None:
    for address in SIGNED_IN:
        response = client.get(address)
        assert response.status_code == 302, address
        assert response["Location"].startswith("/login/?next=/")


def test_a_draft_is_seen_by_its_organizer_only(client: Client, world: World) -> None:
    assert client.get("/tournaments/summer-cup/").status_code == 404
    assert b"Summer Cup" not in client.get("/tournaments/").content
    client.force_login(world.owner)
    assert client.get("/tournaments/summer-cup/").status_code == 404
    client.force_login(world.organizer)
    page = client.get("/tournaments/summer-cup/")
    assert page.status_code == 200
    assert b"Open for entries" in page.content
    assert b"Summer Cup" in client.get("/tournaments/").content


def test_the_seed_is_shown_only_after_the_start(client: Client, world: World) -> None:
    page = client.get("/tournaments/spring-cup/conditions/").content.decode()
    assert world.open.seed not in page
    page = client.get("/tournaments/winter-cup/conditions/").content.decode()
    assert world.running.seed in page


@pytest.mark.django_db
def test_the_theme_is_stored_in_a_cookie_and_set_on_html(client: Client) -> None:
    assert b"data-theme" not in client.get("/").content
    response = client.post("/look/", {"theme": "dark", "next": "/games/"})
    assert response["Location"] == "/games/"
    client.post("/look/", {"suits": "four"})
    page = flat(client.get("/").content.decode())
    assert 'data-theme="dark" data-suits="four"' in page
    client.post("/look/", {"theme": ""})
    assert b"data-theme" not in client.get("/").content


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address", ["https://evil.example/", "//evil.example", "javascript:alert(1)"]
)
def test_choosing_a_theme_never_redirects_to_other_sites(client: Client, address: str) -> None:
    assert client.post("/look/", {"theme": "dark", "next": address})["Location"] == "/"
    client.cookies["theme"] = '"><script>'
    assert b"<script>" not in client.get("/").content


@pytest.mark.parametrize("address", ["/nothing/", "/bots/none/", "/matches/99/", "/games/whist/"])
def test_missing_pages_have_a_404_page(client: Client, db: None, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 404
    assert b"There is no such page" in response.content
    read(response.content.decode())


def test_a_form_without_its_csrf_token_changes_nothing(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    response = client.post("/look/", {"theme": "dark"})
    assert response.status_code == 403
    assert b"This page was open too long, or cookies are off" in response.content
    assert "theme" not in client.cookies


def test_a_broken_view_shows_an_error_page(client: Client, world: World, monkeypatch: Any) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr("cardroom.pages.site.home_page.site_status", broken)
    client.raise_request_exception = False
    response = client.get("/status/")
    assert response.status_code == 500
    assert b"Something went wrong on our side" in response.content
    assert b"secret" not in response.content


def test_status_shows_only_walls_that_workers_report(client: Client, world: World) -> None:
    assert "No worker has reported" in client.get("/status/").content.decode()
    report_worker("w@one", Isolation("full", ("a filter",), "Fine.", "address space"))
    report_worker("w@two", Isolation("none", (), "To install it: apt-get"))
    page = client.get("/status/").content.decode()
    assert "Memory limit: address space." in page
    assert "a filter" in page
    assert "no sandbox" in page
    assert "w@" not in page
    assert "apt-get" not in page
    read(page)
    world.owner.is_staff = True
    world.owner.save()
    client.force_login(world.owner)
    page = client.get("/status/").content.decode()
    assert "w@two" in page
    assert "To install it: apt-get" in page
    read(page)


def test_the_staff_drains_and_resumes_workers(client: Client, world: World) -> None:
    factories.worker("w@one")
    world.owner.is_staff = True
    world.owner.save()
    client.force_login(world.owner)
    for word, text, other in (
        ("drain", "w@one takes no more work within seconds.", "Resume"),
        ("resume", "w@one takes work again within seconds.", "Drain"),
    ):
        data = {"worker": "w@one", "word": word}
        page = client.post("/status/workers/", data, follow=True).content.decode()
        assert text in page
        assert f">{other}</button>" in page
        assert ("draining</span>" in page) == (word == "drain")
        read(page)
    page = client.post("/status/workers/", {"worker": "w@two"}, follow=True).content.decode()
    assert "There is no worker w@two. Workers: w@one." in page


@pytest.mark.parametrize(
    "address", ["/status/", "/tournaments/winter-cup/", "/bots/magpie/versions/1/"]
)
def test_a_live_part_is_never_cached_as_the_page(
    client: Client, world: World, address: str
) -> None:
    part = client.get(address, headers={"HX-Request": "true"})
    assert b"<html" not in part.content
    for response in (part, client.get(address)):
        assert "HX-Request" in response["Vary"]


def test_names_are_escaped(client: Client, world: World) -> None:
    factories.bot(world.owner, "<script>alert(1)</script>")
    for address in ("/bots/", "/"):
        assert b"<script>alert" not in client.get(address).content


def test_rating_rows_show_place_interval_and_owner(client: Client, world: World) -> None:
    client.force_login(world.owner)
    page = client.get("/ratings/").content.decode()
    assert 'class="me"' in page
    assert re.search(r'aria-label="\d+, between \d+ and \d+"', page)
    assert "±" in page


def test_the_rating_history_is_drawn_and_described(client: Client, world: World) -> None:
    page = client.get("/bots/magpie/").content.decode()
    assert '<polyline class="line" points="' in page
    change = RatingChange.objects.filter(version__bot=world.magpie).last()
    assert change is not None
    assert f'<a href="/matches/{change.match_id}/">' in page
    assert "the whole rating scale shifted" not in page
    scale_change = ScaleChange.objects.create(
        pool="cassino/standard/1v1", ordinal=1, points=-12.0, reason="newcomers", at=change.at
    )
    scale_change.versions.add(change.version)
    page = flat(client.get("/bots/magpie/", {"pool": scale_change.pool}).content.decode())
    assert 'aria-labelledby="plot-words plot-shifts"' in page
    assert "<title>Scale −12: new bots changed the average</title>" in page
    assert "−12, new bots changed the average." in page
    assert page.count('class="move"') == 1


@pytest.fixture
def crowd(world: World) -> Any:
    """A function that adds `size` bots with a finished tournament of their own."""

    def grow(size: int) -> None:
        owner = factories.user()
        bots = [factories.bot(owner) for _ in range(size)]
        tournament = factories.tournament(
            bots, by=world.organizer, format=factories.FORMAT, start=True
        )
        for match in tournament.matches.order_by("pk")[size:]:
            Match.objects.filter(pk=match.pk).update(state=Match.State.VOID)
        factories.finish_all(tournament)
        for _ in range(size):
            actions.open_(
                actions.create_tournament(owner, name=f"Of {size}", format=factories.FORMAT), owner
            )
        projections.refresh()

    return grow


LISTS = [
    "/",
    "/bots/",
    "/tournaments/",
    "/matches/",
    "/ratings/",
    "/ratings/?pool=overall",
    "/bots/magpie/",
    "/account/",
    "/ratings/head-to-head/?a=magpie&b=nagi",
]


def test_lists_of_any_length_use_the_same_number_of_queries(
    client: Client, world: World, crowd: Any, django_assert_max_num_queries: Any
) -> None:
    client.force_login(world.owner)
    counts = {}
    crowd(3)
    for address in LISTS:
        with django_assert_max_num_queries(25) as queries:
            assert client.get(address).status_code == 200
        counts[address] = len(queries)
    crowd(12)
    for address in LISTS:
        with django_assert_max_num_queries(counts[address]):
            client.get(address)


def test_tournaments_of_any_size_use_the_same_number_of_queries(
    client: Client, world: World, django_assert_max_num_queries: Any
) -> None:
    pages = ("", "crosstable/", "matches/", "entries/", "conditions/")
    counts: dict[str, int] = {}
    for size in (3, 8):
        owner = factories.user()
        bots = [factories.bot(owner) for _ in range(size)]
        tournament = factories.tournament(bots, by=owner, start=True)
        half = tournament.matches.order_by("pk").last()
        assert half is not None
        factories.finish(half)
        client.force_login(owner)
        for page in pages:
            with django_assert_max_num_queries(counts.get(page, 25)) as queries:
                response = client.get(f"/tournaments/{tournament.slug}/{page}")
            assert response.status_code == 200
            counts.setdefault(page, len(queries))
    assert Bot.objects.count() == 14


def test_logs_are_for_the_owner(client: Client, world: World) -> None:
    seat = world.magpie.entries.get(tournament=world.finished).seats.select_related("match")[0]
    address = reverse("match-log", args=[seat.match_id, seat.index])
    assert client.get(address).status_code == 302
    client.force_login(User.objects.get(username="さくら"))
    assert client.get(address).status_code == 403
    client.force_login(world.owner)
    assert b"a log" in client.get(address).content

"""While a deal group is played, no address tells anybody anything of its cards."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from engine import Format
from engine import Match as Play
from tests import factories as make
from tests.full_size import FULL_SIZE_ONLY
from tests.snapshots import Snapshot
from tournaments import actions, projections
from tournaments.actions.attempts import release_attempts
from tournaments.exports import dump
from tournaments.models import Match, Trial

RULES = re.compile(r"/games/[a-z-]+/rules/")
pytestmark = pytest.mark.django_db

NOTE, LOG = "a note of what it holds", "a log of what it saw"
EXPORTS = [
    *(f"table={table}&type=json" for table in ("standings", "crosstable", "results", "ratings")),
    "table=results&type=csv",
    "type=archive",
]


class World:
    """A tournament, a trial and two challenges, each with a deal group of which one match has been
    played."""

    def __init__(self) -> None:
        self.owner, self.stranger, self.organizer = (
            make.user(name) for name in ("owner", "stranger", "organizer")
        )
        self.staff = make.user("staff", staff=True)
        self.staff.is_superuser = True
        self.staff.save()
        magpie = make.bot(self.owner, "Magpie")
        bots = [magpie, make.bot(self.organizer, "Jay")]
        self.cup = make.tournament(bots, by=self.organizer, name="Cup", seed=None, start=True)
        second = make.version(magpie)
        self.trial = actions.start_trial(second, self.owner, format_text=make.FORMAT)
        first = magpie.versions.get(number=1)
        theirs = bots[1].versions.get(number=1)
        self.challenges = [
            actions.start_challenge(second, other, self.owner, format_text=make.FORMAT, groups=2)
            for other in (theirs, first)
        ]
        self.cups = [
            self.cup,
            self.trial.tournament,
            *(challenge.tournament for challenge in self.challenges),
        ]
        for cup in self.cups:
            finish(cup.matches.earliest("pk"))
        projections.refresh()
        self.readers = (None, self.stranger, self.owner, self.organizer, self.staff)
        open_ = Match.objects.filter(tournament__in=self.cups)
        self.matches = list(open_.filter(deal_group__number=1).order_by("pk"))


def finish(match: Match) -> None:
    """Play a match by a bot that notes and logs."""
    claimed = {attempt.match_id: attempt.pk for attempt in actions.claim("test/1", 1000)}
    outcome = make.outcome(match)
    outcome.record.notes = {"0": NOTE}
    seats = [replace(seat, stderr=LOG.encode()) for seat in outcome.seats]
    assert actions.store_result(claimed.pop(match.pk), replace(outcome, seats=seats))
    release_attempts(list(claimed.values()), "Claimed on the way.")


_worlds = Snapshot(World)


@pytest.fixture
def world(db: None, settings: Any) -> Iterator[World]:
    settings.WORKERS_ELSEWHERE = True
    cache.clear()
    yield _worlds()
    cache.clear()


def squeezed(text: str) -> str:
    """Letters and digits only: cards one after the other, however they are listed."""
    return re.sub(r"[^A-Za-z0-9]", "", html.unescape(text))


def secrets_of(match: Match) -> dict[str, str]:
    """What nobody may find anywhere, squeezed, by name."""
    seed = match.deal_group.seed
    play = Play(Format.parse(match.format), seed=seed)
    found = {"seed": seed, "rng": match.rng, "note": NOTE, "log": LOG}
    hands = play.view(None)["hands"]
    found |= {f"hand {seat}": "".join(hand) for seat, hand in enumerate(hands)}
    while play.turn is not None:
        play.play(play.legal_moves()[0])
    deck = play.deals[0]["deck"]
    found["end of the deck"] = "".join(deck[-6:])
    found["moves"] = "".join(play.moves[8:14])
    return {name: squeezed(text) for name, text in found.items()}


# --- every address ------------------------------------------------------------------------------


def routes(patterns: list[Any], before: str = "") -> Iterator[str]:
    """Every route of the site, such as `api/v1/matches/<int:pk>/`."""
    for pattern in patterns:
        route = before + str(pattern.pattern).removeprefix("^").removesuffix("$").removesuffix(
            "\\Z"
        )
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and "[\\s\\S]" not in route:
            yield route


def values(world: World, route: str, name: str) -> list[Any]:
    """What can stand in a route's place."""
    cups = [cup.slug for cup in world.cups]
    matches = [match.pk for match in world.matches]
    challenges = [challenge.pk for challenge in world.challenges]
    known: dict[str, list[Any]] = {
        "slug": cups if "tournaments/" in route else ["magpie"],
        "pk": challenges if "challenges/" in route else matches,
        "object_id": matches,
        "number": [1],
        "seat": [0, 1],
        "key": ["no-such-table"],
        "uidb36": ["1"],
        "provider_id": ["site"],
        "deal": [1],
        "bot": ["magpie"],
        "author": ["owner", "organizer"],
        "game": ["cassino"],
        "id": challenges if "challenges/" in route else [1],
        "content_type_id": [1],
        "app_label": ["tournaments", "bots"],
        "url": ["nowhere/"],
        "day": ["2026-01-01"],  # dumps have finished matches only: `test_dump.py`
        "name": ["matches.jsonl.gz"],
    }
    assert name in known, f"{route}: say here what stands in the place of {name}"
    return known[name]


PLACE = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")


def addresses(world: World) -> Iterator[str]:
    """Every address of the world that can be asked for."""
    for route in routes(get_resolver().url_patterns):
        names = [first or second for first, second in PLACE.findall(route)]
        for chosen in product(*(values(world, route, name) for name in names)):
            filled = iter(map(str, chosen))
            address = "/" + PLACE.sub(lambda _: next(filled), route)  # noqa: B023 - used at once
            yield address
            if address.endswith("/export/"):
                yield from (f"{address}?{query}" for query in EXPORTS)


def answered(client: Client, address: str) -> str:
    """All that an address answers, headers and the files of a zip included."""
    answer: Any = client.get(address, headers={"Accept": "*/*"})
    assert answer.status_code < 500, address
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if body[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(body)) as files:
            body = b"\n".join(name.encode() + files.read(name) for name in files.namelist())
    return f"{answer.headers}\n{body.decode('utf-8', 'replace')}"


def seen(
    world: World, reader: Any, wanted: Callable[[str], bool] = lambda _: True
) -> Iterator[tuple[str, str]]:
    """Every address that is wanted with what this reader gets there, squeezed."""
    cache.clear()  # the throttles
    client = Client(raise_request_exception=True)
    if reader is not None:
        client.force_login(reader)
    for address in addresses(world):
        if "logout" not in address and wanted(address):
            yield address, squeezed(answered(client, address))


@pytest.mark.parametrize(
    "who",
    [
        pytest.param(0, id="nobody"),
        pytest.param(1, id="stranger", marks=FULL_SIZE_ONLY),
        pytest.param(2, id="owner"),
        pytest.param(3, id="organizer", marks=FULL_SIZE_ONLY),
        pytest.param(4, id="staff"),
    ],
)
def test_no_address_tells_anything_of_cards_that_are_played(world: World, who: int) -> None:
    hidden: dict[str, str] = {}
    for match in world.matches:
        hidden |= {f"{what} of {match}": text for what, text in secrets_of(match).items() if text}
    asked = 0
    for address, text in seen(world, world.readers[who]):
        asked += 1
        if RULES.fullmatch(address):
            continue  # the same for every match; an example may be somebody's hand by chance
        found = [what for what, secret in hidden.items() if secret in text]
        assert not found, f"{address} tells {found}"
    assert asked > 150


def test_when_the_group_is_over_everything_is_told(world: World) -> None:
    """The same walk finds each of the secrets, so that it would have found them before."""
    for match in Match.objects.filter(deal_group__in={m.deal_group for m in world.matches}):
        if match.state != Match.State.FINISHED:
            finish(match)
    match = world.matches[0]
    left = secrets_of(match)
    of_match = f"/matches/{match.pk}/"
    for _, text in seen(world, world.owner, lambda path: of_match in path or "export" in path):
        left = {what: secret for what, secret in left.items() if secret not in text}
    assert left == {}


# --- the doors that used to be open -------------------------------------------------------------

OF_CARDS = ("record/", "frames/", "logs/0/")


def test_cards_wait_for_the_last_match_of_the_group(world: World) -> None:
    first, second = world.matches[:2]
    client = Client()
    client.force_login(world.staff)
    address = f"/api/v1/matches/{first.pk}/"
    for part in OF_CARDS:
        answer = client.get(address + part)
        assert answer.status_code == 409
        assert answer.json()["type"] == "urn:cardroom:problem:not-yet"
        assert "still being played elsewhere" in answer.json()["detail"]
    shown = client.get(address).json()
    assert (shown["revealed"], shown["seed"], shown["state"]) == (False, None, "finished")
    assert [result["score"] for result in shown["results"]]  # what came of it is told
    page = client.get(f"/matches/{first.pk}/")
    assert "the replay opens when its last match is over" in page.content.decode()
    assert client.get(f"/matches/{first.pk}/transcript/").status_code == 302
    log = client.get(f"/matches/{first.pk}/logs/0/")
    assert (log.status_code, "still being played elsewhere" in log.content.decode()) == (409, True)
    for part in ("tally/", "moves/1/"):
        assert client.get(f"/matches/{first.pk}/{part}").status_code == 404
    finish(second)
    for part in OF_CARDS:
        assert client.get(address + part).status_code == 200
    shown = client.get(address).json()
    assert (shown["revealed"], shown["seed"]) == (True, first.deal_group.seed)
    answer = client.get(f"/matches/{first.pk}/", headers={"HX-Request": "true"})
    assert answer.headers["HX-Refresh"] == "true"
    whole = client.get(f"/matches/{first.pk}/").content.decode()
    assert f"--seed {first.deal_group.seed} --rng {first.rng} --move-ms 1000" in whole


def test_a_void_match_ends_its_group_and_a_stuck_one_does_not(world: World) -> None:
    first, second = world.matches[:2]
    Match.objects.filter(pk=second.pk).update(state=Match.State.STUCK)
    assert not Match.objects.get(pk=first.pk).revealed
    actions.void_match(second, world.organizer, "A test.")
    assert Match.objects.get(pk=first.pk).revealed


def test_what_is_cancelled_is_shown(world: World) -> None:
    actions.cancel(world.cup, world.organizer)
    groups = Client().get(f"/api/v1/tournaments/{world.cup.slug}/deal-groups/").json()["results"]
    assert [group["over"] for group in groups] == [True]
    assert groups[0]["seed"] == world.matches[0].deal_group.seed


def test_a_trial_is_shown_group_by_group_and_to_its_owner_only(world: World) -> None:
    trial = Trial.objects.get()
    address = f"/api/v1/tournaments/{trial.tournament.slug}/deal-groups/"
    assert Client().get(address).status_code == 404
    client = Client()
    client.force_login(world.owner)
    groups = client.get(address).json()["results"]
    assert len(groups) > 1
    assert {group["seed"] for group in groups} == {None}


def test_a_challenge_between_versions_of_a_bot_is_its_owner_s(world: World) -> None:
    theirs, own = world.challenges
    match = own.tournament.matches.earliest("pk")
    addresses = [
        f"/challenges/{own.pk}/",
        f"/api/v1/challenges/{own.pk}/",
        f"/tournaments/{own.tournament.slug}/",
        f"/tournaments/{own.tournament.slug}/standings/",
        f"/api/v1/tournaments/{own.tournament.slug}/",
        f"/matches/{match.pk}/",
        f"/api/v1/matches/{match.pk}/",
    ]
    for reader in world.readers:
        client = Client()
        if reader is not None:
            client.force_login(reader)
        knows = reader in {world.owner, world.staff}
        assert {client.get(address).status_code for address in addresses} == {200 if knows else 404}
        assert client.get(f"/challenges/{theirs.pk}/").status_code == 200
        assert f"/matches/{match.pk}/" not in client.get("/matches/").content.decode()
        listed = client.get("/api/v1/matches/").json()["results"]
        assert {each["tournament"] for each in listed} == {world.cup.slug}


def test_the_dump_leaves_out_what_is_not_over(world: World, tmp_path: Any) -> None:
    assert dump.dump(tmp_path, keep=1, parquet=False)[1]["results"] == 0
    finish(world.matches[1])
    assert dump.dump(tmp_path, keep=1, parquet=False)[1]["results"] == 4

"""While a deal group is played, no address reveals its cards to anybody."""

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


class SecrecyWorld:
    """A tournament, a trial and two challenges, each with one finished match in a deal group."""

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
        opponent = bots[1].versions.get(number=1)
        self.challenges = [
            actions.start_challenge(second, other, self.owner, format_text=make.FORMAT, groups=2)
            for other in (opponent, first)
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
    """Store a match of bots that wrote notes and logs."""
    claimed = {attempt.match_id: attempt.pk for attempt in actions.claim("test/1", 1000)}
    outcome = make.outcome(match)
    outcome.record.notes = {"0": NOTE}
    seats = [replace(seat, stderr=LOG.encode()) for seat in outcome.seats]
    assert actions.store_result(claimed.pop(match.pk), replace(outcome, seats=seats))
    release_attempts(list(claimed.values()), "Claimed on the way.")


_sites = Snapshot(SecrecyWorld)


@pytest.fixture
def site(db: None, settings: Any) -> Iterator[SecrecyWorld]:
    settings.WORKERS_ELSEWHERE = True
    cache.clear()
    yield _sites()
    cache.clear()


def squeeze(text: str) -> str:
    """Only the letters and digits, so that lists of cards look alike in any layout."""
    return re.sub(r"[^A-Za-z0-9]", "", html.unescape(text))


def secrets_of(match: Match) -> dict[str, str]:
    """The secrets of a match, squeezed, by name."""
    seed = match.deal_group.seed
    play = Play(Format.parse(match.format), seed=seed)
    secrets = {"seed": seed, "rng": match.rng, "note": NOTE, "log": LOG}
    hands = play.view(None)["hands"]
    secrets |= {f"hand {seat}": "".join(hand) for seat, hand in enumerate(hands)}
    while play.turn is not None:
        play.play(play.legal_moves()[0])
    deck = play.deals[0]["deck"]
    secrets["end of the deck"] = "".join(deck[-6:])
    secrets["moves"] = "".join(play.moves[8:14])
    return {name: squeeze(text) for name, text in secrets.items()}


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


def values(site: SecrecyWorld, route: str, name: str) -> list[Any]:
    """Values for a placeholder of a route."""
    cups = [cup.slug for cup in site.cups]
    matches = [match.pk for match in site.matches]
    challenges = [challenge.pk for challenge in site.challenges]
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
    assert name in known, f"{route}: add values for {name} here"
    return known[name]


PLACE = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")


def addresses(site: SecrecyWorld) -> Iterator[str]:
    """Every address of the site."""
    for route in routes(get_resolver().url_patterns):
        names = [first or second for first, second in PLACE.findall(route)]
        for chosen in product(*(values(site, route, name) for name in names)):
            texts = iter(map(str, chosen))
            address = "/" + PLACE.sub(lambda _: next(texts), route)  # noqa: B023 - used in this iteration
            yield address
            if address.endswith("/export/"):
                yield from (f"{address}?{query}" for query in EXPORTS)


def read_everything(client: Client, address: str) -> str:
    """The complete response of an address, with headers and the files in a zip."""
    response: Any = client.get(address, headers={"Accept": "*/*"})
    assert response.status_code < 500, address
    body = b"".join(response.streaming_content) if response.streaming else response.content
    if body[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(body)) as files:
            body = b"\n".join(name.encode() + files.read(name) for name in files.namelist())
    return f"{response.headers}\n{body.decode('utf-8', 'replace')}"


def texts_seen(
    site: SecrecyWorld, reader: Any, condition: Callable[[str], bool] = lambda _: True
) -> Iterator[tuple[str, str]]:
    """Every address that meets the condition, with the squeezed response to this reader."""
    cache.clear()  # the throttles
    client = Client(raise_request_exception=True)
    if reader is not None:
        client.force_login(reader)
    for address in addresses(site):
        if "logout" not in address and condition(address):
            yield address, squeeze(read_everything(client, address))


@pytest.mark.parametrize(
    "reader_index",
    [
        pytest.param(0, id="nobody"),
        pytest.param(1, id="stranger", marks=FULL_SIZE_ONLY),
        pytest.param(2, id="owner"),
        pytest.param(3, id="organizer", marks=FULL_SIZE_ONLY),
        pytest.param(4, id="staff"),
    ],
)
def test_no_address_reveals_cards_of_running_matches(site: SecrecyWorld, reader_index: int) -> None:
    hidden: dict[str, str] = {}
    for match in site.matches:
        hidden |= {f"{name} of {match}": text for name, text in secrets_of(match).items() if text}
    requests = 0
    for address, text in texts_seen(site, site.readers[reader_index]):
        requests += 1
        if RULES.fullmatch(address):
            continue  # the same for every match; an example may equal a hand by chance
        leaks = [name for name, secret in hidden.items() if secret in text]
        assert not leaks, f"{address} reveals {leaks}"
    assert requests > 150


def test_finished_groups_reveal_all_secrets(site: SecrecyWorld) -> None:
    """The same search finds all secrets, so it would have found them before."""
    for match in Match.objects.filter(deal_group__in={m.deal_group for m in site.matches}):
        if match.state != Match.State.FINISHED:
            finish(match)
    match = site.matches[0]
    missing = secrets_of(match)
    of_match = f"/matches/{match.pk}/"
    for _, text in texts_seen(site, site.owner, lambda path: of_match in path or "export" in path):
        missing = {name: secret for name, secret in missing.items() if secret not in text}
    assert missing == {}


# --- addresses that leaked once -----------------------------------------------------------------

OF_CARDS = ("record/", "frames/", "logs/0/")


def test_cards_wait_for_the_last_match_of_the_group(site: SecrecyWorld) -> None:
    first, second = site.matches[:2]
    client = Client()
    client.force_login(site.staff)
    address = f"/api/v1/matches/{first.pk}/"
    for part in OF_CARDS:
        response = client.get(address + part)
        assert response.status_code == 409
        assert response.json()["type"] == "urn:cardroom:problem:not-yet"
        assert "still being played elsewhere" in response.json()["detail"]
    body = client.get(address).json()
    assert (body["revealed"], body["seed"], body["state"]) == (False, None, "finished")
    assert [result["score"] for result in body["results"]]  # the result is public
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
    body = client.get(address).json()
    assert (body["revealed"], body["seed"]) == (True, first.deal_group.seed)
    response = client.get(f"/matches/{first.pk}/", headers={"HX-Request": "true"})
    assert response.headers["HX-Refresh"] == "true"
    page_text = client.get(f"/matches/{first.pk}/").content.decode()
    assert f"--seed {first.deal_group.seed} --rng {first.rng} --move-ms 1000" in page_text


def test_a_void_match_ends_its_group_and_a_stuck_one_does_not(site: SecrecyWorld) -> None:
    first, second = site.matches[:2]
    Match.objects.filter(pk=second.pk).update(state=Match.State.STUCK)
    assert not Match.objects.get(pk=first.pk).revealed
    actions.void_match(second, site.organizer, "A test.")
    assert Match.objects.get(pk=first.pk).revealed


def test_a_cancelled_tournament_reveals_its_seeds(site: SecrecyWorld) -> None:
    actions.cancel(site.cup, site.organizer)
    groups = Client().get(f"/api/v1/tournaments/{site.cup.slug}/deal-groups/").json()["results"]
    assert [group["over"] for group in groups] == [True]
    assert groups[0]["seed"] == site.matches[0].deal_group.seed


def test_only_the_owner_sees_a_trials_groups(site: SecrecyWorld) -> None:
    trial = Trial.objects.get()
    address = f"/api/v1/tournaments/{trial.tournament.slug}/deal-groups/"
    assert Client().get(address).status_code == 404
    client = Client()
    client.force_login(site.owner)
    groups = client.get(address).json()["results"]
    assert len(groups) > 1
    assert {group["seed"] for group in groups} == {None}


def test_only_the_owner_sees_a_challenge_of_own_versions(site: SecrecyWorld) -> None:
    public, private = site.challenges
    match = private.tournament.matches.earliest("pk")
    addresses = [
        f"/challenges/{private.pk}/",
        f"/api/v1/challenges/{private.pk}/",
        f"/tournaments/{private.tournament.slug}/",
        f"/tournaments/{private.tournament.slug}/standings/",
        f"/api/v1/tournaments/{private.tournament.slug}/",
        f"/matches/{match.pk}/",
        f"/api/v1/matches/{match.pk}/",
    ]
    for reader in site.readers:
        client = Client()
        if reader is not None:
            client.force_login(reader)
        may_see = reader in {site.owner, site.staff}
        assert {client.get(address).status_code for address in addresses} == {
            200 if may_see else 404
        }
        assert client.get(f"/challenges/{public.pk}/").status_code == 200
        assert f"/matches/{match.pk}/" not in client.get("/matches/").content.decode()
        rows = client.get("/api/v1/matches/").json()["results"]
        assert {row["tournament"] for row in rows} == {site.cup.slug}


def test_the_dump_omits_unfinished_groups(site: SecrecyWorld, tmp_path: Any) -> None:
    assert dump.dump(tmp_path, keep=1, parquet=False)[1]["results"] == 0
    finish(site.matches[1])
    assert dump.dump(tmp_path, keep=1, parquet=False)[1]["results"] == 4

"""Frozen standings: strangers and entrants see no later results until they are revealed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import F
from django.test import Client

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import now
from tests import factories as make
from tournaments import actions
from tournaments.actions.schedule import keep_schedule
from tournaments.exports.dump import dump
from tournaments.models import Match, Tournament
from tournaments.reading.content_cache import compute_due
from tournaments.reading.kinds import KINDS
from tournaments.reading.listed_tournaments import list_tournaments
from tournaments.visibility import readable_matches

pytestmark = pytest.mark.django_db


@dataclass
class FrozenCup:
    """A tournament of three bots, frozen after two of its six matches."""

    cup: Tournament
    before: Match
    after: Match
    organizer: User
    entrant: User
    """The owner of a bot in both matches."""
    standings: Any
    """The rows in REST at the freeze."""

    @property
    def api(self) -> str:
        return f"/api/v1/tournaments/{self.cup.slug}/"


def browser(user: User | None = None) -> Client:
    client = Client()
    if user:
        client.force_login(user)
    return client


@pytest.fixture
def frozen(settings: Any) -> FrozenCup:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    cache.clear()
    organizer, entrant = make.user("organizer"), make.user("entrant")
    bots = [make.bot(entrant, "Magpie"), make.bot(name="Jay"), make.bot(name="Wren")]
    cup = make.tournament(bots, name="Chess Cup", by=organizer, rated=False, start=True)
    pairs = cup.matches.filter(seats__version__bot=bots[0]).order_by("pk")
    for match in cup.matches.filter(deal_group=pairs[0].deal_group).order_by("pk"):
        make.finish(match)
    standings = browser().get(f"/api/v1/tournaments/{cup.slug}/standings/").json()["rows"]
    cup = actions.freeze(cup, organizer)
    after = pairs.exclude(deal_group=pairs[0].deal_group)[0]
    make.finish_all(cup)
    cup.refresh_from_db()
    assert cup.state == Tournament.State.FINISHED
    compute_due(KINDS)
    return FrozenCup(cup, pairs[0], after, organizer, entrant, standings)


@pytest.mark.parametrize("role", ["nobody", "entrant", "organizer", "staff"])
def test_only_organizer_and_staff_see_results_after_the_freeze(
    frozen: FrozenCup, role: str
) -> None:
    user = {"nobody": None, "entrant": frozen.entrant, "organizer": frozen.organizer}.get(role)
    if role == "staff":
        user = make.user(staff=True)
    sees_all, client = role in ("organizer", "staff"), browser(user)
    for match, is_visible in ((frozen.before, True), (frozen.after, sees_all)):
        path = f"/matches/{match.pk}/"
        seat = match.seats.get(version__bot__name="Magpie").index
        addresses = [path, f"{path}transcript/", f"{path}live/", f"/api/v1{path}record/"]
        if role in ("entrant", "staff"):  # they may read the log
            addresses += [f"{path}logs/{seat}/", f"/api/v1{path}logs/{seat}/"]
        for address in addresses:
            assert (client.get(address).status_code == 200) == is_visible, address
        lists = [f"/tournaments/{frozen.cup.slug}/matches/", "/matches/?state=all", "/bots/magpie/"]
        lists.append(f"/matches/?tournament={frozen.cup.slug}&state=all")
        for address in lists:
            assert (f'"{path}"' in client.get(address).content.decode()) == is_visible, address
        for address in (f"{frozen.api}matches/", "/api/v1/matches/"):
            numbers = [row["id"] for row in client.get(address).json()["results"]]
            assert (match.pk in numbers) == is_visible, address
    groups = client.get(f"{frozen.api}deal-groups/").json()["results"]
    assert len(groups) == (3 if sees_all else 1)
    rows = client.get(f"{frozen.api}standings/").json()["rows"]
    assert (rows == frozen.standings) != sees_all
    assert client.get(f"{frozen.api}crosstable/").status_code == 200
    export = client.get(f"{frozen.api}export/", {"table": "results"})
    assert export.status_code == (200 if sees_all else 409)
    page = client.get(f"/tournaments/{frozen.cup.slug}/").content.decode()
    assert ("Champion" in page) == sees_all
    assert "The standings were frozen" in page
    for tab in ("standings", "crosstable", "luck", "conditions", "entries"):
        assert client.get(f"/tournaments/{frozen.cup.slug}/{tab}/").status_code == 200
    exports = client.get(f"/tournaments/{frozen.cup.slug}/exports/").status_code
    assert exports == (200 if sees_all else 403)


def test_lists_dumps_and_feeds_are_frozen(frozen: FrozenCup, tmp_path: Path) -> None:
    assert list_tournaments([frozen.cup])[0].first == []
    _, counts = dump(tmp_path, keep=1, parquet=False)
    assert counts["results"] == 0
    feed = browser().get(f"/tournaments/{frozen.cup.slug}/feed/").content.decode()
    assert f"/matches/{frozen.before.pk}/" in feed
    assert f"/matches/{frozen.after.pk}/" not in feed
    assert "wins" not in browser().get("/feed/").content.decode()
    assert browser().get(f"/tournaments/{frozen.cup.slug}/table/").status_code == 204
    actions.reveal(frozen.cup, frozen.organizer)
    assert dump(tmp_path, keep=1, parquet=False)[1]["results"] == 12


def test_revealing_shows_all_results(frozen: FrozenCup) -> None:
    cup = actions.reveal(frozen.cup, frozen.organizer)
    assert cup.frozen is None
    client = browser()
    assert client.get(f"/matches/{frozen.after.pk}/").status_code == 200
    rows = client.get(f"{frozen.api}standings/").json()["rows"]
    assert rows == browser(frozen.organizer).get(f"{frozen.api}standings/").json()["rows"]
    assert rows != frozen.standings
    kinds = list(cup.decisions.values_list("kind", flat=True))
    assert kinds == ["frozen", "revealed"]
    with pytest.raises(ActionError, match="not frozen"):
        actions.reveal(cup, frozen.organizer)


def test_refused_freezes() -> None:
    organizer = make.user()
    rated = make.tournament(2, by=organizer, start=True)
    with pytest.raises(ActionError, match="only unrated"):
        actions.freeze(rated, organizer)
    unrated = make.tournament(2, by=organizer, rated=False)
    with pytest.raises(ActionError, match="only while it is running"):
        actions.freeze(unrated, organizer)
    unrated = actions.start(unrated, organizer)
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.freeze(unrated, make.user())
    actions.freeze(unrated, organizer)
    with pytest.raises(ActionError, match="already frozen"):
        actions.freeze(unrated, organizer)


def test_the_site_freezes_at_a_time_and_not_again() -> None:
    organizer = make.user()
    cup = make.tournament(2, by=organizer, rated=False, start=True)
    actions.update_tournament(cup, organizer, freezes_at=now() + timedelta(hours=1))
    assert keep_schedule() == 0
    Tournament.objects.filter(pk=cup.pk).update(freezes_at=now())
    assert keep_schedule() == 1
    cup = Tournament.objects.get(pk=cup.pk)
    assert cup.frozen
    with pytest.raises(ActionError, match="can be rescheduled only"):
        actions.update_tournament(cup, organizer, freezes_at=now() + timedelta(hours=1))
    actions.reveal(cup, organizer)
    assert keep_schedule() == 0
    hour = timedelta(hours=1)
    Tournament.objects.update(starts_at=F("past_freezes_at") - hour)
    start_time = now().replace(microsecond=0) + timedelta(days=1)
    assert actions.repeat(cup, organizer, start_time).freezes_at == start_time + hour
    with pytest.raises(ActionError, match="only unrated"):
        make.tournament(by=organizer, freezes_at=now() + timedelta(hours=1))


@pytest.mark.parametrize("system", ["swiss", "round-robin"])
def test_the_site_freezes_when_a_round_ends(system: str) -> None:
    stages = [{"system": system, "groups": 1}]
    organizer = make.user()
    cup = make.tournament(4, by=organizer, rated=False, stages=stages, freezes_after=1, start=True)
    first = cup.matches.filter(deal_group__round=1).order_by("pk")
    *others, last = first
    for match in others:
        make.finish(match)
    actions.advance(cup.pk)
    assert not Tournament.objects.filter(frozen__isnull=False).exists()
    make.finish(last)
    assert actions.advance(cup.pk)
    cup.refresh_from_db()
    assert cup.frozen
    assert cup.freezes_after == 0
    assert actions.repeat(cup, organizer).freezes_after == 1
    assert cup.decisions.get(kind="frozen").by is None
    later = cup.matches.filter(deal_group__round=2)
    assert later.exists()
    make.finish_all(cup)
    visible = set(readable_matches(None).filter(tournament=cup).values_list("pk", flat=True))
    assert visible == {match.pk for match in first}
    actions.reveal(cup, organizer)
    actions.advance(cup.pk)
    assert not Tournament.objects.filter(frozen__isnull=False).exists()


def test_the_round_to_freeze_after_must_be_unfinished() -> None:
    organizer = make.user()
    cup = make.tournament(4, by=organizer, rated=False, start=True)
    changed = actions.update_tournament(cup, organizer, freezes_after=2)
    assert changed.freezes_after == 2
    assert cup.decisions.latest("pk").reason == "freeze: after round 2."
    for match in cup.matches.filter(deal_group__round=1):
        make.finish(match)
    with pytest.raises(ActionError, match="Round 1 is over"):
        actions.update_tournament(cup, organizer, freezes_after=1)
    for fields in ({"stages": [{"system": "knock-out"}], "rated": False}, {"rated": True}):
        with pytest.raises(ActionError) as refusal:
            make.tournament(by=organizer, freezes_after=1, **fields)
        assert refusal.value.field == "freezes_after"


def test_a_round_that_does_not_come_freezes_nothing() -> None:
    organizer = make.user()
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": 3}}]
    swiss: dict[str, Any] = {"stages": stages}
    fields: dict[str, Any] = {"by": organizer, "rated": False}
    draft = actions.create_tournament(
        organizer, name="Draft", format=make.FORMAT, rated=False, freezes_after=3, **swiss
    )
    too_late = "cannot freeze after round 4: round 3 is the last"
    changes: tuple[Callable[[], object], ...] = (
        lambda: actions.update_tournament(draft, organizer, freezes_after=4),
        lambda: make.tournament(4, freezes_after=4, **fields, **swiss),
        lambda: make.tournament(4, freezes_after=4, **fields, start=True),
        lambda: actions.update_tournament(
            make.tournament(4, **fields, **swiss), organizer, freezes_after=4
        ),
        lambda: actions.update_tournament(
            make.tournament(4, **fields, start=True), organizer, freezes_after=4
        ),
    )
    for change in changes:
        with pytest.raises(ActionError, match=too_late) as refusal:
            change()
        assert refusal.value.field == "freezes_after"
    fewer = [{"system": "swiss", "settings": {"rounds": 2}}]
    with pytest.raises(ActionError, match="round 2 is the last"):
        actions.update_tournament(draft, organizer, stages=fewer)


def test_a_start_checks_the_round_before_it_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    paired: list[Tournament] = []
    monkeypatch.setattr("tournaments.actions.tournaments.pair_first", paired.append)
    cup = make.tournament(4, rated=False, freezes_after=4)
    with pytest.raises(ActionError, match="round 3 is the last"):
        actions.start(cup, None)
    assert not paired


def test_a_scheduled_start_tells_that_the_round_does_not_come() -> None:
    cup = make.tournament(2, rated=False, freezes_after=2, starts_at=now() + timedelta(hours=1))
    Tournament.objects.filter(pk=cup.pk).update(starts_at=now())
    assert keep_schedule() == 0
    cup.refresh_from_db()
    assert "round 1 is the last" in cup.start_trouble
    actions.update_tournament(cup, None, freezes_after=1, starts_at=None)
    assert actions.start(cup, None).state == "running"


def test_the_cross_table_shows_no_later_pairing(settings: Any) -> None:
    """Formerly the pair of the final was marked as being played if it had met before."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    organizer = make.user("organizer")
    stages = [{"groups": 1}, {"system": "knock-out", "take": 2, "groups": 1}]
    cup = make.tournament(3, by=organizer, rated=False, stages=stages, start=True)
    first, *later_groups = cup.deal_groups.order_by("number")
    for match in first.matches.order_by("pk"):
        make.finish(match)
    make.finish(later_groups[0].matches.order_by("pk")[0])
    cup = actions.freeze(cup, organizer)
    address = f"/tournaments/{cup.slug}/crosstable/"
    at_the_freeze = browser().get(address).content.decode()
    assert at_the_freeze.count("cell live") == 2  # both cells of the pair being played
    make.finish_all(cup)
    assert cup.deal_groups.filter(stage__number=2).exists()
    assert browser(organizer).get(address).content.decode().count("cell live") == 2  # the final
    cells = re.findall(r'class="cell [^"]*"', at_the_freeze)
    assert re.findall(r'class="cell [^"]*"', browser().get(address).content.decode()) == cells

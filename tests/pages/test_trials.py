"""Trials on a bot's page: start, progress, end; and reverting to an earlier version."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from bots import actions as bot_actions
from tests import factories
from tests.pages.conftest import World
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments import actions
from tournaments.actions import attempts
from tournaments.models import Trial
from tournaments.ratings.sprt import Scores, bounds
from tournaments.reading.trials import Evidence, seconds_left, usual_groups

FORMAT = "cassino/standard/1v1"
LONG_FORMAT = (
    "canasta/us-official/3v2-rest?concealed=side&concexempt=false&coverblack3=false&deals=1000"
    "&direction=ccw&endstock=stop&hand=15&last3=untabled&lay=false&nocanasta=true&onecard=true"
    "&pair=always&red3=six&red3discard=true&red3draw=false&red3minus=true"
)


@pytest.fixture
def owner(client: Client, world: World) -> Client:
    """A browser in which Magpie's owner is logged in; Magpie has a second version."""
    actions.cancel(world.running, None)
    factories.version(world.magpie)
    client.force_login(world.owner)
    return client


def start(owner: Client, **fields: object) -> str:
    """Submit the form; return the next page."""
    data = {"version": 2, "format": FORMAT, "gain": 30, **fields}
    return owner.post("/bots/magpie/trial/", data, follow=True).content.decode()


def test_a_trial_from_start_to_end(owner: Client, world: World) -> None:
    page_before = owner.get("/bots/magpie/").content.decode()
    read(page_before)
    assert f'<option value="{FORMAT}" selected>' in page_before  # its most frequent format
    page = start(owner)
    read(page)
    assert "Version 2 is in a trial. Version 1 stays active meanwhile." in page
    trial = Trial.objects.get()
    assert (trial.candidate.number, trial.elo1, trial.tournament.format) == (2, 30, FORMAT)
    assert "takes about 460 deal groups against version 1. The trial" in flat(page)
    for rival in ("house-random", world.jay.slug):
        assert f'href="/bots/{rival}/"' in page.split('id="trial"')[1].split("</section>")[0]
    for attempt in attempts.claim("worker/1", 12):
        assert attempts.store_result(attempt.pk, factories.outcome(attempt.match))
    actions.advance(trial.tournament_id)
    page = owner.get("/bots/magpie/").content.decode()
    read(page)
    assert "after 6 deal groups" in flat(page)
    assert "more at this pace" in flat(page)
    assert "50.0 % of the points in 4 groups" in flat(page)  # all seats play the first legal move
    assert "<span>not better −2.9</span>" in page  # in words: text in a picture scales with it
    assert "Against the field" in page
    assert owner.get(f"/tournaments/{trial.tournament.slug}/").status_code == 200
    page = owner.post("/bots/magpie/trial/stop/", follow=True).content.decode()
    read(page)
    assert "The trial has been stopped without a decision." in page
    assert "abandoned" in page
    page = owner.post("/bots/magpie/trial/stop/", follow=True).content.decode()
    assert "No version of Magpie is in a trial." in page


def test_a_version_is_uploaded_as_a_candidate(owner: Client, world: World) -> None:
    page = owner.get("/bots/magpie/upload/").content.decode()
    read(page)
    assert "start a trial against the active version" in page
    assert "start a trial" not in owner.get("/upload/").content.decode()
    for number, data in ((3, {"candidate": "on"}), (4, {})):
        package = SimpleUploadedFile("bot.py", factories.source(f"{number}"))
        owner.post("/bots/magpie/upload/", {"package": package, **data})
        assert world.magpie.versions.get(number=number).candidate == bool(data)


def test_only_the_owner_sees_a_trial(owner: Client, world: World) -> None:
    start(owner)
    trial = Trial.objects.select_related("tournament").get()
    match = trial.tournament.matches.earliest("pk")
    for trial_match in match.deal_group.matches.all():
        factories.finish(trial_match)
    hidden: tuple[str, ...] = (f"/tournaments/{trial.tournament.slug}/", f"/matches/{match.pk}/")
    hidden += tuple(f"/api/v1/matches/{match.pk}/{part}" for part in ("", "record/", "attempts/"))
    assert [owner.get(address).status_code for address in hidden] == [200] * 5
    stranger = Client()
    assert [stranger.get(address).status_code for address in hidden] == [404] * 5
    assert "Trial" not in stranger.get("/bots/magpie/").content.decode()
    for reader in (owner, stranger):
        for page in ("/tournaments/", "/matches/", "/", "/api/v1/tournaments/"):
            assert trial.tournament.slug not in reader.get(page).content.decode()
        matches = reader.get("/api/v1/matches/").json()["results"]
        assert match.pk not in [trial_match["id"] for trial_match in matches]
    stranger.force_login(world.organizer)
    for action in ("trial", "trial/stop", "back"):
        assert stranger.post(f"/bots/magpie/{action}/", {"version": 2}).status_code == 403


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ({"version": "²"}, "Magpie has no version ²."),
        ({"version": 1}, "Version 1 of Magpie is already active"),
        ({"gain": "x"}, "a gain of 5 to 200 Elo points"),
        ({"format": "cassino/none/1v1"}, "none"),
        ({"format": LONG_FORMAT}, "at most 200 characters"),
    ],
)
def test_the_page_shows_why_a_trial_is_refused(
    owner: Client, data: dict[str, object], error: str
) -> None:
    assert error in start(owner, **data)
    assert not Trial.objects.exists()


def test_one_click_reverts_to_the_previous_version(owner: Client, world: World) -> None:
    assert "Roll back" not in owner.get("/bots/magpie/").content.decode()
    bot_actions.set_active_version(world.magpie, 2, None)
    page = owner.get("/bots/magpie/").content.decode()
    read(page)
    assert "Roll back to v1" in page
    page = owner.post("/bots/magpie/back/", follow=True).content.decode()
    assert "Version 1 is active again." in page
    page = owner.post("/bots/magpie/back/", follow=True).content.decode()
    assert "no earlier active version" in page


def test_a_trial_needs_another_version(client: Client, world: World) -> None:
    client.force_login(world.owner)
    assert "Upload another version to test it" in client.get("/bots/magpie/").content.decode()


def test_the_time_left_follows_from_the_pace() -> None:
    def left(groups: int, gain: float = 50) -> float | None:
        evidence = Evidence(Scores(groups, 0.0, 0.0), (), 0.0, bounds(0.05, 0.05))
        return seconds_left(evidence, gain, 4000, elapsed=100.0)

    assert usual_groups(50, 4000) == 170
    assert left(3) is None  # too early to say
    assert left(10) == pytest.approx(1600)
    assert left(200) == pytest.approx(0.5)  # it may end at any time
    assert left(10, gain=5) == pytest.approx(39_900)

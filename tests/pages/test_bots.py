"""Uploading, the live check, choosing versions."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from rest_framework.throttling import SimpleRateThrottle

from bots import actions as bot_actions
from bots.models import Bot, BotVersion, Check
from bots.package.package import Package
from tests import factories
from tests.pages.conftest import World, reject
from tests.pages.markup import flat
from tests.pages.test_pages import read


def file(content: bytes = b"", name: str = "bot.py") -> SimpleUploadedFile:
    """A bot as a file to upload."""
    return SimpleUploadedFile(name, content or factories.source("new"))


@pytest.fixture
def owner(client: Client, world: World) -> Client:
    """A browser in which Magpie's owner is logged in."""
    client.force_login(world.owner)
    return client


def test_uploading_a_new_bot_leads_to_its_check(owner: Client, world: World) -> None:
    response = owner.post("/upload/", {"package": file(), "name": "Owl", "description": "Wise."})
    assert response.status_code == 302
    assert response["Location"] == "/bots/owl/versions/1/"
    bot = Bot.objects.get(slug="owl")
    assert (bot.owner, bot.description) == (world.owner, "Wise.")
    page = owner.get(response["Location"]).content.decode()
    assert "It has been waiting for a worker" in page
    assert 'hx-trigger="every 1s"' in page


def test_uploading_a_new_version_keeps_the_bot(owner: Client, world: World) -> None:
    response = owner.post("/bots/magpie/upload/", {"package": file(), "notes": "counts spades"})
    assert response["Location"] == "/bots/magpie/versions/2/"
    assert BotVersion.objects.get(bot=world.magpie, number=2).notes == "counts spades"
    assert b"counts spades" in owner.get("/bots/magpie/").content


def test_uploads_are_throttled_together_with_those_by_rest(
    owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = dict.fromkeys(("anon", "user", "token")) | {"upload": "2/hour"}
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", rates)
    assert owner.post("/upload/", {"package": file(b"def ("), "name": "Owl"}).status_code == 200
    assert owner.post("/api/v1/bots/", {"package": file(), "name": "Wren"}).status_code == 201
    page = owner.post("/upload/", {"package": file(), "name": "Owl"})
    assert b"Too many uploads; try again in 60 min." in page.content
    assert not Bot.objects.filter(name="Owl").exists()


@pytest.mark.parametrize(
    ("content", "name", "error"),
    [
        (b"not a zip at all", "bot.zip", "zip"),
        (b"", "bot.py", "This file is empty"),
        (b"def f(:\n", "bot.py", "line 1"),
        (b"x = 1\n", "notes.txt", "notes.txt"),
    ],
)
def test_a_bad_file_shows_its_error_at_the_file(
    owner: Client, content: bytes, name: str, error: str
) -> None:
    upload = SimpleUploadedFile(name, content)
    response = owner.post("/upload/", {"package": upload, "name": "Owl", "notes": "a note"})
    assert response.status_code == 200
    page = response.content.decode()
    read(page)
    assert error in page
    assert 'aria-invalid="true"' in page
    assert 'value="Owl"' in page  # the typed values stay
    assert 'value="a note"' in page
    assert not Bot.objects.filter(name="Owl").exists()


def test_a_taken_name_shows_its_error_at_the_name(owner: Client) -> None:
    page = owner.post("/upload/", {"package": file(), "name": "magpie"}).content.decode()
    assert "There is already a bot called magpie" in page
    assert 'aria-describedby="id_name_helptext id_name_error"' in page


def test_no_file_at_all(owner: Client) -> None:
    assert b"Choose a file" in owner.post("/upload/", {}).content


def test_the_same_files_are_refused_twice(owner: Client) -> None:
    owner.post("/bots/magpie/upload/", {"package": file()})
    page = owner.post("/bots/magpie/upload/", {"package": file()}).content.decode()
    assert "Version 2 of Magpie has exactly these files" in page


def test_only_the_owner_uploads_and_chooses(client: Client, world: World) -> None:
    client.force_login(world.organizer)
    for address in ("/bots/magpie/upload/",):
        response = client.get(address)
        assert response.status_code == 403
        assert b"Magpie is not yours" in response.content
    for action in ("activate", "describe"):
        assert client.post(f"/bots/magpie/{action}/", {"version": 1}).status_code == 403


def test_a_poll_of_the_check_is_empty_until_something_changes(owner: Client, world: World) -> None:
    version = bot_actions.queue_version(world.magpie, factories.package("live"), "")
    address = f"/bots/magpie/versions/{version.number}/"
    htmx = {"HX-Request": "true"}
    first = owner.get(address, headers=htmx)
    assert b"<html" not in first.content
    token = first.context["seen"]
    assert owner.get(f"{address}?seen={token}", headers=htmx).status_code == 204

    check = bot_actions.begin_check(version.pk, "worker")
    assert check is not None
    step = {"name": "start", "title": "The bot starts", "status": "running"}
    check.renew(steps=[{**step, "seconds": 0, "text": "", "detail": ""}])
    second = owner.get(f"{address}?seen={token}", headers=htmx)
    assert second.status_code == 200
    page = second.content.decode()
    assert "step 1 of 1" in page
    assert '<li class="running">' in page

    finished_step = {**step, "status": "ok", "seconds": 0.02, "text": "Ready.", "detail": ""}
    bot_actions.finish_check(
        check, "ready", steps=[finished_step], summary="The bot is ready.", log=""
    )
    last = owner.get(f"{address}?seen={second.context['seen']}", headers=htmx).content.decode()
    assert "The bot is ready." in last
    assert "20 ms" in last
    assert "hx-get" not in last  # it stops polling


def test_only_the_owner_sees_why_a_check_failed(client: Client, world: World) -> None:
    version = reject(world.magpie, "Your bot crashed at the start.")
    address = f"/bots/magpie/versions/{version.number}/"
    stranger = client.get(address).content.decode()
    assert "It failed the check" in stranger
    for secret in ("crashed", "a secret thought", "To reproduce it at home"):
        assert secret not in stranger
    client.force_login(world.owner)
    owners_page = client.get(address).content.decode()
    for text in ("crashed", "a secret thought", "To reproduce it at home", "Next version"):
        assert text in owners_page
    read(owners_page)


def test_going_back_to_an_older_version(owner: Client, world: World) -> None:
    newer = factories.version(world.magpie)
    bot_actions.set_active_version(world.magpie, newer.number, None)
    assert b"Roll back" in owner.get("/bots/magpie/").content
    page = owner.post("/bots/magpie/activate/", {"version": 1}, follow=True).content.decode()
    assert "Version 1 is now active" in page
    world.magpie.refresh_from_db()
    assert world.magpie.active_version is not None
    assert world.magpie.active_version.number == 1


@pytest.mark.parametrize("number", ["99", "", "x", "²"])
def test_a_missing_version_cannot_be_activated(owner: Client, world: World, number: str) -> None:
    page = owner.post("/bots/magpie/activate/", {"version": number}, follow=True).content.decode()
    assert "Magpie has no version" in page


def test_a_rejected_version_is_not_offered(owner: Client, world: World) -> None:
    version = reject(world.magpie, "no")
    assert b"Make active" not in owner.get("/bots/magpie/").content
    response = owner.post("/bots/magpie/activate/", {"version": version.number}, follow=True)
    assert b"only a version that is ready can be active" in response.content


def test_the_description(owner: Client, world: World) -> None:
    owner.post("/bots/magpie/describe/", {"description": "Likes <shiny> things."})
    page = owner.get("/bots/magpie/").content.decode()
    assert "Likes &lt;shiny&gt; things." in page
    response = owner.post("/bots/magpie/describe/", {"description": "x" * 301}, follow=True)
    assert b"may have at most 300 characters" in response.content


def test_faults_stand_first_for_the_owner(client: Client, world: World) -> None:
    match = world.running.matches.filter(seats__version__bot=world.magpie).order_by("pk")[0]
    seat = match.seats.get(version__bot=world.magpie)
    factories.finish(match, faults=[(seat.index, "illegal")])
    assert b"Matches with a fault" not in client.get("/bots/magpie/").content
    client.force_login(world.owner)
    assert b"Matches with a fault" in client.get("/bots/magpie/").content


def test_a_bot_can_be_written_in_the_page(owner: Client) -> None:
    page = owner.get("/upload/").content.decode()
    read(page)
    assert "return self.random.choice(legal)" in page
    data = {"from": "here", "source": "def choose(view legal):\r\n    pass", "name": "Owl"}
    page = owner.post("/upload/", data).content.decode()
    read(page)
    assert "syntax error in line 1" in page
    assert "1 | def choose(view legal):\n                    ^" in page  # a mark below the error
    assert "def choose(view legal):\r\n    pass</textarea>" in page
    assert '<li class="failed">' in page
    corrected = data | {"source": factories.source("written").decode().replace("\n", "\r\n")}
    assert owner.post("/upload/", corrected)["Location"] == "/bots/owl/versions/1/"
    version = BotVersion.objects.get(bot__slug="owl")
    assert version.package_id == Package.load(factories.source("written"), "bot.py").digest
    assert b"# written" in owner.get("/bots/owl/upload/").content  # to continue editing
    assert b"# written" in owner.get("/bots/owl/versions/1/").content
    owner.logout()
    assert b"# written" not in owner.get("/bots/owl/versions/1/").content


def test_one_button_sends_the_text_another_the_file(owner: Client) -> None:
    assert b"This file is empty" in owner.post("/upload/", {"from": "here"}).content
    data = {"package": file(), "name": "Owl", "source": "this is no Python"}
    assert owner.post("/upload/", data).status_code == 302


def test_the_form_asks_for_the_games(owner: Client) -> None:
    owner.post("/upload/", {"package": file(), "name": "Owl", "games": ["paks"]})
    assert BotVersion.objects.get(bot__slug="owl").formats == ["paks/*/*"]
    response = owner.post("/upload/", {"package": file(), "name": "Jackdaw", "games": ["chess"]})
    assert b"chess is not one of the available choices" in response.content


def test_the_page_counts_formats_that_were_not_tested(owner: Client, world: World) -> None:
    version = bot_actions.queue_version(world.magpie, factories.package("half"), "")
    check = bot_actions.begin_check(version.pk, "worker")
    assert check is not None
    step = {"title": "It plays", "seconds": 0, "text": "", "detail": ""}
    steps = [{**step, "name": "a/b/c", "status": "failed"}]
    steps += [{**step, "name": "a/b/d", "status": "skipped"}] * 29
    bot_actions.finish_check(check, "rejected", steps=steps, summary="It crashed.")
    page = owner.get(f"/bots/magpie/versions/{version.number}/").content.decode()
    read(page)
    assert "29 more steps skipped" in page
    assert page.count('It plays <span title="a/b/') == 1


def test_the_page_lists_next_steps_after_the_check(owner: Client, world: World) -> None:
    ladder = factories.tournament(
        [world.jay, world.house],
        name="Night ladder",
        by=world.organizer,
        stages=[{"system": "ladder", "groups": 1, "settings": {"ahead": 2, "first": 1}}],
        start=True,
    )
    page = owner.get("/bots/magpie/versions/1/").content.decode()
    read(page)
    assert "Night ladder" in page
    assert "/challenges/new/?bot=magpie" in page
    join = f"/tournaments/{ladder.slug}/entries/enter/"
    assert f'action="{join}"' in page
    assert (
        "Magpie has been entered."
        in owner.post(join, {"bot": "magpie"}, follow=True).content.decode()
    )
    assert join not in owner.get("/bots/magpie/versions/1/").content.decode()


def test_the_page_describes_a_bots_formats_in_words(client: Client, world: World) -> None:
    page = flat(client.get("/bots/magpie/").content.decode())
    assert '<span title="cassino/*/*">plays Cassino</span>' in page
    client.force_login(world.owner)
    page = flat(client.get("/bots/magpie/versions/1/").content.decode())
    assert '<span title="cassino/*/*">plays Cassino</span>' in page


def test_the_rows_of_a_check_name_formats_in_words(client: Client, world: World) -> None:
    steps = [
        {
            "name": "cassino/royal-spade/ffa3",
            "title": "It plays cassino/royal-spade/ffa3",
            "status": "ok",
            "seconds": 1.0,
            "text": "",
            "detail": "",
        }
    ]
    Check.objects.update_or_create(version=world.magpie.active_version, defaults={"steps": steps})
    client.force_login(world.owner)
    page = flat(client.get("/bots/magpie/versions/1/").content.decode())
    assert '>It plays <span title="cassino/royal-spade/ffa3">' in page
    assert ">cassino/royal-spade/ffa3<" not in page

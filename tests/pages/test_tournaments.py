"""Creating, entering, starting and following a tournament."""

from __future__ import annotations

import re
import zoneinfo
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from bots.models import WorkerNode
from cardroom.pages.tournaments.schedule_form import read_time
from cardroom_base.models import OutboxMessage
from engine import rules
from tests import factories
from tests.pages.conftest import World, stuck
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments.models import Match, Tournament
from tournaments.pairing import SYSTEMS

FORM = {
    "name": "Cup of one day",
    "description": "All welcome.",
    "format": "cassino/royal/2v2",
    "option.cassino.deals": "4",
    "option.cassino.sweeps": "false",
    "system": "round-robin",
    "groups": "3",
    "divisions": "1",
    "partners": "copies",
    "seeding": "rating",
    "tie_break_1": "sonneborn-berger",
    "tie_break_2": "difference",
    "tie_break_3": "difference",
    "move_ms": "500",
    "bank_ms": "10000",
    "fault_policy": "forfeit",
    "live_delay": "20",
    "visibility": "all",
    "rated": "on",
}
TWO = {"stages": "2", "s2-system": "knock-out", "s2-groups": "4", "s2-divisions": "1"}
"""Additional fields for a second stage."""
HTMX = {"HX-Request": "true"}
FINISHED_COUNT = """FROM "tournaments_match" U0 WHERE (U0."state" = 'finished'"""


@pytest.fixture
def organizer(client: Client, world: World) -> Client:
    """A browser in which the organizer is logged in."""
    client.force_login(world.organizer)
    return client


def post_step(client: Client, tournament: Tournament, *, step: str, **data: str) -> str:
    """Take a step; return the next page."""
    address = reverse(f"tournament-{step}", args=[tournament.slug])
    response = client.post(address, data, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def test_any_account_can_create_a_draft(client: Client, world: World) -> None:
    client.force_login(world.owner)
    response = client.post("/tournaments/new/", FORM)
    assert response["Location"] == "/tournaments/cup-of-one-day/"
    tournament = Tournament.objects.get(slug="cup-of-one-day")
    assert tournament.format == "cassino/royal/2v2?deals=4&sweeps=false"
    assert (tournament.stages.get().groups, tournament.move_ms, tournament.bank_ms) == (
        3,
        500,
        10000,
    )
    assert (tournament.fault_policy, tournament.rated, tournament.state) == (
        "forfeit",
        True,
        "draft",
    )
    assert tournament.organizer == world.owner
    assert (tournament.partners, tournament.seeding, tournament.apart) == (
        "copies",
        "rating",
        False,
    )
    assert tournament.tie_breaks == ["sonneborn-berger", "difference"]


@pytest.mark.parametrize(
    ("changes", "field", "error"),
    [
        ({"name": " "}, "name", "A tournament needs a name."),
        ({"options": "colour=red"}, "options", "colour"),
        ({"options": "deals=0"}, "options", "deals"),
        ({"options": "target=0&end=count"}, "options", "target"),
        ({"option.cassino.deals": "0"}, "option.cassino.deals", "1 to 200"),
        ({"option.cassino.deals": "many"}, "option.cassino.deals", "1 to 200"),
        ({"option.cassino.sweeps": "red"}, "option.cassino.sweeps", "true or false"),
        ({"groups": "0"}, "groups", "1"),
        ({"groups": "many"}, "groups", "whole number"),
        ({"divisions": "99"}, "divisions", "32"),
        ({"system": "swiss", "swiss.rounds": "101"}, "swiss.rounds", "100"),
        (
            {"system": "double-knock-out", "format": "cassino/royal/ffa3"},
            "system",
            "3",
        ),
        (TWO | {"s2-take": "1"}, "s2-take", "2"),
        (TWO | {"s2-take": "7", "divisions": "2"}, "s2-take", "each division must"),
        (TWO | {"s2-take": "4", "s2-system": "ladder"}, "s2-system", "only stage"),
        ({"move_ms": "-1"}, "move_ms", "0"),
        ({"format": "cassino/royal/9v9"}, "format", "No table form is called 9v9"),
    ],
)
def test_each_error_is_shown_at_its_field(
    organizer: Client, changes: dict[str, str], field: str, error: str
) -> None:
    response = organizer.post("/tournaments/new/", FORM | changes)
    assert response.status_code == 200
    page = response.content.decode()
    read(page)
    shown = re.search(rf'id="id_{field}_error">(.*?)</div>', page, re.DOTALL)
    assert shown, page
    assert error in shown[1]
    assert "All welcome." in page  # the typed values stay
    assert not Tournament.objects.filter(name="Cup of one day").exists()


def test_a_swiss_then_a_knock_out_of_the_best_four(organizer: Client) -> None:
    form = FORM | {"system": "swiss", "swiss.rounds": "5", "gauntlet.meetings": "999"}
    page = organizer.post("/tournaments/new/", form | {"word": "add-stage"}).content.decode()
    read(page)
    assert not Tournament.objects.filter(name="Cup of one day").exists()
    assert 'name="stages" value="2"' in page
    assert 'name="swiss.rounds" value="5"' in page  # the typed values stay
    assert 'id="id_name_error"' not in page
    assert "Remove stage 2" in page
    second = TWO | {"s2-take": "4", "s2-knock-out.third": "1"}
    organizer.post("/tournaments/new/", form | second)
    tournament = Tournament.objects.get(slug="cup-of-one-day")
    assert [
        (s.system, s.settings, s.groups, s.take) for s in tournament.stages.order_by("number")
    ] == [
        ("swiss", {"rounds": 5}, 3, 0),
        ("knock-out", {"third": 1}, 4, 4),
    ]
    page = organizer.get(f"/tournaments/{tournament.slug}/edit/").content.decode()
    assert 'name="s2-knock-out.third" value="1"' in page
    assert '<option value="sonneborn-berger" selected>' in page
    removed = form | second | {"word": "remove-stage"}
    page = organizer.post(f"/tournaments/{tournament.slug}/edit/", removed).content.decode()
    assert 'name="stages" value="1"' in page
    organizer.post(f"/tournaments/{tournament.slug}/edit/", form)
    assert [stage.system for stage in tournament.stages.all()] == ["swiss"]


def test_each_system_shows_its_own_settings() -> None:
    css = finders.find("cardroom/css/forms.css")
    assert css is not None
    text = Path(css).read_text()
    for name in SYSTEMS:
        assert f'.stage:has(option[value="{name}"]:checked) [data-system="{name}"]' in text


def test_a_draft_can_be_changed_by_its_organizer(organizer: Client, world: World) -> None:
    page = organizer.get("/tournaments/summer-cup/edit/").content.decode()
    assert 'value="Summer Cup"' in page
    assert re.search(r'name="option.cassino.deals" value="1"', page)
    organizer.post("/tournaments/summer-cup/edit/", FORM)
    world.draft.refresh_from_db()
    assert (world.draft.name, world.draft.stages.get().groups) == ("Cup of one day", 3)


def test_text_and_times_of_an_open_tournament_can_change(organizer: Client) -> None:
    values = FORM | {"description": "Bring *cards*.", "starts_at": "2033-12-01T18:00"}
    values |= {"zone": "Europe/Berlin"}
    assert organizer.post("/tournaments/spring-cup/edit/", values).status_code == 302
    cup = Tournament.objects.get(slug="spring-cup")
    assert (cup.name, cup.description) == ("Spring Cup", "Bring *cards*.")
    assert cup.starts_at == datetime(2033, 12, 1, 17, tzinfo=UTC)
    page = organizer.get("/tournaments/spring-cup/edit/").content.decode()
    assert 'value="2033-12-01T17:00"' in page
    assert 'name="groups"' not in page
    assert "start: 2033-12-01 17:00 UTC." in cup.decisions.get().reason


@pytest.mark.parametrize(
    ("times", "sentence"),
    [
        ({"starts_at": "2001-01-01T10:00"}, "The start must be in the future."),
        ({"starts_at": "soon"}, "Give a date and a time"),
        (
            {"starts_at": "2033-12-01T18:00", "ends_at": "2033-12-01T17:00"},
            "The end must be later than the start.",
        ),
        (
            {"starts_at": "2033-12-01T18:00", "zone": "Mars/Base"},
            "This site does not know your time zone, Mars/Base.",
        ),
        (
            {"starts_at": "2033-03-27T02:30", "zone": "Europe/Berlin"},
            "Clocks in Europe/Berlin skip this time: they are set forward.",
        ),
        ({"starts_at": "0001-01-01T00:00", "zone": "Europe/Berlin"}, "Give a date and a time"),
    ],
)
def test_times_are_validated(organizer: Client, times: dict[str, str], sentence: str) -> None:
    for slug in ("spring-cup", "summer-cup"):
        page = organizer.post(f"/tournaments/{slug}/edit/", FORM | times).content.decode()
        assert sentence in page


def test_a_time_that_clocks_show_twice_is_the_first() -> None:
    time = read_time("2033-10-30T02:30", "Europe/Berlin")
    assert time == datetime(2033, 10, 30, 0, 30, tzinfo=UTC)


def test_old_names_of_zones_need_no_package_of_the_system() -> None:
    """Chrome calls India's zone so; Debian 13 has this name in a package of its own."""
    zoneinfo.reset_tzpath(to=[])
    try:
        time = read_time("2033-12-01T18:00", "Asia/Calcutta")
    finally:
        zoneinfo.reset_tzpath()
    assert time == datetime(2033, 12, 1, 12, 30, tzinfo=UTC)


def test_only_the_organizer_can_change_a_tournament(client: Client, world: World) -> None:
    client.force_login(world.owner)
    assert client.get("/tournaments/spring-cup/edit/").status_code == 403
    assert client.get("/tournaments/summer-cup/edit/").status_code == 404
    for word in ("start", "cancel", "open"):
        assert "Only the organizers of Spring Cup" in post_step(client, world.open, step=word)


def test_from_draft_to_running(organizer: Client, world: World) -> None:
    draft = world.draft
    assert "Summer Cup is open" in post_step(organizer, draft, step="open")
    page = post_step(organizer, draft, step="start")
    assert "needs 2 entries or more" in page
    assert "house:random has been entered." in post_step(
        organizer, draft, step="enter", bot="house-random"
    )
    client = Client()
    client.force_login(world.owner)
    assert "Magpie has been entered." in post_step(client, draft, step="enter", bot="magpie")
    page = post_step(organizer, draft, step="start")
    assert "Summer Cup has started." in page
    assert 'hx-trigger="every 2s"' in page
    draft.refresh_from_db()
    assert draft.state == "running"


def test_entering_and_withdrawing(client: Client, world: World) -> None:
    assert b"Log in" in client.get("/tournaments/spring-cup/").content
    client.force_login(world.owner)
    factories.bot(world.owner, "Rook", formats=["cassino/*/2v2"])
    page = client.get("/tournaments/spring-cup/entries/").content.decode()
    assert "bot that can enter" in page  # Rook plays other tables
    assert "does not play" in post_step(client, world.open, step="enter", bot="rook")
    assert "Magpie has been withdrawn." in post_step(
        client, world.open, step="withdraw", bot="magpie"
    )
    assert "Magpie has been entered." in post_step(client, world.open, step="enter", bot="magpie")
    assert "Magpie has already entered." in post_step(
        client, world.open, step="enter", bot="magpie"
    )
    assert "is not yours" in post_step(client, world.open, step="enter", bot="nagi")
    assert "Choose a bot" in post_step(client, world.open, step="enter", bot="nobody")


def test_only_people_with_an_entry_read_of_another_bot(client: Client, world: World) -> None:
    client.force_login(factories.user("newcomer"))
    page = client.get("/tournaments/spring-cup/entries/").content.decode()
    assert "You have no bot that can enter" in page
    client.force_login(world.owner)
    page = client.get("/tournaments/spring-cup/entries/").content.decode()
    assert "You have no other bot that can enter" in " ".join(page.split())


def test_a_step_needs_a_post_and_a_login(client: Client, world: World) -> None:
    response = client.post("/tournaments/spring-cup/start/")
    assert response["Location"].startswith("/login/")
    client.force_login(world.organizer)
    assert client.get("/tournaments/spring-cup/start/").status_code == 405


def test_a_poll_of_progress_is_empty_until_something_changes(client: Client, world: World) -> None:
    address = "/tournaments/winter-cup/"
    first = client.get(address, headers=HTMX)
    page = first.content.decode()
    assert "<html" not in page
    assert "0 finished" in page
    assert "6 waiting" in page
    token = first.context["progress"].seen
    assert client.get(f"{address}?seen={token}", headers=HTMX).status_code == 204
    match = world.running.matches.order_by("pk")[0]
    factories.finish(match)
    second = client.get(f"{address}?seen={token}", headers=HTMX)
    assert second.status_code == 200
    assert "1 finished" in second.content.decode()
    assert "HX-Refresh" not in second.headers
    factories.finish_all(world.running)
    last = client.get(f"{address}?seen={second.context['progress'].seen}", headers=HTMX)
    assert last.headers["HX-Refresh"] == "true"


def test_matches_are_counted_once_and_by_round_only_where_rounds_are_shown(
    client: Client, world: World
) -> None:
    token = client.get("/tournaments/winter-cup/", headers=HTMX).context["progress"].seen
    pages = {
        "winter-cup/": 1,  # its schedule shows the rounds
        f"winter-cup/?seen={token}": 0,
        "autumn-cup/standings/": 0,
    }
    for page, count in pages.items():
        headers = HTMX if "seen=" in page else {}
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/tournaments/{page}", headers=headers)
        statements = [query["sql"] for query in queries]
        assert sum("GROUP BY" in sql and '"round"' in sql for sql in statements) == count, page
        assert sum(FINISHED_COUNT in sql for sql in statements) == 1, page


def test_standings_equal_those_of_the_api(client: Client, world: World) -> None:
    rows = client.get("/api/v1/tournaments/autumn-cup/standings/").json()["rows"]
    names = [row["bot"]["name"] for row in rows]
    page = client.get("/tournaments/autumn-cup/standings/").content.decode()
    shown = re.findall(r'<a class="bot" href="/bots/[\w-]+/">(?:<span lang="ja">)?([^<]+)<', page)
    assert shown == names
    assert 'hx-trigger="every 2s"' not in page


def test_every_cell_links_to_its_matches(client: Client, world: World) -> None:
    page = flat(client.get("/tournaments/autumn-cup/crosstable/").content.decode())
    cells = re.findall(r'<a class="cell h\d" href="([^"]+)">', page)
    assert len(cells) == 6
    matches = client.get(cells[0].replace("&amp;", "&"))
    assert len(matches.context["rows"]) == 1, "both matches of the deal group in one row"
    assert page.count('class="cell self"') == 3


def test_a_partly_played_pairing_is_shown_as_not_finished(client: Client, world: World) -> None:
    factories.finish(world.running.matches.order_by("pk")[0])
    page = client.get("/tournaments/winter-cup/crosstable/").content.decode()
    assert page.count('class="cell live"') == 2
    assert page.count('class="cell wait"') == 4


def test_the_organizer_decides_about_a_stuck_match(client: Client, world: World) -> None:
    number = stuck(world.running)
    assert b"Needs a decision" not in client.get("/tournaments/winter-cup/").content
    client.force_login(world.organizer)
    page = client.get("/tournaments/winter-cup/").content.decode()
    read(page)
    assert "5 attempts; the last: The worker lost the database." in flat(page)
    page = client.get(f"/matches/{number}/").content.decode()
    assert page.count("The worker lost the database.") == 5  # with those of the earlier cards
    address = f"/matches/{number}/decide/"
    page = client.post(address, {"word": "rerun", "reason": ""}, follow=True).content.decode()
    assert "Give a reason" in page
    response = client.post(address, {"word": "rerun", "reason": "once more"}, follow=True)
    rerun = Match.objects.get(deal_group__instead_of__matches=number, rotation=0)
    assert f"will be played again as match {rerun.pk}" in response.content.decode()
    assert (Match.objects.get(pk=number).state, rerun.state) == ("void", "waiting")
    assert f'<a href="/matches/{rerun.pk}/">match {rerun.pk}</a> has taken its place' in (
        flat(client.get(f"/matches/{number}/").content.decode())
    )
    client.post(f"/matches/{rerun.pk}/decide/", {"word": "void", "reason": "not worth it"})
    rerun.refresh_from_db()
    assert rerun.state == "waiting"  # rated: nothing is stuck any more
    assert "Choose" in client.post(address, {"word": "x"}, follow=True).content.decode()


def test_a_stranger_cannot_decide(client: Client, world: World) -> None:
    number = stuck(world.running)
    client.force_login(world.owner)
    client.post(f"/matches/{number}/decide/", {"word": "void", "reason": "mine"})
    assert Match.objects.get(pk=number).state == "stuck"


def test_the_organizer_can_have_a_round_played_again(client: Client, world: World) -> None:
    cup = world.finished
    address = f"/tournaments/{cup.slug}/conditions/"
    assert b"Every result stands." in client.get(address).content
    assert b"Play a round again" not in client.get(address).content
    client.force_login(world.owner)
    assert "Only the organizer" in post_step(
        client, cup, step="rerun-round", round="1.1", reason="mine"
    )
    client.force_login(world.organizer)
    page = client.get(address).content.decode()
    read(page)
    assert "only deal groups with a stuck match can be played again" in page
    assert "staff can withdraw results" in post_step(
        client, cup, step="rerun-round", round="1.1", reason="I lost."
    )
    staff = factories.user("staff", staff=True)
    client.force_login(staff)
    page = client.get(address).content.decode()
    assert "only deal groups with a stuck match" not in flat(page)
    assert '<option value="1.3">round 3</option>' in page
    assert "Give a reason" in post_step(client, cup, step="rerun-round", round="1.1", reason=" ")
    assert "Choose a round" in post_step(client, cup, step="rerun-round", round="one", reason="x")
    page = post_step(client, cup, step="rerun-round", round="1.1", reason="The power failed.")
    assert "2 matches of the round will be played again, with new cards." in page
    cup.refresh_from_db()
    assert cup.state == "running"
    page = flat(Client().get(address).content.decode())  # public
    texts = "round 1 of stage 1", "played again, new cards: deal group 1 → 4", "The power failed."
    for words in (*texts, "staff"):
        assert words in page


def test_a_result_of_a_finished_tournament_can_be_voided(client: Client, world: World) -> None:
    match = world.finished.matches.order_by("pk")[0]
    address = f"/matches/{match.pk}/"
    assert b"Set the result aside" not in client.get(address).content
    client.force_login(world.organizer)
    assert b"Set the result aside" not in client.get(address).content  # it is rated
    client.force_login(factories.user(staff=True))
    assert b"Set the result aside and play again" in client.get(address).content
    response = client.post(f"{address}decide/", {"word": "void", "reason": "It was a test."})
    assert response["Location"] == f"/tournaments/{world.finished.slug}/"
    page = client.get(f"/tournaments/{world.finished.slug}/conditions/").content.decode()
    assert f'<a href="{address}">match {match.pk} with deal group 1</a>' in page
    assert "It was a test." in page


def test_the_conditions_describe_each_stage(organizer: Client) -> None:
    form = FORM | TWO | {"s2-take": "4", "s2-knock-out.third": "1", "apart": "on"}
    organizer.post("/tournaments/new/", form)
    page = organizer.get("/tournaments/cup-of-one-day/conditions/").content.decode()
    read(page)
    for words in ("Stage 1: Round robin", "Stage 2: Knock-out", "the best 4 of stage 1"):
        assert words in page
    assert "<dt>Match for third place</dt><dd>1</dd>" in flat(page)
    assert "Sonneborn–Berger, Score difference" in page
    assert "where possible" in page


def test_the_organizer_changes_the_priority(client: Client, world: World) -> None:
    address = "/tournaments/winter-cup/conditions/"
    assert 'id="priority"' not in client.get(address).content.decode()
    client.force_login(world.organizer)
    page = flat(client.get(address).content.decode())
    assert "<option selected>5</option>" in page
    assert "<option>6</option>" not in page
    assert "Winter Cup now has priority 2." in post_step(
        client, world.running, step="priority", priority="2"
    )
    assert "<option selected>2</option>" in flat(client.get(address).content.decode())
    assert set(world.running.matches.values_list("priority", flat=True)) == {2}
    refusal = post_step(client, world.running, step="priority", priority="9")
    assert "must be 0 to 5, not 9" in refusal
    assert "Choose a priority" in post_step(client, world.running, step="priority", priority="²")
    client.force_login(factories.user(staff=True))
    assert "<option>9</option>" in flat(client.get(address).content.decode())
    finished_page = client.get("/tournaments/autumn-cup/conditions/").content.decode()
    assert 'id="priority"' not in finished_page


def test_the_page_shows_why_matches_wait(client: Client, world: World) -> None:
    OutboxMessage.objects.update(created=timezone.now() - timedelta(minutes=1))
    assert "broker cannot be reached" in client.get("/tournaments/winter-cup/").content.decode()
    OutboxMessage.objects.update(sent=timezone.now())
    factories.worker()
    page = client.get("/tournaments/winter-cup/").content.decode()
    assert "6 matches in the queue, " in page
    assert "Workers are taking them now." in page
    WorkerNode.objects.update(seen=timezone.now() - timedelta(hours=1))
    token = client.get("/tournaments/winter-cup/", headers=HTMX).context["progress"].seen
    assert "No worker has reported" in client.get("/tournaments/winter-cup/").content.decode()
    assert "No worker has reported" in client.get("/bots/magpie/").content.decode()
    factories.worker()
    late = client.get(f"/tournaments/winter-cup/?seen={token}", headers=HTMX)
    assert late.status_code == 200
    assert "Workers are taking them now." in late.content.decode()
    assert "in the queue" not in client.get("/tournaments/autumn-cup/").content.decode()


def test_the_organizer_and_staff_see_why_a_tournament_is_stuck(
    client: Client, world: World
) -> None:
    words = (
        "It could not be advanced: the hall burnt down. The site tries again every five seconds."
    )
    world.running.matches.update(state=Match.State.FINISHED)
    Tournament.objects.filter(pk=world.running.pk).update(trouble=words)
    staff = factories.user("staff", staff=True)
    for user, shown in ((world.owner, False), (world.organizer, True), (staff, True)):
        client.force_login(user)
        text = client.get(f"/tournaments/{world.running.slug}/").content.decode()
        read(text)
        assert ("the hall burnt down" in text) == shown
        assert "Its organizer and the site" in text


def test_the_conditions_name_the_rules_and_offer_those_in_force(
    organizer: Client, world: World
) -> None:
    conditions = f"/tournaments/{world.running.slug}/conditions/"
    page = organizer.get(conditions).content.decode()
    assert rules.edition("cassino").partition(" ")[2] in page
    assert "Continue under the rules in force" not in page
    Tournament.objects.filter(pk=world.running.pk).update(rules="7 of-long-ago")
    page = organizer.get(conditions).content.decode()
    assert "only staff can carry it over" in page  # it is rated
    Tournament.objects.filter(pk=world.running.pk).update(rated=False)
    assert "Carry it over" in organizer.get(conditions).content.decode()
    page_after = post_step(organizer, world.running, step="carry-over", reason="They are gone.")
    assert "continues under the rules in force." in page_after
    assert "They are gone." in page_after
    assert "carried over" in page_after
    assert "Carry it over" not in page_after


def test_a_void_group_is_shown_beside_counted_ones(client: Client, world: World) -> None:
    match = world.finished.matches.order_by("pk")[0]
    client.force_login(factories.user(staff=True))
    page = flat(client.get(f"/matches/{match.pk}/").content.decode())
    assert "each side gets the mean of its other groups" in page
    address = f"/tournaments/{world.finished.slug}/standings/"
    assert "deal groups are void." not in client.get(address).content.decode()
    response = client.post(
        f"/matches/{match.pk}/decide/", {"word": "void", "reason": "It was a test."}, follow=True
    )
    assert "is now void, like the rest of its deal group" in response.content.decode()
    page = flat(client.get(address).content.decode())
    read(page)
    assert page.count('<abbr title="void deal groups">+1</abbr>') == 2
    assert "deal groups are void." in page

"""Retiring bots, quarantine, suspended accounts, the moderators' log."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.test import Client
from rest_framework.test import APIClient

from bots.access import MODERATOR
from bots.actions import register_bot, rename, set_active_version
from bots.models import Bot
from cardroom.actions import moderation
from cardroom.actions.accounts import checked_username
from cardroom.actions.deletion import delete_account
from cardroom.actions.tokens import find_token, make_token
from cardroom.models import Moderation
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import now
from cardroom_tables.actions import seats, tables
from cardroom_tables.actions.tables import SeatChoice
from engine import rules
from tests import factories as make
from tests.play import hall
from tournaments import actions, tasks
from tournaments.actions import attempts
from tournaments.models import Tournament
from tournaments.queue import scheduler
from tournaments.queue.waits import tournament_wait

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _plain_static_files(settings: Any) -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


LADDER = [{"system": "ladder", "groups": 1, "settings": {"ahead": 3, "first": 1}}]


def test_a_retired_bot_leaves_all_but_running_tournaments(client: Client) -> None:
    owner = make.user("wren")
    bot, other = make.bot(owner, "Magpie"), make.bot(name="Jay")
    sibling = make.bot(owner, "Rook")
    open_cup = make.tournament([bot, sibling])
    ladder = make.tournament([bot, other], stages=LADDER, start=True)
    running = make.tournament([bot, other], start=True)
    first, second = bot.versions.get(number=1), make.version(bot)
    trial = actions.start_trial(second, owner, format_text=make.FORMAT)
    challenge = actions.start_challenge(other.versions.get(), first, other.owner, groups=1)
    with pytest.raises(ActionError, match="not yours"):
        actions.retire_bot(bot, other.owner)

    client.force_login(owner)
    page = client.post("/bots/magpie/retire/", {}, follow=True).content.decode()
    assert "Tick the box" in page
    assert open_cup.entries.filter(bot=bot).exists()
    page = client.post("/bots/magpie/retire/", {"agreed": "on"}, follow=True).content.decode()
    assert "<span>retired</span>" in page
    assert not open_cup.entries.filter(bot=bot).exists()
    assert open_cup.entries.filter(bot=sibling).exists()
    assert ladder.entries.get(bot=bot).withdrawn
    assert running.entries.get(bot=bot).withdrawn is None
    trial.refresh_from_db()
    challenge.tournament.refresh_from_db()
    assert (trial.state, challenge.tournament.state) == ("abandoned", "cancelled")
    with pytest.raises(ActionError, match="no version"):
        actions.enter(open_cup, bot, owner)

    bot = set_active_version(bot, 2, owner)
    assert not bot.is_retired
    actions.enter(open_cup, bot, owner)


def test_house_bots_do_not_retire() -> None:
    with pytest.raises(ActionError, match="comes with the site"):
        actions.retire_bot(make.house_bot("house:random"), None)


# --- quarantine -----------------------------------------------------------------------------------


@pytest.fixture
def staff() -> User:
    return make.user("judge", staff=True)


def test_a_quarantined_bot_plays_nothing_until_its_release(client: Client, staff: User) -> None:
    author = make.user("wren")
    bot, other, third = make.bot(author, "Magpie"), make.bot(name="Jay"), make.bot(name="Rook")
    cup = make.tournament([bot, other, third], start=True)
    blocked = {match.pk for match in cup.matches.filter(seats__version__bot=bot)}
    claimed = {attempt.match_id: attempt for attempt in attempts.claim("here/1", 1000)}
    assert blocked < set(claimed)

    client.force_login(staff)
    form = {"word": "quarantine", "bot": "magpie", "reason": " It prints insults. "}
    page = client.post("/moderation/", form, follow=True).content.decode()
    assert "Magpie has been quarantined." in page
    assert "It prints insults." in page
    waiting = cup.matches.filter(state="waiting")
    assert {match.pk for match in waiting} == blocked
    first = claimed[min(blocked)]
    assert not attempts.store_result(first.pk, make.outcome(first.match))
    for key in set(claimed) - blocked:
        assert attempts.store_result(claimed[key].pk, make.outcome(claimed[key].match))
    make.end_retry_delays()
    assert attempts.claim("here/1", 1000) == []
    assert not scheduler.has_due_match(tuple(rules.editions().values()))
    wait = tournament_wait(cup)
    assert (wait.waiting, wait.seconds) == (len(blocked), None)
    assert "keep a bot of these matches from playing" in wait.reason

    assert bot not in Bot.objects.listed()
    for action in (
        lambda: actions.enter(make.tournament(), bot, bot.owner),
        lambda: actions.start_challenge(
            other.versions.get(), bot.versions.get(number=1), other.owner, groups=1
        ),
        lambda: actions.start_trial(make.version(bot), bot.owner),
    ):
        with pytest.raises(ActionError, match="quarantined"):
            action()
    for address in ("/bots/", "/search/?q=magp", f"/authors/{bot.owner}/", "/api/v1/bots/"):
        assert "Magpie" not in Client().get(address).content.decode(), address
    assert "insults" not in Client().get("/bots/magpie/").content.decode()
    owner = Client()
    owner.force_login(author)
    assert "insults" in owner.get("/bots/magpie/").content.decode()
    export = b"".join(owner.get("/account/export/"))
    with ZipFile(BytesIO(export)) as files:
        assert "insults" in files.read("moderation.json").decode()

    moderation.release_bot(bot, staff, "Mended.")
    assert {attempt.match_id for attempt in attempts.claim("here/1", 1000)} == blocked
    kinds = Moderation.objects.values_list("kind", "subject", "address", "reason")
    assert list(kinds) == [
        ("release", "Magpie", "/bots/magpie/", "Mended."),
        ("quarantine", "Magpie", "/bots/magpie/", "It prints insults."),
    ]


def test_matches_of_a_quarantined_bot_do_not_delay_others(
    staff: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "MAX_SEARCHED", 1)
    bots = [make.bot() for _ in range(3)]
    cup = make.tournament(bots, start=True)
    moderation.quarantine_bot(bots[0], staff, "x")
    claimed = attempts.claim("here/1", 1000)
    free = cup.matches.exclude(seats__version__bot=bots[0])
    assert {attempt.match_id for attempt in claimed} == {match.pk for match in free}


def test_a_ladder_continues_without_a_quarantined_bot(staff: User) -> None:
    bots = [make.bot() for _ in range(3)]
    settings = {"ahead": 3, "first": 9}
    stages = [{"system": "ladder", "groups": 1, "settings": settings}]
    ladder = make.tournament(bots, stages=stages, start=True)
    attempts.claim("here/1", 1)
    groups = ladder.deal_groups.filter(retired__isnull=True)
    blocked_groups = groups.filter(matches__seats__version__bot=bots[0]).distinct()
    assert blocked_groups.exists()
    moderation.quarantine_bot(bots[0], staff, "x")
    make.housekeep()
    assert not blocked_groups.exists()
    for _ in range(3):
        make.end_retry_delays()
        claimed = attempts.claim("here/1", 1000)
        assert claimed
        for attempt in claimed:
            assert attempts.store_result(attempt.pk, make.outcome(attempt.match))
        make.housekeep()
    moderation.release_bot(bots[0], staff, "x")
    make.end_retry_delays()
    for attempt in attempts.claim("here/1", 1000):
        attempts.store_result(attempt.pk, make.outcome(attempt.match))
    make.housekeep()
    assert blocked_groups.exists()


def test_the_sweep_ends_attempts_that_began_during_the_quarantine(staff: User) -> None:
    bot = make.bot()
    cup = make.tournament([bot, make.bot()], start=True)
    assert len(attempts.claim("here/1", 1)) == 1
    Bot.objects.filter(pk=bot.pk).update(quarantined=now())  # as if claimed meanwhile
    assert tasks.sweep()["quarantined"] == 1
    assert not cup.matches.filter(state="playing").exists()


def test_a_house_bot_replaces_a_quarantined_bot_at_tables(staff: User) -> None:
    make.house_bot("house:greedy")
    bot = make.bot(name="Magpie")
    choices = [SeatChoice("you"), SeatChoice("bot", "magpie")]
    table = tables.create_table(hall.guest(), hall.SHORT, choices)
    moderation.quarantine_bot(bot, staff, "x")
    seating = table.seating
    table.refresh_from_db()
    assert [seat.bot for seat in table.seats.all()] == ["", "house:greedy"]
    assert table.seating == seating + 1
    with pytest.raises(ActionError, match="quarantined"):
        tables.create_table(hall.guest("eve"), hall.SHORT, choices)


def test_a_quarantined_bot_does_not_return_to_an_abandoned_table(staff: User) -> None:
    make.house_bot("house:greedy")
    bot = make.bot(name="Magpie")
    choices = [SeatChoice("you"), SeatChoice("bot", "magpie")]
    table = tables.create_table(hall.guest(), hall.SHORT, choices)
    seats.leave(table, hall.guest())
    moderation.quarantine_bot(bot, staff, "x")
    seats.sit(table, hall.guest())
    assert [seat.bot for seat in table.seats.all()] == ["", "house:greedy"]


def test_only_moderators_quarantine_and_give_a_reason(staff: User) -> None:
    author, moderator = make.user(), make.user()
    bot = make.bot(author, "Magpie")
    for by, reason, words in (
        (author, "x", "Only moderators"),
        (moderator, "x", "Only moderators"),
        (staff, "  ", "Give a reason"),
        (staff, "x" * 501, "Give a reason"),
    ):
        with pytest.raises(ActionError, match=words):
            moderation.quarantine_bot(bot, by, reason)
    moderator.groups.add(Group.objects.get_or_create(name=MODERATOR)[0])
    moderation.quarantine_bot(bot, moderator, "x" * 500)
    with pytest.raises(ActionError, match="already"):
        moderation.quarantine_bot(bot, staff, "x")
    client = Client()
    client.force_login(moderator)
    assert client.get("/moderation/").status_code == 200
    assert "/moderation/" in client.get("/account/").content.decode()
    client.force_login(author)
    assert client.get("/moderation/").status_code == 403


def test_moderators_change_name_and_description_of_a_bot(client: Client, staff: User) -> None:
    make.bot(name="Jay")
    owner = make.user("wren")
    bot = make.bot(owner, "Rude Bird")
    Bot.objects.filter(pk=bot.pk).update(description="Rude words.")
    team = make.bot(owner)
    cup = make.tournament([bot, team], start=True, stages=LADDER)
    actions.withdraw(cup, bot, owner)
    table = tables.create_table(
        hall.guest(), hall.SHORT, [SeatChoice("you"), SeatChoice("bot", bot.slug)]
    )
    moderation.quarantine_bot(team, staff, "x")
    client.force_login(staff)
    form = {"bot": "rude-bird", "reason": "It insults.", "text": "Polite Bird", "word": "name"}
    page = client.post("/moderation/", form, follow=True).content.decode()
    assert "The name of Polite Bird has been changed." in page
    client.post("/moderation/", form | {"bot": "polite-bird", "word": "description", "text": ""})
    bot.refresh_from_db()
    assert (bot.name, bot.slug, bot.description) == ("Polite Bird", "polite-bird", "")
    assert Client().get("/bots/rude-bird/").status_code == 404
    assert cup.decisions.get(kind="withdrawn").what == "Polite Bird"
    assert [seat.bot for seat in table.seats.all()] == ["", "Polite Bird"]
    lines = Moderation.objects.filter(kind="change").values_list("subject", "address", "reason")
    assert list(lines) == [("Polite Bird", "/bots/polite-bird/", "It insults.")] * 2
    Moderation.objects.create(kind="change", by=staff, subject="Jay", reason="Old.")
    cells = [f"<td>{action}</td>" for action in ("changed", "description changed", "name changed")]
    page = client.get("/moderation/").content.decode()
    places = [page.index(cell) for cell in [*cells, "<td>quarantined</td>"]]
    assert places == sorted(places)

    notice = "Moderators changed the"
    assert notice not in Client().get("/bots/polite-bird/").content.decode()
    client.force_login(owner)
    page = client.get("/bots/polite-bird/").content.decode()
    assert f"{notice} description" in " ".join(page.split())
    assert "It insults." in page
    Moderation.objects.update(at=now() - timedelta(days=31))
    assert notice not in client.get("/bots/polite-bird/").content.decode()


def test_refused_changes_of_a_bots_texts(staff: User) -> None:
    bot, house = make.bot(make.user("wren"), "Magpie"), make.house_bot("house:random")
    make.bot(name="Jay")
    for changed, text, by, words in (
        (bot, "Jay", staff, "already a bot called Jay"),
        (bot, "house:mine", staff, "reserved"),
        (bot, "Magpie", staff, "already the name"),
        (house, "Robin", staff, "comes with the site"),
        (bot, "Robin", bot.owner, "Only moderators"),
    ):
        with pytest.raises(ActionError, match=words) as refusal:
            moderation.change_bot(changed, "name", text, by, "x")
        assert refusal.value.field in {"text", ""}
    with pytest.raises(ActionError, match="at most 300"):
        moderation.change_bot(bot, "description", "x" * 301, staff, "x")
    with pytest.raises(ActionError, match="Give a reason"):
        moderation.change_bot(bot, "name", "Robin", staff, " ")
    assert not Moderation.objects.exists()


def test_a_changed_bot_is_locked_until_its_texts_are_unlocked(client: Client, staff: User) -> None:
    bot = make.bot(make.user("wren"), "Rude Bird")
    with pytest.raises(ActionError, match="not locked"):
        moderation.unlock_bot(bot, staff, "x")
    bot = moderation.change_bot(bot, "name", "Polite Bird", staff, "x")
    assert bot.owner is not None
    client.force_login(bot.owner)
    page = client.get("/bots/polite-bird/").content.decode()
    assert "locked both" in page
    assert "/describe/" not in page
    rest = APIClient()
    rest.force_authenticate(bot.owner)
    address = "/api/v1/bots/polite-bird/"
    for change in ({"name": "Rude Bird"}, {"description": "Rude words."}):
        response = rest.patch(address, change, format="json")
        assert (response.status_code, "locked" in response.json()["detail"]) == (403, True)
    assert rest.patch(address, {"plays_people": False}, format="json").status_code == 200
    with pytest.raises(ActionError, match="Only moderators"):
        moderation.unlock_bot(bot, bot.owner, "x")
    client.force_login(staff)
    form = {"word": "unlock", "bot": "polite-bird", "reason": "Agreed."}
    page = client.post("/moderation/", form, follow=True).content.decode()
    assert "The owner of Polite Bird can change its name and description again." in page
    assert "<td>texts unlocked</td>" in page
    response = rest.patch(address, {"description": "Polite words."}, format="json")
    assert response.status_code == 200


# --- accounts -------------------------------------------------------------------------------------


def test_a_suspended_account_is_closed_until_it_is_resumed(staff: User) -> None:
    user = make.user("wren")
    bot, worse = make.bot(user, "Magpie"), make.bot(user, "Jay")
    moderation.quarantine_bot(worse, staff, "Alone.")
    cup = make.tournament([bot, make.bot()], start=True)
    claimed = attempts.claim("here/1", 1)
    _, secret = make_token(user, "laptop", ["read"], 7)
    person, judge = Client(), Client()
    login = {"login": "wren", "password": "secret"}
    assert person.post("/login/", login).status_code == 302
    judge.force_login(staff)

    form = {"word": "suspend", "user": "wren", "reason": "Spam."}
    assert b"has been suspended" in judge.post("/moderation/", form, follow=True).content
    assert person.get("/account/").status_code == 302
    assert not Session.objects.filter(session_key=person.session.session_key).exists()
    assert find_token(secret) is None
    assert not attempts.store_result(claimed[0].pk, make.outcome(claimed[0].match))
    assert not Bot.objects.listed().filter(owner=user).exists()
    right = person.post("/login/", login).content.decode()
    assert "The moderators have suspended this account." in right
    wrong = person.post("/login/", login | {"password": "guess"}).content.decode()
    nobody = person.post("/login/", {"login": "nobody", "password": "guess"}).content.decode()
    for page in (wrong, nobody):
        assert "No account has this user name and password" in page
        assert "suspended" not in page

    moderation.resume_account(user, staff, "Sorry.")
    assert person.get("/account/").status_code == 302  # old sessions stay closed
    assert person.post("/login/", login).status_code == 302
    assert find_token(secret)
    assert list(Bot.objects.listed().filter(owner=user)) == [bot]
    assert attempts.claim("here/1", 1)
    assert cup.matches.filter(state="playing").exists()


def test_accounts_that_cannot_be_suspended(staff: User) -> None:
    closed = make.user("gone")
    User.objects.filter(pk=closed.pk).update(is_active=False)
    for user, words in ((staff, "yourself"), (make.user(staff=True), "staff"), (closed, "closed")):
        with pytest.raises(ActionError, match=words):
            moderation.suspend_account(user, staff, "x")
    with pytest.raises(ActionError, match="not suspended"):
        moderation.resume_account(closed, staff, "x")


def test_the_log_forgets_a_deleted_account(staff: User) -> None:
    user = make.user("wren")
    moderation.suspend_account(user, staff, "x")
    delete_account(user)
    assert list(Moderation.objects.values_list("subject", "address")) == [
        (f"a former author {user.pk}", "")
    ]
    with pytest.raises(ActionError, match="not suspended"):
        moderation.resume_account(user, staff, "x")


# --- tournaments ----------------------------------------------------------------------------------


def test_name_and_description_change_in_any_state(client: Client, staff: User) -> None:
    cup = make.finish_all(make.tournament(2, name="Rude Cup", start=True))
    Tournament.objects.filter(pk=cup.pk).update(description="Rude words.")
    client.force_login(staff)
    form = {"tournament": cup.slug, "reason": "Rude.", "text": "Autumn Cup", "word": "name"}
    page = client.post("/moderation/", form, follow=True).content.decode()
    assert "The name of Autumn Cup has been changed." in page
    old_page = f"/tournaments/{cup.slug}/"
    cup.refresh_from_db()
    assert cup.slug == "autumn-cup"
    assert client.get(old_page).status_code == 404
    client.post("/moderation/", form | {"tournament": cup.slug, "word": "description", "text": ""})
    cup.refresh_from_db()
    assert (cup.name, cup.slug, cup.description) == ("Autumn Cup", "autumn-cup", "")
    log_entries = cup.decisions.filter(kind="changed").values_list("what", "reason", "by")
    assert list(log_entries) == [
        ("the name", "Rude.", staff.pk),
        ("the description", "Rude.", staff.pk),
    ]
    lines = Moderation.objects.values_list("kind", "field", "subject", "address")
    assert set(lines) == {
        ("change", field, "Autumn Cup", f"/tournaments/{cup.slug}/")
        for field in ("name", "description")
    }
    for text, words in (("house:cup", "reserved"), ("Autumn Cup", "already"), ("", "name")):
        with pytest.raises(ActionError, match=words):
            moderation.change_tournament(cup, "name", text, staff, "x")
    with pytest.raises(ActionError, match="Only moderators"):
        moderation.change_tournament(cup, "name", "Mine", make.user(), "x")


def change(cup: Tournament, word: str, item: object, text: str, by: User) -> Any:
    """Change a text on the moderators' page; return the answer."""
    client = Client()
    client.force_login(by)
    data = {"tournament": cup.slug, "word": word, "item": item, "text": text, "reason": "Rude."}
    return client.post("/moderation/", data, follow=True)


def test_organizers_change_no_locked_texts(client: Client, staff: User) -> None:
    organizer = make.user("organizer")
    cup = make.tournament(2, name="Cup", by=organizer, rated=False, categories=["students"])
    posted = actions.post_announcement(cup, organizer, "Insult")
    with pytest.raises(ActionError, match="not locked"):
        moderation.unlock_tournament(cup, staff, "x")
    moderation.change_tournament(cup, "announcement", "Greeting", staff, "x", str(posted.pk))
    changes: tuple[Callable[[], object], ...] = (
        lambda: actions.update_tournament(cup, organizer, description="Rude words."),
        lambda: actions.update_tournament(cup, organizer, categories=["students", "fools"]),
        lambda: actions.change_announcement(posted, organizer, "Insult"),
    )
    for change_text in changes:
        with pytest.raises(ActionError, match="locked") as refusal:
            change_text()
        assert refusal.value.code == "forbidden"
    cup.refresh_from_db()
    assert (cup.description, cup.categories) == ("", ["students"])
    client.force_login(organizer)
    page = client.get(f"/tournaments/{cup.slug}/edit/").content.decode()
    assert "Moderators have changed a text of this tournament" in page
    later = now() + timedelta(days=1)
    fields = {"description": "", "categories": ["students"], "entries_until": later}
    assert actions.update_tournament(cup, organizer, **fields).entries_until
    assert actions.post_announcement(cup, organizer, "The hall has changed.")
    client.force_login(staff)
    form = {"word": "unlock", "tournament": cup.slug, "reason": "Agreed."}
    page = client.post("/moderation/", form, follow=True).content.decode()
    assert "The organizers of Cup can change its texts again." in page
    for change_text in changes:
        change_text()


def test_moderators_change_and_delete_announcements(staff: User) -> None:
    organizer = make.user("organizer")
    cup = make.tournament(2, name="Spring Cup", by=organizer, start=True)
    posted = [actions.post_announcement(cup, organizer, text) for text in ("Insult", "Slur")]
    page = change(cup, "announcement", posted[0].pk, "Greeting", staff).content.decode()
    assert "The announcement of Spring Cup has been changed." in page
    change(cup, "announcement", posted[1].pk, " ", staff)
    announcement = cup.announcements.get()
    assert (announcement.text, announcement.by) == ("Greeting", organizer)
    assert announcement.changed
    entries = cup.decisions.filter(kind="changed").values_list("what", "reason", "by")
    assert list(entries) == [("an announcement", "Rude.", staff.pk)] * 2
    other = actions.post_announcement(make.tournament(by=organizer), organizer, "x")
    for item in (posted[1].pk, other.pk, "x", "9" * 30):
        with pytest.raises(ActionError, match="has no announcement") as refusal:
            moderation.change_tournament(cup, "announcement", "y", staff, "x", str(item))
        assert refusal.value.field == "item"
    assert "State which announcement to change." in (
        change(cup, "announcement", "", "y", staff).content.decode()
    )
    with pytest.raises(ActionError, match="already"):
        moderation.change_tournament(
            cup, "announcement", "Greeting", staff, "x", str(announcement.pk)
        )


def test_moderators_rename_and_remove_categories(staff: User) -> None:
    organizer = make.user("organizer")
    cup = make.tournament(by=organizer, categories=["Fools", "guests"])
    bots = [make.bot() for _ in range(2)]
    for bot in bots:
        actions.enter(cup, bot, bot.owner, "Fools")
    cup = actions.start(cup, organizer)
    actions.categorize(cup.entries.get(bot=bots[0]), "guests", organizer)
    page = change(cup, "category", "Fools", "Students", staff).content.decode()
    assert "The category of" in page
    cup.refresh_from_db()
    assert cup.categories == ["Students", "guests"]
    assert cup.entries.get(bot=bots[1]).category == "Students"
    assert cup.decisions.get(kind="category").reason == "From “Students” to “guests”."
    for item, text, words in (
        ("Fools", "x", "has no category"),
        ("", "x", "State which category"),
        ("Students", "guests", "already has the category"),
        ("Students", "Guests", "look alike"),
        ("Students", "house:x", "reserved"),
    ):
        with pytest.raises(ActionError, match=words):
            moderation.change_tournament(cup, "category", text, staff, "x", item)
    change(cup, "category", "Students", "", staff)
    cup.refresh_from_db()
    assert cup.categories == ["guests"]
    assert cup.entries.get(bot=bots[1]).category == ""


def test_moderators_rename_teams(staff: User) -> None:
    organizer, owner = make.user("organizer"), make.user()
    pairs = "cassino/standard/2v2?deals=1"
    swiss = [{"system": "swiss", "groups": 1}]
    cup = make.tournament(by=organizer, format=pairs, partners="fixed", stages=swiss)
    names = ("Fools", "Two birds")
    teams = [
        actions.enter_team(cup, [make.bot(owner), make.bot(owner)], owner, name) for name in names
    ]
    cup = actions.start(cup, organizer)
    actions.withdraw_team(teams[0], None)
    change(cup, "team", "Fools", "Birds", staff)
    teams[0].refresh_from_db()
    assert teams[0].title == "Birds"
    assert cup.decisions.get(kind="withdrawn").what == "Birds"
    assert cup.decisions.get(kind="changed").what == "a team’s name"
    for item, text, words in (
        ("Fools", "x", "has no team"),
        ("", "x", "State which team"),
        ("Birds", "two birds", "already called"),
        ("Birds", "Birds", "already the team"),
        ("Birds", "house:x", "reserved"),
    ):
        with pytest.raises(ActionError, match=words) as refusal:
            moderation.change_tournament(cup, "team", text, staff, "x", item)
        assert refusal.value.field == ("item" if text == "x" else "text")
    change(cup, "team", "Birds", "birds", staff)  # a name may look like the one that it replaces
    change(cup, "team", "birds", "", staff)
    teams[0].refresh_from_db()
    assert teams[0].name == ""


def test_nobody_chooses_a_name_that_a_moderator_replaced_or_a_deleted_account_had(
    staff: User,
) -> None:
    author, rude = make.user(), make.user("rude")
    format_fields: dict[str, Any] = {"format": "cassino/standard/2v2?deals=1", "partners": "fixed"}
    cup = make.tournament(name="Rudecup", by=author, **format_fields)
    bots = [make.bot(author, "Rudebird"), make.bot(author)]
    team = actions.enter_team(cup, bots, author, "Rudebirds")
    moderation.change_bot(bots[0], "name", "Bird", staff, "x")
    change(cup, "team", "Rudebirds", "Birds", staff)
    change(cup, "name", "", "A cup", staff)
    change(cup, "name", "", "A Cup", staff)  # looks the same, so the old name is not retired
    delete_account(rude)
    actions.withdraw_team(team, author)
    draft = actions.create_tournament(author, name="A Cup", format=make.FORMAT)
    choices: tuple[Callable[[str], object], ...] = (
        checked_username,
        lambda name: register_bot(author, name),
        lambda name: rename(bots[1], name, author),
        lambda name: actions.enter_team(cup, bots, author, name),
        lambda name: actions.create_tournament(author, name=name, format=make.FORMAT),
        lambda name: actions.update_tournament(draft, author, name=name),
        lambda name: seats.check_handle(name, hall.guest()),
    )
    for name in ("Rudebird", "RUDEBIRDS", "Rudecup", "rude"):
        for choose in choices:
            with pytest.raises(ActionError, match=r"no longer available|already has|in use"):
                choose(name)
    bot = moderation.change_bot(bots[0], "name", "Rudebird", staff, "x")
    assert rename(bot, "RudeBird", None).name == "RudeBird"


def test_pages_of_tournaments_link_to_the_moderators_page() -> None:
    organizer, moderator = make.user("organizer"), make.user("moderator")
    moderator.groups.add(Group.objects.get_or_create(name=MODERATOR)[0])
    cup = make.tournament(2, by=organizer)
    posted = actions.post_announcement(cup, organizer, "Hello")
    link = f"/moderation/?tournament={cup.slug}"
    client = Client()
    client.force_login(organizer)
    assert link not in client.get(f"/tournaments/{cup.slug}/").content.decode()
    client.force_login(moderator)
    page = client.get(f"/tournaments/{cup.slug}/").content.decode()
    assert f'{link}"' in page
    assert f'{link}&amp;item={posted.pk}"' in page
    form = client.get(f"{link}&item={posted.pk}").content.decode()
    assert f'value="{cup.slug}"' in form
    assert f'value="{posted.pk}"' in form


def test_a_new_name_leaves_no_old_words_in_addresses(client: Client, staff: User) -> None:
    make.tournament(name="Autumn Cup")
    organizer = make.user("organizer")
    cup = make.tournament(2, name="Rude Cup", rated=False, by=organizer)
    cup = actions.set_visibility(cup, organizer, visibility="link")
    moderation.hide_tournament(cup, staff, "Rude.")
    cup = moderation.change_tournament(cup, "name", "Autumn Cup", staff, "Rude.")
    moderation.hide_tournament(cup, staff, "Mended.", hidden=False)
    page = "/tournaments/autumn-cup-2/"
    assert set(Moderation.objects.values_list("address", flat=True)) == {page}
    cup = moderation.change_tournament(cup, "name", "autumn cup!", staff, "Better.")
    assert cup.slug == "autumn-cup-2"
    assert client.get(page).status_code == 404  # only people with the link see it
    answer = client.get("/tournaments/rude-cup/", {"invitation": cup.key})
    assert (answer.status_code, answer["Location"]) == (302, page)
    assert client.get(page).status_code == 200
    assert client.get("/tournaments/rude-cup/", {"invitation": ""}).status_code != 200


def test_a_hidden_tournament_is_shown_again(client: Client, staff: User) -> None:
    cup = make.tournament(2, name="Rude Cup", start=True)
    client.force_login(staff)
    form = {"tournament": cup.slug, "reason": "Rude.", "word": "hide"}
    assert b"Rude Cup is hidden." in client.post("/moderation/", form, follow=True).content
    assert Client().get(f"/tournaments/{cup.slug}/").status_code == 404
    assert attempts.claim("here/1", 1)  # it plays on
    with pytest.raises(ActionError, match="already hidden"):
        moderation.hide_tournament(cup, staff, "x")
    with pytest.raises(ActionError, match="Only moderators"):
        moderation.hide_tournament(cup, make.user(), "x", hidden=False)
    client.post("/moderation/", form | {"word": "show"})
    assert Client().get(f"/tournaments/{cup.slug}/").status_code == 200
    log_entries = cup.decisions.values_list("what", "reason")
    assert list(log_entries) == [
        ("the tournament, hidden", "Rude."),
        ("the tournament, no longer hidden", "Rude."),
    ]


def test_moderators_read_a_hidden_tournament_and_change_nothing(staff: User) -> None:
    moderator = make.user("moderator")
    moderator.groups.add(Group.objects.get_or_create(name=MODERATOR)[0])
    cup = make.tournament(2, by=make.user("organizer"))
    actions.hide(cup, staff, "x")
    client, rest = Client(), APIClient()
    client.force_login(moderator)
    rest.force_authenticate(moderator)
    page, address = f"/tournaments/{cup.slug}/", f"/api/v1/tournaments/{cup.slug}/"
    assert client.get(page).status_code == 200
    assert client.get(f"{page}conditions/").status_code == 200
    assert client.get(f"{page}edit/").status_code == 403
    for step in ("start", "cancel", "priority", "visibility", "announce", "organizers"):
        client.post(f"{page}{step}/", {"text": "x", "name": "moderator", "priority": "1"})
    assert rest.post(f"{address}start/").status_code == 403
    assert rest.patch(address, {"description": "x"}, format="json").status_code == 403
    bot = make.bot(moderator, "Wren")
    assert rest.post(f"{address}entries/", {"bot": bot.slug}, format="json").status_code == 409
    cup.refresh_from_db()
    assert (cup.state, cup.priority, cup.visibility) == ("open", 5, "all")
    assert not cup.announcements.exists()
    assert cup.entries.count() == 2
    assert not cup.co_organizers.exists()

"""Co-organizers: adding, removing, rights."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from rest_framework.test import APIClient

from cardroom.actions.deletion import delete_account
from cardroom_base.core.errors import ActionError
from tests import factories as make
from tournaments import actions
from tournaments.models import Decision, Tournament
from tournaments.organizing import ORGANIZER, organizes
from tournaments.visibility import sees_only_frozen_results, visible_to

pytestmark = pytest.mark.django_db


@pytest.fixture
def organizer() -> User:
    return make.user("organizer")


@pytest.fixture
def helper() -> User:
    return make.user("helper")


def test_co_organizers_run_the_tournament_and_cannot_share_it(
    organizer: User, helper: User
) -> None:
    make.user("third")
    cup = actions.create_tournament(organizer, name="Cup", format=make.FORMAT, rated=False)
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.open_(cup, helper)
    actions.change_organizers(cup, organizer, ["helper"])
    assert visible_to(helper).filter(pk=cup.pk).exists()
    actions.open_(cup, helper)
    for add, remove in (["third"], []), ([], ["helper", "third"]):
        with pytest.raises(ActionError, match="can add and remove") as refusal:
            actions.change_organizers(cup, helper, add, remove)
        assert refusal.value.code == "forbidden"
    actions.enter_many(cup, [make.bot(make.user(name), name) for name in ("a1", "b1")], None)
    actions.start(cup, helper)
    frozen = actions.freeze(cup, helper)
    assert not sees_only_frozen_results(frozen, helper)
    actions.post_announcement(cup, helper, "Pizza.")
    actions.change_organizers(cup, helper, remove=["helper"])  # the helper leaves
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.reveal(cup, helper)
    cup.refresh_from_db()
    assert sees_only_frozen_results(cup, helper)


def test_the_log_names_co_organizers_until_deletion(organizer: User, helper: User) -> None:
    cup = make.tournament([make.bot(helper, "Jay")], by=organizer)
    actions.change_organizers(cup, organizer, ["helper"])
    entry = cup.decisions.get(kind=Decision.Kind.ORGANIZER)
    assert (entry.what, entry.by) == ("helper", organizer)
    assert "has a bot" in entry.reason.lower()
    delete_account(helper)
    entry.refresh_from_db()
    assert entry.what == f"a former author {helper.pk}"
    assert not cup.co_organizers.exists()


def test_co_organizers_run_the_tournament_of_a_deleted_account(
    organizer: User, helper: User
) -> None:
    cup = make.tournament(2, by=organizer)
    actions.change_organizers(cup, organizer, ["helper"])
    delete_account(organizer)
    assert actions.start(cup, helper).state == Tournament.State.RUNNING


def test_a_co_organizer_becomes_the_organizer_by_accepting(
    client: Client, organizer: User, helper: User, settings: Any
) -> None:
    third = make.user("third")
    cup = make.tournament(2, by=organizer)
    actions.change_organizers(cup, organizer, ["helper"])
    with pytest.raises(ActionError, match="Only the organizer") as refusal:
        actions.hand_over(cup, helper, "helper")
    assert refusal.value.code == "forbidden"
    with pytest.raises(ActionError, match="third is not a co-organizer"):
        actions.hand_over(cup, organizer, "third")
    settings.ORGANIZERS = "group"
    with pytest.raises(ActionError, match="only organizers can create"):
        actions.hand_over(cup, organizer, "helper")
    settings.ORGANIZERS = "all"
    client.force_login(helper)
    page, step = (f"/tournaments/{cup.slug}/{name}/" for name in ("conditions", "organizers"))
    for offered in ("helper", "", "helper"):
        actions.hand_over(cup, organizer, offered)
        is_shown = "Become the organizer" in client.get(page).content.decode()
        assert is_shown == bool(offered)
        assert Tournament.objects.get(pk=cup.pk).organizer == organizer
    assert [row.kind for row in helper.notifications.all()] == ["offered"]
    settings.MAX_ACTIVE_TOURNAMENTS = 1
    other = make.tournament(2, by=helper)
    with pytest.raises(ActionError, match="your tournaments are open or running"):
        actions.hand_over(cup, helper, "helper")
    actions.cancel(other, helper)
    client.post(step, {"word": "hand-over", "name": "helper"})
    cup = Tournament.objects.get(pk=cup.pk)
    assert cup.organizer == helper
    assert [(row.user, row.offered) for row in cup.co_organizers.all()] == [(organizer, False)]
    entry = cup.decisions.filter(kind=Decision.Kind.ORGANIZER).latest("pk")
    assert (entry.what, entry.by) == ("helper", helper)
    actions.change_organizers(cup, helper, [third.username], ["organizer"])
    assert not organizes(cup, organizer)


def test_leaving_a_draft_leads_to_the_account_page(
    client: Client, organizer: User, helper: User
) -> None:
    draft = actions.create_tournament(organizer, name="Cup", format=make.FORMAT)
    actions.change_organizers(draft, organizer, ["helper"])
    client.force_login(helper)
    address = f"/tournaments/{draft.slug}/organizers/"
    response = client.post(address, {"word": "remove", "name": "helper"}, follow=True)
    assert response.redirect_chain == [("/account/", 302)]
    assert "is no longer a co-organizer of Cup" in response.content.decode()
    assert client.post(address, {"word": "remove", "name": "helper"}).status_code == 404


def test_unknown_and_double_names_are_refused(organizer: User, helper: User) -> None:
    cup = make.tournament(by=organizer)
    with pytest.raises(ActionError, match="No account is called nobody"):
        actions.change_organizers(cup, organizer, ["nobody"])
    with pytest.raises(ActionError, match="Write the name"):
        actions.change_organizers(cup, organizer, [""])
    with pytest.raises(ActionError, match="already"):
        actions.change_organizers(cup, organizer, ["organizer"])
    with pytest.raises(ActionError, match="not a co-organizer"):
        actions.change_organizers(cup, organizer, remove=["helper"])


def test_a_repetition_has_the_same_organizers_and_limits(
    organizer: User, helper: User, settings: Any
) -> None:
    settings.MAX_ACTIVE_TOURNAMENTS = 1
    cup = make.tournament(2, by=organizer)
    actions.change_organizers(cup, organizer, ["helper"])
    copy = actions.repeat(cup, helper)
    assert copy.organizer == organizer
    assert organizes(copy, helper)
    with pytest.raises(ActionError, match="the organizer's tournaments"):
        actions.open_(copy, helper)


def test_only_the_group_creates_tournaments_if_so_configured(
    organizer: User, helper: User, settings: Any
) -> None:
    settings.ORGANIZERS = "group"
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    organizer.groups.add(Group.objects.get_or_create(name=ORGANIZER)[0])
    body = {"name": "Cup", "format": make.FORMAT}
    for user, page, rest in (
        (helper, 403, 403),
        (organizer, 200, 201),
        (make.user("boss", staff=True), 200, 201),
    ):
        client, api = Client(), APIClient()
        client.force_login(user)
        api.force_authenticate(user)
        assert client.get("/tournaments/new/").status_code == page
        assert (b"/tournaments/new/" in client.get("/tournaments/").content) == (page == 200)
        response = api.post("/api/v1/tournaments/", body | {"name": f"{user} Cup"}, format="json")
        assert response.status_code == rest, response.content
    assert b"/tournaments/new/" not in Client().get("/tournaments/").content


def test_without_the_group_an_organizer_keeps_old_tournaments_only(
    organizer: User, settings: Any
) -> None:
    cup = make.tournament(2, by=organizer)
    settings.ORGANIZERS = "group"
    assert actions.start(cup, organizer).started
    with pytest.raises(ActionError, match="only organizers can create"):
        actions.repeat(cup, organizer)

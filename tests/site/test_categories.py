"""Categories of entries, each with its own standings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from cardroom_base.core.errors import ActionError
from tests import chosen_winners
from tests import factories as make
from tournaments import actions
from tournaments.models import Tournament
from tournaments.reading.categories import rows_of

pytestmark = pytest.mark.django_db
NAMES = ["students", "guests"]


def new_cup(**fields: Any) -> Tournament:
    tournament = make.tournament(by=make.user("ada"), categories=NAMES, rated=False, **fields)
    for name, category in zip("abcd", ["guests", "students", "guests", ""], strict=True):
        bot = make.bot(make.user(f"owner-{name}"), name)
        actions.enter(tournament, bot, bot.owner, category)
    return tournament


def test_each_category_has_its_own_standings(client: Client) -> None:
    cup = actions.start(new_cup(), None)
    chosen_winners.play_out(cup, "abcd")
    response = client.get(f"/api/v1/tournaments/{cup.slug}/standings/").json()
    assert [(row["name"], row["place"], row["category"]) for row in response["rows"]] == [
        ("a", 1, "guests"),
        ("b", 2, "students"),
        ("c", 3, "guests"),
        ("d", 4, ""),
    ]
    response = client.get(f"/api/v1/tournaments/{cup.slug}/standings/?category=guests").json()
    assert [(row["name"], row["place"]) for row in response["rows"]] == [("a", 1), ("c", 2)]
    assert client.get(f"/api/v1/tournaments/{cup.slug}/standings/?category=x").status_code == 400
    page = client.get(f"/tournaments/{cup.slug}/standings/?category=students").content.decode()
    assert ">b<" in page
    assert ">c<" not in page
    assert "?category=guests" in page


@dataclass(frozen=True)
class Placed:
    entrant: int
    place: int


def test_equal_places_stay_equal() -> None:
    rows: Any = [Placed(1, 1), Placed(2, 2), Placed(3, 2), Placed(4, 2), Placed(5, 5)]
    assert [(row.entrant, row.place) for row in rows_of(rows, {2, 4, 5})] == [
        (2, 1),
        (4, 1),
        (5, 3),
    ]


def test_owners_and_organizers_move_entries() -> None:
    cup = new_cup()
    entry = cup.entries.get(bot__name="d")
    owner, organizer = entry.bot.owner, cup.organizer
    actions.categorize(entry, "students", owner)
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.categorize(entry, "guests", make.user())
    with pytest.raises(ActionError, match="its categories: students, guests") as error:
        actions.categorize(entry, "winners", owner)
    assert error.value.field == "category"
    actions.start(cup, None)
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.categorize(entry, "guests", owner)
    actions.categorize(entry, "guests", organizer)
    log_entry = cup.decisions.get(kind="category")
    assert (log_entry.what, log_entry.reason) == ("d", "From “students” to “guests”.")


def test_used_categories_stay() -> None:
    cup = new_cup()
    actions.update_tournament(cup, None, categories=["guests", "students", "staff"])
    with pytest.raises(ActionError, match="move its entries first") as error:
        actions.update_tournament(cup, None, categories=["guests", "staff"])
    assert error.value.field == "categories"


@pytest.mark.parametrize(
    "value", ["students", ["a"] * 3 + ["А"], [f"c{n}" for n in range(13)], [7], ["x" * 41], [""]]
)
def test_invalid_lists_of_categories(value: object) -> None:
    with pytest.raises(ActionError) as error:
        actions.create_tournament(None, name="C", format=make.FORMAT, categories=value)
    assert error.value.field == "categories"


def test_categories_by_rest() -> None:
    cup, bot = new_cup(), make.bot(name="e")
    client = APIClient()
    client.force_authenticate(bot.owner)
    path = f"/api/v1/tournaments/{cup.slug}/entries/"
    response = client.post(path, {"bot": "e", "category": "winners"}, format="json")
    assert (response.status_code, list(response.json()["errors"])) == (400, ["category"])
    assert not cup.entries.filter(bot=bot).exists()
    response = client.post(path, {"bot": "e", "category": "guests"}, format="json")
    assert response.json()["category"] == "guests"
    response = client.patch(f"{path}e/", {"category": "students"}, format="json")
    assert response.json()["category"] == "students"


def test_categories_by_pages(client: Client) -> None:
    cup, bot = new_cup(), make.bot(name="e")
    client.force_login(bot.owner)  # type: ignore[arg-type]
    path = f"/tournaments/{cup.slug}/entries/"
    assert 'name="category"' in client.get(path).content.decode()
    client.post(f"{path}enter/", {"bot": "e", "category": "guests"})
    entry = cup.entries.get(bot=bot)
    assert entry.category == "guests"
    client.post(f"{path}categorize/", {"entry": entry.number, "category": "students"})
    entry.refresh_from_db()
    assert entry.category == "students"
    client.force_login(cup.organizer)  # type: ignore[arg-type]
    edit = f"/tournaments/{cup.slug}/edit/"
    assert 'value="students, guests"' in client.get(edit).content.decode()
    client.post(edit, {"categories": "students, guests, staff,"})
    cup.refresh_from_db()
    assert cup.categories == [*NAMES, "staff"]

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


def cup(**fields: Any) -> Tournament:
    made = make.tournament(by=make.user("ada"), categories=NAMES, rated=False, **fields)
    for name, category in zip("abcd", ["guests", "students", "guests", ""], strict=True):
        bot = make.bot(make.user(f"owner-{name}"), name)
        actions.enter(made, bot, bot.owner, category)
    return made


def test_each_category_has_its_own_standings(client: Client) -> None:
    made = actions.start(cup(), None)
    chosen_winners.play_out(made, "abcd")
    answer = client.get(f"/api/v1/tournaments/{made.slug}/standings/").json()
    assert [(row["name"], row["place"], row["category"]) for row in answer["rows"]] == [
        ("a", 1, "guests"),
        ("b", 2, "students"),
        ("c", 3, "guests"),
        ("d", 4, ""),
    ]
    answer = client.get(f"/api/v1/tournaments/{made.slug}/standings/?category=guests").json()
    assert [(row["name"], row["place"]) for row in answer["rows"]] == [("a", 1), ("c", 2)]
    assert client.get(f"/api/v1/tournaments/{made.slug}/standings/?category=x").status_code == 400
    page = client.get(f"/tournaments/{made.slug}/standings/?category=students").content.decode()
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


def test_who_moves_an_entry() -> None:
    made = cup()
    entry = made.entries.get(bot__name="d")
    owner, organizer = entry.bot.owner, made.organizer
    actions.categorize(entry, "students", owner)
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.categorize(entry, "guests", make.user())
    with pytest.raises(ActionError, match="its categories: students, guests") as refused:
        actions.categorize(entry, "winners", owner)
    assert refused.value.field == "category"
    actions.start(made, None)
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.categorize(entry, "guests", owner)
    actions.categorize(entry, "guests", organizer)
    line = made.decisions.get(kind="category")
    assert (line.what, line.reason) == ("d", "From “students” to “guests”.")


def test_used_categories_stay() -> None:
    made = cup()
    actions.update_tournament(made, None, categories=["guests", "students", "staff"])
    with pytest.raises(ActionError, match="move its entries first") as refused:
        actions.update_tournament(made, None, categories=["guests", "staff"])
    assert refused.value.field == "categories"


@pytest.mark.parametrize(
    "value", ["students", ["a"] * 3 + ["А"], [f"c{n}" for n in range(13)], [7], ["x" * 41], [""]]
)
def test_what_is_no_list_of_categories(value: object) -> None:
    with pytest.raises(ActionError) as refused:
        actions.create_tournament(None, name="C", format=make.FORMAT, categories=value)
    assert refused.value.field == "categories"


def test_by_rest() -> None:
    made, bot = cup(), make.bot(name="e")
    client = APIClient()
    client.force_authenticate(bot.owner)
    path = f"/api/v1/tournaments/{made.slug}/entries/"
    refused = client.post(path, {"bot": "e", "category": "winners"}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["category"])
    assert not made.entries.filter(bot=bot).exists()
    entered = client.post(path, {"bot": "e", "category": "guests"}, format="json")
    assert entered.json()["category"] == "guests"
    moved = client.patch(f"{path}e/", {"category": "students"}, format="json")
    assert moved.json()["category"] == "students"


def test_by_pages(client: Client) -> None:
    made, bot = cup(), make.bot(name="e")
    client.force_login(bot.owner)  # type: ignore[arg-type]
    path = f"/tournaments/{made.slug}/entries/"
    assert 'name="category"' in client.get(path).content.decode()
    client.post(f"{path}enter/", {"bot": "e", "category": "guests"})
    entry = made.entries.get(bot=bot)
    assert entry.category == "guests"
    client.post(f"{path}categorize/", {"entry": entry.number, "category": "students"})
    entry.refresh_from_db()
    assert entry.category == "students"
    client.force_login(made.organizer)  # type: ignore[arg-type]
    edit = f"/tournaments/{made.slug}/edit/"
    assert 'value="students, guests"' in client.get(edit).content.decode()
    client.post(edit, {"categories": "students, guests, staff,"})
    made.refresh_from_db()
    assert made.categories == [*NAMES, "staff"]

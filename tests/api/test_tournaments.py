"""REST: tournaments from draft to finished, entries, tables, export."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from django.utils.translation import gettext_lazy
from rest_framework.renderers import JSONRenderer
from rest_framework.test import APIClient

from cardroom_base.rest.rendering import FastJSONRenderer
from engine import rules
from tests import factories
from tests.api.conftest import FORMAT, ApiWorld, assert_problem
from tournaments import archive
from tournaments.exports import rows as export
from tournaments.models import Entry, Tournament

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries

ALL = "/api/v1/tournaments/"


def address_of(tournament: Tournament | str, path: str = "") -> str:
    slug = tournament if isinstance(tournament, str) else tournament.slug
    return f"{ALL}{slug}/{path}"


def test_only_organizer_and_staff_see_drafts(world: ApiWorld, client: APIClient) -> None:
    def slugs() -> set[str]:
        return {row["slug"] for row in client.get(ALL).json()["results"]}

    for user in (None, world.other):
        client.force_authenticate(user)
        assert slugs() == {"autumn-cup", "winter-cup", "spring-cup"}
        for path in ("", "entries/", "standings/", "matches/", "export/"):
            assert_problem(client.get(address_of(world.draft, path)), 404)
    for user in (world.organizer, world.staff):
        client.force_authenticate(user)
        assert "summer-cup" in slugs()
        assert client.get(address_of(world.draft)).json()["state"] == "draft"


def test_only_organizer_and_staff_see_why_a_tournament_is_stuck(
    world: ApiWorld, client: APIClient
) -> None:
    trouble = "It could not be advanced: an accident. The site tries again every five seconds."
    Tournament.objects.filter(pk__in=[world.running.pk, world.open.pk]).update(trouble=trouble)
    for user, shown in ((None, None), (world.other, None), (world.organizer, trouble)):
        client.force_authenticate(user)
        assert client.get(address_of(world.running)).json()["trouble"] == shown
    client.force_authenticate(world.staff)
    rows = {row["slug"]: row["trouble"] for row in client.get(ALL).json()["results"]}
    assert rows[world.running.slug] == trouble
    assert rows[world.open.slug] == ""  # only running tournaments have this field


def test_the_list_can_be_filtered(world: ApiWorld, client: APIClient) -> None:
    def slugs(**query: Any) -> list[str]:
        return [row["slug"] for row in client.get(ALL, query).json()["results"]]

    assert slugs(state="running") == ["winter-cup"]
    assert slugs(bot="jay") == ["autumn-cup"]
    assert slugs(game="cassino", ordering="name") == ["autumn-cup", "spring-cup", "winter-cup"]
    assert slugs(game="canasta") == []
    assert slugs(format=FORMAT, organizer="organizer", name="spring") == ["spring-cup"]
    assert_problem(client.get(ALL, {"state": "asleep"}), 400, "state", "asleep")


def test_lists_of_any_length_use_the_same_number_of_queries(
    world: ApiWorld, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(4):  # count, rows, stages, co-organizers
        assert len(client.get(ALL).json()["results"]) == 3
    with django_assert_num_queries(4):  # tournament, count, rows, mates
        assert len(client.get(address_of(world.finished, "entries/")).json()["results"]) == 4
    with django_assert_num_queries(6):  # tournament, count, keys, rows, seats, results
        assert len(client.get(address_of(world.finished, "matches/")).json()["results"]) == 12
    with django_assert_num_queries(8):  # tournament, stages, mark, names, those of the course
        client.get(address_of(world.finished, "standings/"))
    with django_assert_num_queries(8):  # the same
        client.get(address_of(world.finished, "crosstable/"))


def test_progress_and_seed(world: ApiWorld, client: APIClient) -> None:
    finished = client.get(address_of(world.finished)).json()
    assert finished["progress"] == {"matches": 12, "finished": 12, "stuck": 0, "planned": 0}
    assert finished["entries"] == 4
    assert finished["seed"] == world.finished.seed
    open_tournament = client.get(address_of(world.open)).json()
    assert open_tournament["progress"] == {"matches": 0, "finished": 0, "stuck": 0, "planned": 0}
    assert open_tournament["seed"] is None


def test_from_draft_to_running(world: ApiWorld, client: APIClient) -> None:
    client.force_authenticate(world.other)
    data = {"name": "Night Cup", "format": "cassino/royal/1v1?target=21", "groups": 3}
    response = client.post(ALL, data, format="json")
    assert response.status_code == 201, response.content
    tournament = response.json()
    assert tournament["format"] == "cassino/royal/1v1"  # 21 is the default: the canonical spelling
    assert (tournament["state"], tournament["organizer"], tournament["groups"]) == (
        "draft",
        "other",
        3,
    )
    assert response["Location"].endswith(address_of("night-cup"))
    tournament = client.patch(
        address_of("night-cup"), {"groups": 1, "rated": False}, format="json"
    ).json()
    assert (tournament["groups"], tournament["rated"]) == (1, False)
    assert_problem(client.post(address_of("night-cup", "start/")), 409, "draft")
    assert client.post(address_of("night-cup", "open/")).json()["state"] == "open"
    assert_problem(client.patch(address_of("night-cup"), {"groups": 2}, format="json"), 409, "open")
    assert_problem(client.post(address_of("night-cup", "start/")), 409, "2 entries")
    for bot in ("jay", "house:first"):
        response = client.post(address_of("night-cup", "entries/"), {"bot": bot}, format="json")
        assert response.status_code == 201, response.content
    assert [
        entry["bot"]["slug"]
        for entry in client.get(address_of("night-cup", "entries/")).json()["results"]
    ] == ["jay", "house-first"]
    for bot in ("house:first", "house-first"):
        cups = client.get("/api/v1/tournaments/", {"bot": bot}).json()["results"]
        assert "night-cup" in [cup["slug"] for cup in cups]
    odd = client.post(address_of("night-cup", "entries/"), {"bot": "Jay the bot"}, format="json")
    assert_problem(odd, 400, "Write a bot's address name, such as magpie, or house:NAME.")
    assert (
        client.get(address_of("night-cup", "entries/house:first/")).json()["bot"]["slug"]
        == "house-first"
    )
    assert client.get("/api/v1/bots/house:first/").json()["name"] == "house:first"
    assert client.get("/api/v1/bots/house:/").status_code == 404
    tournament = client.post(address_of("night-cup", "start/")).json()
    assert tournament["state"] == "running"
    assert tournament["progress"]["matches"] == 2
    assert tournament["seed"]
    assert client.post(address_of("night-cup", "cancel/")).json()["state"] == "cancelled"
    assert_problem(client.post(address_of("night-cup", "cancel/")), 409, "cancelled")


@pytest.mark.parametrize(
    ("field", "value", "detail"),
    [
        ("format", "cassino/standrad/1v1", "standard"),
        ("format", "whist/plain/1v1", "cassino"),
        ("format", "cassino/standard/1v1?tarqet=5", "target"),
        ("system", "roulette", "roulette"),
        ("groups", 0, "1"),
        ("name", "", "needs a name"),
        ("move_ms", 10**9, "from 1 to 3600000"),
    ],
)
def test_wrong_fields_are_named(
    world: ApiWorld, client: APIClient, field: str, value: Any, detail: str
) -> None:
    client.force_authenticate(world.other)
    data = {"name": "Night Cup", "format": FORMAT} | {field: value}
    body = assert_problem(client.post(ALL, data, format="json"), 400, detail)
    assert list(body["errors"]) == [field]
    assert not Tournament.objects.filter(organizer=world.other).exists()


def test_only_organizer_and_staff_run_a_tournament(world: ApiWorld, client: APIClient) -> None:
    assert_problem(client.post(ALL, {"name": "x", "format": FORMAT}, format="json"), 401)
    for step in ("open/", "start/", "cancel/"):
        client.force_authenticate(None)
        assert_problem(client.post(address_of(world.open, step)), 401)
        client.force_authenticate(world.owner)
        assert_problem(client.post(address_of(world.open, step)), 403, "organizer")
    assert_problem(client.patch(address_of(world.open), {"groups": 9}, format="json"), 403)
    client.force_authenticate(world.staff)
    assert client.post(address_of(world.open, "cancel/")).json()["state"] == "cancelled"


def test_owners_enter_and_withdraw_their_bots(world: ApiWorld, client: APIClient) -> None:
    path = address_of(world.open, "entries/")
    assert_problem(client.post(path, {"bot": "jay"}, format="json"), 401)
    client.force_authenticate(world.other)
    entered = client.post(path, {"bot": "jay"}, format="json").json()
    assert entered | {"created": None} == {
        "number": 2,
        "name": "Jay",
        "bot": {"slug": "jay", "name": "Jay"},
        "version": 1,
        "members": [{"bot": {"slug": "jay", "name": "Jay"}, "version": 1, "agreed": True}],
        "category": "",
        "late": 0,
        "created": None,
    }
    assert_problem(client.post(path, {"bot": "jay"}, format="json"), 409, "already")
    assert_problem(client.post(path, {"bot": "rook"}, format="json"), 403, "not yours")
    assert_problem(client.post(path, {"bot": "house-first"}, format="json"), 403, "organizer")
    body = assert_problem(client.post(path, {"bot": "nobody"}, format="json"), 400, "nobody")
    assert list(body["errors"]) == ["bot"]
    assert_problem(client.delete(f"{path}magpie/"), 403)
    assert_problem(client.delete(f"{path}rook/"), 404)
    assert client.get(f"{path}jay/").json() == entered
    assert client.delete(f"{path}jay/").status_code == 204
    assert_problem(client.delete(f"{path}jay/"), 404)
    assert_problem(
        client.post(address_of(world.running, "entries/"), {"bot": "jay"}, format="json"), 409
    )


def test_a_team_of_two_authors(world: ApiWorld, client: APIClient) -> None:
    cup = factories.tournament(
        by=world.staff, format="cassino/standard/2v2", partners="fixed", name="Pairs"
    )
    path = address_of(cup, "entries/")
    team = {"bots": ["jay", "magpie"], "name": "Two birds"}
    client.force_authenticate(world.other)
    entry = client.post(path, team, format="json").json()
    assert entry["name"] == "Two birds"
    assert [(m["bot"]["slug"], m["agreed"]) for m in entry["members"]] == [
        ("jay", True),
        ("magpie", False),
    ]
    body = assert_problem(client.post(path, {"bots": ["jay", "egg"]}, format="json"), 400)
    assert list(body["errors"]) == ["bots"]
    assert_problem(client.post(path, team | {"bot": "jay"}, format="json"), 400)
    assert_problem(client.post(path, {"name": "Nobody"}, format="json"), 400)
    assert_problem(client.post(path, {"bot": "jay"}, format="json"), 409, "teams of 2")
    assert_problem(client.post(f"{path}jay/agree/"), 403)
    client.force_authenticate(world.owner)
    agreed = client.post(f"{path}jay/agree/").json()
    assert all(member["agreed"] for member in agreed["members"])
    assert client.delete(f"{path}jay/").status_code == 204
    assert client.get(path).json()["results"] == []


def test_standings_and_cross_table_agree(world: ApiWorld, client: APIClient) -> None:
    table = client.get(address_of(world.finished, "standings/")).json()
    assert (table["tournament"], table["state"]) == ("autumn-cup", "finished")
    rows = table["rows"]
    assert {row["bot"]["slug"] for row in rows} == {"magpie", "rook", "jay", "house-first"}
    assert all((row["groups"], row["matches"], row["faults"]) == (3, 6, 0) for row in rows)
    assert sum(row["points"] for row in rows) == pytest.approx(6)
    assert [row["place"] for row in rows] == sorted(row["place"] for row in rows)
    assert [tie_break["name"] for tie_break in table["tie_breaks"]] == ["difference", "wins"]
    assert all(tie_break["meaning"].endswith(".") for tie_break in table["tie_breaks"])
    assert [row["tie_breaks"] for row in rows] == [
        {"difference": row["difference"], "wins": row["won"]} for row in rows
    ]
    cross = client.get(address_of(world.finished, "crosstable/")).json()["rows"]
    assert [row["bot"] for row in cross] == [row["bot"] for row in rows]
    for row, standing in zip(cross, rows, strict=True):
        assert len(row["cells"]) == 3
        assert sum(cell["points"] for cell in row["cells"]) == pytest.approx(standing["points"])


@pytest.mark.parametrize("table", ["standings/", "crosstable/"])
def test_tables_are_rendered_like_other_answers(
    world: ApiWorld, client: APIClient, table: str
) -> None:
    Entry.objects.filter(tournament=world.finished, number=1).update(
        name="Ärger \n \x1f \U0001f0a1"
    )
    content = client.get(address_of(world.finished, table)).content
    assert "Ärger".encode() in content
    assert JSONRenderer().render(json.loads(content)) == content


def test_the_fast_renderer_writes_what_the_usual_one_writes() -> None:
    time = datetime(2026, 11, 29, 13, 5, tzinfo=UTC)
    data = {
        "as_of": [time, time.replace(microsecond=40), None],
        "state": Tournament.State.RUNNING,
        "title": gettext_lazy("yes"),
        "numbers": [0, -1, 0.5, 1e15, 0.000123, 1 / 3, True],
        "text": '\\ " / \n \x00 \x7f é \U0001f0a1',
    }
    assert FastJSONRenderer().render(data) == JSONRenderer().render(data)
    assert FastJSONRenderer().render(None) == JSONRenderer().render(None) == b""


def test_standings_before_the_first_match(world: ApiWorld, client: APIClient) -> None:
    rows = client.get(address_of(world.running, "standings/")).json()["rows"]
    assert [(row["place"], row["points"], row["groups"]) for row in rows] == [(1, 0, 0)] * 2
    cells = client.get(address_of(world.running, "crosstable/")).json()["rows"]
    assert [row["cells"] for row in cells] == [[], []]


def test_matches_can_be_filtered(world: ApiWorld, client: APIClient) -> None:
    def count(**query: Any) -> int:
        number: int = client.get(address_of(world.finished, "matches/"), query).json()["count"]
        return number

    assert count() == 12
    assert count(bot="jay") == 6
    assert count(state="waiting") == 0
    assert count(fixture=1) == 2
    assert count(round=1) == 4
    assert count(faulted="true") == 0


def test_export(world: ApiWorld, client: APIClient) -> None:
    path = address_of(world.finished, "export/")
    response = client.get(path, {"table": "results", "type": "csv"})
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="autumn-cup-results.csv"'
    assert response.streaming  # it may be long
    rows = list(csv.DictReader(io.StringIO(b"".join(response).decode())))
    assert len(rows) == 24
    assert {row["bots"] for row in rows} == {"magpie", "rook", "jay", "house-first"}
    table = json.loads(b"".join(client.get(path, {"table": "results", "type": "json"})))
    assert [{key: str(value) for key, value in row.items()} for row in table] == rows
    exported = client.get(path, {"type": "json"}).json()
    standings = client.get(address_of(world.finished, "standings/")).json()["rows"]
    assert [row["points"] for row in exported] == [row["points"] for row in standings]
    assert [row["bot"] for row in exported] == [row["bot"]["slug"] for row in standings]
    cells = client.get(path, {"table": "crosstable", "type": "json"}).json()
    assert len(cells) == 12
    assert_problem(client.get(path, {"table": "bracket"}), 400, "bracket")


@pytest.mark.parametrize("batch", [1, 5, 12, 500])
def test_results_do_not_depend_on_chunk_size(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    rows = list(export.result_rows(world.finished))
    monkeypatch.setattr(export, "BATCH", batch)
    assert list(export.result_rows(world.finished)) == rows
    assert "".join(export.as_json(iter(rows))) == json.dumps(rows, ensure_ascii=False)
    assert len(list(csv.DictReader(io.StringIO("".join(export.as_csv(rows)))))) == 24
    assert "".join(export.as_json([])) == "[]"
    assert "".join(export.as_csv([])) == ""


def test_an_archive_is_complete_and_verifies(world: ApiWorld, client: APIClient) -> None:
    path = address_of(world.finished, "export/")
    response = client.get(path, {"type": "archive"})
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"] == 'attachment; filename="autumn-cup.zip"'
    assert response.streaming
    file = io.BytesIO(b"".join(response))
    report = archive.verify(file)
    assert (report.entries, report.groups, report.records) == (4, 6, 12)
    with zipfile.ZipFile(file) as zipped:
        rows = json.loads(zipped.read("standings.json"))["rows"]
    standings = client.get(address_of(world.finished, "standings/")).json()["rows"]
    assert [row["points"] for row in rows] == [row["points"] for row in standings]
    assert_problem(
        client.get(address_of(world.open, "export/"), {"type": "archive"}),
        409,
        "no archive until it starts",
    )
    ratings = client.get(path, {"table": "ratings", "type": "json"}).json()
    assert {row["bot"] for row in ratings} <= {"magpie", "rook", "jay", "house-first"}


def test_names_are_escaped_for_spreadsheets(world: ApiWorld, client: APIClient) -> None:
    bot = factories.bot(world.other, "=1+1")
    client.force_authenticate(world.other)
    client.post(address_of(world.open, "entries/"), {"bot": bot.slug}, format="json")
    rows = client.get(address_of(world.open, "export/")).content.decode()
    assert "'=1+1" in rows
    assert (
        client.get(address_of(world.open, "export/"), {"type": "json"}).json()[1]["name"] == "=1+1"
    )


def test_a_tournament_is_carried_over_to_the_current_rules(
    world: ApiWorld, client: APIClient
) -> None:
    edition = client.get(address_of(world.running)).json()["rules"]
    assert edition == rules.edition("cassino")
    assert client.get(address_of(world.draft)).status_code == 404
    Tournament.objects.filter(pk=world.running.pk).update(rules="7 of-long-ago", rated=False)
    client.force_authenticate(world.organizer)
    assert client.get(address_of(world.draft)).json()["rules"] == ""
    assert_problem(
        client.post(address_of(world.running, "carry-over/"), {}, format="json"), 400, "reason"
    )
    data = {"reason": "Nobody has the old ones."}
    carried = client.post(address_of(world.running, "carry-over/"), data, format="json")
    assert (carried.status_code, carried.json()["rules"]) == (200, edition)
    assert carried.json()["trouble"] == ""  # null for users who cannot carry it over
    assert_problem(
        client.post(address_of(world.running, "carry-over/"), data, format="json"),
        409,
        "rules in force",
    )
    [line] = client.get(address_of(world.running, "decisions/")).json()["results"]
    assert (line["kind"], line["what"]) == ("carried", "Cassino version 7 to 1")
    assert (line["by"], line["reason"]) == ("organizer", "Nobody has the old ones.")

"""REST: matches, records, frames, attempts, logs, organizers' decisions."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest
from rest_framework.test import APIClient

from cardroom_base.rest import keyset
from engine import Record
from tests import factories
from tests.api.conftest import ApiWorld, assert_problem
from tournaments import actions
from tournaments.api import matches as api_matches
from tournaments.api.match_serializers import (
    MatchSerializer,
    SeatSerializer,
    SideResultSerializer,
)
from tournaments.models import Match

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries

ALL = "/api/v1/matches/"


def address_of(match: Match, path: str = "") -> str:
    return f"{ALL}{match.pk}/{path}"


def seat_of(match: Match, slug: str) -> int:
    return match.seats.get(version__bot__slug=slug).index


def test_match_shows_seats_and_results(world: ApiWorld, client: APIClient) -> None:
    match = client.get(address_of(world.match)).json()
    assert match["tournament"] == "autumn-cup"
    assert match["state"] == "finished"
    assert match["reason"] == "target"
    assert [seat["seat"] for seat in match["seats"]] == [0, 1]
    assert match["seats"][0]["cpu_ms"] == 5
    assert sorted(result["rank"] for result in match["results"])[0] == 1
    assert "log" not in str(match)
    siblings = Match.objects.filter(deal_group=world.match.deal_group).exclude(pk=world.match.pk)
    assert siblings.update(state=Match.State.WAITING)
    match = client.get(address_of(world.match)).json()
    assert match["results"]
    assert not match["revealed"]
    for name in ("cpu_ms", "wall_ms", "peak_memory_kib"):
        assert [seat[name] for seat in match["seats"]] == [None, None]
    assert_problem(client.get(f"{ALL}999999/"), 404)


def test_a_match_has_the_documented_fields(world: ApiWorld, client: APIClient) -> None:
    match = client.get(address_of(world.match)).json()
    assert list(match) == list(MatchSerializer().fields)
    assert list(match["seats"][0]) == list(SeatSerializer().fields)
    assert list(match["results"][0]) == list(SideResultSerializer().fields)
    assert client.get(ALL, {"bot": "magpie", "state": "finished"}).json()["results"][-1] == match


def test_lists_are_filtered_with_a_constant_number_of_queries(
    world: ApiWorld, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    def count(**query: Any) -> int:
        with django_assert_num_queries(5):  # count, keys, rows, seats, results
            number: int = client.get(ALL, query).json()["count"]
        return number

    assert count() == 14
    assert count(bot="magpie") == 8
    assert count(tournament="winter-cup", state="waiting") == 2
    assert client.get(ALL, {"tournament": "nothing"}).json()["results"] == []


def test_counts_are_capped_and_next_leads_to_every_match(
    world: ApiWorld, client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "MAX_PAGED_ROW", 6)
    pages = [client.get(ALL, {"page_size": 3}).json()]
    while address := pages[-1]["next"]:
        pages.append(client.get(address).json())
    assert [page["count"] for page in pages] == [6] * 5
    assert ["cursor" in (page["next"] or "") for page in pages] == [False, True, True, True, False]
    numbers = [match["id"] for page in pages for match in page["results"]]
    assert numbers == list(Match.objects.order_by("-pk").values_list("pk", flat=True))


def test_numbered_pages_end_at_the_counted_rows(
    world: ApiWorld, client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Match.objects.order_by("pk")
    for bound, count, pages, is_capped in (
        (13, 13, 5, True),
        (14, 14, 5, False),
        (15, 14, 5, False),
    ):
        monkeypatch.setattr(keyset, "MAX_PAGED_ROW", bound)
        paginator = keyset.CappedPaginator(rows, 3)
        found = (paginator.count, paginator.num_pages, paginator.is_capped)
        assert found == (count, pages, is_capped)


def test_a_list_ordered_by_several_fields_has_no_cursor(
    world: ApiWorld, client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "MAX_PAGED_ROW", 12)
    query: dict[str, Any] = {"page_size": 3, "ordering": "moves_played,id"}
    last = client.get(ALL, query | {"page": 4}).json()
    assert last["count"] == 12
    assert_problem(client.get(last["next"]), 400, "Pages end at row 12")
    assert_problem(client.get(ALL, query | {"cursor": "11~11"}), 400, "several fields")


def test_record_verifies(world: ApiWorld, client: APIClient) -> None:
    response = client.get(address_of(world.match, "record/"))
    assert response["Content-Type"] == "application/json"
    assert f"match-{world.match.pk}.json" in response["Content-Disposition"]
    record = Record.from_json(response.content)
    record.verify()
    assert record.seed == world.match.deal_group.seed
    assert record.format == world.match.format


@pytest.mark.parametrize("path", ["record/", "frames/"])
def test_record_and_frames_are_not_sent_twice(
    world: ApiWorld, client: APIClient, path: str
) -> None:
    first = client.get(address_of(world.match, path))
    assert first["Cache-Control"] == "public, no-cache"
    second = client.get(address_of(world.match, path), HTTP_IF_NONE_MATCH=first["ETag"])
    assert second.status_code == 304
    assert not second.content
    assert second["ETag"] == first["ETag"]


def test_frames_have_a_position_for_every_move(world: ApiWorld, client: APIClient) -> None:
    body = client.get(address_of(world.match, "frames/")).json()
    record = Record.from_json(client.get(address_of(world.match, "record/")).content)
    assert [f["move"] for f in body["frames"] if f["move"] is not None] == record.moves
    assert body["frames"][1]["note"] == "a note"
    assert record.result is not None
    assert body["frames"][-1]["view"]["scores"] == record.result["scores"]


def test_a_match_with_too_many_moves_has_no_frames(
    world: ApiWorld, client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_matches, "MAX_REPLAYED", 10)
    assert_problem(client.get(address_of(world.match, "frames/")), 409, "download its record")
    assert client.get(address_of(world.match, "record/")).status_code == 200


def test_frames_are_compressed_for_clients_that_accept_gzip(
    world: ApiWorld, client: APIClient
) -> None:
    plain = client.get(address_of(world.match, "frames/"))
    compressed = client.get(address_of(world.match, "frames/"), HTTP_ACCEPT_ENCODING="gzip")
    assert compressed["Content-Encoding"] == "gzip"
    assert gzip.decompress(compressed.content) == plain.content
    etag = compressed["ETag"]
    second = client.get(
        address_of(world.match, "frames/"), HTTP_ACCEPT_ENCODING="gzip", HTTP_IF_NONE_MATCH=etag
    )
    assert second.status_code == 304


@pytest.mark.parametrize("path", ["record/", "frames/"])
def test_an_unfinished_match_has_no_record(world: ApiWorld, client: APIClient, path: str) -> None:
    match = world.running.matches.order_by("pk")[0]
    assert_problem(client.get(address_of(match, path)), 404, "waiting")


def test_only_the_organizer_sees_causes_of_failed_attempts(
    world: ApiWorld, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    [attempt] = actions.claim("machine-7", 1)
    actions.fail_attempt(attempt.pk, "The disk is full.")
    path = address_of(attempt.match, "attempts/")
    [row] = client.get(path).json()["results"]
    assert (row["outcome"], row["worker"], row["cause"]) == ("failed", "", "")
    client.force_authenticate(world.organizer)
    with django_assert_num_queries(4):  # match, count, match, rows
        [row] = client.get(path).json()["results"]
    assert (row["worker"], row["cause"]) == ("machine-7", "The disk is full.")


def test_only_the_seats_owner_reads_its_log(world: ApiWorld, client: APIClient) -> None:
    path = address_of(world.match, f"logs/{seat_of(world.match, 'magpie')}/")
    assert_problem(client.get(path), 401)
    client.force_authenticate(world.other)
    assert_problem(client.get(path), 403)
    client.force_authenticate(world.organizer)
    assert_problem(client.get(path), 403)
    for user in (world.owner, world.staff):
        client.force_authenticate(user)
        response = client.get(path)
        assert response.json()["log"] == "my log"
        assert "private" in response["Cache-Control"]
    assert_problem(client.get(address_of(world.match, "logs/7/")), 404)


def test_an_unplayed_seat_has_an_empty_log(world: ApiWorld, client: APIClient) -> None:
    client.force_authenticate(world.owner)
    match = world.running.matches.order_by("pk")[0]
    assert_problem(client.get(address_of(match, "logs/0/")), 409, "still being played")
    actions.cancel(world.running, None)
    assert client.get(address_of(match, "logs/0/")).json()["log"] == ""


def test_organizers_and_staff_decide_about_matches(world: ApiWorld, client: APIClient) -> None:
    match = world.running.matches.order_by("pk")[0]
    data = {"reason": "The lights went out."}
    assert_problem(client.post(address_of(match, "void/"), data, format="json"), 401)
    client.force_authenticate(world.owner)
    assert_problem(client.post(address_of(match, "void/"), data, format="json"), 403, "organizer")
    client.force_authenticate(world.organizer)
    body = assert_problem(client.post(address_of(match, "void/"), {}, format="json"), 400)
    assert list(body["errors"]) == ["reason"]
    assert_problem(
        client.post(address_of(match, "rerun/"), data, format="json"), 409, "being played"
    )
    for step, other in (("void/", match), ("rerun/", world.match), ("void/", world.match)):
        response = client.post(address_of(other, step), data, format="json")
        assert_problem(response, 403, "is rated: its organizer may decide only about stuck matches")
    client.force_authenticate(world.staff)
    assert client.post(address_of(match, "void/"), data, format="json").json()["state"] == "void"
    rerun = client.post(address_of(match, "rerun/"), data, format="json").json()
    assert (rerun["state"], rerun["fixture"]) == ("waiting", 2)
    assert rerun["id"] != match.pk
    rerun = client.post(address_of(world.match, "rerun/"), data, format="json").json()
    assert rerun["state"] == "waiting"  # its tournament had finished and runs again
    assert_problem(
        client.post(address_of(world.match, "rerun/"), data, format="json"),
        409,
        f"match {rerun['id']} has",
    )
    world.finished.refresh_from_db()
    assert world.finished.state == "running"


def test_a_record_of_other_rules_is_refused_with_a_reason(
    world: ApiWorld, client: APIClient
) -> None:
    match = world.finished.matches.order_by("pk")[0]
    factories.outdate(match)
    assert client.get(f"/api/v1/matches/{match.pk}/record/").status_code == 200
    response = client.get(f"/api/v1/matches/{match.pk}/frames/")
    assert_problem(response, 409, "of version 7 of-long-ago of the rules")

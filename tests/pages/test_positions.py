"""Other moves at a position of a finished match, and the expert's answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from cardroom.pages.tables import positions, table_views
from cardroom_base.db.db_time import Now
from cardroom_tables import judging
from cardroom_tables.actions import opinions
from cardroom_tables.finished_tables import record_of as table_record
from cardroom_tables.models import Opinion
from cardroom_tables.overdue_work import overdue_keys
from engine.search import analysis as search
from tests.pages import finished
from tests.pages.markup import flat
from tests.play import hall
from tests.play.test_leaks import cards, cards_in_rules, cards_known_to
from tournaments import actions, analysing
from tournaments.models import Match

pytestmark = pytest.mark.django_db
FORM = "cassino/standard/1v1?deals=1"
AFTER = 20


@pytest.fixture(autouse=True)
def _few_playouts(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ANALYSIS_PLAYOUTS = 20
    monkeypatch.setattr(table_views, "HINT_SECONDS", 0.0)
    positions._cached_match.cache_clear()


@pytest.fixture
def match() -> Match:
    return finished.match(finished.play(FORM))


def page_data(client: Client, match: Match, moves: int = AFTER) -> dict[str, Any]:
    """The data for the page's script."""
    page = client.get(f"/matches/{match.pk}/positions/{moves}/").content.decode()
    return dict(
        json.loads(page.partition('id="position" type="application/json">')[2].partition("<")[0])
    )


def post_move(client: Client, match: Match, move: str, moves: int = AFTER) -> Any:
    """The response to a script that asks for the value of a move."""
    address = f"/matches/{match.pk}/positions/{moves}/ask/"
    return client.post(address, {"move": move}, headers={"Accept": "application/json"})


def test_the_seat_to_act_is_shown_with_its_moves(client: Client, match: Match) -> None:
    record = finished.play(FORM)
    state = page_data(client, match)["state"]
    position = record.after(AFTER)
    assert (state["n"], state["you"], state["turn"]) == (AFTER, position.turn, position.turn)
    assert [option["move"] for option in state["decision"]["moves"]] == position.legal_moves()
    assert state["chip"]["words"] == "Kestrel to move"
    page = flat(client.get(f"/matches/{match.pk}/positions/{AFTER}/").content.decode())
    assert f'href="/matches/{match.pk}/#move-{AFTER}"' in page
    assert page.count('name="move"') == len(position.legal_moves())


@pytest.mark.parametrize("text", [FORM, "canasta/classic/2v2?deals=1", "paks/standard/1v1?deals=1"])
def test_the_page_has_only_cards_that_the_seat_knew(client: Client, text: str) -> None:
    record = finished.play(text)
    match = finished.match(record)
    for moves in (0, 9, 25):
        position = record.after(moves)
        known_cards = cards_known_to(position, position.turn) | cards_in_rules(position.format)
        leaked = cards(page_data(client, match, moves)) - known_cards
        assert not leaked, f"{text} after {moves}: {leaked}"
        if len(position.legal_moves()) > 1:
            question = positions._question(record, moves, position.legal_moves()[0])
            assert cards(question._asdict()) <= known_cards


def test_the_expert_answers_each_move_once(client: Client, match: Match, monkeypatch: Any) -> None:
    move = page_data(client, match)["state"]["decision"]["moves"][0]["move"]
    assert post_move(client, match, move).status_code == 202
    assert post_move(Client(), match, move).status_code == 202
    assert Opinion.objects.count() == 1
    assert hall.judge_moves() == 1
    response = post_move(client, match, move)
    assert response.status_code == 200
    assert "chance of winning the match" in response.json()["words"]
    assert page_data(Client(), match)["answers"] == [response.json()]
    opinion = Opinion.objects.get()
    assert (opinion.question, opinion.asker) == ({}, ""), "the question is not stored"
    assert hall.judge_moves() == 0


def test_the_page_shows_the_answer_without_scripts(client: Client, match: Match) -> None:
    move = page_data(client, match)["state"]["decision"]["moves"][0]["move"]
    address = f"/matches/{match.pk}/positions/{AFTER}/"
    page = client.post(f"{address}ask/", {"move": move}, follow=True)
    assert page.redirect_chain == [(address, 302)]
    assert "The expert is thinking;" in page.content.decode()
    hall.judge_moves()
    assert "chance of winning the match" in flat(client.get(address).content.decode())


def test_an_analysed_move_is_not_judged_again(client: Client, match: Match) -> None:
    actions.request_analysis(match, None)
    while analysing.analyse_piece():
        pass
    answers = page_data(client, match)["answers"]
    move = finished.play(FORM).moves[AFTER]
    assert answers[0]["move"] == move
    assert post_move(client, match, move).json() == answers[0]
    assert not Opinion.objects.exists()


def test_an_opinion_equals_the_analysis(client: Client, match: Match, settings: Any) -> None:
    """The played move costs the same as in the analysis."""
    record = finished.play(FORM)
    [decision] = [
        search.judge(question, settings.ANALYSIS_PLAYOUTS)
        for question in search.questions(record, AFTER)
        if question.n == AFTER
    ]
    post_move(client, match, record.moves[AFTER])
    hall.judge_moves()
    assert Opinion.objects.get().answer == decision.as_json()


@pytest.mark.parametrize(
    ("move", "error"),
    [
        ("-", "not legal in this position"),
        ("", "not legal in this position"),
        ("A" * 9_000, "not legal in this position"),
    ],
)
def test_an_illegal_move_is_refused(client: Client, match: Match, move: str, error: str) -> None:
    response = post_move(client, match, move)
    assert response.status_code == 400
    assert error in response.json()["error"]
    page = client.post(f"/matches/{match.pk}/positions/{AFTER}/ask/", {"move": move}, follow=True)
    assert error in flat(page.content.decode())
    assert not Opinion.objects.exists()


def test_positions_of_a_table_work_like_those_of_a_match(client: Client) -> None:
    table = hall.finished_table(hall.guest("eve"))
    address = f"/play/{table.key}/replay/positions/{AFTER}/"
    page = client.get(address).content.decode()
    state = json.loads(page.partition('id="position" type="application/json">')[2].split("<")[0])
    position = table_record(table).after(AFTER)
    assert state["state"]["you"] == position.turn
    known_cards = cards_known_to(position, position.turn) | cards_in_rules(position.format)
    del state["state"]["key"]  # some have the letters of a card
    assert cards(state) <= known_cards
    move = state["state"]["decision"]["moves"][0]["move"]
    script = {"Accept": "application/json"}
    assert client.post(f"{address}ask/", {"move": move}, headers=script).status_code == 202
    hall.judge_moves()
    assert "chance of winning the match" in flat(client.get(address).content.decode())
    part = state["state"]["decision"]["parts"][0]["key"]
    why = client.post(f"{address}why/", {"picked": [part]}, content_type="application/json")
    assert why.status_code == 200
    assert f'href="{address.removesuffix("20/")}21/"' in page
    replay = client.get(f"/play/{table.key}/replay/?move=7").content.decode()
    assert f'href="/play/{table.key}/replay/positions/7/"' in replay


def test_positions_after_the_end_do_not_exist(
    client: Client, match: Match, monkeypatch: Any
) -> None:
    assert client.get(f"/matches/{match.pk}/positions/47/").status_code == 200
    for moves in (48, 49, 10**9):
        assert client.get(f"/matches/{match.pk}/positions/{moves}/").status_code == 404
    monkeypatch.setattr(positions, "MAX_GIVEN", 19)
    assert client.get(f"/matches/{match.pk}/positions/{AFTER}/").status_code == 404


def test_opinions_per_hour_are_limited(client: Client, match: Match, monkeypatch: Any) -> None:
    monkeypatch.setattr(positions, "opinion_wait", lambda _: 90)
    move = page_data(client, match)["state"]["decision"]["moves"][0]["move"]
    response = post_move(client, match, move)
    assert response.status_code == 400
    assert "try again in 2 min" in response.json()["error"]
    assert not Opinion.objects.exists()


def test_a_failed_opinion_can_be_requested_again(
    client: Client, match: Match, monkeypatch: Any
) -> None:
    move = page_data(client, match)["state"]["decision"]["moves"][0]["move"]
    post_move(client, match, move)
    monkeypatch.setattr(judging, "MAX_SECONDS", -1.0)
    hall.judge_moves()
    assert Opinion.objects.get().trouble == "The expert takes too long over this position."
    monkeypatch.setattr(judging, "MAX_SECONDS", 60.0)
    assert post_move(client, match, move).status_code == 202
    assert Opinion.objects.get().trouble == ""


def test_an_opinion_whose_message_was_lost_is_overdue(client: Client, match: Match) -> None:
    post_move(client, match, page_data(client, match)["state"]["decision"]["moves"][0]["move"])
    assert overdue_keys()["opinion"] == [], "a message may still be on its way"
    Opinion.objects.update(not_before=Now(-60))
    assert overdue_keys()["opinion"] == [Opinion.objects.get().pk]


def test_why_not_is_answered(client: Client, match: Match) -> None:
    state = page_data(client, match)["state"]
    address = f"/matches/{match.pk}/positions/{AFTER}/why/"
    hands = [part["key"] for part in state["decision"]["parts"] if part["kind"] == "hand"]
    response = client.post(address, {"picked": hands}, content_type="application/json")
    assert response.json()["sentence"]
    assert client.post(address, b"{", content_type="application/json").status_code == 400


def test_old_opinions_are_forgotten(client: Client, match: Match, settings: Any) -> None:
    post_move(client, match, page_data(client, match)["state"]["decision"]["moves"][0]["move"])
    assert opinions.delete_old_opinions() == 0
    settings.FINISHED_TABLES_KEPT_DAYS = -1
    assert opinions.delete_old_opinions() == 1


def test_pages_cost_few_queries(
    client: Client, match: Match, django_assert_max_num_queries: Any
) -> None:
    address = f"/matches/{match.pk}/"
    with django_assert_max_num_queries(10):
        client.get(f"{address}positions/{AFTER}/")
    with django_assert_max_num_queries(20):
        post_move(client, match, finished.play(FORM).moves[AFTER])
    with django_assert_max_num_queries(15):
        client.get(address)

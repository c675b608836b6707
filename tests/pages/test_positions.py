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
from tests.play.test_leaks import cards, said_always, seen_by
from tournaments import actions, analysing
from tournaments.models import Match

pytestmark = pytest.mark.django_db
FORM = "cassino/standard/1v1?deals=1"
AFTER = 20


@pytest.fixture(autouse=True)
def _few(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ANALYSIS_PLAYOUTS = 20
    monkeypatch.setattr(table_views, "HINT_SECONDS", 0.0)
    positions._cached_match.cache_clear()


@pytest.fixture
def match() -> Match:
    return finished.match(finished.play(FORM))


def told(client: Client, match: Match, after: int = AFTER) -> dict[str, Any]:
    """What the page's script is told."""
    page = client.get(f"/matches/{match.pk}/positions/{after}/").content.decode()
    return dict(
        json.loads(page.partition('id="position" type="application/json">')[2].partition("<")[0])
    )


def ask(client: Client, match: Match, move: str, after: int = AFTER) -> Any:
    """What a script is answered."""
    address = f"/matches/{match.pk}/positions/{after}/ask/"
    return client.post(address, {"move": move}, headers={"Accept": "application/json"})


def test_the_seat_to_act_is_shown_with_its_moves(client: Client, match: Match) -> None:
    record = finished.play(FORM)
    state = told(client, match)["state"]
    here = record.after(AFTER)
    assert (state["n"], state["you"], state["turn"]) == (AFTER, here.turn, here.turn)
    assert [each["move"] for each in state["decision"]["moves"]] == here.legal_moves()
    assert state["chip"]["words"] == "Kestrel to move"
    page = flat(client.get(f"/matches/{match.pk}/positions/{AFTER}/").content.decode())
    assert f'href="/matches/{match.pk}/#move-{AFTER}"' in page
    assert page.count('name="move"') == len(here.legal_moves())


@pytest.mark.parametrize("text", [FORM, "canasta/classic/2v2?deals=1", "paks/standard/1v1?deals=1"])
def test_it_tells_only_what_the_seat_knew(client: Client, text: str) -> None:
    record = finished.play(text)
    match = finished.match(record)
    for after in (0, 9, 25):
        here = record.after(after)
        known = seen_by(here, here.turn) | said_always(here.format)
        said = cards(told(client, match, after)) - known
        assert not said, f"{text} after {after}: {said}"
        if len(here.legal_moves()) > 1:
            question = positions._question(record, after, here.legal_moves()[0])
            assert cards(question._asdict()) <= known


def test_the_expert_answers_once_and_for_all(
    client: Client, match: Match, monkeypatch: Any
) -> None:
    move = told(client, match)["state"]["decision"]["moves"][0]["move"]
    assert ask(client, match, move).status_code == 202
    assert ask(Client(), match, move).status_code == 202
    assert Opinion.objects.count() == 1
    assert hall.judge_moves() == 1
    answer = ask(client, match, move)
    assert answer.status_code == 200
    assert "to win the match" in answer.json()["words"]
    assert told(Client(), match)["answers"] == [answer.json()]
    opinion = Opinion.objects.get()
    assert (opinion.question, opinion.asker) == ({}, ""), "what was asked is not kept"
    assert hall.judge_moves() == 0


def test_without_a_script_the_page_says_it(client: Client, match: Match) -> None:
    move = told(client, match)["state"]["decision"]["moves"][0]["move"]
    address = f"/matches/{match.pk}/positions/{AFTER}/"
    page = client.post(f"{address}ask/", {"move": move}, follow=True)
    assert page.redirect_chain == [(address, 302)]
    assert "The expert is thinking;" in page.content.decode()
    hall.judge_moves()
    assert "to win the match" in flat(client.get(address).content.decode())


def test_what_the_analysis_says_is_not_asked_again(client: Client, match: Match) -> None:
    actions.request_analysis(match, None)
    while analysing.analyse_piece():
        pass
    found = told(client, match)["answers"]
    played = finished.play(FORM).moves[AFTER]
    assert found[0]["move"] == played
    assert ask(client, match, played).json() == found[0]
    assert not Opinion.objects.exists()


def test_an_answer_is_that_of_the_analysis(client: Client, match: Match, settings: Any) -> None:
    """The move that was played costs what the analysis says that it does."""
    record = finished.play(FORM)
    [decision] = [
        search.judge(question, settings.ANALYSIS_PLAYOUTS)
        for question in search.questions(record, AFTER)
        if question.n == AFTER
    ]
    ask(client, match, record.moves[AFTER])
    hall.judge_moves()
    assert Opinion.objects.get().answer == decision.as_json()


@pytest.mark.parametrize(
    ("move", "words"),
    [("-", "not a legal move"), ("", "not a legal move"), ("A" * 9_000, "not a legal move")],
)
def test_what_is_no_move_is_refused(client: Client, match: Match, move: str, words: str) -> None:
    answer = ask(client, match, move)
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    page = client.post(f"/matches/{match.pk}/positions/{AFTER}/ask/", {"move": move}, follow=True)
    assert words in flat(page.content.decode())
    assert not Opinion.objects.exists()


def test_moves_of_a_table_are_tried_in_the_same_way(client: Client) -> None:
    table = hall.finished(hall.guest("eve"))
    address = f"/play/{table.key}/replay/positions/{AFTER}/"
    page = client.get(address).content.decode()
    state = json.loads(page.partition('id="position" type="application/json">')[2].split("<")[0])
    here = table_record(table).after(AFTER)
    assert state["state"]["you"] == here.turn
    known = seen_by(here, here.turn) | said_always(here.format)
    del state["state"]["key"]  # some have the letters of a card
    assert cards(state) <= known
    move = state["state"]["decision"]["moves"][0]["move"]
    script = {"Accept": "application/json"}
    assert client.post(f"{address}ask/", {"move": move}, headers=script).status_code == 202
    hall.judge_moves()
    assert "to win the match" in flat(client.get(address).content.decode())
    picked = state["state"]["decision"]["parts"][0]["key"]
    why = client.post(f"{address}why/", {"picked": [picked]}, content_type="application/json")
    assert why.status_code == 200
    assert f'href="{address.removesuffix("20/")}21/"' in page
    replay = client.get(f"/play/{table.key}/replay/?move=7").content.decode()
    assert f'href="/play/{table.key}/replay/positions/7/"' in replay


def test_there_is_nothing_to_try_after_the_end(
    client: Client, match: Match, monkeypatch: Any
) -> None:
    assert client.get(f"/matches/{match.pk}/positions/47/").status_code == 200
    for after in (48, 49, 10**9):
        assert client.get(f"/matches/{match.pk}/positions/{after}/").status_code == 404
    monkeypatch.setattr(positions, "MAX_GIVEN", 19)
    assert client.get(f"/matches/{match.pk}/positions/{AFTER}/").status_code == 404


def test_few_questions_an_hour(client: Client, match: Match, monkeypatch: Any) -> None:
    monkeypatch.setattr(positions, "opinion_wait", lambda _: 90)
    move = told(client, match)["state"]["decision"]["moves"][0]["move"]
    answer = ask(client, match, move)
    assert answer.status_code == 400
    assert "try again in 2 min" in answer.json()["error"]
    assert not Opinion.objects.exists()


def test_trouble_is_said_and_asked_again(client: Client, match: Match, monkeypatch: Any) -> None:
    move = told(client, match)["state"]["decision"]["moves"][0]["move"]
    ask(client, match, move)
    monkeypatch.setattr(judging, "MAX_SECONDS", -1.0)
    hall.judge_moves()
    assert Opinion.objects.get().trouble == "The expert takes too long over this position."
    monkeypatch.setattr(judging, "MAX_SECONDS", 60.0)
    assert ask(client, match, move).status_code == 202
    assert Opinion.objects.get().trouble == ""


def test_what_a_lost_message_left_is_overdue(client: Client, match: Match) -> None:
    ask(client, match, told(client, match)["state"]["decision"]["moves"][0]["move"])
    assert overdue_keys()["opinion"] == [], "a message may still be on its way"
    Opinion.objects.update(not_before=Now(-60))
    assert overdue_keys()["opinion"] == [Opinion.objects.get().pk]


def test_why_not_is_answered(client: Client, match: Match) -> None:
    state = told(client, match)["state"]
    address = f"/matches/{match.pk}/positions/{AFTER}/why/"
    hands = [part["key"] for part in state["decision"]["parts"] if part["kind"] == "hand"]
    answer = client.post(address, {"picked": hands}, content_type="application/json")
    assert answer.json()["sentence"]
    assert client.post(address, b"{", content_type="application/json").status_code == 400


def test_old_opinions_are_forgotten(client: Client, match: Match, settings: Any) -> None:
    ask(client, match, told(client, match)["state"]["decision"]["moves"][0]["move"])
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
        ask(client, match, finished.play(FORM).moves[AFTER])
    with django_assert_max_num_queries(15):
        client.get(address)

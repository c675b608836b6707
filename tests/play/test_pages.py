"""The addresses of a table: responses, rights, refusals."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client

import cardroom
from cardroom.pages.tables import table_views as pages
from cardroom_base.db.db_time import now
from cardroom_tables import hinting, host, match_cache
from cardroom_tables.actions import hosting, moves
from cardroom_tables.models import MAX_HANDLE, Comparison, Hint, Table, TableMove
from engine import Match
from engine.json_text import MAX_DEPTH
from tests import factories as make
from tests.play.hall import SHORT, Bots, Visitor, compare_deals, finished_table, play_bots, play_out

pytestmark = pytest.mark.django_db
KEYS = {
    *("key", "version", "state", "trouble", "n", "you", "maker", "format", "seats", "sides"),
    *("turn", "chip", "poll", "frames", "frames_from", "frames_total", "decision", "tally"),
    *("deals", "deals_total", "scores", "result", "invitations", "comparison", "begun", "goal"),
}


def first_move(state: dict[str, Any]) -> str:
    """The first legal move of a state."""
    return str(state["decision"]["moves"][0]["move"])


def test_a_guest_plays_without_an_account(bots: Bots) -> None:
    visitor = Visitor()
    assert visitor.client.get("/play/").status_code == 200
    assert not visitor.client.session.keys(), "a reader of the lobby has a session"
    state = visitor.create(SHORT)
    assert set(state) == KEYS
    assert (state["you"], state["turn"], state["chip"]["kind"]) == (0, 0, "turn")
    assert state["decision"]["moves"]
    assert [seat["kind"] for seat in state["seats"]] == ["you", "house"]
    page = visitor.get()
    assert page.status_code == 200
    embedded = page.content.decode().partition('type="application/json">')[2].partition("<")[0]
    assert json.loads(embedded) == state


def test_the_form_shows_errors(bots: Bots) -> None:
    response = Client().post("/play/", {"format": "whist/plain/2v2"})
    assert response.status_code == 200
    assert "whist" in response.content.decode()
    assert not Table.objects.exists()


def test_moves_bring_the_frames_that_a_page_lacks(bots: Bots) -> None:
    visitor = Visitor()
    state = visitor.create(SHORT)
    after = visitor.move(state, first_move(state))
    assert [frame["n"] for frame in after["frames"]] == [0]
    assert after["frames_from"] == 1
    assert (after["turn"], after["poll"]) == (1, 0)
    play_bots()
    later = visitor.state(after=after["frames_total"], version=after["version"])
    assert [frame["seat"] for frame in later["frames"]] == [1]
    assert visitor.state(after=10**6)["frames"] == []


def test_a_stale_move_gets_the_current_state(bots: Bots) -> None:
    """It comes from a second tab with an old state."""
    visitor = Visitor()
    state = visitor.create(SHORT)
    visitor.move(state, first_move(state))
    play_bots()
    stale = visitor.post("move", n=0, move=state["decision"]["moves"][-1]["move"])
    assert stale.status_code == 409
    assert stale.json()["state"]["n"] == 2
    assert TableMove.objects.count() == 2


def test_the_same_move_sent_twice_is_played_once(bots: Bots) -> None:
    visitor = Visitor()
    state = visitor.create(SHORT)
    responses = [visitor.post("move", n=0, move=first_move(state)) for _ in range(2)]
    assert [response.status_code for response in responses] == [200, 200]
    assert responses[0].json()["n"] == responses[1].json()["n"] == 1
    play_bots()
    assert visitor.post("move", n=0, move=first_move(state)).json()["n"] == 2
    assert TableMove.objects.count() == 2


def test_an_illegal_move_is_refused_with_its_clause(bots: Bots) -> None:
    visitor = Visitor()
    visitor.create(SHORT)
    response = visitor.post("move", n=0, move="KSxKH,KD,KC")
    assert response.status_code == 400
    body = response.json()
    assert (body["code"], body["clause"][:4]) == ("illegal", "CAS-")
    assert body["error"].endswith(".")
    assert not TableMove.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"n": true, "move": "AS"}',
        b'{"n": -1, "move": "AS"}',
        b'{"n": 99999999999, "move": "AS"}',
        b'{"n": 0, "move": 5}',
        b'{"n": 0, "move": "AS", "more": 1}',
        b'{"n": 0, "n": 1, "move": "AS"}',
        b'{"n": 0, "move": "\\ud800"}',
        b'{"n": 7, "move": "\\u0000"}',
        b'{"n": 0, "move": "' + b"A" * 3000 + b'"}',
        b"[" * (MAX_DEPTH + 1),
    ],
)
def test_bodies_are_read_strictly(body: bytes, bots: Bots) -> None:
    visitor = Visitor()
    visitor.create(SHORT)
    response = visitor.client.post(
        f"/play/{visitor.key}/move/", body, content_type="application/json"
    )
    assert response.status_code == 400
    assert response.json()["error"]
    long_response = visitor.client.post(
        f"/play/{visitor.key}/move/", b" " * 20_000, content_type="application/json"
    )
    assert long_response.status_code == 413


def test_onlookers_cannot_act(bots: Bots) -> None:
    visitor = Visitor()
    state = visitor.create(SHORT)
    other = Visitor(visitor.key)
    view = other.state()
    assert (view["you"], view["decision"], view["invitations"]) == (None, None, [])
    assert view["frames"][-1]["view"]["hand"] == []
    assert other.post("move", n=0, move=first_move(state)).status_code == 403
    assert other.post("why", picked=["hand:AS"]).status_code == 403
    assert other.post("hint", n=0).status_code == 403
    assert other.post("leave").status_code == 403
    assert other.post("house", seat=1).status_code == 403
    assert not TableMove.objects.exists()


def test_a_move_out_of_turn_is_refused(bots: Bots) -> None:
    visitor = Visitor()
    state = visitor.create(SHORT)
    after = visitor.move(state, first_move(state))
    response = visitor.post("move", n=after["n"], move=first_move(state))
    assert (response.status_code, response.json()["error"]) == (409, "It is not your turn.")


def test_forged_requests_are_refused() -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/play/x/move/", "{}", content_type="application/json").status_code == 403
    assert client.post("/play/", {"format": SHORT}).status_code == 403


def test_a_refusal_is_a_sentence(bots: Bots) -> None:
    visitor = Visitor()
    state = visitor.create(SHORT)
    parts = state["decision"]["parts"]
    hand = [part["key"] for part in parts if part["kind"] == "hand"]
    refusal = visitor.post("why", picked=hand[:2]).json()
    assert refusal["sentence"].endswith(".")
    assert visitor.post("why", picked=hand[:1]).json() is None
    assert visitor.post("why", picked=["hand:nothing"]).status_code == 400
    assert visitor.post("why", picked=hand * 40).status_code == 400


def test_an_unchanged_state_is_not_sent_again(bots: Bots) -> None:
    visitor = Visitor()
    state = visitor.create(SHORT)
    etag = visitor.get("state/", after=1)["ETag"]
    response = visitor.client.get(
        f"/play/{visitor.key}/state/?after=1", headers={"If-None-Match": etag}
    )
    assert response.status_code == 304
    visitor.move(state, first_move(state))
    response = visitor.client.get(
        f"/play/{visitor.key}/state/?after=1", headers={"If-None-Match": etag}
    )
    assert response.status_code == 200


def test_the_replay_of_a_table_shows_no_banks(bots: Bots) -> None:
    """Bots share them, each deal refills them, and people have none."""
    visitor = Visitor(finished_table().key)
    assert visitor.get("replay/").context["setup"]["clock"] is None


def test_the_rematch_of_a_closed_table_is_closed(bots: Bots) -> None:
    for fields in ({}, {"closed": "on"}):
        visitor = Visitor()
        visitor.create(SHORT, **fields)
        form = visitor.get().content.decode().partition('data-part="another"')[2]
        assert ('name="closed" value="on"' in form) == bool(fields)


def test_a_table_deleted_during_a_request_is_refused(bots: Bots, monkeypatch: Any) -> None:
    visitor = Visitor()
    state = visitor.create(SHORT)
    play_move = moves.play_move

    def delete_before(table: Table, *arguments: Any) -> Table:
        Table.objects.get(pk=table.pk).delete()
        return play_move(table, *arguments)

    monkeypatch.setattr(moves, "play_move", delete_before)
    response = visitor.post("move", n=state["n"], move=first_move(state))
    assert response.status_code == 409
    assert response.json()["error"] == "This table has been deleted."
    assert response.json()["state"] is None


def test_a_response_is_held_only_while_a_bot_thinks(bots: Bots, monkeypatch: Any) -> None:
    held_tables: list[Table] = []
    monkeypatch.setattr(pages, "_wait_for_change", held_tables.append)
    visitor = Visitor()
    state = visitor.create(SHORT)
    visitor.state(version=state["version"], wait=1)
    after = visitor.move(state, first_move(state))
    visitor.state(version=state["version"], wait=1)
    visitor.state(version=after["version"])
    assert held_tables == [], "held on a person's turn, after a change, or without a request"
    visitor.state(version=after["version"], wait=1)
    assert len(held_tables) == 1


def test_the_number_of_held_responses_is_limited(bots: Bots, monkeypatch: Any) -> None:
    monkeypatch.setattr(pages, "_holding", threading.BoundedSemaphore(1))
    with pages.hold() as one, pages.hold() as other:
        assert (one, other) == (True, False)
    with pages.hold() as third:
        assert third


@pytest.mark.django_db(transaction=True)
def test_a_held_response_is_sent_after_the_bots_move(bots: Bots, monkeypatch: Any) -> None:
    monkeypatch.setattr(pages, "HOLD_SECONDS", 60.0)
    visitor = Visitor()
    state = visitor.create(SHORT)
    after = visitor.move(state, first_move(state))

    def play() -> None:
        try:
            play_bots()
        finally:
            connection.close()

    thread = threading.Timer(0.2, play)
    thread.start()
    later = visitor.state(after=after["frames_total"], version=after["version"], wait=1)
    thread.join()
    assert later["n"] == 2


def test_only_the_maker_sees_invitations(bots: Bots) -> None:
    maker = Visitor()
    state = maker.create("cassino/standard/2v2?deals=1", **{"seat-1": "friend", "seat-3": "friend"})
    assert [item["seat"] for item in state["invitations"]] == [1, 3]
    friend = Visitor(maker.key)
    url = state["invitations"][0]["url"]
    assert friend.client.get(url).context["invitation"]
    assert friend.client.get(url + "x").context["invitation"] == ""
    friends_state = friend.post("sit", token=url.partition("=")[2], handle="Bob").json()
    assert (friends_state["you"], friends_state["invitations"]) == (1, [])
    assert friend.state()["you"] == 1, "the session does not know the seat"
    assert [seat["name"] for seat in maker.state()["seats"]][1] == "Bob"


def test_a_refused_guest_leaves_no_session(bots: Bots) -> None:
    maker = Visitor()
    state = maker.create("cassino/standard/2v2?deals=1", **{"seat-1": "friend"})
    token = state["invitations"][0]["url"].partition("=")[2]
    before = Session.objects.count()
    stranger = Visitor(maker.key)
    for values in (
        {},
        {"token": "x" * 24},
        {"token": token[:-1]},
        {"token": token, "handle": "you"},
    ):
        assert stranger.post("sit", **values).status_code in {400, 409}
    for fields in ({"format": "chess"}, {"handle": "admin"}, {"you": "7"}):
        assert stranger.client.post("/play/", {"format": SHORT, **fields}).status_code == 200
    assert Session.objects.count() == before
    assert stranger.post("sit", token=token, handle="Bob").status_code == 200
    assert Session.objects.count() == before + 1


def test_a_long_name_is_refused_and_not_cut(bots: Bots) -> None:
    visitor, name = Visitor(), "Bartholomew of the Long Table"
    page = visitor.client.get("/play/").content.decode()
    field = page.partition("Your name at the table")[2].partition("</label>")[0]
    assert f"at most {MAX_HANDLE} characters" in field
    assert "maxlength" not in field
    response = visitor.client.post("/play/", {"format": SHORT, "handle": name})
    sentence = f"The name has {len(name)} characters; it may have 1 to {MAX_HANDLE}."
    assert sentence in response.content.decode()
    assert f'value="{name}"' in response.content.decode(), "the form lost the name"
    script = (Path(cardroom.__file__).parent / "static/cardroom/play/notices.js").read_text()
    assert f"Your name at the table, at most {MAX_HANDLE} characters" in script
    assert "maxlength" not in script


def test_two_guests_of_a_table_have_different_names(bots: Bots) -> None:
    maker = Visitor()
    friends = {"seat-1": "friend", "seat-3": "friend"}
    state = maker.create("cassino/standard/2v2?deals=1", handle="Bob", **friends)
    first, second = (item["url"].partition("=")[2] for item in state["invitations"])
    friend = Visitor(maker.key)
    response = friend.post("sit", token=first, handle="B0b")
    assert (response.status_code, response.json()["error"][:19]) == (400, "Bob is already sitt")
    assert friend.post("sit", token=first, handle="guest").status_code == 200
    assert Visitor(maker.key).post("sit", token=second).status_code == 200, (
        "only one nameless guest is allowed"
    )


def test_presence_is_shown(bots: Bots) -> None:
    maker = Visitor()
    maker.create("cassino/standard/2v2?deals=1", **{"seat-1": "friend"})
    state = maker.state()
    assert [seat["here"] for seat in state["seats"]] == [True, False, True, True]
    friend = Visitor(maker.key)
    friend.post("sit", token=state["invitations"][0]["url"].partition("=")[2])
    assert [seat["here"] for seat in maker.state()["seats"]] == [True] * 4
    friend.post("leave")
    assert [seat["here"] for seat in maker.state()["seats"]] == [True, False, True, True]


def test_a_login_keeps_the_tables_of_the_session(bots: Bots) -> None:
    visitor = Visitor()
    visitor.create(SHORT)
    visitor.client.force_login(make.user())
    assert visitor.state()["you"] == 0


def test_a_person_with_two_seats_plays_both() -> None:
    """Formerly an account whose guest already sat at the table played only for the first seat."""
    maker = Visitor()
    state = maker.create(SHORT, **{"seat-1": "friend"})
    friend = Visitor(maker.key)
    user = make.user()
    friend.client.force_login(user)
    friend.post("sit", token=state["invitations"][0]["url"].partition("=")[2])
    maker.client.force_login(user)
    state = maker.state()
    assert [seat["here"] for seat in state["seats"]] == [True, True]
    for n in range(4):
        assert (state["n"], state["you"]) == (n, state["turn"])
        state = maker.move(state, first_move(state))
    assert maker.post("house", seat=1 - state["turn"]).status_code == 400
    assert maker.post("leave").json()["state"] == "abandoned"
    assert maker.post("sit", token="").json()["state"] == "playing"
    assert [seat["left"] for seat in maker.state()["seats"]] == [False, False]


# --- hints ----------------------------------------------------------------------------------------


def test_a_hint_is_a_house_bots_move(bots: Bots, monkeypatch: Any) -> None:
    monkeypatch.setattr(pages, "HINT_SECONDS", 0.0)
    visitor = Visitor()
    state = visitor.create(SHORT)
    response = visitor.post("hint", n=0)
    assert (response.status_code, response.json()) == (202, {"pending": True})
    assert hinting.answer_hint(Hint.objects.get().pk)
    hint = visitor.post("hint", n=0).json()
    assert hint["move"] in [move["move"] for move in state["decision"]["moves"]]
    assert hint["sentence"].endswith(".")
    assert (hint["by"], hint["why"]) == ("The House", ""), "the note became the reason"
    assert hint["sentence"].startswith("The house would ")
    assert Hint.objects.count() == 1, "a second hint was requested"
    [seat] = bots.seats
    assert seat.heard[1]["view"]["hand"] == state["frames"][-1]["view"]["hand"]
    assert seat.closed
    visitor.move(state, hint["move"])
    assert visitor.post("hint", n=0).status_code == 409
    assert visitor.post("hint", n=1).status_code == 409, "a hint out of turn"


def test_a_failed_hint_shows_trouble(monkeypatch: Any) -> None:
    from tests.bots.scripted import SeatClosed

    monkeypatch.setattr(pages, "HINT_SECONDS", 0.0)
    monkeypatch.setattr(host, "shared_sandbox", lambda: Bots(lambda: lambda _: SeatClosed("gone")))
    visitor = Visitor()
    visitor.create(SHORT)
    visitor.post("hint", n=0)
    assert not hinting.answer_hint(Hint.objects.get().pk)
    assert Hint.objects.get().trouble
    assert visitor.post("hint", n=0).status_code == 202, "it cannot be requested again"
    assert not Hint.objects.get().trouble


# --- comparisons ----------------------------------------------------------------------------------


def test_a_finished_deal_is_compared_with_house_bots(bots: Bots) -> None:
    visitor = Visitor()
    visitor.create("cassino/standard/1v1?deals=2")
    rng = Random(3)
    state = visitor.state()
    while not state["deals_total"]:
        play_bots()
        state = visitor.state()
        if state["turn"] == 0:
            state = visitor.move(state, rng.choice(state["decision"]["moves"])["move"])
    assert state["comparison"] == {
        "deal": 1,
        "ready": False,
        "url": f"/play/{visitor.key}/comparison/1/",
        "others": [],
    }
    assert compare_deals() == 1
    rows = list(Comparison.objects.all())
    assert [row.bot for row in rows] == ["house:cassino", "house:greedy", "house:random"]
    table = Table.objects.get()
    deck = match_cache.position_of(table).deals[0]["deck"]
    for row in rows:
        match = Match(table.format, seed=table.seed)
        for move in row.moves:
            match.play(move)
        assert match.deals[0]["sheet"] == row.sheet
        assert match.deals[0]["deck"] == deck
    assert visitor.state()["comparison"]["ready"]
    comparison = visitor.get("comparison/1/").context["comparison"]
    assert comparison["ready"]
    assert Table.objects.get().luck == [comparison["luck"]]
    assert sum(comparison["luck"]) == pytest.approx(0, abs=0.11), "rounded to tenths"
    for other in comparison["others"]:
        parted = other["parted"]
        assert parted["yours"]["move"] != parted["theirs"]["move"]
        assert parted["theirs"]["sentence"]
        assert parted["view"]["seat"] == parted["seat"]
    assert visitor.get("comparison/2/").status_code == 404
    assert compare_deals() == 0


def test_a_page_polls_quickly_during_a_comparison(bots: Bots) -> None:
    visitor = Visitor(finished_table().key)
    assert visitor.state()["poll"] == 1_000
    assert compare_deals() == 1
    assert visitor.state()["poll"] == 30_000
    Table.objects.update(compared=0, moved=now() - timedelta(minutes=2))  # no host compares it
    assert visitor.state()["poll"] == 30_000
    assert "No host is serving tables" in visitor.get("comparison/1/").content.decode()


def test_a_page_learns_that_it_need_not_poll_quickly_any_more(bots: Bots) -> None:
    visitor = Visitor(finished_table().key)
    etag = visitor.get("state/")["ETag"]
    Table.objects.update(moved=now() - timedelta(minutes=2))
    response = visitor.client.get(f"/play/{visitor.key}/state/", headers={"If-None-Match": etag})
    assert response.status_code == 200
    assert response.json()["poll"] == 30_000


def test_cards_are_open_only_after_the_match(bots: Bots) -> None:
    """They stay hidden after all have left, because people may return."""
    visitor = Visitor()
    visitor.create(SHORT)
    parts = ("record/", "frames/", "tally/", "replay/", "moves/1/")
    assert [visitor.get(part).status_code for part in parts] == [404] * 5
    visitor.post("leave")
    assert [visitor.get(part).status_code for part in parts] == [404] * 5
    visitor.post("sit", token="")
    play_out([visitor], Random(1))
    assert [visitor.get(part).status_code for part in parts] == [200] * 5
    assert visitor.get("moves/9999/").status_code == 404


def test_own_games_are_listed(bots: Bots) -> None:
    visitor = Visitor()
    visitor.create(SHORT)
    state = play_out([visitor], Random(1))
    my_games = visitor.client.get("/play/").context["own"]
    [game] = my_games["games"]
    outcome = {(0,): "won", (1,): "lost"}.get(tuple(state["result"]["winners"]), "drawn")
    assert (game.outcome, game.others) == (outcome, ["House Greedy"])
    assert my_games["streak"] == int(outcome == "won")
    assert my_games["tables"] == []
    assert Client().get("/play/").context["own"]["games"] == []


def test_a_table_of_other_rules_shows_trouble(bots: Bots) -> None:
    visitor = Visitor()
    state = visitor.create(SHORT)
    visitor.move(state, first_move(state))
    TableMove.objects.update(move="of other rules")
    match_cache.clear()
    response = visitor.get("state/")
    assert response.status_code == 409
    table = Table.objects.get()
    assert host.play_bots(table.pk) == 0
    table.refresh_from_db()
    assert "rules" in table.trouble
    assert hosting.take(table.pk, "another") is not None, "a lease remains"

"""Tables that continue from a position of a finished match: cards, moves, comparisons."""

from __future__ import annotations

import zlib
from random import Random
from string import ascii_letters
from typing import Any

import pytest
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.sessions.models import Session
from django.test import Client

from bots.models import Bot
from cardroom.pages.tables import continuation as pages
from cardroom_base.core.errors import ActionError
from cardroom_tables import match_cache
from cardroom_tables.actions import continuation
from cardroom_tables.actions.continuation import StartPosition
from cardroom_tables.actions.tables import SeatChoice, create_table
from cardroom_tables.finished_tables import record_of as table_record
from cardroom_tables.models import Comparison, Table
from engine import Format, Record
from engine import Match as Play
from tests.pages import finished
from tests.pages.markup import flat
from tests.play.hall import (
    SHORT,
    Bots,
    Visitor,
    compare_deals,
    finished_table,
    guest,
    play_bots,
    play_out,
)
from tests.play.test_leaks import cards, cards_in_rules, cards_known_to, readable_text
from tournaments.models import Match

pytestmark = pytest.mark.django_db


def sit_down(match: Match, after: int, **fields: str) -> Visitor:
    """Continue after a move of a match; the visitor at the new table."""
    visitor = Visitor()
    response = visitor.client.post(f"/matches/{match.pk}/sit/", {"after": str(after), **fields})
    assert response["Location"].startswith("/play/"), response["Location"]
    visitor.key = response["Location"].split("/")[2]
    return visitor


def sit_down_at_table(table: Table, after: int, **fields: str) -> Visitor:
    """Continue after a move of a finished table; the visitor at the new one."""
    visitor = Visitor()
    response = visitor.client.post(
        f"/play/{table.key}/replay/sit/", {"after": str(after), **fields}
    )
    assert response["Location"].startswith("/play/"), response["Location"]
    visitor.key = response["Location"].split("/")[2]
    assert visitor.key != table.key
    return visitor


def record_of(match: Match) -> Record:
    return Record.from_json(zlib.decompress(bytes(match.record.content)))


def test_a_continuation_has_the_cards_of_the_match(bots: Bots) -> None:
    match = finished.match(finished.play(SHORT))
    record = record_of(match)
    visitor = sit_down(match, 20)
    state = visitor.state()
    turn = record.after(20).turn
    assert (state["n"], state["you"], state["turn"]) == (20, turn, turn)
    assert [seat["kind"] for seat in state["seats"] if seat["index"] != turn] == ["house"]
    assert state["begun"] == {
        "move": 20,
        "names": "Kestrel – Tricoteuse",
        "url": f"/matches/{match.pk}/#move-20",
    }
    page = flat(visitor.get().content.decode())
    assert "Started after move 20 of" in page
    assert f'href="/matches/{match.pk}/#move-20"' in page
    last_state = play_out([visitor], Random(1))
    new_record = Record.from_json(visitor.get("record/").json())
    assert new_record.verify().result == last_state["result"]
    assert (new_record.seed, new_record.moves[:20]) == (record.seed, record.moves[:20])


def test_any_seat_can_be_taken_against_any_house_bot(bots: Bots) -> None:
    match = finished.match(finished.play("cassino/standard/2v2?deals=1"))
    visitor = sit_down(match, 7, seat="2", bots="house:greedy")
    state = visitor.state()
    assert state["you"] == 2
    assert [seat["name"] for seat in state["seats"] if seat["index"] != 2] == [
        f"House Greedy in the {place}" for place in ("south", "west", "east")
    ]


def test_bots_of_the_match_play_if_their_authors_agree(bots: Bots) -> None:
    match = finished.match(finished.play("cassino/standard/2v2?deals=1"))
    page = f"/matches/{match.pk}/"
    assert "the match’s:" not in Client().get(page).content.decode()
    for bot in Bot.objects.filter(slug__in=("bot-1", "bot-2")):
        bot.active_version = bot.versions.get()
        bot.active_version.formats = ["cassino/*/*"]
        bot.active_version.save()
        bot.save()
    Bot.objects.filter(slug="bot-2").update(plays_people=False)
    assert "the match’s: Tricoteuse<" in Client().get(page).content.decode()
    visitor = sit_down(match, 0, seat="0", bots="match")
    names = [seat["name"].partition(" in ")[0] for seat in visitor.state()["seats"]]
    assert names == ["guest", "Tricoteuse", "House Cassino", "House Cassino"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Choose the move after which"),
        ({"after": "x"}, "Choose the move after which"),
        ({"after": "-1"}, "Choose the move after which"),
        ({"after": "9" * 9}, "The match has 48 moves."),
        ({"after": "9" * 99}, "Choose the move after which"),
        ({"after": "48"}, "The match ends there"),
        ({"after": "3", "seat": "2"}, "Take one seat"),
        ({"after": "3", "seat": "x"}, "Take one seat"),
        ({"after": "3", "bots": "house:nobody"}, "house bot"),
        ({"after": "3", "bots": "friend"}, "Choose a bot from the list."),
    ],
)
def test_errors_are_shown_on_the_page_of_the_match(fields: dict[str, str], words: str) -> None:
    match = finished.match(finished.play(SHORT))
    response = Client().post(f"/matches/{match.pk}/sit/", fields, follow=True)
    assert response.redirect_chain[0][0].startswith(f"/matches/{match.pk}/")
    assert words in flat(response.content.decode())
    assert not Table.objects.exists()


def test_refused_guests_leave_no_sessions(bots: Bots, monkeypatch: Any) -> None:
    """Messages to the next page are stored in a cookie, and dropped if they do not fit."""
    monkeypatch.setattr(CookieStorage, "max_cookie_size", 300)
    match = finished.match(finished.play(SHORT))
    before = Session.objects.count()
    client = Client()
    names = Random(5)
    for _ in range(12):
        handle = "House " + "".join(names.choices(ascii_letters, k=16))  # not compressible
        client.post(f"/matches/{match.pk}/sit/", {"after": "20", "handle": handle})
    assert Session.objects.count() == before
    assert "is in use here" in client.get(f"/matches/{match.pk}/").content.decode()


def test_a_position_too_deep_in_a_match_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setattr(continuation, "MAX_GIVEN", 10)
    start = StartPosition({"match": 1}, ["a", "b"], finished.play(SHORT), 11)
    with pytest.raises(ActionError, match="within the first 10 moves"):
        create_table(
            guest(), SHORT, [SeatChoice("you"), SeatChoice("bot", "house:greedy")], start=start
        )


def test_a_request_replays_no_moves_that_are_too_deep(monkeypatch: Any) -> None:
    monkeypatch.setattr(pages, "MAX_GIVEN", 10)
    monkeypatch.setattr(continuation, "MAX_GIVEN", 10)
    replayed: list[int] = []

    def after(record: Record, number: int) -> Play:
        replayed.append(number)
        return record.start()

    monkeypatch.setattr(Record, "after", after)
    match = finished.match(finished.play(SHORT))
    Client().post(f"/matches/{match.pk}/sit/", {"after": "11"})
    assert replayed == [10]
    assert not Table.objects.exists()


def test_moves_of_other_rules_are_refused() -> None:
    record = finished.play(SHORT)
    record.moves[4] = "KSxKH,KD,KC"
    for after in (3, 6):
        with pytest.raises(ActionError, match="illegal under the current rules"):
            create_table(
                guest(),
                SHORT,
                [SeatChoice("you"), SeatChoice("bot", "house:greedy")],
                start=StartPosition({"match": 1}, ["a", "b"], record, after),
            )


def test_the_limits_of_tables_hold(settings: Any) -> None:
    settings.MAX_TABLES_PER_GUEST = 1
    match = finished.match(finished.play(SHORT))
    client = Client()
    responses = [client.post(f"/matches/{match.pk}/sit/", {"after": "5"}) for _ in range(2)]
    assert [response["Location"].split("/")[1] for response in responses] == ["play", "matches"]


def test_a_hidden_match_gives_a_closed_table(bots: Bots) -> None:
    match = finished.match(finished.play(SHORT))
    assert Table.objects.get(key=sit_down(match, 3).key).watched
    match.tournament.organizer = owner = match.seats.get(index=0).version.bot.owner
    match.tournament.opened = None
    match.tournament.save()
    assert owner is not None
    assert Client().post(f"/matches/{match.pk}/sit/", {"after": "3"}).status_code == 404
    visitor = Visitor()
    visitor.client.force_login(owner)
    response = visitor.client.post(f"/matches/{match.pk}/sit/", {"after": "3"})
    visitor.key = response["Location"].split("/")[2]
    assert visitor.get().status_code == 200
    assert Visitor(visitor.key).get().status_code == 404


@pytest.mark.parametrize(
    "text",
    ["cassino/standard/2v2?deals=1", "canasta/classic/2v2?deals=1", "paks/standard/1v1?deals=1"],
)
def test_the_table_names_only_cards_that_the_seat_has_seen(text: str, bots: Bots) -> None:
    """Cards stay hidden at the table even if the match's replay shows them."""
    match = finished.match(finished.play(text))
    rng = Random(text)
    for after in rng.sample(range(match.moves_played - 1), 5):
        seat = rng.randrange(Format.parse(text).seats)
        visitor = sit_down(match, after, seat=str(seat))
        position = match_cache.position_of(Table.objects.get(key=visitor.key))
        for viewer, onlooker in ((seat, visitor), (None, Visitor(visitor.key))):
            known_cards = cards_known_to(position, viewer) | cards_in_rules(position.format)
            for response in (onlooker.get("state/", after=0), onlooker.get()):
                leaks = cards(readable_text(response, visitor.key)) - known_cards
                assert not leaks, f"{text} after {after}: {viewer} sees {leaks}"


def test_a_continuation_survives_an_empty_cache(bots: Bots) -> None:
    """It is stored as moves only."""
    match = finished.match(finished.play(SHORT))
    visitor = sit_down(match, 20)
    before = visitor.state()
    match_cache.clear()
    assert visitor.state() == before
    visitor.move(before, before["decision"]["moves"][0]["move"])
    match_cache.clear()
    assert play_bots() == 1
    assert visitor.state()["n"] == 22


def test_a_deal_is_compared_from_the_first_own_move(bots: Bots) -> None:
    record = finished.play("cassino/standard/1v1?deals=3")
    match = finished.match(record)
    first_deal = next(n for n in range(len(record.moves)) if record.after(n).deals_since(0))
    after = first_deal + 10
    visitor = sit_down(match, after)
    assert visitor.state()["comparison"] is None, "the earlier deal is compared"
    play_out([visitor], Random(2))
    compare_deals()
    table = Table.objects.get()
    assert visitor.get("comparison/1/").status_code == 404
    rows = {row.bot: row for row in Comparison.objects.filter(deal=1)}
    assert set(rows) == {"", "house:cassino", "house:greedy", "house:random"}
    assert {row.first for row in rows.values()} == {after}
    match_row = rows[""]
    assert match_row.moves == record.moves[after : after + len(match_row.moves)]
    replayed = record.after(after + len(match_row.moves))
    assert (match_row.scores, match_row.sheet) == (
        replayed.scores,
        replayed.deals_since(1)[0]["sheet"],
    )
    assert (len(table.luck), table.luck[:2], bool(table.luck[2])) == (3, [[], []], True)
    page = flat(visitor.get("comparison/2/").content.decode())
    name = match.seats.get(index=visitor.state()["you"]).version.bot.name
    assert f"{name}, in the match" in page
    assert f"Deal 2 from move {after + 1}, from your seat" in page
    later_page = flat(visitor.get("comparison/3/").content.decode())
    assert "in the match" not in later_page
    assert "Deal 3, from your seat" in later_page


def test_a_match_without_the_end_of_the_deal_is_compared_with_the_house_only(bots: Bots) -> None:
    match = finished.match(finished.forfeited(SHORT, 30))
    visitor = sit_down(match, 30)
    assert Table.objects.filter(source__moves=[]).exists()
    play_out([visitor], Random(3))
    compare_deals()
    assert "" not in Comparison.objects.values_list("bot", flat=True)
    assert visitor.get("comparison/1/").status_code == 200


def test_a_finished_table_can_be_continued(bots: Bots) -> None:
    table = finished_table(guest("eve"))
    record = table_record(table)
    visitor = sit_down_at_table(table, 9, handle="Ada")
    state = visitor.state()
    assert (state["n"], state["you"]) == (9, record.after(9).turn)
    assert state["begun"]["url"] == f"/play/{table.key}/replay/#move-9"
    assert state["begun"]["names"] == "guest – Dabbler"
    page = flat(visitor.get().content.decode())
    assert f'href="/play/{table.key}/replay/#move-9"' in page
    play_out([visitor], Random(1))
    new_record = Record.from_json(visitor.get("record/").json())
    assert (new_record.seed, new_record.moves[:9]) == (record.seed, record.moves[:9])
    assert f"/play/{table.key}/" in visitor.get("replay/").content.decode()


def test_onlookers_do_not_see_the_key_of_the_old_table(bots: Bots) -> None:
    table = finished_table(guest("eve"))
    visitor = sit_down_at_table(table, 9)
    onlooker = Visitor(visitor.key)
    assert onlooker.state()["begun"]["url"] == ""
    assert table.key not in onlooker.get().content.decode()
    play_out([visitor], Random(1))
    assert table.key not in onlooker.get("replay/").content.decode()


def test_a_deleted_table_has_no_address(bots: Bots) -> None:
    table = finished_table(guest("eve"))
    visitor = sit_down_at_table(table, 9)
    Table.objects.filter(pk=table.pk).delete()
    assert visitor.state()["begun"]["url"] == ""
    assert "Started after move 9 of" in flat(visitor.get().content.decode())


def test_a_closed_table_gives_a_closed_table(bots: Bots) -> None:
    visitor = Visitor()
    visitor.create(SHORT, closed="on", **{"seat-1": "house:random"})
    play_out([visitor], Random(2))
    key = visitor.key
    address = f"/play/{key}/replay/sit/"
    assert Client().post(address, {"after": "3"}).status_code == 404
    location = visitor.client.post(address, {"after": "3", "bots": "match"})["Location"]
    table = Table.objects.get(key=location.split("/")[2])
    assert not table.watched
    assert sorted(seat.bot for seat in table.seats.all()) == ["", "house:cassino"]


def test_continuations_do_not_count_as_wins_in_a_row(bots: Bots) -> None:
    match = finished.match(finished.play(SHORT))
    visitor = Visitor()
    for _ in range(2):
        visitor.client.post(f"/matches/{match.pk}/sit/", {"after": "46"})
        visitor.key = Table.objects.latest("pk").key
        play_out([visitor], Random(4))
    for table in Table.objects.all():
        table.result = {"scores": [1, 0], "ranks": [1, 2], "winners": [table.maker]}
        table.save()
    assert "wins in a row" not in visitor.client.get("/play/").content.decode()
    Table.objects.update(source=None)
    assert "2 wins in a row" in visitor.client.get("/play/").content.decode()

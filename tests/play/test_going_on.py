"""Sitting down at a position of a finished match: whose cards and moves, what is compared."""

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
from cardroom_base.core.errors import ActionError
from cardroom_tables import match_cache
from cardroom_tables.actions import continuation
from cardroom_tables.actions.continuation import StartPosition
from cardroom_tables.actions.tables import SeatChoice, create_table
from cardroom_tables.finished_tables import record_of as table_record
from cardroom_tables.models import Comparison, Table
from engine import Format, Record
from tests.pages import finished
from tests.pages.markup import flat
from tests.play.hall import SHORT, Bots, Visitor, compare_deals, guest, play_bots, played_out
from tests.play.hall import finished as finished_table
from tests.play.test_leaks import cards, readable, said_always, seen_by
from tournaments.models import Match

pytestmark = pytest.mark.django_db


def sits(match: Match, after: int, **fields: str) -> Visitor:
    """A visitor who has sat down after a move of the match."""
    visitor = Visitor()
    answer = visitor.client.post(f"/matches/{match.pk}/sit/", {"after": str(after), **fields})
    assert answer["Location"].startswith("/play/"), answer["Location"]
    visitor.key = answer["Location"].split("/")[2]
    return visitor


def sits_at(table: Table, after: int, **fields: str) -> Visitor:
    """A visitor who has sat down after a move of a table that is over."""
    visitor = Visitor()
    answer = visitor.client.post(f"/play/{table.key}/replay/sit/", {"after": str(after), **fields})
    assert answer["Location"].startswith("/play/"), answer["Location"]
    visitor.key = answer["Location"].split("/")[2]
    assert visitor.key != table.key
    return visitor


def record_of(match: Match) -> Record:
    return Record.from_json(zlib.decompress(bytes(match.record.content)))


def test_who_sits_down_plays_on_with_the_cards_of_the_match(bots: Bots) -> None:
    match = finished.match(finished.play(SHORT))
    record = record_of(match)
    visitor = sits(match, 20)
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
    ended = played_out([visitor], Random(1))
    mine = Record.from_json(visitor.get("record/").json())
    assert mine.verify().result == ended["result"]
    assert (mine.seed, mine.moves[:20]) == (record.seed, record.moves[:20])


def test_any_seat_can_be_taken_against_any_house_bot(bots: Bots) -> None:
    match = finished.match(finished.play("cassino/standard/2v2?deals=1"))
    visitor = sits(match, 7, seat="2", bots="house:greedy")
    state = visitor.state()
    assert state["you"] == 2
    assert [seat["name"] for seat in state["seats"] if seat["index"] != 2] == [
        f"House Greedy in the {place}" for place in ("south", "west", "east")
    ]


def test_the_bots_of_the_match_sit_down_where_their_authors_agree(bots: Bots) -> None:
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
    visitor = sits(match, 0, seat="0", bots="match")
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
        ({"after": "48"}, "The match is over there"),
        ({"after": "3", "seat": "2"}, "Take one seat"),
        ({"after": "3", "seat": "x"}, "Take one seat"),
        ({"after": "3", "bots": "house:nobody"}, "house bot"),
        ({"after": "3", "bots": "friend"}, "Choose a bot from the list."),
    ],
)
def test_what_cannot_be_is_said_on_the_page_of_the_match(
    fields: dict[str, str], words: str
) -> None:
    match = finished.match(finished.play(SHORT))
    answer = Client().post(f"/matches/{match.pk}/sit/", fields, follow=True)
    assert answer.redirect_chain[0][0].startswith(f"/matches/{match.pk}/")
    assert words in flat(answer.content.decode())
    assert not Table.objects.exists()


def test_a_guest_who_is_refused_often_leaves_no_session(bots: Bots, monkeypatch: Any) -> None:
    """What a page has to say waits in a cookie, and what does not fit there is dropped."""
    monkeypatch.setattr(CookieStorage, "max_cookie_size", 300)
    match = finished.match(finished.play(SHORT))
    before = Session.objects.count()
    client = Client()
    names = Random(5)
    for _ in range(12):
        handle = "House " + "".join(names.choices(ascii_letters, k=16))  # nothing to compress
        client.post(f"/matches/{match.pk}/sit/", {"after": "20", "handle": handle})
    assert Session.objects.count() == before
    assert "is in use here" in client.get(f"/matches/{match.pk}/").content.decode()


def test_a_position_too_deep_in_a_match_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setattr(continuation, "MAX_GIVEN", 10)
    begun = StartPosition({"match": 1}, ["a", "b"], finished.play(SHORT), 11)
    with pytest.raises(ActionError, match="within the first 10 moves"):
        create_table(
            guest(), SHORT, [SeatChoice("you"), SeatChoice("bot", "house:greedy")], start=begun
        )


def test_moves_of_other_rules_are_refused() -> None:
    record = finished.play(SHORT)
    record.moves[4] = "KSxKH,KD,KC"
    for after in (3, 6):
        with pytest.raises(ActionError, match="illegal by the present rules"):
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
    sent = [client.post(f"/matches/{match.pk}/sit/", {"after": "5"}) for _ in range(2)]
    assert [answer["Location"].split("/")[1] for answer in sent] == ["play", "matches"]


def test_a_match_that_not_everybody_may_see_makes_a_closed_table(bots: Bots) -> None:
    match = finished.match(finished.play(SHORT))
    assert Table.objects.get(key=sits(match, 3).key).watched
    match.tournament.organizer = owner = match.seats.get(index=0).version.bot.owner
    match.tournament.opened = None
    match.tournament.save()
    assert owner is not None
    assert Client().post(f"/matches/{match.pk}/sit/", {"after": "3"}).status_code == 404
    visitor = Visitor()
    visitor.client.force_login(owner)
    answer = visitor.client.post(f"/matches/{match.pk}/sit/", {"after": "3"})
    visitor.key = answer["Location"].split("/")[2]
    assert visitor.get().status_code == 200
    assert Visitor(visitor.key).get().status_code == 404


@pytest.mark.parametrize(
    "text",
    ["cassino/standard/2v2?deals=1", "canasta/classic/2v2?deals=1", "paks/standard/1v1?deals=1"],
)
def test_the_table_names_only_cards_that_the_seat_has_seen(text: str, bots: Bots) -> None:
    """What is hidden at the table stays hidden there, though the replay of the match shows it."""
    match = finished.match(finished.play(text))
    rng = Random(text)
    for after in rng.sample(range(match.moves_played - 1), 5):
        seat = rng.randrange(Format.parse(text).seats)
        visitor = sits(match, after, seat=str(seat))
        position = match_cache.position_of(Table.objects.get(key=visitor.key))
        for who, onlooker in ((seat, visitor), (None, Visitor(visitor.key))):
            known = seen_by(position, who) | said_always(position.format)
            for answer in (onlooker.get("state/", after=0), onlooker.get()):
                said = cards(readable(answer, visitor.key)) - known
                assert not said, f"{text} after {after}: {who} is told {said}"


def test_it_survives_whatever_forgets_it(bots: Bots) -> None:
    """Moves are all that it is made of."""
    match = finished.match(finished.play(SHORT))
    visitor = sits(match, 20)
    before = visitor.state()
    match_cache.clear()
    assert visitor.state() == before
    visitor.move(before, before["decision"]["moves"][0]["move"])
    match_cache.clear()
    assert play_bots() == 1
    assert visitor.state()["n"] == 22


def test_a_deal_is_compared_from_where_one_sat_down(bots: Bots) -> None:
    record = finished.play("cassino/standard/1v1?deals=3")
    match = finished.match(record)
    first_deal = next(n for n in range(len(record.moves)) if record.after(n).deals_since(0))
    after = first_deal + 10
    visitor = sits(match, after)
    assert visitor.state()["comparison"] is None, "the deal before is not one's own"
    played_out([visitor], Random(2))
    compare_deals()
    table = Table.objects.get()
    assert visitor.get("comparison/1/").status_code == 404
    rows = {row.bot: row for row in Comparison.objects.filter(deal=1)}
    assert set(rows) == {"", "house:cassino", "house:greedy", "house:random"}
    assert {row.first for row in rows.values()} == {after}
    own = rows[""]
    assert own.moves == record.moves[after : after + len(own.moves)]
    played = record.after(after + len(own.moves))
    assert (own.scores, own.sheet) == (played.scores, played.deals_since(1)[0]["sheet"])
    assert (len(table.luck), table.luck[:2], bool(table.luck[2])) == (3, [[], []], True)
    page = flat(visitor.get("comparison/2/").content.decode())
    name = match.seats.get(index=visitor.state()["you"]).version.bot.name
    assert f"{name}, in the match" in page
    assert f"Deal 2 from move {after + 1}, from your seat" in page
    later = flat(visitor.get("comparison/3/").content.decode())
    assert "in the match" not in later
    assert "Deal 3, from your seat" in later


def test_a_match_without_the_end_of_the_deal_is_compared_with_the_house_only(bots: Bots) -> None:
    match = finished.match(finished.forfeited(SHORT, 30))
    visitor = sits(match, 30)
    assert Table.objects.filter(source__moves=[]).exists()
    played_out([visitor], Random(3))
    compare_deals()
    assert "" not in Comparison.objects.values_list("bot", flat=True)
    assert visitor.get("comparison/1/").status_code == 200


def test_one_goes_on_from_a_table_that_is_over(bots: Bots) -> None:
    over = finished_table(guest("eve"))
    record = table_record(over)
    visitor = sits_at(over, 9, handle="Ada")
    state = visitor.state()
    assert (state["n"], state["you"]) == (9, record.after(9).turn)
    assert state["begun"]["url"] == f"/play/{over.key}/replay/#move-9"
    assert state["begun"]["names"] == "guest – Dabbler"
    page = flat(visitor.get().content.decode())
    assert f'href="/play/{over.key}/replay/#move-9"' in page
    played_out([visitor], Random(1))
    mine = Record.from_json(visitor.get("record/").json())
    assert (mine.seed, mine.moves[:9]) == (record.seed, record.moves[:9])
    assert f"/play/{over.key}/" in visitor.get("replay/").content.decode()


def test_who_did_not_sit_down_there_is_not_told_the_key(bots: Bots) -> None:
    over = finished_table(guest("eve"))
    visitor = sits_at(over, 9)
    onlooker = Visitor(visitor.key)
    assert onlooker.state()["begun"]["url"] == ""
    assert over.key not in onlooker.get().content.decode()
    played_out([visitor], Random(1))
    assert over.key not in onlooker.get("replay/").content.decode()


def test_a_table_that_is_gone_has_no_address(bots: Bots) -> None:
    over = finished_table(guest("eve"))
    visitor = sits_at(over, 9)
    Table.objects.filter(pk=over.pk).delete()
    assert visitor.state()["begun"]["url"] == ""
    assert "Started after move 9 of" in flat(visitor.get().content.decode())


def test_a_closed_table_makes_a_closed_one(bots: Bots) -> None:
    visitor = Visitor()
    visitor.create(SHORT, closed="on", **{"seat-1": "house:random"})
    played_out([visitor], Random(2))
    key = visitor.key
    address = f"/play/{key}/replay/sit/"
    assert Client().post(address, {"after": "3"}).status_code == 404
    again = visitor.client.post(address, {"after": "3", "bots": "match"})["Location"]
    table = Table.objects.get(key=again.split("/")[2])
    assert not table.watched
    assert sorted(seat.bot for seat in table.seats.all()) == ["", "house:cassino"]


def test_what_goes_on_from_a_record_is_no_win_in_a_row(bots: Bots) -> None:
    match = finished.match(finished.play(SHORT))
    visitor = Visitor()
    for _ in range(2):
        visitor.client.post(f"/matches/{match.pk}/sit/", {"after": "46"})
        visitor.key = Table.objects.latest("pk").key
        played_out([visitor], Random(4))
    for table in Table.objects.all():
        table.result = {"scores": [1, 0], "ranks": [1, 2], "winners": [table.maker]}
        table.save()
    assert "wins in a row" not in visitor.client.get("/play/").content.decode()
    Table.objects.update(source=None)
    assert "2 wins in a row" in visitor.client.get("/play/").content.decode()

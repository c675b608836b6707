"""Making tables, sitting down, leaving, limits, and what becomes of old tables."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bots.actions import allow_people
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now
from cardroom_base.models import OutboxMessage
from cardroom_tables import reading
from cardroom_tables.actions import moves, seats, tables
from cardroom_tables.actions.tables import SeatChoice
from cardroom_tables.guests import invitation, note_presence
from cardroom_tables.messages import SEAT_TASK
from cardroom_tables.models import Table, TableMove
from tests import factories as make
from tests.play.hall import SHORT, Bots, account, guest, play_bots, table

pytestmark = pytest.mark.django_db
PAIRS = "cassino/standard/2v2?deals=1"


def chip(made: Table, seat: int | None) -> str:
    made.refresh_from_db()
    return str(reading.state_for(made, reading.seats_of(made), seat)["chip"]["words"])


def test_cards_are_dealt_at_once_where_no_friend_is_waited_for() -> None:
    made = table()
    assert made.state == Table.State.PLAYING
    assert (made.to_act, made.bots_turn) == (0, False)
    assert len(made.key) == 12
    assert not OutboxMessage.objects.exists()


def test_a_bot_that_leads_is_sent_for() -> None:
    wanted = [SeatChoice("bot", "house:random"), SeatChoice("you")]
    made = tables.create_table(guest(), SHORT, wanted)
    [message] = OutboxMessage.objects.all()
    assert (message.task, message.arguments) == (SEAT_TASK, {"table": made.pk})


@pytest.mark.parametrize(
    ("text", "wanted", "words"),
    [
        ("cassino", [SeatChoice("you")], "is not a format"),
        (SHORT, [SeatChoice("you")], "has 2 seats, not 1"),
        (SHORT, [SeatChoice("bot", "house:random")] * 2, "Take one seat"),
        (SHORT, [SeatChoice("you"), SeatChoice("you")], "Take one seat"),
        (SHORT, [SeatChoice("you"), SeatChoice("bot", "nobody")], "Choose a bot"),
        (SHORT, [SeatChoice("you"), SeatChoice("bot", "house:nobody")], "No house bot is called"),
        (SHORT, [SeatChoice("you"), SeatChoice("bot", "house:canasta")], "does not play"),
    ],
)
def test_what_cannot_be_is_refused(text: str, wanted: list[SeatChoice], words: str) -> None:
    with pytest.raises(ActionError, match=words):
        tables.create_table(guest(), text, wanted)
    assert not Table.objects.exists()


def test_bots_of_authors_play_with_their_consent() -> None:
    owner = make.user()
    bot = make.bot(owner, "Magpie")
    wanted = [SeatChoice("you"), SeatChoice("bot", bot.slug)]
    made = tables.create_table(guest(), SHORT, wanted)
    assert made.seats.get(index=1).version == bot.active_version
    allow_people(bot, owner, allowed=False)
    with pytest.raises(ActionError, match="does not play with people"):
        tables.create_table(guest("bob"), SHORT, wanted)
    with pytest.raises(ActionError, match="is not yours"):
        allow_people(bot, make.user(), allowed=True)


def test_a_friend_sits_down_by_the_link_and_then_cards_are_dealt() -> None:
    made = table(PAIRS, friends=1)
    assert (made.state, made.to_act, made.bots_turn) == (Table.State.WAITING, None, False)
    assert chip(made, 0) == "waiting for a friend"
    token = invitation(made, 1)
    for wrong in ("", "x" * 24, invitation(made, 2), invitation(table(PAIRS, guest("c")), 1)):
        with pytest.raises(ActionError, match="already taken"):
            seats.sit(made, guest("bob"), wrong, "Bob")
    seats.sit(made, guest("bob"), token, "Bob")
    made.refresh_from_db()
    assert (made.state, made.to_act) == (Table.State.PLAYING, 0)
    assert made.seats.get(index=1).handle == "Bob"
    with pytest.raises(ActionError, match="already taken"):
        seats.sit(made, guest("eve"), token, "Eve")
    assert chip(made, 1) == "guest thinks"
    assert chip(made, 0) == "your turn"


def test_nothing_is_told_of_the_cards_before_all_sit() -> None:
    made = table(PAIRS, friends=1)
    state = reading.state_for(made, reading.seats_of(made), 0, 0)
    assert (state["frames"], state["frames_total"]) == ([], 0)
    assert (state["decision"], state["turn"], state["tally"]) == (None, None, None)
    with pytest.raises(ActionError, match="waiting"):
        moves.play_move(made, guest(), 0, "AS")


@pytest.mark.parametrize(
    "handle",
    [
        "house:random",
        "House Random",
        "hоuse of Ann",
        "admin",
        "the house",
        "You",
        "expert 3",
        "Spoon Eye",
        "Mag pie\u202e",
        "magpie",
        "x" * 25,
        "Magpiе",
        "4dmin",
        "hou5e",
        "North",
        "the 5outh",
    ],
)
def test_guests_pass_for_nobody(handle: str) -> None:
    make.user("magpie")
    with pytest.raises(ActionError) as refused:
        table(handle=handle)
    assert refused.value.field == "handle"


def test_people_with_accounts_are_called_by_them() -> None:
    ada = make.user("ada")
    made = table(person=account(ada), handle="Somebody")
    assert made.seats.get(index=0).handle == "ada"


def test_who_leaves_may_come_back_and_the_last_one_ends_it() -> None:
    made = table(PAIRS, friends=1)
    seats.sit(made, guest("bob"), invitation(made, 1))
    seats.leave(made, guest())
    assert chip(made, 1) == "guest in the south has left"
    seats.leave(made, guest("bob"))
    made.refresh_from_db()
    assert made.state == Table.State.ABANDONED
    assert reading.state_for(made, reading.seats_of(made), 0)["decision"] is None
    with pytest.raises(ActionError, match="abandoned"):
        moves.play_move(made, guest(), 0, "AS")
    seats.sit(made, guest("bob"))
    made.refresh_from_db()
    assert (made.state, made.to_act) == (Table.State.PLAYING, 0)


def test_who_moves_is_back() -> None:
    made = table(PAIRS, friends=1)
    seats.sit(made, guest("bob"), invitation(made, 1))
    seats.leave(made, guest())
    made.refresh_from_db()
    state = reading.state_for(made, reading.seats_of(made), 0)
    moves.play_move(made, guest(), 0, state["decision"]["moves"][0]["move"])
    assert made.seats.get(index=0).left is None


def test_the_house_takes_an_open_seat(bots: Bots) -> None:
    made = table(PAIRS, friends=2)
    seats.give_seat_to_house(made, 1, guest())
    assert chip(made, 0) == "waiting for a friend"
    seats.give_seat_to_house(made, 2, guest())
    assert chip(made, 0) == "your turn"
    with pytest.raises(ActionError, match="open seat"):
        seats.give_seat_to_house(made, 3, guest())
    with pytest.raises(ActionError, match="open seat"):
        seats.give_seat_to_house(made, 0, guest())
    with pytest.raises(ActionError, match="do not sit"):
        seats.give_seat_to_house(made, 1, guest("eve"))


def test_the_house_plays_for_somebody_only_who_is_gone(bots: Bots) -> None:
    made = table(PAIRS, friends=1)
    seats.sit(made, guest("bob"), invitation(made, 1), "Bob")
    note_presence(made, 1)
    with pytest.raises(ActionError, match="Bob is at the table"):
        seats.give_seat_to_house(made, 1, guest())
    seats.leave(made, guest("bob"))
    seats.give_seat_to_house(made, 1, guest())
    seat = made.seats.get(index=1)
    assert (seat.kind, seat.handle, seat.name) == ("bot", "Bob", "House Greedy")
    with pytest.raises(ActionError, match="already taken"):
        seats.sit(made, guest("bob"))


# --- limits ---------------------------------------------------------------------------------------


def test_guests_have_few_tables_and_accounts_more(settings: Any) -> None:
    settings.MAX_TABLES_PER_GUEST, settings.MAX_TABLES_PER_ACCOUNT = 2, 3
    first = table()
    table()
    with pytest.raises(ActionError, match=r"limit of unfinished tables \(2\)"):
        table()
    seats.leave(first, guest())
    table()
    user = make.user()
    for _ in range(3):
        table(person=account(user))
    with pytest.raises(ActionError, match=r"limit of unfinished tables \(3\)"):
        table(person=account(user))
    table(person=account(make.user(staff=True)))


def test_friends_count_too(settings: Any) -> None:
    settings.MAX_TABLES_PER_GUEST = 1
    table(person=guest("bob"))
    made = table(PAIRS, friends=1)
    with pytest.raises(ActionError, match=r"limit of unfinished tables \(1\)"):
        seats.sit(made, guest("bob"), invitation(made, 1))


def test_new_sessions_do_not_help_an_address(settings: Any) -> None:
    settings.MAX_TABLES_PER_ADDRESS = 2
    made = [table(person=guest(f"session {n}")) for n in range(2)]
    with pytest.raises(ActionError, match="Guests at your address"):
        table(person=guest("another"))
    Table.objects.filter(pk=made[0].pk).update(moved=Now() - reading.IDLE - timedelta(minutes=1))
    table(person=guest("another"))
    assert "192.0.2.1" not in str(list(Table.objects.values()))


# --- resting, and the end -------------------------------------------------------------------------


def test_a_table_rests_and_wakes(bots: Bots) -> None:
    made = table()
    Table.objects.update(moved=Now() - timedelta(minutes=31))
    assert chip(made, 0) == "resting"
    state = reading.state_for(made, reading.seats_of(made), 0)
    moves.play_move(made, guest(), 0, state["decision"]["moves"][0]["move"])
    assert play_bots() == 1
    assert chip(made, 0) == "your turn"


def test_old_tables_are_deleted_with_all_that_is_theirs(settings: Any) -> None:
    days = {"resting": 8, "kept": 6, "over": 89, "long over": 91}
    for name, age in days.items():
        made = table(person=guest(name))
        TableMove.objects.create(table=made, n=0, seat=0, move=name)
        state = Table.State.FINISHED if "over" in name else Table.State.PLAYING
        Table.objects.filter(pk=made.pk).update(moved=Now() - timedelta(days=age), state=state)
    assert tables.delete_old_tables() == 2
    assert set(TableMove.objects.values_list("move", flat=True)) == {"kept", "over"}

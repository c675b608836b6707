"""Creating tables, sitting down, leaving, limits, idle and old tables."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bots.actions import allow_people
from cardroom_base.core.errors import ActionError
from cardroom_base.core.names import FORMER_AUTHOR
from cardroom_base.db.db_time import Now
from cardroom_base.models import OutboxMessage
from cardroom_tables import reading
from cardroom_tables.actions import forgetting, moves, seats, tables
from cardroom_tables.actions.tables import SeatChoice
from cardroom_tables.guests import invitation, note_presence
from cardroom_tables.host_task_names import SEAT_TASK
from cardroom_tables.models import Table, TableMove
from tests import factories as make
from tests.play.hall import SHORT, Bots, account, guest, new_table, play_bots

pytestmark = pytest.mark.django_db
PAIRS = "cassino/standard/2v2?deals=1"


def chip_words(table: Table, seat: int | None) -> str:
    table.refresh_from_db()
    return str(reading.state_for(table, reading.seats_of(table), seat)["chip"]["words"])


def test_a_table_without_friends_starts_immediately() -> None:
    table = new_table()
    assert table.state == Table.State.PLAYING
    assert (table.to_act, table.bots_turn) == (0, False)
    assert len(table.key) == 12
    assert not OutboxMessage.objects.exists()


def test_a_leading_bot_is_requested() -> None:
    choices = [SeatChoice("bot", "house:random"), SeatChoice("you")]
    table = tables.create_table(guest(), SHORT, choices)
    [message] = OutboxMessage.objects.all()
    assert (message.task, message.arguments) == (SEAT_TASK, {"table": table.pk})


@pytest.mark.parametrize(
    ("text", "choices", "words"),
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
def test_invalid_tables_are_refused(text: str, choices: list[SeatChoice], words: str) -> None:
    with pytest.raises(ActionError, match=words):
        tables.create_table(guest(), text, choices)
    assert not Table.objects.exists()


def test_bots_play_people_with_their_authors_consent() -> None:
    owner = make.user()
    bot = make.bot(owner, "Magpie")
    choices = [SeatChoice("you"), SeatChoice("bot", bot.slug)]
    table = tables.create_table(guest(), SHORT, choices)
    assert table.seats.get(index=1).version == bot.active_version
    allow_people(bot, owner, allowed=False)
    with pytest.raises(ActionError, match="does not play with people"):
        tables.create_table(guest("bob"), SHORT, choices)
    with pytest.raises(ActionError, match="is not yours"):
        allow_people(bot, make.user(), allowed=True)


def test_cards_are_dealt_after_a_friend_sits_down() -> None:
    table = new_table(PAIRS, friends=1)
    assert (table.state, table.to_act, table.bots_turn) == (Table.State.WAITING, None, False)
    assert chip_words(table, 0) == "waiting for a friend"
    token = invitation(table, 1)
    for wrong_token in (
        "",
        "x" * 24,
        invitation(table, 2),
        invitation(new_table(PAIRS, guest("c")), 1),
    ):
        with pytest.raises(ActionError, match="already taken"):
            seats.sit(table, guest("bob"), wrong_token, "Bob")
    seats.sit(table, guest("bob"), token, "Bob")
    table.refresh_from_db()
    assert (table.state, table.to_act) == (Table.State.PLAYING, 0)
    assert table.seats.get(index=1).handle == "Bob"
    with pytest.raises(ActionError, match="already taken"):
        seats.sit(table, guest("eve"), token, "Eve")
    assert chip_words(table, 1) == "guest thinks"
    assert chip_words(table, 0) == "your turn"


def test_cards_are_hidden_until_all_sit() -> None:
    table = new_table(PAIRS, friends=1)
    state = reading.state_for(table, reading.seats_of(table), 0, 0)
    assert (state["frames"], state["frames_total"]) == ([], 0)
    assert (state["decision"], state["turn"], state["tally"]) == (None, None, None)
    with pytest.raises(ActionError, match="waiting"):
        moves.play_move(table, guest(), 0, "AS")


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
def test_misleading_names_of_guests_are_refused(handle: str) -> None:
    make.user("magpie")
    with pytest.raises(ActionError) as error:
        new_table(handle=handle)
    assert error.value.field == "handle"


def test_people_with_accounts_have_their_account_names() -> None:
    ada = make.user("ada")
    table = new_table(person=account(ada), handle="Somebody")
    assert table.seats.get(index=0).handle == "ada"


def test_people_may_return_and_the_last_to_leave_ends_the_table() -> None:
    table = new_table(PAIRS, friends=1)
    seats.sit(table, guest("bob"), invitation(table, 1))
    seats.leave(table, guest())
    assert chip_words(table, 1) == "guest in the south has left"
    seats.leave(table, guest("bob"))
    table.refresh_from_db()
    assert table.state == Table.State.ABANDONED
    assert reading.state_for(table, reading.seats_of(table), 0)["decision"] is None
    with pytest.raises(ActionError, match="abandoned"):
        moves.play_move(table, guest(), 0, "AS")
    seats.sit(table, guest("bob"))
    table.refresh_from_db()
    assert (table.state, table.to_act) == (Table.State.PLAYING, 0)


def test_a_move_ends_an_absence() -> None:
    table = new_table(PAIRS, friends=1)
    seats.sit(table, guest("bob"), invitation(table, 1))
    seats.leave(table, guest())
    table.refresh_from_db()
    state = reading.state_for(table, reading.seats_of(table), 0)
    moves.play_move(table, guest(), 0, state["decision"]["moves"][0]["move"])
    assert table.seats.get(index=0).left is None


def test_the_house_takes_open_seats(bots: Bots) -> None:
    table = new_table(PAIRS, friends=2)
    seats.give_seat_to_house(table, 1, guest())
    assert chip_words(table, 0) == "waiting for a friend"
    seats.give_seat_to_house(table, 2, guest())
    assert chip_words(table, 0) == "your turn"
    with pytest.raises(ActionError, match="open seat"):
        seats.give_seat_to_house(table, 3, guest())
    with pytest.raises(ActionError, match="open seat"):
        seats.give_seat_to_house(table, 0, guest())
    with pytest.raises(ActionError, match="have no seat"):
        seats.give_seat_to_house(table, 1, guest("eve"))


def test_the_house_replaces_only_absent_people(bots: Bots) -> None:
    table = new_table(PAIRS, friends=1)
    seats.sit(table, guest("bob"), invitation(table, 1), "Bob")
    note_presence(table, 1)
    with pytest.raises(ActionError, match="Bob is at the table"):
        seats.give_seat_to_house(table, 1, guest())
    seats.leave(table, guest("bob"))
    seats.give_seat_to_house(table, 1, guest())
    seat = table.seats.get(index=1)
    assert (seat.kind, seat.handle, seat.name) == ("bot", "Bob", "House Greedy")
    table.refresh_from_db()
    state = reading.state_for(table, reading.seats_of(table), 0)
    moves.play_move(table, guest(), 0, state["decision"]["moves"][0]["move"])
    assert chip_words(table, 0) == "House Greedy thinks"
    with pytest.raises(ActionError, match="already taken"):
        seats.sit(table, guest("bob"))


def test_a_person_whose_seat_the_house_took_can_be_forgotten() -> None:
    ada = make.user("ada")
    table = new_table(PAIRS, friends=1)
    seats.sit(table, account(ada), invitation(table, 1))
    seats.leave(table, account(ada))
    seats.give_seat_to_house(table, 1, guest())
    forgetting.forget(ada)
    seat = table.seats.get(index=1)
    assert (seat.kind, seat.user, seat.handle) == ("bot", None, FORMER_AUTHOR)


# --- limits ---------------------------------------------------------------------------------------


def test_guests_have_few_tables_and_accounts_more(settings: Any) -> None:
    settings.MAX_TABLES_PER_GUEST, settings.MAX_TABLES_PER_ACCOUNT = 2, 3
    first = new_table()
    new_table()
    with pytest.raises(ActionError, match=r"limit of unfinished tables \(2\)"):
        new_table()
    seats.leave(first, guest())
    new_table()
    user = make.user()
    for _ in range(3):
        new_table(person=account(user))
    with pytest.raises(ActionError, match=r"limit of unfinished tables \(3\)"):
        new_table(person=account(user))
    new_table(person=account(make.user(staff=True)))


def test_tables_of_friends_count_towards_the_limit(settings: Any) -> None:
    settings.MAX_TABLES_PER_GUEST = 1
    new_table(person=guest("bob"))
    table = new_table(PAIRS, friends=1)
    with pytest.raises(ActionError, match=r"limit of unfinished tables \(1\)"):
        seats.sit(table, guest("bob"), invitation(table, 1))


def test_tables_of_an_address_are_limited(settings: Any) -> None:
    settings.MAX_TABLES_PER_ADDRESS = 2
    created = [new_table(person=guest(f"session {n}")) for n in range(2)]
    with pytest.raises(ActionError, match="Guests at your address"):
        new_table(person=guest("another"))
    Table.objects.filter(pk=created[0].pk).update(moved=Now() - reading.IDLE - timedelta(minutes=1))
    new_table(person=guest("another"))
    assert "192.0.2.1" not in str(list(Table.objects.values()))


# --- idle and old tables --------------------------------------------------------------------------


def test_an_idle_table_continues_when_a_person_sits_down() -> None:
    table = new_table()
    Table.objects.update(moved=Now() - timedelta(minutes=31))
    version = table.version
    seats.sit(table, guest())
    assert chip_words(table, 0) == "your turn"
    assert table.version > version, "pages would not notice"
    seats.sit(table, guest())
    version = table.version
    table.refresh_from_db()
    assert table.version == version, "only a resting table changes"


def test_an_idle_table_continues_with_a_move(bots: Bots) -> None:
    table = new_table()
    Table.objects.update(moved=Now() - timedelta(minutes=31))
    assert chip_words(table, 0) == "resting"
    state = reading.state_for(table, reading.seats_of(table), 0)
    moves.play_move(table, guest(), 0, state["decision"]["moves"][0]["move"])
    assert play_bots() == 1
    assert chip_words(table, 0) == "your turn"


def test_old_tables_are_deleted_with_their_moves(settings: Any) -> None:
    days = {"resting": 8, "kept": 6, "over": 89, "long over": 91}
    for name, age in days.items():
        table = new_table(person=guest(name))
        TableMove.objects.create(table=table, n=0, seat=0, move=name)
        state = Table.State.FINISHED if "over" in name else Table.State.PLAYING
        Table.objects.filter(pk=table.pk).update(moved=Now() - timedelta(days=age), state=state)
    assert tables.delete_old_tables() == 2
    assert set(TableMove.objects.values_list("move", flat=True)) == {"kept", "over"}

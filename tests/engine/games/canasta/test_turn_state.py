"""The state of a turn, step by step (CAN-87)."""

from typing import Any

from engine import Format
from engine.games.canasta.card_kinds import BLACK, KINDS, RED, SYMBOLS, TWO, UNKNOWN
from engine.games.canasta.turn_state import TurnState

KING, NINE = SYMBOLS.index("K"), SYMBOLS.index("9")


def stand_of(hand: str, options: str = "", **melds: Any) -> TurnState:
    n = [0] * (KINDS + 1)
    for symbol in hand:
        n[SYMBOLS.index(symbol)] += 1
    shapes = [melds.get(symbol, ()) for symbol in SYMBOLS]
    rules = Format.parse(f"canasta/classic/2v2{options}").rules
    return TurnState(rules, n, shapes, 50)


def test_a_first_meld_counts_until_the_pile_comes_to_hand() -> None:
    # CAN-34, CAN-35
    turn = stand_of("KK99X")
    turn.pending = [BLACK, NINE]
    turn.lay(KING, 1, (KING, KING), KING)
    assert (turn.counted, turn.need, turn.size, turn.pending) == (30, 20, 3, [BLACK, NINE])
    assert turn.meld_counts[KING] == ((3, 0),)
    turn.lay(NINE, 1, (NINE, NINE, SYMBOLS.index("X")))
    assert (turn.counted, turn.need, turn.size, turn.pending) == (100, 0, 2, [])
    assert (turn.counts[BLACK], turn.counts[NINE], turn.melded) == (1, 1, True)
    assert turn.meld_counts[NINE] == ((2, 1),)


def test_the_top_card_counts_only_with_topcounts() -> None:
    # CAN-34
    turn = stand_of("KKX", "?topcounts=false")
    turn.lay(KING, 1, (KING, KING), KING)
    assert turn.counted == 20


def test_a_meld_grows_and_a_copy_does_not() -> None:
    # CAN-44, CAN-87
    turn = stand_of("KK2", "?tworank=true", K=((3, 0), (5, 1)))
    turn.had_meld = True
    copy = turn.copy()
    turn.lay(KING, 2, (TWO,))
    turn.lay(KING, 2, (KING,))
    assert (turn.meld_counts[KING], turn.canastas) == (((3, 0), (6, 2)), 1)
    assert (turn.size, turn.counted, turn.committed) == (1, 0, False)
    assert (copy.meld_counts[KING], copy.canastas, copy.size) == (((3, 0), (5, 1)), 0, 3)
    assert copy.counts[KING] == 2
    assert all(hasattr(copy, name) for name in TurnState.__slots__)


def test_black_threes_commit_the_seat() -> None:
    # CAN-40
    turn = stand_of("3339")
    turn.lay(BLACK, 1, (BLACK, BLACK, BLACK))
    assert turn.committed
    assert (turn.size, turn.counted) == (1, 15)


def test_a_red_three_leaves_the_hand() -> None:
    # CAN-24, CAN-91
    turn = stand_of("RR9")
    turn.table(1)
    assert (turn.size, turn.counts[RED], turn.counts[UNKNOWN]) == (3, 1, 1)
    turn.table(0)
    assert (turn.size, turn.counts[RED], turn.counts[UNKNOWN]) == (2, 0, 1)

"""Where a seat stands, step by step (CAN-87)."""

from typing import Any

from engine import Format
from engine.games.canasta.kinds import BLACK, KINDS, RED, SYMBOLS, TWO, UNKNOWN
from engine.games.canasta.stand import Stand

KING, NINE = SYMBOLS.index("K"), SYMBOLS.index("9")


def stand_of(hand: str, options: str = "", **melds: Any) -> Stand:
    n = [0] * (KINDS + 1)
    for symbol in hand:
        n[SYMBOLS.index(symbol)] += 1
    shapes = [melds.get(symbol, ()) for symbol in SYMBOLS]
    rules = Format.parse(f"canasta/classic/2v2{options}").rules
    return Stand(rules, n, shapes, 50)


def test_a_first_meld_counts_until_the_pile_comes_to_hand() -> None:
    # CAN-34, CAN-35
    stand = stand_of("KK99X")
    stand.pending = [BLACK, NINE]
    stand.lay(KING, 1, (KING, KING), KING)
    assert (stand.counted, stand.need, stand.size, stand.pending) == (30, 20, 3, [BLACK, NINE])
    assert stand.shapes[KING] == ((3, 0),)
    stand.lay(NINE, 1, (NINE, NINE, SYMBOLS.index("X")))
    assert (stand.counted, stand.need, stand.size, stand.pending) == (100, 0, 2, [])
    assert (stand.n[BLACK], stand.n[NINE], stand.melded) == (1, 1, True)
    assert stand.shapes[NINE] == ((2, 1),)


def test_the_top_card_counts_only_with_topcounts() -> None:
    # CAN-34
    stand = stand_of("KKX", "?topcounts=false")
    stand.lay(KING, 1, (KING, KING), KING)
    assert stand.counted == 20


def test_a_meld_grows_and_a_copy_does_not() -> None:
    # CAN-44, CAN-87
    stand = stand_of("KK2", "?tworank=true", K=((3, 0), (5, 1)))
    stand.had = True
    copy = stand.copy()
    stand.lay(KING, 2, (TWO,))
    stand.lay(KING, 2, (KING,))
    assert (stand.shapes[KING], stand.canastas) == (((3, 0), (6, 2)), 1)
    assert (stand.size, stand.counted, stand.committed) == (1, 0, False)
    assert (copy.shapes[KING], copy.canastas, copy.size) == (((3, 0), (5, 1)), 0, 3)
    assert copy.n[KING] == 2
    assert all(hasattr(copy, name) for name in Stand.__slots__)


def test_black_threes_commit_the_seat() -> None:
    # CAN-40
    stand = stand_of("3339")
    stand.lay(BLACK, 1, (BLACK, BLACK, BLACK))
    assert stand.committed
    assert (stand.size, stand.counted) == (1, 15)


def test_a_red_three_leaves_the_hand() -> None:
    # CAN-24, CAN-91
    stand = stand_of("RR9")
    stand.table(1)
    assert (stand.size, stand.n[RED], stand.n[UNKNOWN]) == (3, 1, 1)
    stand.table(0)
    assert (stand.size, stand.n[RED], stand.n[UNKNOWN]) == (2, 0, 1)

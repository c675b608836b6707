"""Compares random playouts of one format in C with the engine's.

    python -m tests.benchmarks.native [deals]

`cassino_playouts.c` has the rules of a deal of `cassino/standard/1v1`, without moves as text,
views, events, options and scores. First both play the same decks with the same choice of moves, and
must get the same number of moves at every decision, the same piles and the same sweeps. Decision
0020 has the result.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from engine import Match
from engine.fishing import CAPTURE, TRAIL, card_of, kind_of, number_of, target_of
from tests.benchmarks.playouts import compile_engine, compiled, playouts

FORMAT = "cassino/standard/1v1"
SOURCE = Path(__file__).with_name("cassino_playouts.c")
CARDS = 52
_WORD = (1 << 64) - 1


def library() -> ctypes.CDLL:
    """The C program, compiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "playouts.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", path, SOURCE], check=True)
        return ctypes.CDLL(str(path))


def engine_deal(number: int) -> Any:
    """A new deal of Cassino."""
    return Match(FORMAT, seed=str(number)).sketch()._deal


def follow(deal: Any) -> tuple[list[int], list[int], list[int]] | None:
    """Play a deal like `follow` in C; return counts of moves, piles and sweeps.

    None: the engine truncated a list of moves.
    """
    counts = []
    while deal.to_act >= 0:
        codes = deal.coded()
        if deal.truncated:
            return None
        counts.append(len(codes))
        deal.make_move(min(codes, key=lambda code: _key(deal.table, code)), "")
    return counts, deal.captured, [deal.cleared.count(side) for side in (0, 1)]


def _key(table: list[Any], code: int) -> int:
    """The key of a move, which does not depend on the order of moves and items."""
    kind, what, last = kind_of(code), target_of(code), len(table) - 1
    cards = 0
    if kind == CAPTURE:
        cards = sum(item.mask for at, item in enumerate(table) if what >> (last - at) & 1)
    elif kind != TRAIL:
        cards = table[what].mask
    return _mix(_mix(cards) ^ (card_of(code) + 64 * (kind + 4 * number_of(code))))


def _mix(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & _WORD
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _WORD
    return x ^ x >> 31


def follow_in_c(program: ctypes.CDLL, deck: list[int]) -> tuple[list[int], list[int], list[int]]:
    """The same with the C program."""
    counts, piles, sweeps = (ctypes.c_int16 * 48)(), (ctypes.c_uint64 * 2)(), (ctypes.c_int8 * 2)()
    program.follow((ctypes.c_int8 * CARDS)(*deck), counts, piles, sweeps)
    return list(counts), list(piles), list(sweeps)


def compare(program: ctypes.CDLL, deals: int) -> int:
    """Play deals with both; return the number of compared deals. Raises AssertionError."""
    count = 0
    for number in range(deals):
        deal = engine_deal(number)
        deck = list(deal.stock)
        if ours := follow(deal):
            assert ours == follow_in_c(program, deck), f"deal {number} differs"
            count += 1
    return count


def speed_of_c(program: ctypes.CDLL, deals: int) -> float:
    """Decisions per second of processor time."""
    decks = [card for number in range(deals) for card in engine_deal(number).stock]
    program.playouts.restype = ctypes.c_long
    array = (ctypes.c_int8 * len(decks))(*decks)
    start = process_time()
    decisions = program.playouts(array, deals, ctypes.c_uint64(1))
    return float(decisions) / (process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("deals", type=int, nargs="?", default=2_000)
    deals = parser.parse_args().deals
    program = library()
    print(f"{compare(program, deals):,} of {deals:,} deals are equal in both, move by move.")
    rates = {"interpreted": playouts(FORMAT, Random(1), 2.0, own=False)}
    if compile_engine():
        rates["compiled"] = compiled("playouts", FORMAT, 2.0)
    rates["C"] = speed_of_c(program, deals)
    for name, rate in rates.items():
        print(f"{name}: {rate:,.0f} decisions a second, {rates['C'] / rate:.1f} × less than C")


if __name__ == "__main__":
    main()

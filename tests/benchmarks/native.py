"""What another language would gain: random playouts of one format in C against the engine's.

    python -m tests.benchmarks.native [deals]

`cassino_playouts.c` has the rules of a deal of `cassino/standard/1v1`, without moves as text,
views, events, options and scores. First both play the same decks by the same rule, and must have
the same number of moves at every decision, the same piles and sweeps. Decision 0020 has the
result.
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
    """A deal of Cassino that nobody has played."""
    return Match(FORMAT, seed=str(number)).sketch()._deal


def followed(deal: Any) -> tuple[list[int], list[int], list[int]] | None:
    """Play a deal by the rule of `follow`: counts of moves, piles, sweeps. None: a list was cut."""
    counts = []
    while deal.to_act >= 0:
        codes = deal.coded()
        if deal.truncated:
            return None
        counts.append(len(codes))
        deal.make(min(codes, key=lambda code: _key(deal.table, code)), "")
    return counts, deal.captured, [deal.cleared.count(side) for side in (0, 1)]


def _key(table: list[Any], code: int) -> int:
    """The key of a move, which does not depend on the order of moves and items."""
    kind, what, last = kind_of(code), target_of(code), len(table) - 1
    cards = 0
    if kind == CAPTURE:
        cards = sum(item.mask for at, item in enumerate(table) if what >> (last - at) & 1)
    elif kind != TRAIL:
        cards = table[what].mask
    return _mixed(_mixed(cards) ^ (card_of(code) + 64 * (kind + 4 * number_of(code))))


def _mixed(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & _WORD
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _WORD
    return x ^ x >> 31


def followed_in_c(program: ctypes.CDLL, deck: list[int]) -> tuple[list[int], list[int], list[int]]:
    """The same by the C program."""
    counts, piles, sweeps = (ctypes.c_int16 * 48)(), (ctypes.c_uint64 * 2)(), (ctypes.c_int8 * 2)()
    program.follow((ctypes.c_int8 * CARDS)(*deck), counts, piles, sweeps)
    return list(counts), list(piles), list(sweeps)


def compare(program: ctypes.CDLL, deals: int) -> int:
    """Play deals by both; the number of those that could be compared. AssertionError: differs."""
    compared = 0
    for number in range(deals):
        deal = engine_deal(number)
        deck = list(deal.stock)
        if ours := followed(deal):
            assert ours == followed_in_c(program, deck), f"deal {number} differs"
            compared += 1
    return compared


def speed_of_c(program: ctypes.CDLL, deals: int) -> float:
    """Decisions in a second of processor time."""
    decks = [card for number in range(deals) for card in engine_deal(number).stock]
    program.playouts.restype = ctypes.c_long
    array = (ctypes.c_int8 * len(decks))(*decks)
    began = process_time()
    decisions = program.playouts(array, deals, ctypes.c_uint64(1))
    return float(decisions) / (process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("deals", type=int, nargs="?", default=2_000)
    deals = parser.parse_args().deals
    program = library()
    print(f"{compare(program, deals):,} of {deals:,} deals are alike in both, move by move.")
    ways = {"interpreted": playouts(FORMAT, Random(1), 2.0, own=False)}
    if compile_engine():
        ways["compiled"] = compiled("playouts", FORMAT, 2.0)
    ways["C"] = speed_of_c(program, deals)
    for way, rate in ways.items():
        print(f"{way}: {rate:,.0f} decisions a second, {ways['C'] / rate:.1f} × less than C")


if __name__ == "__main__":
    main()

"""Numbers of move sequences: a change of rules cannot pass unseen.

Each line: format, seed, moves played first (always the middle one of the list), and the numbers of
sequences of one move, two, three … from there.
"""

from typing import Any

import pytest

from engine import Match
from engine.games.canasta import GAME

COUNTS: list[tuple[str, str, int, list[int]]] = [
    ("classic/2v2", "perft", 0, [1, 8, 10, 102]),
    ("classic/2v2", "perft", 41, [16, 105, 477]),
    ("classic/2v2", "more", 97, [2, 37, 348, 3265]),
    ("classic/3v2-rest", "perft", 0, [1, 8, 10, 102]),
    ("classic/3v2-rest", "perft", 41, [16, 105, 477]),
    ("classic/3v2-rest", "more", 97, [2, 37, 348, 3265]),
    ("classic/3v3-rest", "perft", 0, [1, 8, 10, 102]),
    ("classic/3v3-rest", "perft", 41, [16, 105, 477]),
    ("classic/3v3-rest", "more", 97, [2, 37, 348, 3265]),
    ("classic/1v1", "perft", 0, [1, 11, 14, 244]),
    ("classic/1v1", "perft", 41, [1, 17, 92, 828]),
    ("classic/1v1", "more", 97, [16, 106, 687]),
    ("classic/ffa3", "perft", 0, [2, 24, 155, 851]),
    ("classic/ffa3", "perft", 41, [1, 12, 16, 174]),
    ("classic/ffa3", "more", 97, [2, 34, 276, 2002]),
    ("classic/1v2", "perft", 0, [2, 25, 159, 898]),
    ("classic/1v2", "perft", 41, [21, 199, 1348]),
    ("classic/1v2", "more", 97, [6, 15, 57, 169]),
    ("classic/3v3", "perft", 0, [1, 14, 46, 127]),
    ("classic/3v3", "perft", 41, [2, 19, 58, 276]),
    ("classic/3v3", "more", 97, [1, 14, 55, 293]),
    ("classic/2v2v2", "perft", 0, [1, 14, 46, 127]),
    ("classic/2v2v2", "perft", 41, [9, 11, 153, 952]),
    ("classic/2v2v2", "more", 97, [2, 26, 104, 290]),
    ("pre-1951/2v2", "perft", 0, [1, 8, 10, 102]),
    ("pre-1951/2v2", "perft", 41, [16, 105, 477]),
    ("pre-1951/2v2", "more", 97, [1, 4, 7, 26]),
    ("pre-1951/3v2-rest", "perft", 0, [1, 8, 10, 102]),
    ("pre-1951/3v2-rest", "perft", 41, [16, 105, 477]),
    ("pre-1951/3v2-rest", "more", 97, [1, 4, 7, 26]),
    ("pre-1951/3v3-rest", "perft", 0, [1, 8, 10, 102]),
    ("pre-1951/3v3-rest", "perft", 41, [16, 105, 477]),
    ("pre-1951/3v3-rest", "more", 97, [1, 4, 7, 26]),
    ("pre-1951/1v1", "perft", 0, [1, 11, 14, 244]),
    ("pre-1951/1v1", "perft", 41, [1, 17, 95, 885]),
    ("pre-1951/1v1", "more", 97, [6, 18, 187, 1841]),
    ("pre-1951/ffa3", "perft", 0, [2, 24, 155, 851]),
    ("pre-1951/ffa3", "perft", 41, [1, 12, 18, 188]),
    ("pre-1951/ffa3", "more", 97, [16, 110, 773]),
    ("pre-1951/1v2", "perft", 0, [2, 25, 159, 898]),
    ("pre-1951/1v2", "perft", 41, [3, 40, 232, 1361]),
    ("pre-1951/1v2", "more", 97, [1, 9, 35, 186]),
    ("pre-1951/3v3", "perft", 0, [1, 14, 46, 127]),
    ("pre-1951/3v3", "perft", 41, [11, 41, 227, 1063]),
    ("pre-1951/3v3", "more", 97, [9, 30, 118, 319]),
    ("pre-1951/2v2v2", "perft", 0, [1, 14, 46, 127]),
    ("pre-1951/2v2v2", "perft", 41, [1, 14, 54, 231]),
    ("pre-1951/2v2v2", "more", 97, [1, 8, 15, 106]),
    ("english/2v2", "perft", 0, [1, 8, 10, 102]),
    ("english/2v2", "perft", 41, [16, 105, 477]),
    ("english/2v2", "more", 97, [2, 37, 348, 3265]),
    ("english/3v2-rest", "perft", 0, [1, 8, 10, 102]),
    ("english/3v2-rest", "perft", 41, [16, 105, 477]),
    ("english/3v2-rest", "more", 97, [2, 37, 348, 3265]),
    ("english/3v3-rest", "perft", 0, [1, 8, 10, 102]),
    ("english/3v3-rest", "perft", 41, [16, 105, 477]),
    ("english/3v3-rest", "more", 97, [2, 37, 348, 3265]),
    ("english/1v1", "perft", 0, [1, 11, 14, 244]),
    ("english/1v1", "perft", 41, [1, 17, 92, 828]),
    ("english/1v1", "more", 97, [16, 106, 687]),
    ("english/ffa3", "perft", 0, [2, 24, 155, 851]),
    ("english/ffa3", "perft", 41, [1, 12, 16, 174]),
    ("english/ffa3", "more", 97, [28, 392, 4358]),
    ("english/1v2", "perft", 0, [2, 25, 159, 898]),
    ("english/1v2", "perft", 41, [21, 199, 1348]),
    ("english/1v2", "more", 97, [11, 56, 301, 1367]),
    ("english/3v3", "perft", 0, [1, 14, 46, 127]),
    ("english/3v3", "perft", 41, [2, 19, 58, 276]),
    ("english/3v3", "more", 97, [18, 150, 999]),
    ("english/2v2v2", "perft", 0, [1, 14, 46, 127]),
    ("english/2v2v2", "perft", 41, [9, 11, 153, 952]),
    ("english/2v2v2", "more", 97, [1, 8, 14, 77]),
    ("us-official/2v2", "perft", 0, [1, 8, 10, 102]),
    ("us-official/2v2", "perft", 41, [16, 105, 477]),
    ("us-official/2v2", "more", 97, [2, 37, 348, 3265]),
    ("us-official/3v2-rest", "perft", 0, [1, 8, 10, 102]),
    ("us-official/3v2-rest", "perft", 41, [16, 105, 477]),
    ("us-official/3v2-rest", "more", 97, [2, 37, 348, 3265]),
    ("us-official/3v3-rest", "perft", 0, [1, 8, 10, 102]),
    ("us-official/3v3-rest", "perft", 41, [16, 105, 477]),
    ("us-official/3v3-rest", "more", 97, [2, 37, 348, 3265]),
    ("us-official/1v1", "perft", 0, [1, 11, 14, 244]),
    ("us-official/1v1", "perft", 41, [1, 17, 92, 828]),
    ("us-official/1v1", "more", 97, [16, 106, 687]),
    ("us-official/ffa3", "perft", 0, [2, 24, 155, 851]),
    ("us-official/ffa3", "perft", 41, [1, 12, 16, 174]),
    ("us-official/ffa3", "more", 97, [2, 34, 276, 2002]),
    ("us-official/1v2", "perft", 0, [2, 25, 159, 898]),
    ("us-official/1v2", "perft", 41, [21, 199, 1348]),
    ("us-official/1v2", "more", 97, [6, 15, 57, 169]),
    ("us-official/3v3", "perft", 0, [1, 14, 46, 127]),
    ("us-official/3v3", "perft", 41, [2, 19, 58, 276]),
    ("us-official/3v3", "more", 97, [1, 14, 55, 293]),
    ("us-official/2v2v2", "perft", 0, [1, 14, 46, 127]),
    ("us-official/2v2v2", "perft", 41, [9, 11, 153, 952]),
    ("us-official/2v2v2", "more", 97, [2, 26, 104, 290]),
    ("draw-two/1v1", "perft", 0, [1, 12, 16, 272]),
    ("draw-two/1v1", "perft", 41, [1, 13, 62, 358]),
    ("draw-two/1v1", "more", 97, [2, 53, 718]),
    ("windows-2.5/1v1", "perft", 0, [1, 11, 14, 244]),
    ("windows-2.5/1v1", "perft", 41, [10, 33, 206, 1647]),
    ("windows-2.5/1v1", "more", 97, [16, 106, 687]),
    ("as-four/3v3", "perft", 0, [2, 12, 26, 108]),
    ("as-four/3v3", "perft", 41, [6, 13, 26, 52]),
    ("as-four/3v3", "more", 97, [1, 9, 10, 92]),
    ("as-four/2v2v2", "perft", 0, [2, 12, 26, 108]),
    ("as-four/2v2v2", "perft", 41, [1, 10, 17, 168]),
    ("as-four/2v2v2", "more", 97, [9, 10, 103, 267]),
    ("classic/2v2?direction=ccw", "perft", 0, [1, 8, 10, 102]),
    ("classic/2v2?direction=ccw", "perft", 41, [16, 105, 477]),
    ("classic/2v2?direction=ccw", "more", 97, [2, 37, 348, 3265]),
    ("classic/2v2?red3discard=true", "perft", 0, [1, 10, 18, 129]),
    ("classic/2v2?red3discard=true", "perft", 41, [16, 149, 1062]),
    ("classic/2v2?red3discard=true", "more", 97, [2, 22, 88, 363]),
    ("classic/2v2?startfrozen=false&tworank=true", "perft", 0, [1, 8, 15, 138]),
    ("classic/2v2?startfrozen=false&tworank=true", "perft", 41, [16, 105, 477]),
    ("classic/2v2?startfrozen=false&tworank=true", "more", 97, [1, 4, 7, 26]),
    ("classic/1v1?canastas=2&last3=meld", "perft", 0, [1, 11, 14, 244]),
    ("classic/1v1?canastas=2&last3=meld", "perft", 41, [1, 17, 92, 828]),
    ("classic/1v1?canastas=2&last3=meld", "more", 97, [16, 106, 687]),
]


def count(match: Match, depth: int) -> int:
    """Sequences of `depth` moves, those that end the match before included."""
    listed = match.legal_moves()
    if depth <= 1 or not listed:
        return len(listed)
    total = 0
    for move in listed:
        after = match.copy()
        after.play(move)
        total += count(after, depth - 1)
    return total


def played(text: str, seed: str, moves: int) -> Match:
    match = Match(f"canasta/{text}", seed=seed)
    for _ in range(moves):
        if match.turn is None:
            break
        listed = match.legal_moves()
        match.play(listed[len(listed) // 2])
    return match


@pytest.mark.parametrize(("text", "seed", "moves", "counts"), COUNTS)
def test_counts(text: Any, seed: Any, moves: Any, counts: Any) -> None:
    match = played(text, seed, moves)
    assert [count(match, depth) for depth in range(1, len(counts) + 1)] == counts


def test_every_format_is_counted() -> None:
    formats = {f"{variant.name}/{table}" for variant in GAME.variants for table in variant.tables}
    assert {text.partition("?")[0] for text, *_ in COUNTS} == formats

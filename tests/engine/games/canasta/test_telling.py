"""Sentences of the log (CAN-97)."""

import re
from random import Random

from engine import Match
from engine.games.canasta import GAME


def test_every_event_has_a_sentence_with_a_clause() -> None:
    # CAN-97
    kinds: set[str] = set()
    for table in ("2v2", "1v2", "1v1?red3discard=true", "3v3"):
        match = Match(f"canasta/classic/{table}{'&' if '?' in table else '?'}deals=3", seed="told")
        rng = Random(7)
        while match.turn is not None:
            legal = match.legal_moves()
            takes = [move for move in legal if move[:4] == "take" or move[1:2] == ":"]
            match.play(rng.choice(takes or legal))
        for event in match.logged_since(0):
            telling = GAME.tell(match.format, event)
            assert re.fullmatch(r"[A-Z].*[.?]", telling.sentence), event
            assert re.fullmatch(r"CAN-\d+", telling.clause), event
            kinds.add(event[0])
    assert kinds >= {
        *("deal", "upcard", "red3", "draw", "take", "pile", "sides", "meld", "canasta"),
        *("discard", "end", "score", "match"),
    }


def test_sentences() -> None:
    # CAN-49, CAN-56, CAN-71
    fmt = Match("canasta/classic/2v2", seed="x").format
    sentences = [
        GAME.tell(fmt, event).sentence
        for event in (
            ("take", {"seat": 1, "top": "7D", "with": ["7C", "2S"], "size": 4, "rank": "7",
                      "number": 1}, None),
            ("ask", {"seat": 0, "to": 2}, None),
            ("answer", {"seat": 2, "yes": False}, None),
            ("out", {"seat": 0, "concealed": True}, None),
            ("pass", {"seat": 3}, None),
            ("draw", {"seat": 0, "count": 1}, None),
            ("match", {"scores": [1, 1], "draw": [0, 1], "settlement": [0, 0],
                       "reason": "target"}, None),
        )
    ]  # fmt: skip
    assert sentences == [
        "West takes the pile of 4 cards: the seven of diamonds with the seven of clubs and "
        "the two of spades.",
        "South asks North: may I go out?",
        "North says no.",
        "South goes out concealed.",
        "East passes.",
        "South draws one card.",
        "The target is reached: a draw between South and North and West and East.",
    ]

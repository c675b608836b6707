"""Counting sequences of moves, so that a change of the rules cannot pass unseen."""

from __future__ import annotations

from engine import Match


def count(match: Match, depth: int) -> int:
    """Sequences of `depth` moves, those that end the match before included."""
    listed = match.legal_moves()
    if depth == 1 or not listed:
        return len(listed)
    total = 0
    for move in listed:
        after = match.copy()
        after.play(move)
        total += count(after, depth - 1)
    return total


def started(text: str, seed: str, moves: int) -> Match:
    """A match so many moves on, each the move in the middle of the list."""
    match = Match(text, seed=seed)
    for _ in range(moves):
        if match.turn is None:
            break
        listed = match.legal_moves()
        match.play(listed[len(listed) // 2])
    return match

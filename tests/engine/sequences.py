"""Counting sequences of moves, so that tests notice any change of the rules."""

from __future__ import annotations

from engine import Match


def count(match: Match, depth: int) -> int:
    """The number of sequences of `depth` moves, including shorter ones that end the match."""
    legal = match.legal_moves()
    if depth == 1 or not legal:
        return len(legal)
    total = 0
    for move in legal:
        next_position = match.copy()
        next_position.play(move)
        total += count(next_position, depth - 1)
    return total


def advanced_match(text: str, seed: str, moves: int) -> Match:
    """A match after a number of moves, each from the middle of the list."""
    match = Match(text, seed=seed)
    for _ in range(moves):
        if match.turn is None:
            break
        legal = match.legal_moves()
        match.play(legal[len(legal) // 2])
    return match

"""What the engine says in random matches, as a hash for each: run interpreted and compiled.

`python -m tests.engine.agreement compiled 3 60` prints a line for each of three matches of every
format, of at most 60 moves: format, seed, moves and hash. The first argument is the engine that
must be running.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from random import Random

from engine import Format, IllegalMove, Match, Record, all_formats, match, rules
from engine.frames import opening_frames, play_with_frames
from engine.move_options import decide

INTERVAL = 11
"""Expensive outputs are hashed only at every position of this interval."""


def main() -> None:
    kind, matches, longest = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    runs = "interpreted" if str(match.__file__).endswith(".py") else "compiled"
    if runs != kind:
        sys.exit(f"The engine that runs is {runs}: {match.__file__}")
    for game, edition in rules.editions().items():
        print(game, edition)
    for fmt in all_formats():
        for number in range(matches):
            print(fmt, number, *match_hash(fmt, number, longest))


def match_hash(fmt: Format, number: int, longest: int) -> tuple[int, str]:
    """Moves and hash of one match: every list, view, event and frame, and its record."""
    rng, digest = Random(f"{fmt} {number}"), sha256()
    match = Match(fmt, seed=f"agreement {number}")
    seats = [None, *range(fmt.seats)]
    follower = match.copy()
    outputs: list[object] = [opening_frames(follower, seats)]
    while match.turn is not None and len(match.moves) < longest:
        since, legal = match.logged, match.legal_moves()
        outputs += [legal, match.codes(), match.truncated, match.scores, *_refusals(match)]
        if len(match.moves) % INTERVAL == 0:
            outputs += _search_outputs(match, rng)
        move = rng.choice(legal)
        match.play(move)
        outputs.append([match.view(seat) for seat in seats])
        outputs.append([match.events(seat, since) for seat in seats])
        outputs.append(play_with_frames(follower, move, seats))
        digest.update(json.dumps(outputs).encode())
        outputs.clear()
    record = Record.of(match)
    record.verify()
    outputs += [record.dumps(), list(record.frames()), match.result, match.deals]
    digest.update(json.dumps(outputs).encode())
    return len(match.moves), digest.hexdigest()[:16]


def _refusals(match: Match) -> Iterator[str]:
    """The errors of moves that cannot be played."""
    for move in ("nonsense", match.moves[-1] if match.moves else ""):
        try:
            match.check(move)
            yield ""
        except IllegalMove as error:
            yield str(error)


def _search_outputs(match: Match, rng: Random) -> Iterator[object]:
    """Guesses from a view, playouts, and move options."""
    turn = match.turn or 0
    view = match.view(turn)
    guess = Match.from_view(json.loads(json.dumps(view)), rng)
    yield guess.view(None)
    yield guess.legal_moves()
    for policy in (None, "own"):
        sketch = match.sketch()
        yield sketch.playout(rng, policy)
        yield sketch.view(None)
    yield decide(match, turn).as_dict()


if __name__ == "__main__":
    main()

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

EVERY = 11
"""At each so-manieth position what costs more is asked, too."""


def main() -> None:
    kind, matches, longest = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    runs = "interpreted" if str(match.__file__).endswith(".py") else "compiled"
    if runs != kind:
        sys.exit(f"The engine that runs is {runs}: {match.__file__}")
    for game, edition in rules.editions().items():
        print(game, edition)
    for fmt in all_formats():
        for number in range(matches):
            print(fmt, number, *said(fmt, number, longest))


def said(fmt: Format, number: int, longest: int) -> tuple[int, str]:
    """Moves and hash of one match: every list, view, event and frame, and its record."""
    rng, found = Random(f"{fmt} {number}"), sha256()
    played = Match(fmt, seed=f"agreement {number}")
    seats = [None, *range(fmt.seats)]
    follower = played.copy()
    told: list[object] = [opening_frames(follower, seats)]
    while played.turn is not None and len(played.moves) < longest:
        since, legal = played.logged, played.legal_moves()
        told += [legal, played.codes(), played.truncated, played.scores, *_refusals(played)]
        if len(played.moves) % EVERY == 0:
            told += _aside(played, rng)
        move = rng.choice(legal)
        played.play(move)
        told.append([played.view(seat) for seat in seats])
        told.append([played.events(seat, since) for seat in seats])
        told.append(play_with_frames(follower, move, seats))
        found.update(json.dumps(told).encode())
        told.clear()
    record = Record.of(played)
    record.verify()
    told += [record.dumps(), list(record.frames()), played.result, played.deals]
    found.update(json.dumps(told).encode())
    return len(played.moves), found.hexdigest()[:16]


def _refusals(played: Match) -> Iterator[str]:
    """What is said of moves that cannot be played."""
    for move in ("nonsense", played.moves[-1] if played.moves else ""):
        try:
            played.check(move)
            yield ""
        except IllegalMove as error:
            yield str(error)


def _aside(played: Match, rng: Random) -> Iterator[object]:
    """Guesses from a view, playouts, and what people can pick."""
    turn = played.turn or 0
    view = played.view(turn)
    guess = Match.from_view(json.loads(json.dumps(view)), rng)
    yield guess.view(None)
    yield guess.legal_moves()
    for policy in (None, "own"):
        sketch = played.sketch()
        yield sketch.playout(rng, policy)
        yield sketch.view(None)
    yield decide(played, turn).as_dict()


if __name__ == "__main__":
    main()

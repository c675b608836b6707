"""Fits of fixed ladders, kept in `pinned.json`: a change of the arithmetic may not move a rating.

`python -m tests.tournaments.ratings.pinned` writes the file anew, which only a change of the model
or of numpy's random numbers excuses.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from tests.tournaments.ratings.ladders import LADDERS
from tests.tournaments.ratings.simulate import Ladder, Played, play
from tournaments.ratings import result_arrays
from tournaments.ratings.blocks import Block
from tournaments.ratings.fit import Fit, fit
from tournaments.ratings.result_arrays import RatingTable

FILE = Path(__file__).with_name("pinned.json")

SEED = 11

MIXED = {
    "1v1": Ladder(40, 2, 2, rotated=True, effects=20.0),
    "ffa4": Ladder(40, 4, 1, rotated=True, luck=100.0, ties=0.1),
    "2v2": Ladder(40, 2, 2, rotated=True, seats=(2, 2), partners="rotating", bonds=30.0),
    "3v2-rest": Ladder(40, 2, 2, rotated=True, seats=(3, 2), partners="rotating", bonds=30.0),
}
"""A pool of four table forms with about 1,500 teams, most with one or two matches."""

FEW_TEAMS = 300
"""The number of teams with their own parameter in the second fit of that pool."""


def pinned() -> dict[str, Any]:
    """The content of the file: draw, dispersion, ratings and deviations of each ladder."""
    entries = {}
    for name, ladder in LADDERS.items():
        played = play(ladder, SEED)
        entries[name] = _entry([played], fit(played.table(ladder.entrants)))
    parts = {name: play(ladder, SEED) for name, ladder in MIXED.items()}
    entries["mixed"] = _entry(list(parts.values()), fit(mixed(parts)), teams=60)
    with mock.patch.object(result_arrays, "MAX_TEAMS", FEW_TEAMS):
        entries["mixed, few teams"] = _entry(list(parts.values()), fit(mixed(parts)), teams=60)
    return entries


def mixed(parts: dict[str, Played]) -> RatingTable:
    """One pool of several table forms."""
    blocks = [
        Block.from_arrays(40, played.sides, played.ranks, played.groups + number * 10**6, name)
        for number, (name, played) in enumerate(parts.items())
    ]
    return RatingTable.from_blocks(range(40), blocks)


def _entry(pool: list[Played], fitted: Fit, teams: int | None = None) -> dict[str, Any]:
    """The entry of one fit; `teams`: the number of teams, spread over all."""
    best_last = sorted(fitted.teams, key=lambda team: team.members)
    step = max(1, len(best_last) // (teams or 400))
    return {
        "draw": zlib.crc32(b"".join(np.ascontiguousarray(part.ranks).tobytes() for part in pool)),
        "dispersion": round(fitted.dispersion, 5),
        "ratings": [
            _interval(fitted.ratings[e].rating, fitted.ratings[e].high) for e in fitted.entrants
        ],
        "teams": [_interval(team.rating, team.high) for team in best_last[::step]],
        "effects": [_interval(effect.points, effect.high) for effect in fitted.effects],
    }


def _interval(value: float, high: float | None) -> list[float]:
    """Elo points, and the distance to the interval's upper end; 0 if it is open."""
    return [round(value, 3), 0.0 if high is None else round(high - value, 3)]


def main() -> None:
    lines = (f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in pinned().items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

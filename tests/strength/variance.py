"""`python -m tests.strength.variance`: how much noise deal groups and the cards' luck take away.

For each format two players play deal groups. Printed is how many single matches with cards of
their own say as much as one match does (a) in a deal group, (b) alone, with the luck of its cards
taken out (`engine.search.luck`): the ratio of the variances of how far a player is ahead. The share
of the luck that is taken out is fitted on one half of the groups and used on the other.
`--write` keeps the figures where the site shows them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from random import Random
from statistics import covariance, fmean, variance

from engine import Format, Record
from engine.search.luck import card_luck
from tests.strength.games import Table, lead
from tournaments.deal_groups import rotations
from tournaments.standings.noise import FILE, Noise

PLAYERS = {
    "cassino/standard/1v1?deals=1": ("house:cassino", "house:greedy"),
    "cassino/standard/2v2?deals=1": ("house:cassino", "house:greedy"),
    "cassino/standard/ffa3?deals=1": ("house:cassino", "house:greedy"),
    "canasta/classic/1v1?deals=1": ("house:canasta", "house:greedy"),
    "canasta/classic/2v2?deals=1": ("house:canasta", "house:greedy"),
    "spoon-eye/standard/1v1?deals=1": ("house:spoon-eye", "house:greedy"),
    "zwicker/grupp/1v1?deals=1": ("house:zwicker", "house:greedy"),
    "zwicker/grupp/ffa4?deals=1": ("house:zwicker", "house:greedy"),
    "paks/standard/1v1?deals=1": ("house:paks", "house:greedy"),
    "paks/standard/2v2?deals=1": ("house:paks", "house:greedy"),
}


def play_group(
    fmt: Format, names: tuple[str, str], playouts: int, number: int
) -> list[list[float]]:
    """By match of a group: how far the first player is ahead, and how far its cards put it."""
    found = []
    for seats in rotations(fmt.sides, [0, *range(1, len(fmt.sides))]):
        table = Table(fmt, seats, *names, "variance", number)
        table.play()
        place = next(place for place, side in enumerate(fmt.sides) if seats[side[0]] == 0)
        rng = Random(f"luck {number} {place}")
        luck = sum(deal[place] for deal in card_luck(Record.of(table.match), rng, playouts))
        found.append([lead(fmt, table.match, seats), luck])
    return found


def measured(groups: Sequence[Sequence[Sequence[float]]]) -> Noise:
    """The factors from all matches: group by group, [ahead, luck] each."""
    alone = variance([ahead for group in groups for ahead, _ in group])
    means = variance([fmean(ahead for ahead, _ in group) for group in groups])
    halves = groups[0::2], groups[1::2]
    rest = [
        ahead - share * luck
        for half, share in zip(halves, map(_share, reversed(halves)), strict=True)
        for group in half
        for ahead, luck in group
    ]
    in_groups = alone / (len(groups[0]) * means)
    return Noise(len(groups), round(in_groups, 2), round(alone / variance(rest), 2))


def _share(groups: Sequence[Sequence[Sequence[float]]]) -> float:
    """Which share of the luck is best taken out."""
    ahead, luck = zip(*(match for group in groups for match in group), strict=True)
    share: float = covariance(ahead, luck) / variance(luck)
    return share


def measure(groups: int, playouts: int, jobs: int, only: str) -> Iterator[tuple[str, Noise]]:
    """Format by format."""
    with ProcessPoolExecutor(jobs) as pool:
        for text, names in PLAYERS.items():
            if only in text:
                play = partial(play_group, Format.parse(text), names, playouts)
                yield text, measured(list(pool.map(play, range(groups), chunksize=4)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.variance", description=__doc__)
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--playouts", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="formats that hold this")
    parser.add_argument("--write", action="store_true", help="keep the figures for the site")
    asked = parser.parse_args()
    kept = json.loads(FILE.read_text())
    print("| format | deal groups | in a deal group | without the luck |\n|---|---|---|---|")
    for text, noise in measure(asked.groups, asked.playouts, asked.jobs, asked.only):
        name = text.partition("?")[0]
        print(
            f"| `{name}` | {noise.groups} | {noise.in_groups:.1f} | {noise.without_luck:.1f} |",
            flush=True,
        )
        kept[name] = asdict(noise)
    if asked.write:
        FILE.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()

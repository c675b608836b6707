"""`python -m tests.strength.variance`: measures how much noise two methods remove from results.

In each format two players play deal groups. It prints how many single matches with their own cards
are as precise as one match (a) in a deal group, (b) alone, without the luck of its cards
(`engine.search.card_luck`). This is the ratio of the variances of a player's lead. The share of the
luck to subtract is fitted on one half of the groups and used on the other. `--write` stores the
figures for the site.
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
from engine.search.card_luck import card_luck
from tests.strength.games import GroupMatch, lead
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
    """The first player's lead and its luck in each match of a group."""
    rows = []
    for seats in rotations(fmt.sides, [0, *range(1, len(fmt.sides))]):
        table = GroupMatch(fmt, seats, *names, "variance", number)
        table.play()
        place = next(place for place, side in enumerate(fmt.sides) if seats[side[0]] == 0)
        rng = Random(f"luck {number} {place}")
        luck = sum(deal[place] for deal in card_luck(Record.of(table.match), rng, playouts))
        rows.append([lead(fmt, table.match, seats), luck])
    return rows


def measure_noise(groups: Sequence[Sequence[Sequence[float]]]) -> Noise:
    """The noise in groups of matches, each a pair of lead and luck."""
    single_variance = variance([ahead for group in groups for ahead, _ in group])
    group_variance = variance([fmean(ahead for ahead, _ in group) for group in groups])
    halves = groups[0::2], groups[1::2]
    leads_without_luck = [
        ahead - share * luck
        for half, share in zip(halves, map(_share, reversed(halves)), strict=True)
        for group in half
        for ahead, luck in group
    ]
    in_groups = single_variance / (len(groups[0]) * group_variance)
    without_luck = single_variance / variance(leads_without_luck)
    return Noise(len(groups), round(in_groups, 2), round(without_luck, 2))


def _share(groups: Sequence[Sequence[Sequence[float]]]) -> float:
    """The share of the luck whose subtraction removes most noise."""
    ahead, luck = zip(*(match for group in groups for match in group), strict=True)
    share: float = covariance(ahead, luck) / variance(luck)
    return share


def measure(groups: int, playouts: int, jobs: int, only: str) -> Iterator[tuple[str, Noise]]:
    """The noise of each format."""
    with ProcessPoolExecutor(jobs) as pool:
        for text, names in PLAYERS.items():
            if only in text:
                play = partial(play_group, Format.parse(text), names, playouts)
                yield text, measure_noise(list(pool.map(play, range(groups), chunksize=4)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.variance", description=__doc__)
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--playouts", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="only formats that contain this text")
    parser.add_argument("--write", action="store_true", help="store the figures for the site")
    arguments = parser.parse_args()
    noise_by_format = json.loads(FILE.read_text())
    print("| format | deal groups | in a deal group | without the luck |\n|---|---|---|---|")
    for text, noise in measure(
        arguments.groups, arguments.playouts, arguments.jobs, arguments.only
    ):
        name = text.partition("?")[0]
        print(
            f"| `{name}` | {noise.groups} | {noise.in_groups:.1f} | {noise.without_luck:.1f} |",
            flush=True,
        )
        noise_by_format[name] = asdict(noise)
    if arguments.write:
        FILE.write_text(json.dumps(noise_by_format, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()

"""`make hostile`: plays every program in every available setting and prints a table of verdicts."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import groupby

from tests.hostile import collection, settings, walls
from tests.hostile.collection import HostileProgram
from tests.hostile.harness import CLOCK, SLOW_CLOCK, WARM, Arena, Verdict
from tests.hostile.leftovers import adopt_orphans

Verdicts = dict[str, dict[str, Verdict]]
"""Verdicts by program and setting."""


def main() -> int:
    """Returns 0 if no program got through."""
    parser = argparse.ArgumentParser("python -m tests.hostile", description=__doc__)
    parser.add_argument("words", nargs="*", help="only programs whose name contains one of these")
    parser.add_argument("--every", type=int, default=1, help="3: a third of each kind")
    parser.add_argument("--without", action="append", default=[], choices=walls.WALLS)
    parser.add_argument("--logs", action="store_true", help="also print the programs' logs")
    parser.add_argument("--here", action="store_true", help="as this user; a line for each verdict")
    arguments = parser.parse_args()
    variants = collection.select_by_name(arguments.words)
    variants = collection.sample(arguments.every, variants)
    if arguments.here:
        judge_here(variants, arguments.without, logs=arguments.logs)
        return 0
    return print_table(variants, sys.argv[1:])


def judge_here(variants: list[HostileProgram], without: list[str], *, logs: bool) -> None:
    """Judge the variants in this process, and print a line for each."""
    adopt_orphans()
    limits = walls.remove_walls(without)
    # Walls are removed from bubblewrap's command, which forked sandboxes do not use.
    warm = 0 if without else WARM
    clock = SLOW_CLOCK if set(without) - {"freezing"} else CLOCK
    with Arena(limits, clock=clock, logs=logs, warm=warm) as arena:
        for variant in variants:
            print(settings.to_line(arena.judge(variant)), flush=True)


def print_table(variants: list[HostileProgram], arguments: list[str]) -> int:
    """Play the variants in every setting, and print the table."""
    verdicts: Verdicts = {variant.name: {} for variant in variants}
    available = settings.available()
    for setting in available:
        for number, verdict in enumerate(settings.run(setting, arguments), 1):
            verdicts[verdict.name][setting.name] = verdict
            _print_progress(f"{setting.name}: {number} of {len(variants)}")
    _print_progress("")
    for kind, variants_of_kind in groupby(variants, lambda variant: variant.kind):
        print(f"\n{kind}")
        for _, group in groupby(variants_of_kind, lambda variant: variant.program):
            _print_program(list(group), verdicts)
    return _print_summary(variants, verdicts, available)


def _print_program(variants: list[HostileProgram], verdicts: Verdicts) -> None:
    first = variants[0]
    rows = [
        (variant, setting, verdict)
        for variant in variants
        for setting, verdict in verdicts[variant.name].items()
    ]
    counts = Counter(verdict.ending for _, _, verdict in rows)
    is_stopped = not any(verdict.complaints for _, _, verdict in rows)
    endings = ", ".join(
        f"{ending} {count}×" if count > 1 else ending for ending, count in counts.items()
    )
    print(f"  {'·' if is_stopped else '✗'} {first.path.name:<28} {first.tries}")
    must, walls = " or ".join(sorted(first.must)), ", ".join(first.walls)
    print(f"    {'':<28} must: {must}; seen: {endings}; by {walls}")
    for variant, setting, verdict in rows:
        if verdict.complaints:
            print(f"    ✗ {variant.argument} ({setting}): {'; '.join(verdict.complaints)}")


def _print_summary(
    variants: list[HostileProgram], verdicts: Verdicts, available: list[settings.WorkerSetup]
) -> int:
    failed = {
        name
        for name, by_setting in verdicts.items()
        if any(verdict.complaints for verdict in by_setting.values())
    }
    incomplete = {name for name, by_setting in verdicts.items() if len(by_setting) < len(available)}
    print("\nBy layer (programs that it stops; stopped)")
    for wall in collection.WALLS:
        names = {variant.name for variant in variants if wall in variant.walls}
        exists = wall != "cgroup" or any(setting.group for setting in available)
        result = f"{len(names - failed):>4} of {len(names)}" if exists else "   is missing here"
        print(f"  {wall:<14} {result}")
    print("\nSettings")
    for setting in settings.SETTINGS:
        reason = "" if setting in available else f"not run: {setting.missing() or 'no sandbox'}"
        print(f"  {setting.name:<22} {reason or 'run'}")
    files = len({variant.path for variant in variants})
    print(f"\n{files} programs, {len(variants)} with their variants: {len(failed)} not stopped.")
    return 1 if failed or incomplete or not available else 0


def _print_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

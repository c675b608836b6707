"""`make hostile`: every program in every setting there is, and a table of what became of them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import groupby

from tests.hostile import collection, settings, walls
from tests.hostile.collection import Hostile
from tests.hostile.harness import CLOCK, PATIENT, WARM, Arena, Verdict
from tests.hostile.leftovers import adopt_orphans

Seen = dict[str, dict[str, Verdict]]
"""By program, by setting."""


def main() -> int:
    """0 if nothing got through."""
    parser = argparse.ArgumentParser("python -m tests.hostile", description=__doc__)
    parser.add_argument("words", nargs="*", help="only programs with one of these in their names")
    parser.add_argument("--every", type=int, default=1, help="3: a third of each kind")
    parser.add_argument("--without", action="append", default=[], choices=walls.WALLS)
    parser.add_argument("--logs", action="store_true", help="print the programs' logs, too")
    parser.add_argument("--here", action="store_true", help="as who I am; a line a verdict")
    chosen = parser.parse_args()
    programs = collection.named(chosen.words)
    programs = collection.every(chosen.every, programs)
    if chosen.here:
        here(programs, chosen.without, logs=chosen.logs)
        return 0
    return table(programs, sys.argv[1:])


def here(programs: list[Hostile], without: list[str], *, logs: bool) -> None:
    """Judge the programs in this process, each on a line."""
    adopt_orphans()
    limits = walls.take_away(without)
    # What a wall may be missing from is bubblewrap's command.
    warm = 0 if without else WARM
    clock = PATIENT if set(without) - {"freezing"} else CLOCK
    with Arena(limits, clock=clock, logs=logs, warm=warm) as arena:
        for program in programs:
            print(settings.told(arena.judge(program)), flush=True)


def table(programs: list[Hostile], arguments: list[str]) -> int:
    """Run them in every setting, and print the table."""
    seen: Seen = {program.name: {} for program in programs}
    available = settings.available()
    for setting in available:
        for number, verdict in enumerate(settings.run(setting, arguments), 1):
            seen[verdict.name][setting.name] = verdict
            _progress(f"{setting.name}: {number} of {len(programs)}")
    _progress("")
    for kind, group in groupby(programs, lambda one: one.kind):
        print(f"\n{kind}")
        for _, variants in groupby(group, lambda one: one.program):
            _print_program(list(variants), seen)
    return _summary(programs, seen, available)


def _print_program(variants: list[Hostile], seen: Seen) -> None:
    first = variants[0]
    verdicts = [(one, where, v) for one in variants for where, v in seen[one.name].items()]
    ended = Counter(verdict.seen for _, _, verdict in verdicts)
    held = not any(verdict.complaints for _, _, verdict in verdicts)
    shown = ", ".join(f"{what} {count}×" if count > 1 else what for what, count in ended.items())
    print(f"  {'·' if held else '✗'} {first.path.name:<28} {first.tries}")
    must, walls = " or ".join(sorted(first.must)), ", ".join(first.walls)
    print(f"    {'':<28} must: {must}; seen: {shown}; by {walls}")
    for one, where, verdict in verdicts:
        if verdict.complaints:
            print(f"    ✗ {one.argument} ({where}): {'; '.join(verdict.complaints)}")


def _summary(programs: list[Hostile], seen: Seen, available: list[settings.Setting]) -> int:
    failed = {name for name, by in seen.items() if any(v.complaints for v in by.values())}
    silent = {name for name, by in seen.items() if len(by) < len(available)}
    print("\nBy layer (programs that name it, held)")
    for wall in collection.WALLS:
        names = {one.name for one in programs if wall in one.walls}
        stood = wall != "cgroup" or any(setting.group for setting in available)
        told = f"{len(names - failed):>4} of {len(names)}" if stood else "   did not stand here"
        print(f"  {wall:<14} {told}")
    print("\nSettings")
    for setting in settings.SETTINGS:
        why = "" if setting in available else f"not run: {setting.missing() or 'no sandbox'}"
        print(f"  {setting.name:<22} {why or 'run'}")
    files = len({one.path for one in programs})
    print(f"\n{files} programs, {len(programs)} with their variants: {len(failed)} not stopped.")
    return 1 if failed or silent or not available else 0


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

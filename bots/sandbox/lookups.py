"""Measure whether one sandbox can find out which file names another has looked up.

Most file systems cache the names of missing files, and answer faster when any process looks one up
again. On each file system that bots can access, one bot looks up names, and another bot compares
the time for such a name with the time for a new name. The two lookups of a pair directly follow
each other, so a busy machine affects both alike. Without a cache, each is faster in half of the
pairs; with a cache, the known name is faster in nearly all.
"""

from __future__ import annotations

import json
import secrets
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from bots.sandbox import process
from bots.sandbox.bot_process import BotProcess
from bots.sandbox.model import Limits, Program, SandboxUnavailable, SeatError
from bots.sandbox.rootfs import DEVICES

PAIRS: Final = 400
"""Number of pairs that are compared on each file system."""
PROOF_SHARE: Final = 0.75
"""The share of pairs that proves a cache: ten standard deviations above chance."""
_TRIALS: Final = 3
# File systems that keep all their names in memory and do not cache misses (`simple_lookup`).
_UNCACHED: Final = frozenset({"tmpfs", "ramfs"})
_BOT: Final = b"""
import json, os, random
from time import perf_counter_ns as now

def choose(view, legal):
    found = {}
    for device, folders in systems().items():
        places = [folders[number % len(folders)] for number in range(view["pairs"])]
        names = [f"{place}/{view['tag']}{number}" for number, place in enumerate(places)]
        if view["ask"]:
            for name in names:
                os.access(name + "a", 0)
        else:
            faster = sum(compare(place, name) for place, name in zip(places, names))
            found[folders[0]] = faster / len(names)
    return json.dumps(found)

def systems():
    found = {}
    for folder, _, _ in os.walk("/"):
        found.setdefault(os.stat(folder).st_dev, []).append(folder.rstrip("/"))
    return found

def compare(place, name):
    order = random.sample(["a", "b"], 2)
    os.access(place + "/.", 0)
    took = {}
    for end in order:
        start = now()
        os.access(name + end, 0)
        took[end] = now() - start
    return (took["a"] < took["b"]) + (took["a"] == took["b"]) / 2
"""


def caching_folder(limits: Limits) -> str:
    """A folder whose file system caches looked-up names, with the evidence; empty if there is none.

    Takes about 0.1 s. Raises SandboxUnavailable.
    """
    folders: set[str] = set()
    for trial in range(_TRIALS):  # chance does not repeat itself three times, but a cache does
        shares, suspect_mount = _measure(limits)
        if suspect_mount:
            return suspect_mount
        suspects = {folder for folder, share in shares.items() if share >= PROOF_SHARE}
        folders = suspects if not trial else folders & suspects
        if not folders:
            return ""
    return f"{min(folders) or '/'} (measured)"


def _measure(limits: Limits) -> tuple[dict[str, float], str]:
    """Let one bot look up names and another one compare times.

    Returns (by the first folder of each file system: the share of pairs in which the name that the
    first bot looked up was faster; a mount that may cache names, or "").
    """
    with ExitStack() as stack:
        tag = secrets.token_hex(8)
        shares: dict[str, float] = {}
        suspect_mount = ""
        for name in ("asks", "compares"):
            runner = process.start(limits)
            load = process.load_message(Program({"bot.py": _BOT}), limits, None)
            seat = BotProcess(runner, limits, load, name)
            stack.callback(seat.close, grace_s=0.0)
            suspect_mount = suspect_mount or _caching_mount(runner.pid)
            shares = json.loads(_ask(seat, limits, tag))
        return shares, suspect_mount


def _ask(seat: BotProcess, limits: Limits, tag: str) -> str:
    view = {"pairs": PAIRS, "tag": tag, "ask": seat.name == "asks"}
    with suppress(SeatError):
        seat.send(b'{"type":"start"}')
        seat.receive(limits.start_ms / 1000)
        seat.send(json.dumps({"type": "move", "view": view, "legal": [], "events": []}).encode())
        return str(json.loads(seat.receive(limits.start_ms / 1000))["move"])
    log = seat.stderr().decode(errors="replace").strip()
    raise SandboxUnavailable(f"A test bot that looks names up did not answer. {log}".strip())


def _caching_mount(pid: int) -> str:
    """A mount with folders, visible to the process, whose file system may cache names; or ""."""
    for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines():
        mount_fields, _, system_fields = line.partition(" - ")
        folder, kind = mount_fields.split()[4], system_fields.split()[0]
        if kind not in _UNCACHED and folder not in DEVICES["command"]:
            return f"{folder} ({kind})"
    return ""

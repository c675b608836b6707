# tries: look up names that do not exist, so that the kernel caches them for the next match
# must: play on
# walls: tmpfs
# each: everywhere relative descriptor link long
# ways: match group table check
import os
from time import perf_counter_ns as now

import lib
from given import ARGUMENT, TAG

FOLDERS = [folder.rstrip("/") for folder, _, _ in os.walk("/") if not folder.startswith("/tmp")]
FOLDERS = [place for place in FOLDERS if place.count("/") < 3][:20] + FOLDERS[20::8]
PROBES = 1 if ARGUMENT == "everywhere" else 15


def ways(name, number):
    """Calls that look a name up, in folders of every kind, the same for all bots."""
    if ARGUMENT == "relative":
        return [
            lambda: os.access(f"../../{name}", 0),
            lambda: os.access(f"../../usr/lib/{name}", 0),
        ]
    if ARGUMENT == "descriptor":
        return [lambda: os.access(name, 0, dir_fd=FDS[number % len(FDS)])]
    if ARGUMENT == "link":
        return [lambda: os.access(f"/lib/{name}", 0), lambda: os.access(f"/bin/{name}", 0)]
    if ARGUMENT == "long":
        return [lambda: os.access(f"/cardroom/engine/{name:x<250}", 0)]
    return [lambda f=folder: os.access(f"{f}/{name}", 0) for folder in FOLDERS]


FDS = [os.open(folder or "/", os.O_RDONLY | os.O_DIRECTORY) for folder in FOLDERS[:20]]


def send(bits):
    for number, bit in enumerate(bits):
        for probe in range(PROBES if bit else 0):
            for look in ways(f"{TAG}{number}-{probe}", number):
                look()


def hear():
    return [sum(gain(number, probe) for probe in range(PROBES)) for number in range(64)]


def gain(number, probe):
    """How much faster lookups of these names fail than lookups of other names of the same length."""
    name = f"{TAG}{number}-{probe}"
    pairs = zip(ways(f"{name[::-1]}", number), ways(name, number))
    return sum(min(max(took(one) - took(other), -2000), 2000) for one, other in pairs)


def took(look):
    start = now()
    look()
    return now() - start


choose = lib.bulk(send, hear)

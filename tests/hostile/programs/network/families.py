# tries: open a socket of any family and kind
# must: play on
# walls: seccomp, namespaces
import lib


def attack():
    for family in range(1, 47):
        for kind in (1, 2, 3, 4, 5, 10):
            lib.attempt(f"family {family} kind {kind}", lib.syscall, "socket", family, kind, 0)


choose = lib.once(attack)

# tries: open devices, create devices, write to terminals
# must: play on
# walls: namespaces, root
import os

import lib

NAMES = """mem kmem kmsg port tty tty0 console ptmx pts/ptmx random vda sda loop0 loop-control fuse kvm
net/tun vhost-net uinput input/event0 dri/card0 snd/timer rtc0 cpu/0/msr mapper/control btrfs-control
hpet nvram userfaultfd vfio/vfio full fb0 watchdog autofs shm/x mqueue ppp snapshot""".split()


def attack():
    for name in NAMES:
        lib.attempt(name, os.open, f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK)
    lib.attempt("terminal", os.openpty)
    for name in os.listdir("/dev"):
        if name not in {"null", "zero", "urandom"}:
            lib.got(f"/dev/{name} is there")


choose = lib.once(attack)

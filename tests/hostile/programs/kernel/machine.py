# tries: change the machine: modules, kexec, reboot, swap, clock, name, accounting, ports
# must: play on
# walls: seccomp, namespaces, user
import ctypes

import lib


def attack():
    for name, arguments in {
        "init_module": (b"x", 1, b""),
        "finit_module": (0, b"", 0),
        "kexec_load": (0, 0, 0, 0),
        "reboot": (0xFEE1DEAD, 672274793, 0, 0),
        "swapon": (b"/tmp/x", 0),
        "sethostname": (b"mine", 4),
        "acct": (b"/tmp/x",),
        "quotactl": (0, b"/dev/vda", 0, 0),
        "iopl": (3,),
        "ioperm": (0, 1024, 1),
        "modify_ldt": (0, ctypes.create_string_buffer(64), 64),
        "uselib": (b"/lib/x",),
        "sysfs": (3,),
        "migrate_pages": (0, 0, 0, 0),
        "move_pages": (0, 0, 0, 0, 0, 0),
        "vhangup": (),
    }.items():
        lib.attempt(name, lib.syscall, name, *arguments)


choose = lib.once(attack)

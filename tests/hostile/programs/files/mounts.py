# tries: mount, unmount and change the root
# must: play on
# walls: seccomp, namespaces
import ctypes

import lib


def attack():
    none = ctypes.c_char_p(b"none")
    for kind in (b"tmpfs", b"proc", b"sysfs", b"overlay", b"devtmpfs", b"cgroup2", b"bpf"):
        lib.attempt(f"mount {kind}", lib.syscall, "mount", none, b"/tmp", kind, 0, None)
        lib.attempt(f"fsopen {kind}", lib.syscall, "fsopen", kind, 0)
    lib.attempt("remount", lib.syscall, "mount", none, b"/", none, 32 | 4096, None)
    lib.attempt("bind", lib.syscall, "mount", b"/dev", b"/tmp", none, 4096, None)
    lib.attempt("umount", lib.syscall, "umount2", b"/tmp", 2)
    lib.attempt("pivot_root", lib.syscall, "pivot_root", b"/tmp", b"/tmp")
    lib.attempt("chroot", lib.syscall, "chroot", b"/tmp")
    lib.attempt("open_tree", lib.syscall, "open_tree", -100, b"/usr", 1)
    lib.attempt("move_mount", lib.syscall, "move_mount", -100, b"/usr", -100, b"/tmp", 0)
    lib.attempt("mount_setattr", lib.syscall, "mount_setattr", -100, b"/", 0, bytes(32), 32)
    lib.attempt("statmount", lib.syscall, "statmount", bytes(24), bytes(512), 512, 0)
    lib.attempt("listmount", lib.syscall, "listmount", bytes(24), bytes(512), 64, 0)


choose = lib.once(attack)

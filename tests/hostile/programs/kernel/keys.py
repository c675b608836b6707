# tries: store data in the kernel's keyrings
# must: play on
# walls: seccomp
import lib


def attack():
    for ring in range(-8, 0):
        lib.attempt(f"ring {ring}", lib.syscall, "keyctl", 0, ring, 1)
        lib.attempt(f"add to {ring}", lib.syscall, "add_key", b"user", b"mark", b"x", 1, ring)
    lib.attempt("request", lib.syscall, "request_key", b"user", b"mark", None, 0)
    lib.attempt("new session", lib.syscall, "keyctl", 1, None)


choose = lib.once(attack)

# tries: use every call number that is newer than the filter
# must: play on
# walls: seccomp
import lib


def attack():
    lib.tried()
    # 335 and 336 (uprobes) are internal: the kernel exempts them from filters and kills their callers.
    for number in [
        *range(174, 186),
        *range(236, 240),
        *range(337, 424),
        *range(455, 1200),
        9999,
        2**30 - 1,
    ]:
        if number in (435, 436, 439, 441):
            continue
        lib.libc.syscall.restype = __import__("ctypes").c_long
        if lib.libc.syscall(number, -1, -1, -1, -1, -1, -1) != -1:
            lib.got(f"call {number}")
        elif __import__("ctypes").get_errno() not in (1, 38):
            lib.got(f"call {number} was looked at: errno {__import__('ctypes').get_errno()}")


choose = lib.once(attack)

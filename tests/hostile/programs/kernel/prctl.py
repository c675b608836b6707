# tries: use every prctl that changes the process
# must: play on
# walls: seccomp
import lib

OPTIONS = {
    "PDEATHSIG": (1, 0),
    "DUMPABLE": (4, 1),
    "UNALIGN": (6, 1),
    "KEEPCAPS": (8, 1),
    "FPEMU": (10, 1),
    "TIMING": (14, 0),
    "ENDIAN": (20, 0),
    "SECCOMP": (22, 0),
    "SECCOMP_FILTER": (22, 2, 0),
    "CAPBSET_DROP": (24, 0),
    "TSC": (26, 2),
    "SECUREBITS": (28, 0),
    "TIMERSLACK": (29, 1),
    "TASK_PERF": (32,),
    "MCE_KILL": (33, 1, 1),
    "MM": (35, 1, 4096),
    "CHILD_SUBREAPER": (36, 1),
    "TID_ADDRESS": (40, 0),
    "THP_DISABLE": (41, 1),
    "CAP_AMBIENT": (47, 4),
    "SPECULATION": (53, 0, 2),
    "PAC": (54, 0),
    "TAGGED": (55, 1),
    "IO_FLUSHER": (57, 1),
    "SYSCALL_USER_DISPATCH": (59, 1, 0, 0, 0),
    "SCHED_CORE": (62, 1, 0, 0, 0),
    "MDWE": (65, 1),
    "MEMORY_MERGE": (67, 1),
    "PTRACER": (0x59616D61, -1),
    "TIMER_CREATE_RESTORE_IDS": (77, 1),
    "FUTEX_HASH": (78, 1, 16),
}


def attack():
    for name, arguments in OPTIONS.items():
        padding = (0,) * (5 - len(arguments))
        lib.attempt(name, lib.syscall, "prctl", *arguments, *padding)


choose = lib.once(attack)

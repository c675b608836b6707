# tries: lower a limit below its current use, so that its death seems to be the machine's fault
# must: play on or crash; not saying "killed from outside"
# walls: kernel's word, seccomp
# each: AS DATA STACK NOFILE FSIZE NPROC MEMLOCK SIGPENDING
import resource
import threading

import lib
from given import ARGUMENT


def attack():
    try:
        resource.setrlimit(getattr(resource, f"RLIMIT_{ARGUMENT}", 11), (1, 1))
        list(map(str, range(500_000)))
        threading.Thread(target=print).start()
    except (OSError, ValueError, MemoryError, RuntimeError) as error:
        lib.tell(f"REFUSED {error}")


choose = lib.once(attack)

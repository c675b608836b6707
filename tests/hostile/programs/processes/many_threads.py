# tries: have one thread more than its limit
# must: play on
# walls: rlimits
import threading
import time

import lib
from given import THREADS


def attack():
    count = 1
    try:
        while count < 4 * THREADS:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            count += 1
    except RuntimeError as error:
        lib.tell(f"REFUSED {error} after {count}")
    if count > THREADS:
        lib.got(f"{count} threads")


choose = lib.once(attack)

# tries: keep the referee awake by sending a byte every 5 ms
# must: time
# walls: referee
import time

import lib


def reply(message, number):
    if number == 2:
        for byte in b'{"move":"' + b"6" * 10_000:
            lib.say(lib.channel()[1], bytes([byte]))
            time.sleep(0.005)
    return lib.honest(message)


lib.speak(reply)

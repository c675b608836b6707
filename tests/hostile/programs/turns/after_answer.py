# tries: send a move first and think afterwards, in one thread, before it reads again
# must: play on or time
# walls: freezing
import time

import lib

target = lib.channel()[1]


def reply(message, number):
    if number:
        lib.account()
    lib.say(target, lib.honest(message))
    end = time.process_time() + 0.014
    while number and time.process_time() < end:
        pass
    return b""


lib.speak(reply)

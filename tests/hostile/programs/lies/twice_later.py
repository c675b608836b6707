# tries: send each answer again after a pause, so that it counts for the next question
# must: extra or illegal
# walls: referee
# each: 0.0001 0.002 0.01
import time

import lib
from given import ARGUMENT


def reply(message, number):
    if number:
        lib.say(lib.channel()[1], lib.honest(message))
        time.sleep(float(ARGUMENT))
    return lib.honest(message)


lib.speak(reply)

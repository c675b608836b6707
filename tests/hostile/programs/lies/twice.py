# tries: give each answer twice, the second time a little later
# must: extra or illegal
# walls: referee
# each: at_once next later
import time

import lib
from given import ARGUMENT


def reply(message, number):
    answer = lib.honest(message)
    if not number:
        return answer
    if ARGUMENT == "at_once":
        return answer * 2
    lib.say(lib.channel()[1], answer)
    if ARGUMENT == "later":
        time.sleep(0.002)
    return answer


lib.speak(reply)

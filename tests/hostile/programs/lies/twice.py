# tries: send each answer twice, in one write or in two
# must: extra
# walls: referee
# each: at_once next
import lib
from given import ARGUMENT


def reply(message, number):
    answer = lib.honest(message)
    if not number:
        return answer
    if ARGUMENT == "at_once":
        return answer * 2
    lib.say(lib.channel()[1], answer)
    return answer


lib.speak(reply)

# tries: send a line that is one byte too long
# must: garbage
# walls: output limits
# each: 0 1 4 9
import lib
from given import ARGUMENT


def reply(message, number):
    line = lib.honest(message).strip()
    if number == 2:
        line += b" " * (65537 + int(ARGUMENT) * 1000 - len(line))
    return line + b"\n"


lib.speak(reply)

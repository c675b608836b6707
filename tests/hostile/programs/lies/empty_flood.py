# tries: send empty lines forever, to keep the referee reading
# must: garbage or crash
# walls: referee, output limits
# each: newlines spaces returns
import lib
from given import ARGUMENT

LINES = {"newlines": b"\n", "spaces": b" " * 60_000 + b"\n", "returns": b" \t\r\n"}


def reply(message, number):
    while number == 2:
        lib.say(lib.channel()[1], LINES[ARGUMENT] * 20)
    return lib.honest(message)


lib.speak(reply)

# tries: send numbers that take long to parse, or that are invalid
# must: garbage or extra or play on
# walls: referee
# each: 9 1e999 NaN Infinity -0 0x10
import lib
from given import ARGUMENT


def reply(message, number):
    digits = ARGUMENT * (60000 if ARGUMENT == "9" else 1)
    extra = f',"n":{digits},"note":null}}'.encode()
    return lib.honest(message).replace(b"}", extra) if number == 2 else lib.honest(message)


lib.speak(reply)

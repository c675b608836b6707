# tries: answer in another encoding than UTF-8
# must: garbage
# walls: referee
# each: utf-16 utf-16-le utf-16-be utf-32 utf-32-le cp037
import lib
from given import ARGUMENT


def reply(message, number):
    line = lib.honest(message)
    return line if number < 2 else line.decode().strip().encode(ARGUMENT) + b"\n"


lib.speak(reply)

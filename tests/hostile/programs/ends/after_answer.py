# tries: send a good move, then exit
# must: crash; not saying "killed from outside"
# walls: kernel's word
# each: 0 137 255
import os

import lib
from given import ARGUMENT


def reply(message, number):
    if number == 3:
        lib.say(lib.channel()[1], lib.honest(message))
        os._exit(int(ARGUMENT))
    return lib.honest(message)


lib.speak(reply)

# tries: exit between a move and its newline
# must: crash or garbage
# walls: kernel's word, referee
import os

import lib


def reply(message, number):
    if number == 3:
        os.write(lib.channel()[1], lib.honest(message).strip())
        os._exit(0)
    return lib.honest(message)


lib.speak(reply)

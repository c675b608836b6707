# tries: answer the next questions before they are asked
# must: extra
# walls: referee
import lib


def reply(message, number):
    return lib.honest(message) * (4 if number == 2 else 1)


lib.speak(reply)

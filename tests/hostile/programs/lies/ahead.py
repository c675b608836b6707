# tries: answer questions before they are sent
# must: extra
# walls: referee
import lib


def reply(message, number):
    return lib.honest(message) * (4 if number == 2 else 1)


lib.speak(reply)

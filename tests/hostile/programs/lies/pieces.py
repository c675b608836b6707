# tries: send a legal move byte by byte
# must: play on
# walls: referee
import lib


def reply(message, number):
    for byte in lib.honest(message):
        lib.say(lib.channel()[1], bytes([byte]))
    return b""


lib.speak(reply)

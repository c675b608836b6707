# tries: send two moves under the same key, to see which counts
# must: garbage or play on or illegal
# walls: referee
import lib


def reply(message, number):
    line = lib.honest(message)
    return line.replace(b"{", b'{"move":"XX","move":null,') if number == 2 else line


lib.speak(reply)

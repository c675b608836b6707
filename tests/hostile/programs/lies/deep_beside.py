# tries: hide depth beside a right move
# must: garbage or play on
# walls: referee
import lib


def reply(message, number):
    line = lib.honest(message)
    return (
        line.replace(b"}", b',"x":' + b"[" * 30000 + b"]" * 30000 + b"}") if number == 2 else line
    )


lib.speak(reply)

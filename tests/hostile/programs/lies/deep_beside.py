# tries: hide deep nesting beside a legal move
# must: garbage or play on
# walls: referee
import lib


def reply(message, number):
    line = lib.honest(message)
    return (
        line.replace(b"}", b',"x":' + b"[" * 30000 + b"]" * 30000 + b"}") if number == 2 else line
    )


lib.speak(reply)

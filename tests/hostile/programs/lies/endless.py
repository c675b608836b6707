# tries: answer forever, to fill the referee's memory
# must: extra or illegal or garbage or crash
# walls: referee, output limits
import lib


def reply(message, number):
    while number:
        lib.say(lib.channel()[1], b'{"move":"a"}\n' * 5000)
    return lib.honest(message)


lib.speak(reply)

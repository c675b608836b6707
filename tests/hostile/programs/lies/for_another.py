# tries: answer for another seat and for another question
# must: extra
# walls: referee
import lib


def reply(message, number):
    extra = b',"seat":1,"n":999,"type":"end","result":{"ranks":[1,2]},"fault":"time"}'
    return lib.honest(message).replace(b"}", extra) if number else lib.honest(message)


lib.speak(reply)

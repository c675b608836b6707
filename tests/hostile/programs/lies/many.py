# tries: send a thousand legal moves in answer to one question
# must: extra
# walls: referee
import lib

lib.speak(lambda message, number: lib.honest(message) * (1000 if number else 1))

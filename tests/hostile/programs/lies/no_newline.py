# tries: send a legal move without a newline
# must: time
# walls: referee
import lib

lib.speak(lambda message, number: lib.honest(message).strip() if number else lib.honest(message))

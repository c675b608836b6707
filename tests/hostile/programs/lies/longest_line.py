# tries: send a line of the maximum length
# must: play on
# walls: output limits
import lib

lib.speak(lambda message, number: lib.honest(message).strip().ljust(65536) + b"\n")

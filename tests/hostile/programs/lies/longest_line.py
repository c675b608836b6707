# tries: use every byte that a line may have
# must: play on
# walls: output limits
import lib

lib.speak(lambda message, number: lib.honest(message).strip().ljust(65536) + b"\n")

# tries: put a byte order mark before an answer
# must: play on or garbage
# walls: referee
import lib

lib.speak(lambda message, number: b"\xef\xbb\xbf" * (number > 1) + lib.honest(message))

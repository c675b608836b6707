# tries: end its lines as other operating systems do
# must: play on
# walls: referee
import lib

lib.speak(lambda message, number: lib.honest(message).replace(b"\n", b" \t\r\n"))

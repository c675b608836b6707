# tries: send a move that is not text
# must: garbage
# walls: referee
# each: null true 0 [] {} ["6C"] {"move":"6C"} ""
import lib
from given import ARGUMENT

lib.answers(b'{"move":' + ARGUMENT.encode() + b"}\n")

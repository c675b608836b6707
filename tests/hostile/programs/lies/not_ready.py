# tries: answer the start line with something else
# must: start
# walls: referee
# each: {} {"move":"6C"} {"type":"Ready"} {"type":["ready"]} ready null
import lib
from given import ARGUMENT

lib.answers(ARGUMENT.encode() + b"\n", at=0)

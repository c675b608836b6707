# tries: break the parser with depth
# must: garbage
# walls: referee
# each: [ {"a": [{"move":
import lib
from given import ARGUMENT

lib.answers((ARGUMENT.encode() * 60000)[:60000] + b"\n")

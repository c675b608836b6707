# tries: break the parser with deep nesting
# must: garbage
# walls: referee
# each: [ {"a": [{"move":
import lib
from given import ARGUMENT

lib.answers((ARGUMENT.encode() * 60000)[:60000] + b"\n")

# tries: say that it is ready in another encoding
# must: start
# walls: referee
# each: utf-16-le utf-32-be
import lib
from given import ARGUMENT

lib.answers('{"type":"ready"}'.encode(ARGUMENT) + b"\n", at=0)

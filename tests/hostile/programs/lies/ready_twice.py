# tries: say that it is ready twice
# must: extra
# walls: referee
import lib

lib.answers(b'{"type":"ready"}\n' * 2, at=0)

# tries: be ready twice
# must: garbage
# walls: referee
import lib

lib.answers(b'{"type":"ready"}\n' * 2, at=0)

# tries: answer with empty lines
# must: time
# walls: referee
import lib

lib.answers(b"\n" * 50)

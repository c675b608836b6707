# tries: answer with lines that hold nothing
# must: time
# walls: referee
import lib

lib.answers(b"\n" * 50)

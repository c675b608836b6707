# tries: answer with lines that hold nothing
# must: garbage
# walls: referee
import lib

lib.answers(b"\n" * 50)

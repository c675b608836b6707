# tries: begin an answer and never finish it
# must: time
# walls: referee
import lib

lib.answers(b'{"move":"')

# tries: begin an answer and never end it
# must: time
# walls: referee
import lib

lib.answers(b'{"move":"')

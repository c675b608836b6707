# tries: send a move of 60,000 characters
# must: garbage or illegal
# walls: referee
import lib

lib.answers(b'{"move":"' + b"6" * 60000 + b'"}\n')

# tries: play illegal moves in every disguise
# must: illegal
# walls: referee
# each: XX pass 6C;6D ../etc/passwd %s {0} \\n <script> 6Cx2H,2H A 0 -1 '
import lib
from given import ARGUMENT

lib.answers(b'{"move":"' + ARGUMENT.replace("'", "\\u0027").encode() + b'"}\n')

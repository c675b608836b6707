# tries: answer with bytes that are not text, or not a line
# must: garbage or time
# walls: referee
# each: 00 ff c0af eda080 0c 0d 1b5d303b 7b7d 5b5d 6e756c6c 30 22 7b226d6f7665223a 7b22006d6f7665223a2261227d
import lib
from given import ARGUMENT

lib.answers(bytes.fromhex(ARGUMENT) + b"\n")

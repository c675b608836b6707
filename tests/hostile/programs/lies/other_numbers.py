# tries: send the number of another question
# must: extra or garbage
# walls: referee
# each: -1 0 1e0 0.5 true "1" 18446744073709551616 999999999999999999999 [1] {"n":1}
import lib
from given import ARGUMENT

lib.speak(
    lambda message, number: (
        lib.honest(message).replace(b"}", b',"n":' + ARGUMENT.encode() + b"}")
        if number == 2
        else lib.honest(message)
    )
)

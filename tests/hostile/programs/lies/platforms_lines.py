# tries: send the referee's own lines back to it
# must: garbage
# walls: referee
# each: start move deal end ready
import lib
from given import ARGUMENT

lib.answers(
    b'{"type":"' + ARGUMENT.encode() + b'","seat":1,"result":{"ranks":[1,2]},"events":[]}\n'
)

# tries: send the platform's own lines back, as if it were the platform
# must: garbage
# walls: referee
# each: start move deal end ready
import lib
from given import ARGUMENT

lib.answers(
    b'{"type":"' + ARGUMENT.encode() + b'","seat":1,"result":{"ranks":[1,2]},"events":[]}\n'
)

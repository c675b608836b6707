# tries: ask for another seat, another clock or a result when it is ready
# must: play on
# walls: referee
import lib

lib.answers(
    b'{"type":"ready","seat":1,"clock":{"move_ms":9999999},"result":{"ranks":[1,2]},"protocol":9}\n',
    at=0,
)

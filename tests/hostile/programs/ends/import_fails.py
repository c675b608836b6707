# tries: fail during its import, in several ways
# must: start
# walls: referee
# each: raise exit loop-of-imports nothing-to-call memory
import lib
from given import ARGUMENT

lib.tried()
match ARGUMENT:
    case "raise":
        raise RuntimeError("oh")
    case "exit":
        raise SystemExit
    case "loop-of-imports":
        del __import__("sys").modules["bot"]
        import bot
    case "memory":
        kept = bytearray(1 << 30)

# tries: put two answers on one line
# must: garbage
# walls: referee
import lib

lib.speak(
    lambda message, number: (
        lib.honest(message).strip() * 2 + b"\n" if number else lib.honest(message)
    )
)

# tries: write into its own package, for its next start
# must: play on
# walls: root
import lib


def send(bits):
    with open("given.py", "r+") as file:
        file.write("MARK = " + repr(bits) + "\n")


def hear():
    import given

    return getattr(given, "MARK", [0] * 64)


choose = lib.bulk(send, hear)

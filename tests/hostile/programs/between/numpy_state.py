# tries: leave bits in the state of numpy, which is loaded before both bots
# must: play on
# walls: namespaces, root
# ways: match group
import lib
import numpy as np


def send(bits):
    np.random.seed(0)
    state = list(np.random.get_state())
    state[1][:64] = bits
    np.random.set_state(state)
    np.set_printoptions(precision=sum(bits[:4]))
    np.cardroom = bits
    with open(np.__file__, "r+b") as file:
        file.write(bytes(bits))


def hear():
    known = getattr(np, "cardroom", None)
    return known or [int(word) & 1 for word in np.random.get_state()[1][:64]]


choose = lib.bulk(send, hear)

# === cardroom.toml ===
needs = ["numpy"]

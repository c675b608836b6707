# tries: raise an error whose text, type and traceback raise errors
# must: crash
# walls: referee
import lib


class Meta(type):
    def __repr__(cls):
        raise cls


class Evil(Exception):
    def __str__(self):
        raise Evil

    __repr__ = __str__

    @property
    def __traceback__(self):
        raise Evil


def attack():
    raise Evil


choose = lib.once(attack)

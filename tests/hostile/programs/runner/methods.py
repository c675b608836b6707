# tries: be a bot whose methods are not methods
# must: start or crash or play on
# walls: referee
# each: property metaclass everything clock abstract
import lib
from given import ARGUMENT

lib.tried()


class Everything:
    def __getattr__(self, name):
        return lambda *_: None


class Clock:
    @property
    def clock(self):
        raise RuntimeError("no clock")

    @clock.setter
    def clock(self, value):
        raise SystemExit(0)

    def choose(self, view, legal):
        return legal[0]


class Meta(type):
    def __call__(cls):
        raise KeyboardInterrupt


class Made(metaclass=Meta):
    pass


class Property:
    choose = property(lambda self: 1 / 0)


Bot = {
    "property": Property,
    "metaclass": Made,
    "everything": Everything,
    "clock": Clock,
    "abstract": object,
}[ARGUMENT]

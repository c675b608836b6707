# tries: exit inside start(), after the start line and before it is ready
# must: start
# walls: kernel's word
import os

import lib


class Bot:
    def start(self, info):
        lib.tried()
        os._exit(137)

    def choose(self, view, legal):
        return legal[0]

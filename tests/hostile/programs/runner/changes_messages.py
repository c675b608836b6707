# tries: change the lists that it receives, in case they are the referee's own
# must: play on
# walls: referee
import lib


class Bot:
    def choose(self, view, legal):
        lib.tried()
        move = legal[0]
        legal.clear()
        view.clear()
        return move

    def event(self, event):
        event.clear()

    def deal(self, sheet):
        sheet.clear()

    def end(self, result):
        result.clear()

# tries: find more than its own view in its messages: other hands, the deck, the seed
# must: play on
# walls: referee
import json

import lib


class Bot:
    def start(self, info):
        lib.tried()
        self.look("start", info)

    def look(self, where, message):
        for word in ("seed", "deck", "secret", "password", "token", "sha256"):
            if f'"{word}"' in json.dumps(message):
                lib.got(f"{where} tells {word}")

    def choose(self, view, legal):
        self.look("view", view)
        hands = [seat for seat in view.get("hands", []) if isinstance(seat, list)]
        if len(hands) > 1:
            lib.got("it sees other hands")
        return legal[0]

    def event(self, event):
        self.look("event", event)

    def end(self, result):
        self.look("end", result)

# tries: write a legal move with other spaces, similar letters or invisible characters
# must: illegal or garbage
# walls: referee
# each: leading trailing tab wide cyrillic joiner nul newline accent surrogate
import json

import lib
from given import ARGUMENT


def reply(message, number):
    if number != 2:
        return lib.honest(message)
    move = message["legal"][0]
    disguised = {
        "leading": f" {move}",
        "trailing": f"{move} ",
        "tab": f"{move}\t",
        "wide": "".join(chr(ord(one) + 0xFEE0) for one in move),
        "cyrillic": f"\N{CYRILLIC CAPITAL LETTER ES}{move}",
        "joiner": f"{move[0]}\N{ZERO WIDTH JOINER}{move[1:]}",
        "nul": f"{move}\0",
        "newline": f"{move}\n",
        "accent": f"{move}\N{COMBINING ACUTE ACCENT}",
        "surrogate": f"{move}\ud800",
    }
    return json.dumps({"move": disguised[ARGUMENT]}).encode() + b"\n"


lib.speak(reply)

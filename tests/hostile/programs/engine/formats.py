# tries: create a match in its own process that never ends or never fits
# must: play on or crash or time
# walls: rlimits, referee
# each: deals target seats seed
import lib
from given import ARGUMENT


def attack():
    from engine import Format, Match

    text = {
        "deals": "cassino/standard/1v1?deals=999999999",
        "target": "cassino/standard/1v1?target=999999999",
        "seats": "cassino/standard/" + "1v" * 10_000 + "1",
        "seed": "cassino/standard/1v1",
    }[ARGUMENT]
    match = Match(Format.parse(text), seed="x" * 10_000_000 if ARGUMENT == "seed" else "x")
    while match.turn is not None:
        match.play(match.legal_moves()[0])


def attack_and_tell():
    try:
        attack()
    except ValueError as error:
        lib.tell(f"REFUSED {str(error)[:200]}")


choose = lib.once(attack_and_tell)

# tries: change the engine's rules in its own process, so that it wins
# must: play on
# walls: namespaces, referee
import lib


def attack():
    import engine
    from engine import Match

    Match.legal_moves = lambda self: ["WIN"]
    Match.play = Match.step = lambda self, *_: None
    engine.results.with_faults = lambda *_: {"ranks": [1, 2]}
    for name in list(vars(engine)):
        if not name.startswith("_"):
            setattr(engine, name, None)


choose = lib.once(attack)

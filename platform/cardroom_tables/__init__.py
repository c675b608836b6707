"""People's tables: people and bots at one match, move by move.

The moves are the state: a table's match is rebuilt from its seed and its moves (`match_cache`).
People's moves come from pages, those of bots from a host (`host`), which the outbox wakes and the
sweep wakes again if a message was lost. All data for a browser is computed from the knowledge of
its seat (`reading`).
"""

"""People's tables: people and bots at one match, move by move.

The moves are the state: whoever needs a table's match makes it of its seed and its moves
(`courses`). People's moves come by pages, those of bots from a host (`host`), which is woken by the
outbox and found again by the sweep. What leaves the server for somebody's browser is made of what
that seat may know (`reading`), and of nothing else.
"""

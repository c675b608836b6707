"""Plays matches of sandboxed bots: seats, clocks, protocol, faults and their explanations.

Others call `referee.play_match` for whole matches, `table_seats` for people's tables, `rehearsal`
for a bot at a finished match, `continuation.play_on` from a position, `house.load` for house bots.
"""

"""Play matches of sandboxed bots: seats, clocks, protocol, faults and their explanations.

Other packages call `referee.play_match` for whole matches, `table_seats` for people's tables,
`rehearsal` to ask a bot about a finished match, `continuation.play_on` to continue from a position,
and `house.load` for house bots.
"""

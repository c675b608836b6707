"""A match of sandboxed bots: seats, clock, protocol, faults and what they mean.

Others call `referee.play_match`, for people's tables `table_seats`, for a bot at a finished match
`rehearsal`.
"""

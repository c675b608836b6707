"""Every change of state of people's tables: lock, check, write, announce on commit.

`tables` creates and deletes tables. `seats` lets people sit down and leave, and the house take
over. `moves` plays people's moves. `hosting` serves the process that runs the bots. `hints`,
`comparisons` and `opinions` request extras.
"""

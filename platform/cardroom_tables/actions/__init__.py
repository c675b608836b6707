"""Every change of state of people's tables: a function locks rows, checks, writes, and announces.

`tables` creates and deletes tables. `seats` lets people sit down and leave, and the house take
over. `moves` plays people's moves. `hosting` serves the process that runs the bots. `hints`,
`comparisons` and `opinions` request extras. `forgetting` removes a person.
"""

"""Every change of state of people's tables: lock, check, write, announce on commit.

`tables`: create and delete. `seats`: sit down, leave, let the house take over. `moves`: of people.
`hosting`: for the process that plays the bots. `hints`, `comparisons`, `opinions`: on request.
"""

"""Every change of state of people's tables: locks, checks, writes, announces on commit.

`tables`: making and ending them. `seats`: sitting down, leaving, the house taking over. `moves`:
of people. `hosting`: what the process does that plays the bots. `hints`, `comparisons`: what is
asked for beside.
"""

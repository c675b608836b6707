"""First rounds of exact whist movements.

Simulated annealing over the partitions of the entrants found them; the tests check their balance. A
missing number of entrants is either a prime (`whist` computes those), or none was found.
"""

_KNOWN = {
    (4, 2, 2): ("-1 1 2 0"),
    (8, 2, 2): ("6 -1 0 2, 1 5 3 4"),
    (12, 2, 2): ("2 -1 5 4, 10 3 7 9, 8 0 1 6"),
    (16, 2, 2): ("5 -1 4 8, 12 7 3 9, 6 14 1 13, 10 11 2 0"),
    (20, 2, 2): ("16 2 -1 3, 13 15 10 6, 11 12 8 0, 18 9 1 14, 17 5 7 4"),
    (21, 2, 2): ("20 19 13 16, 15 9 17 1, 6 8 18 10, 3 7 2 12, 5 14 4 11"),
    (24, 2, 2): ("19 2 17 14, 5 7 12 13, 1 11 10 15, 3 22 16 0, 6 21 9 -1, 8 20 4 18"),
    (25, 2, 2): ("16 18 12 3, 21 8 19 13, 9 2 20 24, 15 14 17 7, 23 6 22 11, 5 10 4 1"),
    (28, 2, 2): ("13 23 20 15, -1 3 16 24, 7 8 2 4, 1 22 6 10, 5 21 17 14, 12 0 25 11, 26 19 9 18"),
    (32, 2, 2): (
        "13 0 23 30, 9 17 7 29, 4 14 20 1, 11 26 22 27, 19 18 25 5, 21 15 12 -1, "
        "24 28 16 2, 6 3 10 8"
    ),
    (6, 2, 3): ("-1 0 2 3 4 1"),
    (12, 2, 3): ("-1 3 6 4 9 2, 10 0 5 8 7 1"),
    (12, 3, 2): ("6 7 9 4 0 10, 1 8 3 -1 5 2"),
}
"""By (entrants, entrants of a side, sides): table by table, side by side."""

STARTERS = {
    key: tuple(int(number) for number in text.replace(",", "").split())
    for key, text in _KNOWN.items()
}
"""As numbers; -1 is the entrant that stays when the others move."""

"""The ground floor: plumbing that every app uses and that knows no bot, match or tournament.

`core` needs no Django: names, fields, refusals, backoff, draining, text made safe for terminals,
and which rules a program runs. `db` is about the database: its clock, its absence, its schema, the
outbox. `rest` is how the REST interface reads requests and reports problems.
"""

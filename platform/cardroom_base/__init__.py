"""Plumbing that every app uses and that knows no bot, match or tournament.

`core` needs no Django: names, fields, refusals, backoff, draining, safe text for terminals, and the
choice between compiled and interpreted rules. `db` covers the database: its clock, its outages, its
schema and the outbox. `rest` reads the requests of the REST interface and reports problems.
"""

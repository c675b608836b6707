"""The database for every app: its clock, outages, the schema's number, the outbox.

Others call `db_time.now`, `database.pause_if_unavailable` around tasks, `outbox.announce` and
`schema_number.pause_if_incompatible`.
"""

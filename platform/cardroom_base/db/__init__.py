"""The database as every app uses it: its clock, its absence, the schema's number, the outbox.

Others call `db_time.now`, `database.woken` around tasks, `outbox.announce` and `schema.hold`.
"""

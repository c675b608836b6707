"""The database for every app: its clock, its outages, the schema's number, the outbox.

Callers use `db_time.now`, `database.woken` around tasks, `outbox.announce` and `schema.hold`.
"""

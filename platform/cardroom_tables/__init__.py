"""People's tables: people and bots at one match, move by move.

A table's match is rebuilt from its seed and its moves (`match_cache`). People play through pages. A
*host*, which is a Celery worker, runs the bots (`host`). The outbox wakes the host; if that message
is lost, the sweep wakes it. All data for a browser is computed from the knowledge of its seat
(`reading`).
"""

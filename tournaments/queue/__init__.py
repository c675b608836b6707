"""The queue of matches: fair scheduling, reasons and lengths of waits, busy workers.

Others call `scheduler.pick`, `waits.reason` and `workers.work_of`.
"""

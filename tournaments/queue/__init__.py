"""The queue of matches: fair scheduling, reasons and lengths of waits, busy workers."""

"""Plumbing that runs without Django, at home as on a site.

Others call `names.checked` for names, `errors.ActionError` to refuse, `backoff.delay` before trying
again, and `drain.draining` to learn whether a worker may begin more work.
"""

"""Plumbing that runs without Django, on a developer's machine as on a site.

Callers use `names.normalize` for names, `errors.ActionError` to refuse a request, `backoff.delay`
before a retry, and `drain.draining` to check whether a worker may begin more work.
"""

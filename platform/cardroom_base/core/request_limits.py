"""Limits of requests to the site, each with its reason. Limits of packages: `bots.limits`.

`cardroom.middleware.RequestLimits` refuses longer requests before it parses them. The web server
(`cardroom.web`) does not even receive longer headers, or bodies longer than every address takes.
"""

KIB = 1024

MAX_BODY = 64 * KIB
"""Bytes of a body: the largest thing anybody writes is a description of 2,000 characters."""
MAX_QUERY = 2_000
"""Characters behind the ? of an address: every filter there is, several times."""
MAX_NUMBER = 2**63 - 1
"""The largest number in an address: the largest that databases can count to."""
MAX_FIELDS = 500
"""Fields of a form: a tournament of four stages has about a hundred."""
MAX_UPLOADS = 4
"""Files in a form: an upload has one."""

MAX_PATH = 2_000
"""Characters of an address before the ?."""
MAX_HEAD = 32 * KIB
"""Bytes of a request's first line and headers; cookies of this site have a few hundred."""

MAX_PLAYED = 16 * KIB
"""Bytes that a table's page may send: 64 parts of a move take about two thousand."""
WEB_THREADS = 8
"""Requests that a web process answers in parallel."""
MAX_HELD = WEB_THREADS // 2
"""Long-poll requests that a process holds while bots think; its other threads serve pages."""

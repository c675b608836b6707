"""Limits of requests to the site, each with its reason. `bots.limits` has the limits of packages.

`cardroom.middleware.RequestLimits` refuses longer requests before it parses them. The web server
(`cardroom.web`) does not even receive longer headers, or bodies longer than any address accepts.
"""

KIB = 1024

MAX_BODY = 64 * KIB
"""Bytes of a body: the longest input is a description of 2,000 characters."""
MAX_QUERY = 2_000
"""Characters of a query string: enough for every filter several times."""
MAX_NUMBER = 2**63 - 1
"""The largest number in an address, which is the databases' largest integer."""
MAX_FIELDS = 500
"""Fields of a form: a tournament of four stages has about a hundred."""
MAX_UPLOADS = 4
"""Files in a form: an upload has one."""

MAX_PATH = 2_000
"""Characters of an address before the ?."""
MAX_HEAD = 32 * KIB
"""Bytes of a request's first line and headers; cookies of this site have a few hundred."""

MAX_TABLE_BODY = 16 * KIB
"""Bytes of a request from a table's page: 64 parts of a move have about two thousand."""
MAX_REPLAYED = 10_000
"""Moves of a match that a request replays, which takes two seconds and 120 MB; few matches have a
tenth of that."""
WEB_THREADS = 8
"""Requests that a web process handles simultaneously."""
MAX_WAITING = WEB_THREADS // 2
"""Requests per web process that may wait for bots; others are answered immediately."""

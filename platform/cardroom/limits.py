"""How much of a request is read, each with its reason. Packages: `bots.limits`.

`cardroom.middleware.Bounds` refuses anything longer before parsing any of it; lines and
headers are refused by the web server, which `cardroom.services` starts with these numbers.
"""

from bots.limits import KIB

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

MAX_REQUEST_LINE = 4_000
"""Characters of a request's first line."""
MAX_HEADERS = 64
MAX_HEADER = 8_000
"""Bytes of one header; cookies of this site have a few hundred."""

MAX_PLAYED = 16 * KIB
"""Bytes of what a page of a table sends: 64 parts of a move have about two thousand."""
WEB_THREADS = 8
"""Requests that a web process serves at once."""
MAX_HELD = WEB_THREADS // 2
"""Answers that one holds back while bots think; the others come at once, so pages stay quick."""

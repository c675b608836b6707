"""Send a request to an address that a user chose, without reaching internal hosts."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from http import HTTPStatus
from typing import Final

import httpx

from cardroom_base.models import MAX_URL

SECONDS: Final = 10.0
"""Limit of a whole request: name, connection, sending, answer."""
CONNECT_SECONDS: Final = 3.0
"""Limit of the connection to one address; then the next address of the name has its turn."""
MOST_READ: Final = 2048
"""Bytes of an answer's body that are read."""
MAX_ADDRESSES: Final = 4
"""Addresses of a name that are tried."""
MAX_LOOKUPS: Final = 50
"""Names that are looked up at the same time."""
_resolvers: Final = ThreadPoolExecutor(MAX_LOOKUPS, "resolver")
"""A lookup cannot be interrupted. These threads let it end after its request was given up."""
_NAME: Final = re.compile(r"[a-z0-9_.-]+")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
"""Translated to the IPv4 address in the last four bytes (RFC 6052)."""


class RefusedError(Exception):
    """The address is not one that the site sends to; the text is for people."""


class NoAnswerError(Exception):
    """The host did not answer, or not in time; the text is for people."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a host answered."""

    status: int
    text: str
    """The beginning of the body."""


def checked(text: str) -> httpx.URL:
    """The parsed address; RefusedError if the site never sends there. Asks no name server."""
    try:
        url = httpx.URL(text[: MAX_URL + 1])
    except (httpx.InvalidURL, ValueError) as error:
        raise RefusedError("This is not an address.") from error
    if len(text) > MAX_URL or len(str(url)) > MAX_URL:  # other letters become %.. there
        raise RefusedError(f"An address has at most {MAX_URL} characters.")
    if url.scheme != "https" or not url.host or url.userinfo:
        raise RefusedError("The address must begin with https:// and contain no password.")
    if url.port is not None and not 1024 <= url.port <= 65535:  # httpx drops 443
        raise RefusedError("The port must be 443, or 1024 and above.")
    try:
        internal = not is_public(_host(url))
    except ValueError:  # a name, which is checked whenever it is resolved
        internal = False
        if not _NAME.fullmatch(_host(url)):
            raise RefusedError(f"{url.host} is not the name of a host.") from None
    if internal:
        raise RefusedError(f"{url.host} is not on the public internet.")
    return url


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet; ValueError if it is none."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(ip.packed[-4:])
        if inner is not None:
            ip = inner
        elif ip.is_site_local:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


async def resolve(host: str, port: int) -> list[str]:
    """The IP addresses of a host; RefusedError if any of them is internal.

    The system's resolver reads numbers in any notation (`0x7f.1`), so these are checked, too.
    """
    try:
        loop = asyncio.get_running_loop()
        ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        rows = await loop.run_in_executor(_resolvers, ask)
    except (OSError, UnicodeError) as error:
        raise NoAnswerError(f"{host} has no address.") from error
    addresses = list(dict.fromkeys(str(row[4][0]) for row in rows))
    if not addresses or not all(map(is_public, addresses)):
        raise RefusedError(f"{host} is not on the public internet.")
    return addresses[:MAX_ADDRESSES]


async def post(text: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Post to an address within `SECONDS`; redirects are answers like others.

    The name is resolved once, and the connection goes to an address that was checked, so a name
    server that answers differently a second time changes nothing. Raises RefusedError or
    NoAnswerError.
    """
    url = checked(text)
    try:
        async with asyncio.timeout(SECONDS):
            addresses = await resolve(_host(url), url.port or 443)
            async with httpx.AsyncClient(
                verify=_certificates(),
                trust_env=False,  # no proxies: they would resolve the name again
                timeout=httpx.Timeout(SECONDS, connect=CONNECT_SECONDS),
            ) as client:
                return await _post_to_one(client, url, addresses, body, headers)
    except TimeoutError as error:
        raise NoAnswerError(f"No answer within {SECONDS:.0f} seconds.") from error
    except httpx.HTTPError as error:
        raise NoAnswerError(f"{type(error).__name__}: {error}"[:500]) from error


async def _post_to_one(
    client: httpx.AsyncClient,
    url: httpx.URL,
    addresses: list[str],
    body: bytes,
    headers: Mapping[str, str],
) -> Answer:
    """The answer of the first address that can be connected to."""
    headers = {**headers, "Host": url.netloc.decode(), "Accept-Encoding": "identity"}
    for left, address in zip(range(len(addresses) - 1, -1, -1), addresses, strict=True):
        request = client.build_request(
            "POST",
            url.copy_with(host=address),
            content=body,
            headers=headers,
            extensions={"sni_hostname": _host(url)},  # also the name of the certificate
        )
        try:
            response = await client.send(request, stream=True, follow_redirects=False)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if not left:
                raise
            continue
        try:
            return Answer(response.status_code, await _beginning(response))
        finally:
            await response.aclose()
    raise AssertionError("a name has at least one address")


async def _beginning(response: httpx.Response) -> str:
    content = b""
    async for piece in response.aiter_raw(MOST_READ):
        content += piece
        if len(content) >= MOST_READ:
            break
    return content[:MOST_READ].decode(errors="replace")


def reason(status: int) -> str:
    """A status with its name, such as `404 Not Found`."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _host(url: httpx.URL) -> str:
    """The host as name servers and certificates know it: ASCII, without brackets."""
    return url.raw_host.decode()


@cache
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)

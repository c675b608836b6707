"""Sends requests to addresses that users chose, and never to internal hosts."""

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
from typing import TYPE_CHECKING, Final

from cardroom_base.models import MAX_URL

if TYPE_CHECKING:  # importing takes 0.3 s, and few processes ever send
    import httpx

SECONDS: Final = 10.0
"""The maximum duration of a request: lookup, connection, sending, response."""
CONNECT_SECONDS: Final = 3.0
"""The maximum time to connect to one address; then the name's next address is tried."""
MAX_READ: Final = 2048
"""The maximum number of bytes read from the body of a response."""
MAX_ADDRESSES: Final = 4
"""The maximum number of addresses that are tried for a name."""
MAX_LOOKUPS: Final = 50
"""The maximum number of simultaneous name lookups."""
_resolvers: Final = ThreadPoolExecutor(MAX_LOOKUPS, "resolver")
"""Threads for lookups. Nothing can interrupt a lookup, so it may outlast its request."""
_NAME: Final = re.compile(r"[a-z0-9_.-]+")
_SECONDS: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
"""Addresses that stand for the IPv4 address in their last four bytes (RFC 6052)."""
_SPECIAL: Final = (
    ipaddress.ip_network("192.0.0.0/24"),  # protocols (RFC 6890); Oracle's metadata server
    ipaddress.ip_network("192.88.99.0/24"),  # relays, abolished by RFC 7526
    ipaddress.ip_network("168.63.129.16/32"),  # Azure's servers, on each of its machines
)
"""Networks that `ipaddress` counts as public, the first one only in older versions of Python."""


class ForbiddenAddressError(Exception):
    """The site does not send to this address; the text is for people."""


class NoResponseError(Exception):
    """The host did not respond in time; the text is for people."""


@dataclass(frozen=True, slots=True)
class HostResponse:
    """The response of a host."""

    status: int
    text: str
    """The beginning of the body."""
    retry_after: float = 0.0
    """The seconds in the header `Retry-After`; 0 if there are none."""


def checked_url(text: str) -> httpx.URL:
    """The parsed address; ForbiddenAddressError if the site never sends there. Looks up no name."""
    import httpx

    try:
        url = httpx.URL(text[: MAX_URL + 1])
    except (httpx.InvalidURL, ValueError) as error:
        raise ForbiddenAddressError("This is not a valid address.") from error
    if len(text) > MAX_URL or len(str(url)) > MAX_URL:  # str() escapes letters as %..
        raise ForbiddenAddressError(f"An address can have at most {MAX_URL} characters.")
    if url.scheme != "https" or not url.host or url.userinfo:
        raise ForbiddenAddressError("The address must begin with https:// and contain no password.")
    if url.port is not None and not 1024 <= url.port <= 65535:  # httpx drops 443
        raise ForbiddenAddressError("The port must be 443, or at least 1024.")
    try:
        internal = not is_public(_host(url))
    except ValueError:  # a name, which is checked whenever it is resolved
        internal = False
        if not _NAME.fullmatch(_host(url)):
            raise ForbiddenAddressError(f"{url.host} is not a valid host name.") from None
    if internal:
        raise ForbiddenAddressError(f"{url.host} is not on the public internet.")
    return url


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet; ValueError for any other text."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(ip.packed[-4:])
        if inner is not None:
            ip = inner
        elif ip.is_site_local:
            return False
    if any(ip in network for network in _SPECIAL):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


async def resolve(host: str, port: int) -> list[str]:
    """The IP addresses of a host; ForbiddenAddressError if any of them is internal.

    The system's resolver reads numbers in any notation (`0x7f.1`), so these are checked, too.
    """
    try:
        loop = asyncio.get_running_loop()
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        rows = await loop.run_in_executor(_resolvers, look_up)
    except (OSError, UnicodeError) as error:
        raise NoResponseError(f"{host} has no address.") from error
    addresses = list(dict.fromkeys(str(row[4][0]) for row in rows))
    if not addresses or not all(map(is_public, addresses)):
        raise ForbiddenAddressError(f"{host} is not on the public internet.")
    return addresses[:MAX_ADDRESSES]


async def post(text: str, body: bytes, headers: Mapping[str, str]) -> HostResponse:
    """Post to an address within `SECONDS`, without following redirects.

    The name is resolved once, and the connection goes to a checked address, so it does not matter
    if the name server's second answer differs. Raises ForbiddenAddressError or NoResponseError.
    """
    import httpx

    url = checked_url(text)
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
        raise NoResponseError(f"No answer within {SECONDS:.0f} seconds.") from error
    except httpx.HTTPError as error:
        raise NoResponseError(f"{type(error).__name__}: {error}"[:500]) from error


async def _post_to_one(
    client: httpx.AsyncClient,
    url: httpx.URL,
    addresses: list[str],
    body: bytes,
    headers: Mapping[str, str],
) -> HostResponse:
    """The response of the first address that can be connected to."""
    import httpx

    headers = {**headers, "Host": url.netloc.decode(), "Accept-Encoding": "identity"}
    for number, address in enumerate(addresses, 1):
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
            if number == len(addresses):
                raise
            continue
        try:
            text = await _read_beginning(response)
            return HostResponse(response.status_code, text, _retry_after(response))
        finally:
            await response.aclose()
    raise AssertionError("a name has at least one address")


async def _read_beginning(response: httpx.Response) -> str:
    content = b""
    async for piece in response.aiter_raw(MAX_READ):
        content += piece
        if len(content) >= MAX_READ:
            break
    return content[:MAX_READ].decode(errors="replace")


def _retry_after(response: httpx.Response) -> float:
    text = response.headers.get("Retry-After", "")
    return float(text) if _SECONDS.fullmatch(text) else 0.0


def status_text(status: int) -> str:
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
    import httpx

    return httpx.create_ssl_context(trust_env=False)

"""Determines the origin of a request from its peer and trusted proxies.

`CARDROOM_TRUSTED_PROXIES` lists addresses and networks; the word `unix` stands for a proxy that
connects through a Unix socket and so has no address. Only the headers `X-Forwarded-For`,
`X-Forwarded-Proto` and `X-Request-ID` are read, and only from these proxies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

UNIX: Final = "unix"
_FORWARDED_FOR: Final = "HTTP_X_FORWARDED_FOR"
_SCHEME: Final = "HTTP_X_FORWARDED_PROTO"
_REQUEST_ID: Final = "HTTP_X_REQUEST_ID"
_FORWARDED: Final = (
    _REQUEST_ID,
    "HTTP_FORWARDED",
    "HTTP_X_FORWARDED",
    "HTTP_X_ORIGINAL",
    "HTTP_X_REAL_IP",
    "HTTP_X_REWRITE_URL",
    "HTTP_X_SCRIPT_NAME",
    "HTTP_SCRIPT_NAME",
    "HTTP_X_URL_SCHEME",
    "HTTP_FRONT_END_HTTPS",
)
"""Prefixes of headers in which a proxy may describe the original request."""
NO_PROXY: Final = (
    "CARDROOM_HTTPS is set, but CARDROOM_TRUSTED_PROXIES names no proxy. Without one no request "
    "counts as HTTPS, and each would be redirected for ever. Name the proxy that terminates HTTPS, "
    "such as CARDROOM_TRUSTED_PROXIES=127.0.0.1."
)
_CUSTOMER_BITS: Final = 64
"""Length of the IPv6 prefix that a provider gives to one customer."""


class Proxies:
    """The trusted proxies."""

    def __init__(self, setting: Iterable[str]) -> None:
        names = [name.strip() for name in setting if name.strip()]
        self.by_socket = UNIX in names
        try:
            self.networks = [ip_network(name) for name in names if name != UNIX]
        except ValueError as error:
            raise ImproperlyConfigured(
                f"CARDROOM_TRUSTED_PROXIES: {error}. Give addresses or networks such as "
                "10.0.0.7 or 10.0.0.0/24, separated by commas."
            ) from error

    def __bool__(self) -> bool:
        return self.by_socket or bool(self.networks)

    def trusts(self, address: str) -> bool:
        """Whether a peer is a trusted proxy; a peer without an address uses a Unix socket."""
        ip = parse_address(address)
        if ip is None:
            return self.by_socket
        return any(ip in network for network in self.networks)

    def origin(self, peer: str, hops: str) -> str:
        """The rightmost address in `X-Forwarded-For` that is not a trusted proxy.

        Each proxy appends the address of its client. Everything to the left of the first untrusted
        address may be forged.
        """
        address, chain = peer, hops.split(",")
        while chain and self.trusts(address):
            hop = parse_address(_without_port(chain.pop().strip()))
            if hop is None:
                break
            address = str(hop)
        return address


class TrustedProxies:
    """Stores the origin of each request in `REMOTE_ADDR` and removes forwarded headers.

    From trusted proxies, it keeps `X-Forwarded-Proto` for Django, and `X-Request-ID` for the log.
    Of several schemes it keeps the last, which the proxy appended: a client may have sent the
    others, and Django reads the first.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.proxies = Proxies(settings.TRUSTED_PROXIES)
        if settings.HTTPS and not self.proxies:
            raise ImproperlyConfigured(NO_PROXY)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        peer = request.META.get("REMOTE_ADDR", "")
        forwarded = {
            name: request.META.pop(name) for name in [*request.META] if name.startswith(_FORWARDED)
        }
        if self.proxies.trusts(peer):
            request.META["REMOTE_ADDR"] = self.proxies.origin(
                peer, forwarded.get(_FORWARDED_FOR, "")
            )
            if scheme := forwarded.get(_SCHEME):
                request.META[_SCHEME] = scheme.rpartition(",")[2].strip()
            if request_id := forwarded.get(_REQUEST_ID):
                request.META[_REQUEST_ID] = request_id
        return self.get_response(request)


def counted_address(request: Any) -> str:
    """The address by which requests are counted: for IPv6 the /64 network; empty if unknown."""
    ip = parse_address(request.META.get("REMOTE_ADDR", ""))
    if isinstance(ip, IPv6Address):
        return str(IPv6Network((int(ip), _CUSTOMER_BITS), strict=False).network_address)
    return str(ip or "")


def site_origin(request: HttpRequest) -> str:
    """Scheme and host of this site as the request names them, without a slash at the end."""
    return request.build_absolute_uri("/").removesuffix("/")


def is_in_trusted_network(address: str) -> bool:
    """Whether many people share this address (`CARDROOM_TRUSTED_NETWORKS`)."""
    ip = parse_address(address)
    networks = map(ip_network, settings.TRUSTED_NETWORKS)
    return ip is not None and any(ip in network for network in networks)


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """The address, as IPv4 even if written inside IPv6; None for any other text."""
    try:
        ip = ip_address(text)
    except ValueError:
        return None
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return mapped or ip


def _without_port(hop: str) -> str:
    """The address without the port that some proxies append: `[::1]:80`, `192.0.2.1:80`."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop

"""Where a request comes from, according to trusted proxies and nobody else.

`CARDROOM_TRUSTED_PROXIES` names addresses and networks; the word `unix` stands for a proxy that
connects by a Unix socket and so has no address. `X-Forwarded-For` of any other is not read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

log = logging.getLogger(__name__)

UNIX: Final = "unix"
_HOP: Final = "HTTP_X_FORWARDED_FOR"
_SCHEME: Final = "HTTP_X_FORWARDED_PROTO"
_HOME_BITS: Final = 64
"""The part of an IPv6 address that a provider gives to one customer, who may use all the rest."""


class Proxies:
    """The proxies that are believed."""

    def __init__(self, named: Iterable[str]) -> None:
        words = [word.strip() for word in named if word.strip()]
        self.by_socket = UNIX in words
        try:
            self.networks = [ip_network(word) for word in words if word != UNIX]
        except ValueError as error:
            raise ImproperlyConfigured(
                f"CARDROOM_TRUSTED_PROXIES: {error}. Give addresses or networks such as "
                "10.0.0.7 or 10.0.0.0/24, separated by commas."
            ) from error

    def __bool__(self) -> bool:
        return self.by_socket or bool(self.networks)

    def trusts(self, address: str) -> bool:
        """Whether the peer at an address is one of them; the empty text is a Unix socket's."""
        found = parsed(address)
        if found is None:
            return self.by_socket and not address
        return any(found in network for network in self.networks)

    def origin(self, peer: str, hops: str) -> str:
        """The address nearest to us in `X-Forwarded-For` that is not a proxy's own.

        Each proxy adds its own client at the right; the first that we do not trust may have made up
        everything to its left.
        """
        address, left = peer, hops.split(",")
        while left and self.trusts(address):
            hop = parsed(_without_port(left.pop().strip()))
            if hop is None:
                break
            address = str(hop)
        return address


class TrustedProxies:
    """Puts the origin of each request into `REMOTE_ADDR`; what strangers forward is removed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.proxies = Proxies(settings.TRUSTED_PROXIES)
        if settings.HTTPS and not self.proxies:
            log.warning(
                "CARDROOM_HTTPS is set, so a proxy stands before this site, but "
                "CARDROOM_TRUSTED_PROXIES names none: everybody is counted as one."
            )

    def __call__(self, request: HttpRequest) -> HttpResponse:
        peer = request.META.get("REMOTE_ADDR", "")
        hops = request.META.pop(_HOP, "")
        # Without any proxy named, CARDROOM_HTTPS alone says that one stands before us.
        if self.proxies and not self.proxies.trusts(peer):
            request.META.pop(_SCHEME, None)
        if hops:
            request.META["REMOTE_ADDR"] = self.proxies.origin(peer, hops)
        return self.get_response(request)


def home(request: Any) -> str:
    """The address under which a request is counted: IPv6 by its /64; empty where there is none."""
    found = parsed(request.META.get("REMOTE_ADDR", ""))
    if isinstance(found, IPv6Address):
        return str(IPv6Network((int(found), _HOME_BITS), strict=False).network_address)
    return str(found or "")


def parsed(text: str) -> IPv4Address | IPv6Address | None:
    """The address, as IPv4 even if written inside IPv6; None if it is not one."""
    try:
        found = ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _without_port(hop: str) -> str:
    """`[::1]:80` and `192.0.2.1:80`, as some proxies write it, without the port."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop

"""Addresses come from trusted proxies only."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from cardroom.addresses import Proxies, TrustedProxies, home

INSIDE = ("10.0.0.0/8", "2001:db8::/32", "unix")
hops = st.lists(st.ip_addresses().map(str), max_size=4)


@pytest.mark.parametrize(
    ("peer", "forwarded", "origin"),
    [
        ("203.0.113.5", "192.0.2.1", "203.0.113.5"),  # a stranger makes something up
        ("10.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("10.0.0.1", "1.1.1.1, 192.0.2.1", "192.0.2.1"),  # made up on the left
        ("10.0.0.1", "192.0.2.1, 10.0.0.2", "192.0.2.1"),  # two proxies
        ("10.0.0.1", "10.1.1.1, 10.0.0.2", "10.1.1.1"),  # from inside
        ("10.0.0.1", "192.0.2.1, nonsense", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "192.0.2.1:4711", "192.0.2.1"),
        ("10.0.0.1", "[2001:db9::1]:80", "2001:db9::1"),
        ("::ffff:10.0.0.1", "::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::7", "192.0.2.1", "192.0.2.1"),
        ("", "192.0.2.1", "192.0.2.1"),  # by a Unix socket
    ],
)
def test_the_first_that_is_not_trusted_is_the_origin(
    peer: str, forwarded: str, origin: str
) -> None:
    assert Proxies(INSIDE).origin(peer, forwarded) == origin


@given(hops, st.ip_addresses(network="203.0.113.0/24").map(str))
def test_whatever_a_stranger_forwards_changes_nothing(made_up: list[str], stranger: str) -> None:
    proxies = Proxies(("10.0.0.1",))
    assert proxies.origin(stranger, ",".join(made_up)) == stranger
    assert proxies.origin("10.0.0.1", ",".join([*made_up, stranger])) == stranger


@given(st.text())
def test_any_header_gives_an_address(text: str) -> None:
    proxies = Proxies(("0.0.0.0/0", "::/0"))
    home_of = proxies.origin("10.0.0.1", text)
    assert Proxies(("0.0.0.0/0", "::/0")).trusts(home_of)


def test_what_is_no_network_is_said() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"CARDROOM_TRUSTED_PROXIES: .*proxy"):
        Proxies(["proxy.example"])
    assert not Proxies([""])


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::1", "2001:db8:1:2::"),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_a_customer_counts_as_one(address: str, counted: str) -> None:
    assert home(RequestFactory().get("/", REMOTE_ADDR=address)) == counted


@pytest.mark.parametrize("trusted", [[], ["10.0.0.1"]])
def test_nobody_else_reads_what_was_forwarded(settings: object, trusted: list[str]) -> None:
    settings.TRUSTED_PROXIES = trusted  # type: ignore[attr-defined]  # pytest-django's
    seen = {}

    def view(request: object) -> HttpResponse:
        seen.update(request.META)  # type: ignore[attr-defined]  # Django's request
        return HttpResponse()

    ask = RequestFactory(REMOTE_ADDR="203.0.113.5").get
    forged = {"X-Forwarded-For": "10.0.0.1", "X-Forwarded-Proto": "https"}
    TrustedProxies(view)(ask("/", headers=forged))
    assert seen["REMOTE_ADDR"] == "203.0.113.5"
    assert "HTTP_X_FORWARDED_FOR" not in seen
    assert ("HTTP_X_FORWARDED_PROTO" in seen) == (not trusted)

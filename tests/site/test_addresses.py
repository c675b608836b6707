"""Addresses come from trusted proxies only."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from cardroom.addresses import Proxies, TrustedProxies, counted_address
from cardroom.system_checks import https_needs_a_proxy
from cardroom.wsgi import application

INSIDE = ("10.0.0.0/8", "2001:db8::/32", "unix")
hops = st.lists(st.ip_addresses().map(str), max_size=4)


@pytest.mark.parametrize(
    ("peer", "forwarded", "origin"),
    [
        ("203.0.113.5", "192.0.2.1", "203.0.113.5"),  # a stranger forges the header
        ("10.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("10.0.0.1", "1.1.1.1, 192.0.2.1", "192.0.2.1"),  # forged on the left
        ("10.0.0.1", "192.0.2.1, 10.0.0.2", "192.0.2.1"),  # two proxies
        ("10.0.0.1", "10.1.1.1, 10.0.0.2", "10.1.1.1"),  # from inside
        ("10.0.0.1", "192.0.2.1, nonsense", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "192.0.2.1:4711", "192.0.2.1"),
        ("10.0.0.1", "[2001:db9::1]:80", "2001:db9::1"),
        ("::ffff:10.0.0.1", "::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::7", "192.0.2.1", "192.0.2.1"),
        ("", "192.0.2.1", "192.0.2.1"),  # over a Unix socket
        ("localhost", "192.0.2.1", "192.0.2.1"),  # waitress's name for a Unix socket
    ],
)
def test_the_last_untrusted_address_is_the_origin(peer: str, forwarded: str, origin: str) -> None:
    assert Proxies(INSIDE).origin(peer, forwarded) == origin


@given(hops, st.ip_addresses(network="203.0.113.0/24").map(str))
def test_a_strangers_header_does_not_change_the_origin(forged: list[str], stranger: str) -> None:
    proxies = Proxies(("10.0.0.1",))
    assert proxies.origin(stranger, ",".join(forged)) == stranger
    assert proxies.origin("10.0.0.1", ",".join([*forged, stranger])) == stranger


@given(st.text())
def test_any_header_gives_an_address(text: str) -> None:
    proxies = Proxies(("0.0.0.0/0", "::/0"))
    origin = proxies.origin("10.0.0.1", text)
    assert Proxies(("0.0.0.0/0", "::/0")).trusts(origin)


def test_a_host_name_is_no_trusted_proxy() -> None:
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
def test_addresses_of_one_customer_count_as_one(address: str, counted: str) -> None:
    assert counted_address(RequestFactory().get("/", REMOTE_ADDR=address)) == counted


FORGED = {
    "Forwarded": "for=10.0.0.1;proto=https;host=evil.example",
    "X-Forwarded-For": "10.9.9.9",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Port": "99",
    "X-Forwarded-Prefix": "/x",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Protocol": "ssl",
    "X-Forwarded-Scheme": "https",
    "X-Forwarded-Server": "evil.example",
    "X-Forwarded-Ssl": "on",
    "X-Original-Url": "/admin/",
    "X-Real-Ip": "10.9.9.9",
    "X-Request-Id": "forged",
    "X-Rewrite-Url": "/admin/",
    "X-Script-Name": "/x",
    "X-Url-Scheme": "https",
    "Front-End-Https": "on",
    "Script-Name": "/x",
}


def meta_at_the_site(settings: Any, trusted: list[str], peer: str) -> dict[str, Any]:
    """The forged headers of a peer's request that reach the view, and the view's REMOTE_ADDR."""
    settings.TRUSTED_PROXIES = trusted
    meta: dict[str, Any] = {}

    def view(request: HttpRequest) -> HttpResponse:
        meta.update(request.META)
        return HttpResponse()

    TrustedProxies(view)(RequestFactory(REMOTE_ADDR=peer).get("/", headers=FORGED))
    return {name: value for name, value in meta.items() if value in FORGED.values()} | {
        "REMOTE_ADDR": meta["REMOTE_ADDR"]
    }


@pytest.mark.parametrize("trusted", [[], ["10.0.0.1"], ["unix"]])
def test_a_strangers_headers_are_dropped(settings: Any, trusted: list[str]) -> None:
    assert meta_at_the_site(settings, trusted, "203.0.113.5") == {"REMOTE_ADDR": "203.0.113.5"}


@pytest.mark.parametrize(
    ("trusted", "peer"), [("10.0.0.1", "10.0.0.1"), ("unix", ""), ("unix", "localhost")]
)
def test_a_proxys_address_scheme_and_request_id_are_kept(
    settings: Any, trusted: str, peer: str
) -> None:
    expected = {
        "REMOTE_ADDR": "10.9.9.9",
        "HTTP_X_FORWARDED_PROTO": "https",
        "HTTP_X_REQUEST_ID": "forged",
    }
    assert meta_at_the_site(settings, [trusted], peer) == expected


@pytest.mark.parametrize(
    ("forwarded", "is_https"),
    [
        ("https", True),
        ("http", False),
        ("https, http", False),
        ("http,https", True),
        ("https,", False),
    ],
)
def test_only_the_last_forwarded_scheme_counts(
    settings: Any, forwarded: str, is_https: bool
) -> None:
    """A proxy that appends its scheme to a client's header writes the last one."""
    settings.TRUSTED_PROXIES = ["10.0.0.1"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    secure: list[bool] = []

    def view(request: HttpRequest) -> HttpResponse:
        secure.append(request.is_secure())
        return HttpResponse()

    headers = {"X-Forwarded-Proto": forwarded}
    TrustedProxies(view)(RequestFactory(REMOTE_ADDR="10.0.0.1").get("/", headers=headers))
    assert secure == [is_https]


def test_https_without_a_proxy_is_refused_with_the_remedy(settings: Any) -> None:
    settings.HTTPS, settings.TRUSTED_PROXIES = True, []
    with pytest.raises(ImproperlyConfigured, match="CARDROOM_TRUSTED_PROXIES=127"):
        TrustedProxies(lambda _: HttpResponse())
    assert [error.id for error in https_needs_a_proxy()] == ["cardroom.E001"]
    settings.TRUSTED_PROXIES = ["10.0.0.1"]
    assert https_needs_a_proxy() == []


@pytest.mark.django_db
def test_a_script_name_does_not_move_the_site() -> None:
    statuses: list[str] = []
    environ = RequestFactory().get("/no-such-page/").META | {"SCRIPT_NAME": "/x"}
    page = b"".join(application(environ, lambda status, _: statuses.append(status)))
    assert statuses == ["404 Not Found"]
    assert b'"/x' not in page

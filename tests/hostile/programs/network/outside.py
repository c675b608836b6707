# tries: reach the network: connect, listen, resolve names
# must: play on
# walls: seccomp, namespaces
import socket
import urllib.request

import lib


def attack():
    for address in (
        ("1.1.1.1", 53),
        ("127.0.0.1", 80),
        ("127.0.0.1", 6379),
        ("169.254.169.254", 80),
        ("::1", 5432),
    ):
        lib.attempt(f"connect {address}", socket.create_connection, address, 0.02)
    lib.attempt("listen", socket.create_server, ("127.0.0.1", 0))
    lib.attempt("udp", socket.socket, socket.AF_INET, socket.SOCK_DGRAM)
    lib.attempt("names", socket.getaddrinfo, "example.org", 80)
    lib.attempt("reverse", socket.gethostbyaddr, "1.1.1.1")
    lib.attempt("web", urllib.request.urlopen, "http://127.0.0.1/", None, 0.02)
    lib.attempt("netlink", socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 0)
    lib.attempt("interfaces", socket.if_nameindex)
    lib.attempt("pair", socket.socketpair)


choose = lib.once(attack)

# tries: reach a service of the host by the abstract name of a socket
# must: play on
# walls: seccomp, namespaces
import socket

import lib
from given import SERVICE


def connect(name):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(0.05)
        client.connect(name)


def attack():
    for name in (
        SERVICE,
        "\0/tmp/dbus",
        "\0/tmp/.X11-unix/X0",
        "/run/docker.sock",
        "/var/run/redis.sock",
    ):
        lib.attempt(repr(name), connect, name)


choose = lib.once(attack)

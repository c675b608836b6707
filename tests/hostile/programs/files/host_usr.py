# tries: learn from /usr about the host's programs, packages, compilers and documents
# must: play on
# walls: root
import os

import lib

PLACES = """/usr/bin/gcc /usr/bin/git /usr/bin/perl /usr/bin/mount /usr/bin/bwrap /usr/bin/dpkg /usr/sbin
/usr/share/doc /usr/share/zoneinfo /usr/share/perl /usr/share/keyrings /usr/local/bin /usr/local/lib
/usr/src /usr/include /usr/games /usr/lib/git-core /usr/lib/systemd /usr/lib/os-release /usr/lib/modules
/usr/lib/apt /usr/lib/python3/dist-packages /usr/libexec /usr/lib/locale/locale-archive""".split()


def look(path):
    found = os.listdir(path) if os.path.isdir(path) else os.stat(path).st_size
    if not found:
        raise OSError("it is empty")
    return found


def attack():
    for path in PLACES:
        lib.attempt(path, look, path)


choose = lib.once(attack)

# tries: read files of the host
# must: play on
# walls: root, namespaces
import os

import lib

FILES = """/etc/passwd /etc/shadow /etc/hostname /etc/machine-id /etc/resolv.conf /etc/os-release /etc/ssl
/etc/ld.so.conf /etc/environment /etc/crontab /var/lib/dpkg/status /var/log/syslog /var/tmp /var/run
/run/docker.sock /run/systemd /root/.ssh/id_rsa /root/.bash_history /home /opt /srv /mnt /media /boot
/proc/1/environ /proc/self/maps /proc/self/status /proc/cpuinfo /proc/meminfo /proc/mounts /proc/net/tcp
/proc/sys/kernel/hostname /sys/class/net /sys/fs/cgroup /sys/kernel /sys/block /lost+found /.dockerenv
/tmp/.X11-unix /dev/shm /dev/pts /dev/log /dev/disk""".split()


def read(path):
    found = os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(100)
    if not found:
        raise OSError("it is empty")
    return found


def attack():
    for path in FILES:
        lib.attempt(path, read, path)
    for entry in os.scandir("/"):
        if entry.name not in {"usr", "lib", "lib64", "bin", "tmp", "dev", "cardroom", "etc"}:
            lib.tell(f"at the top: {entry.name}")


choose = lib.once(attack)

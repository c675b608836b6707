# tries: create files in every folder
# must: play on
# walls: root, seccomp
import os

import lib

FOLDERS = ". / /tmp /tmp/bot /dev /dev/shm /var/tmp /run /usr /usr/lib /lib /etc /cardroom /cardroom/engine /root".split()


def attack():
    for folder in FOLDERS:
        path = f"{folder}/{lib.MARK}"
        lib.attempt(f"open {path}", open, path, "w")
        lib.attempt(f"mkdir {path}", os.mkdir, path)
        lib.attempt(f"mkfifo {path}", os.mkfifo, path)
        lib.attempt(f"symlink {path}", os.symlink, "/etc/passwd", path)
        lib.attempt(f"link {path}", os.link, "bot.py", path)
        lib.attempt(f"mknod {path}", os.mknod, path, 0o20666, 0x103)
        lib.attempt(f"unnamed in {folder}", os.open, folder, os.O_TMPFILE | os.O_RDWR)


choose = lib.once(attack)

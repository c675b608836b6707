# tries: rename, remove, chmod and chown files, its own and the engine's
# must: play on
# walls: root, seccomp
import os

import lib


def attack():
    for path in (
        "bot.py",
        "/cardroom/engine/__init__.py",
        os.__file__,
        "/tmp/bot",
        "/dev/null",
        "/",
    ):
        lib.attempt(f"remove {path}", os.unlink, path)
        lib.attempt(f"rmdir {path}", os.rmdir, path)
        lib.attempt(f"rename {path}", os.rename, path, f"/tmp/{lib.MARK}")
        lib.attempt(f"mode of {path}", os.chmod, path, 0o4777)
        lib.attempt(f"owner of {path}", os.chown, path, 0, 0)
        lib.attempt(f"times of {path}", os.utime, path, (0, 0))
        lib.attempt(f"label of {path}", os.setxattr, path, "user.mark", b"x")
        lib.attempt(
            f"mode again of {path}", lib.syscall, "fchmodat2", -100, path.encode(), 0o777, 0
        )


choose = lib.once(attack)

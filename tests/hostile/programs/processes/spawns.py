# tries: start a program by every function of the library
# must: play on
# walls: seccomp, root
import multiprocessing
import os
import pty
import subprocess

import lib


def shell(command):
    if os.waitstatus_to_exitcode(os.system(command)):
        raise OSError("it did not run")


def attack():
    lib.attempt("subprocess", subprocess.run, ["/bin/true"])
    lib.attempt("system", shell, "true")
    lib.attempt("posix_spawn", os.posix_spawn, "/bin/true", ["true"], {})
    lib.attempt("popen", lambda: os.popen("id").read() or exec("raise OSError('nothing')"))
    lib.attempt("multiprocessing", multiprocessing.Process(target=print).start)
    lib.attempt("pty", pty.fork)
    lib.attempt("spawnv", os.spawnv, os.P_NOWAIT, "/bin/true", ["true"])


choose = lib.once(attack)

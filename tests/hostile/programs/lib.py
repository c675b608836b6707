"""Functions of the Python programs; each package contains this file and `given.py`."""

import ctypes
import errno
import fcntl
import json
import os
import platform
import random
import stat
import time

from given import MEMORY_MIB, ROLE, SECRET

MARK = "cardroom-hostile-mark"
CALLS = """
read:0:63 write:1:64 mmap:9:222 mprotect:10:226 munmap:11:215 brk:12:214 preadv2:327:286
pwritev2:328:287 mremap:25:216 mincore:27:232 madvise:28:233 shmget:29:194 shmat:30:196
clone:56:220 fork:57:- vfork:58:- execve:59:221 kill:62:129 fcntl:72:25 flock:73:32 ptrace:101:117
sysinfo:99:179 personality:135:92 statfs:137:43 setpriority:141:140 mlock:149:228 mlockall:151:230
pivot_root:155:41 prctl:157:167 chroot:161:51 mount:165:40 umount2:166:39 init_module:175:105
gettid:186:178 setxattr:188:5 getxattr:191:8 tkill:200:130 futex:202:98 io_setup:206:0
set_tid_address:218:96 semget:64:190 msgget:68:186 msgsnd:69:189 msgrcv:71:188 fadvise64:221:223
timer_create:222:107 tgkill:234:131 mq_open:240:180 kexec_load:246:104 add_key:248:217
request_key:249:218 keyctl:250:219 ioprio_set:251:30 inotify_init1:294:26
inotify_add_watch:254:27 unshare:272:97 splice:275:76 tee:276:77 vmsplice:278:75 set_robust_list:273:99
perf_event_open:298:241 rt_sigqueueinfo:129:138 rt_tgsigqueueinfo:297:240 fanotify_init:300:262
prlimit64:302:261 name_to_handle_at:303:264 open_by_handle_at:304:265 setns:308:268
process_vm_readv:310:270 process_vm_writev:311:271 kcmp:312:272 finit_module:313:273
sched_setattr:314:274 seccomp:317:277 memfd_create:319:279 bpf:321:280 execveat:322:281
userfaultfd:323:282 statx:332:291 io_uring_setup:425:425 open_tree:428:428 move_mount:429:429
fsopen:430:430 fsmount:432:432 pidfd_send_signal:424:424 pidfd_open:434:434 clone3:435:435 openat2:437:437
pidfd_getfd:438:438 process_madvise:440:440 mount_setattr:442:442 landlock_create_ruleset:444:444
memfd_secret:447:447 process_mrelease:448:448 futex_waitv:449:449 cachestat:451:451 fchmodat2:452:452
map_shadow_stack:453:453 futex_wake:454:454 futex_wait:455:455 statmount:457:457 listmount:458:458
lsm_list_modules:461:461 readahead:187:213 remap_file_pages:216:234 mbind:237:235 move_pages:279:239
migrate_pages:256:238 process_vm_none:9999:9999 modify_ldt:154:- iopl:172:- ioperm:173:- uselib:134:-
sysfs:139:- syslog:103:116 quotactl:179:60 lookup_dcookie:212:18 vhangup:153:58 acct:163:89 swapon:167:224
reboot:169:142 sethostname:170:161 socket:41:198 socketpair:53:199 rt_sigaction:13:134
set_mempolicy:238:237 pkey_alloc:330:289 rseq:334:293 membarrier:324:283 sync:162:81 syncfs:306:267
adjtimex:159:171 sync_file_range:277:84 utimensat:280:88 unlinkat:263:35 linkat:265:37 symlinkat:266:36 mknodat:259:33
"""
NUMBERS = {
    name: columns[platform.machine() == "aarch64"]
    for name, *columns in (entry.split(":") for entry in CALLS.split())
}
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
_said = False


def tell(text):
    """Write a line to the log without buffering."""
    os.write(2, f"{text}\n".encode())


def tried():
    """Log that the attack begins; without this line the program proves nothing."""
    global _said
    if not _said:
        _said = True
        tell("TRIED")


def account():
    """Log the processor time of the whole process; programs of `turns` do it at each question."""
    tell(f"CPU {time.process_time() * 1000:.0f}")


def got(what):
    """Log that an attack worked."""
    tell(f"GOT-THROUGH {what}")


def syscall(name, *arguments):
    """Call the kernel by a call's name, with ints as 64 bits. Raises OSError."""
    number = int(NUMBERS[name]) if NUMBERS[name] != "-" else 9999
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = libc.syscall(ctypes.c_long(number), *words)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), name)
    return result


def attempt(what, call, *arguments):
    """Do something that the sandbox must refuse; log the refusal or the success.

    Returns the result, or None.
    """
    tried()
    try:
        result = call(*arguments)
    except (OSError, MemoryError, OverflowError, ValueError) as error:
        tell(f"REFUSED {what}: {error}")
        return None
    except ImportError as error:
        tell(f"REFUSED {what}: no such module: {error.name}")
        return None
    except Exception as error:  # noqa: BLE001 - a mistake in the attack
        tell(f"BROKEN {what}: {error!r}")
        return None
    got(f"{what}: {result!r:.200}")
    return result


def once(attack):
    """A `choose` that runs the attack at the first question, and plays well."""
    questions = iter([attack])

    def choose(view, legal):
        for first in questions:
            tried()
            first()
        return legal[0]

    return choose


def holding(take, most=MEMORY_MIB * 1.5, unit="MiB"):
    """A `choose` that takes memory and keeps it. `take()` yields the total so far.

    It takes a little at each question, so that it never exceeds its time. It has got through if it
    holds more than the limit from one question to the next.
    """
    taking = take()
    held = [0, 0]

    def choose(view, legal):
        tried()
        held[1] = held[0]
        try:
            while held[0] < held[1] + most / 6:
                held[0] = next(taking)
        except StopIteration:
            pass
        except (MemoryError, OSError, ValueError) as error:
            tell(f"REFUSED at {held[0]:.5g} {unit}: {error}")
        if held[1] > most:
            got(f"{held[1]:.5g} {unit} held from one question to the next")
        return legal[0]

    choose.taking = taking  # keeps the generator's memory alive
    return choose


def channel():
    """The runner's two pipes: (questions, answers)."""
    found = {}
    for fd in range(3, 64):
        try:
            mode = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                found[mode] = fd
        except OSError:
            continue
    return found[os.O_RDONLY], found[os.O_WRONLY]


def honest(message):
    """A correct answer."""
    if message["type"] == "start":
        return b'{"type":"ready"}\n'
    return json.dumps({"move": message["legal"][0]}).encode() + b"\n"


def speak(reply):
    """Take the channel over from the runner: `reply(message, number)` returns the bytes to send.

    number: 0 for the start line, 1 and up for the questions.
    """
    tried()
    source, target = channel()
    number = 0
    with open(source, "rb", buffering=0, closefd=False) as lines:
        for line in iter(lambda: _line(lines), b""):
            message = json.loads(line)
            if message["type"] in ("start", "move"):
                say(target, reply(message, number))
                number += 1
            elif message["type"] == "end":
                break
    os._exit(0)


def say(target, data):
    """Write all data."""
    while data:
        data = data[os.write(target, data) :]


def answers(*lines, at=2):
    """Answer question `at` with these lines, and all others correctly."""
    speak(lambda message, number: b"".join(lines) if number == at else honest(message))


def _line(stream):
    line = b""
    while not line.endswith(b"\n"):
        part = stream.read(65536)
        if not part:
            return b""
        line += part
    return line.splitlines()[-1] if line.count(b"\n") > 1 else line


class Whisperer:
    """A `Bot` that sends or receives one bit at each question.

    `hear()` returns a bit, or a number, which counts as 1 if it exceeds the median of all numbers.
    """

    send = hear = None

    def start(self, info):
        self.bits = random.Random(info["rng"])
        self.heard = []
        self.ready = self.dead = False

    def prepare(self):
        """Prepare for the first bit."""

    def choose(self, view, legal):
        tried()
        bit = self.bits.getrandbits(1)
        if ROLE == "sender":
            tell(f"SENT {bit}")
        try:
            if not self.ready:
                self.prepare()
                self.ready = True
            found = self.send(bit) if ROLE == "sender" else self.hear()
        except (OSError, ValueError) as error:
            found = 0
            if not self.dead:
                tell(f"REFUSED {error}")
            self.dead = True
        self.heard.append(found)
        return legal[0]

    def end(self, result):
        if ROLE == "receiver":
            middle = sorted(self.heard)[len(self.heard) // 2]
            plain = set(self.heard) <= {0, 1, True, False}
            bits = [int(one) if plain else int(one > middle) for one in self.heard]
            tell("HEARD " + "".join(map(str, bits)))


def bulk(send, hear):
    """A `choose` that sends 64 bits at its first question in one match and receives them in the next.

    `hear()` returns 64 numbers.
    """

    def attack():
        try:
            if ROLE == "sender":
                # Several seats of a check send, so all send the same bits.
                draw = random.Random(SECRET).getrandbits
                bits = [draw(1) for _ in range(64)]
                tell("SENT " + "".join(map(str, bits)))
                send(bits)
            else:
                heard = hear()
                middle = sorted(heard)[len(heard) // 2]
                plain = set(heard) <= {0, 1, True, False}
                bits = [int(one) if plain else int(one > middle) for one in heard]
                tell("HEARD " + "".join(map(str, bits)))
        except (OSError, ValueError) as error:
            tell(f"REFUSED {error}")
            if ROLE == "receiver":
                tell("HEARD " + "0" * 64)

    return once(attack)


def shared_file():
    """A readable file that all sandboxes share."""
    for path in (os.__file__, "/usr/lib/os-release", "/dev/null"):
        if os.access(path, os.R_OK):
            return path
    raise OSError(errno.ENOENT, "nothing is shared")

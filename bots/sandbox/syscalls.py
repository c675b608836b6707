"""System call numbers, grouped by the filter's treatment.

Each entry is `name:number on x86_64:number on aarch64`, with `-` if the architecture lacks the
call. All calls that are not listed get ENOSYS, which libraries interpret as "an older kernel" and
work around. These are deliberately omitted: preadv2, pwritev2, mincore, cachestat, readahead and
fadvise64, because they reveal or fill the page cache; statx, because it numbers the mounts of the
whole machine; membarrier, because its registration waits until all cores of the machine have left
the kernel; futex_wait and related calls, sendfile, copy_file_range, openat2 and clone3, because
they can reach other processes.
"""

from __future__ import annotations

from typing import Final

# Needed by Python, Node.js, Go, Rust and C programs that compute, sleep, read files and use
# threads. Arguments are not checked.
ALLOWED: Final = """
read:0:63 write:1:64 readv:19:65 writev:20:66 pread64:17:67 pwrite64:18:68 preadv:295:69
pwritev:296:70 close:3:57 lseek:8:62 dup:32:23 dup2:33:- dup3:292:24 ftruncate:77:46 poll:7:-
ppoll:271:73 select:23:- pselect6:270:72 epoll_create:213:- epoll_create1:291:20 epoll_ctl:233:21
epoll_wait:232:- epoll_pwait:281:22 epoll_pwait2:441:441 eventfd:284:- eventfd2:290:19
timerfd_create:283:85 timerfd_settime:286:86 timerfd_gettime:287:87 stat:4:- fstat:5:80 lstat:6:-
newfstatat:262:79 access:21:- faccessat:269:48 faccessat2:439:439 readlink:89:-
readlinkat:267:78 getcwd:79:17 chdir:80:49 fchdir:81:50 getdents:78:- getdents64:217:61 umask:95:166
munmap:11:215 brk:12:214 set_robust_list:273:99 set_tid_address:218:96 gettid:186:178
tgkill:234:131 tkill:200:130 rseq:334:293 sched_yield:24:124 sched_getaffinity:204:123
sched_getparam:143:121 sched_getscheduler:145:120 sched_get_priority_max:146:125
sched_get_priority_min:147:126 restart_syscall:219:128 rt_sigaction:13:134 rt_sigprocmask:14:135
rt_sigreturn:15:139 rt_sigsuspend:130:133 rt_sigpending:127:136 rt_sigtimedwait:128:137
sigaltstack:131:132 pause:34:- alarm:37:- setitimer:38:103 getitimer:36:102 clock_gettime:228:113
clock_getres:229:114 clock_nanosleep:230:115 nanosleep:35:101 gettimeofday:96:169 time:201:-
times:100:153 getrusage:98:165 getpid:39:172 getppid:110:173 getuid:102:174 geteuid:107:175
getgid:104:176 getegid:108:177 getgroups:115:158 getresuid:118:148 getresgid:120:150 getpgrp:111:-
getpgid:121:155 getsid:124:156 capget:125:90 uname:63:160 getrlimit:97:163 getcpu:309:168
wait4:61:260 waitid:247:95
"""

# Allowed for some arguments only; see seccomp.py.
CHECKED: Final = """
arch_prctl:158:- clone:56:220 close_range:436:436 exit:60:93 exit_group:231:94 fcntl:72:25
futex:202:98 getpriority:140:141 getrandom:318:278 ioctl:16:29 madvise:28:233 mmap:9:222
mprotect:10:226 mremap:25:216 msync:26:227 open:2:- openat:257:56 prctl:157:167 prlimit64:302:261
"""

# For bots with a command: calls to start their program, and calls of Node.js and Go at their start.
COMMANDS: Final = """
execve:59:221 pipe:22:- pipe2:293:59
"""

# Calls of `COMMANDS` that the platform answers, because the kernel numbers the pipes of the whole
# machine by one counter.
PIPES: Final = """
pipe:22:- pipe2:293:59
"""

# A call of `COMMANDS` that the platform counts and then permits or refuses.
STARTS: Final = """
execve:59:221
"""

# These return 0 without effect. A bot's files are never on a disk, and on shared files these calls
# would wait for the host's disk.
WITHOUT_EFFECT: Final = """
fsync:74:82 fdatasync:75:83
"""

# These would create, rename, remove or relabel files and get EROFS, "Read-only file system".
FILE_CHANGING: Final = """
creat:85:- mkdir:83:- mkdirat:258:34 mknod:133:- mknodat:259:33 link:86:- linkat:265:37 symlink:88:-
symlinkat:266:36 rename:82:- renameat:264:38 renameat2:316:276 unlink:87:- unlinkat:263:35
rmdir:84:- chmod:90:- fchmod:91:52 fchmodat:268:53 chown:92:- lchown:94:- fchown:93:55
fchownat:260:54 truncate:76:45 fallocate:285:47 utime:132:- utimes:235:- utimensat:280:88
futimesat:261:- setxattr:188:5 lsetxattr:189:6 fsetxattr:190:7 removexattr:197:14
lremovexattr:198:15 fremovexattr:199:16
"""

# Calls that no card player needs get EPERM, "Operation not permitted".
FORBIDDEN: Final = """
fork:57:- vfork:58:- execveat:322:281 kill:62:129 rt_sigqueueinfo:129:138 rt_tgsigqueueinfo:297:240
pidfd_open:434:434 pidfd_send_signal:424:424 pidfd_getfd:438:438 socket:41:198 socketpair:53:199
connect:42:203 bind:49:200 listen:50:201 accept:43:202 accept4:288:242 sendto:44:206 recvfrom:45:207
sendmsg:46:211 recvmsg:47:212 sendmmsg:307:269 recvmmsg:299:243 shutdown:48:210 getsockopt:55:209
setsockopt:54:208 getsockname:51:204 getpeername:52:205 ptrace:101:117 process_vm_readv:310:270
process_vm_writev:311:271 process_madvise:440:440 process_mrelease:448:448 kcmp:312:272 mount:165:40
umount2:166:39 pivot_root:155:41 chroot:161:51 unshare:272:97 setns:308:268 open_tree:428:428
move_mount:429:429 fsopen:430:430 fsconfig:431:431 fsmount:432:432 fspick:433:433
mount_setattr:442:442 add_key:248:217 request_key:249:218 keyctl:250:219 bpf:321:280
perf_event_open:298:241 userfaultfd:323:282 io_uring_setup:425:425 io_uring_enter:426:426
io_uring_register:427:427 io_setup:206:0 memfd_create:319:279 memfd_secret:447:447 shmget:29:194
shmat:30:196 shmctl:31:195 msgget:68:186 semget:64:190 mq_open:240:180 mlock:149:228 mlock2:325:284
mlockall:151:230 setuid:105:146 setgid:106:144 setreuid:113:145 setregid:114:143 setresuid:117:147
setresgid:119:149 setgroups:116:159 setfsuid:122:151 setfsgid:123:152 capset:126:91 setsid:112:157
setpgid:109:154 sched_setaffinity:203:122 sched_setparam:142:118 sched_setscheduler:144:119
sched_setattr:314:274 setpriority:141:140 ioprio_set:251:30 inotify_init:253:- inotify_init1:294:26
fanotify_init:300:262 name_to_handle_at:303:- open_by_handle_at:304:- init_module:175:105
finit_module:313:273 delete_module:176:106 kexec_load:246:104 reboot:169:142 swapon:167:224
swapoff:168:225 sethostname:170:161 setdomainname:171:162 settimeofday:164:170 clock_settime:227:112
clock_adjtime:305:266 adjtimex:159:171 syslog:103:116 quotactl:179:60 acct:163:89 personality:135:92
splice:275:76 tee:276:77 vmsplice:278:75 flock:73:32 setrlimit:160:164 statfs:137:43 fstatfs:138:44
sysinfo:99:179 sched_rr_get_interval:148:127 timer_create:222:107 sync:162:81 syncfs:306:267
"""

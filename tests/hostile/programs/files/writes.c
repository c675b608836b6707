// tries: create files by calls that libraries do not use: openat2, creat, mknodat, O_TMPFILE
// must: play on
// walls: root, seccomp
#include "lib.h"

int main(void)
{
    struct { uint64_t flags, mode, resolve; } how = {O_CREAT | O_RDWR, 0600, 0};
    char *path = "/tmp/cardroom-hostile-mark";
    ask();
    tried();
    attempt("openat2", syscall(437, AT_FDCWD, path, &how, sizeof how));
    attempt("openat", syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY, 0600));
    attempt("openat, high bits", syscall(SYS_openat, AT_FDCWD, path, 0xffffffff00000000L | O_CREAT | O_WRONLY, 0600));
#ifdef SYS_open
    attempt("open", syscall(SYS_open, path, O_CREAT | O_EXCL | O_RDWR, 0600));
    attempt("creat", syscall(SYS_creat, path, 0600));
    attempt("mknod", syscall(SYS_mknod, path, S_IFREG | 0600, 0));
#endif
    attempt("mknodat", syscall(SYS_mknodat, AT_FDCWD, path, S_IFREG | 0600, 0));
    attempt("unnamed", open("/tmp/bot", O_TMPFILE | O_RDWR, 0600));
    attempt("exclusive", open("/tmp", O_TMPFILE | O_EXCL | O_WRONLY, 0600));
    attempt("link", linkat(AT_FDCWD, "bot", AT_FDCWD, path, 0));
    play_on();
}

// tries: use call numbers and arguments with high bits that filters may ignore
// must: play on or crash
// walls: seccomp
#include "lib.h"

int main(void)
{
    ask();
    tried();
    attempt("fork", syscall(0x100000000L | 57));
    attempt("socket", syscall(0xffffffff00000000L | SYS_socket, 1, 1, 0));
    attempt("prctl", syscall(SYS_prctl, 0xf00000001L, 0));
    attempt("ioctl", syscall(SYS_ioctl, 2, 0xf00005412L, "x"));
    attempt("clone", syscall(SYS_clone, 0xf00000000L | SIGCHLD, 0, 0, 0, 0));
    attempt("mmap", (long)mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS | 0x80, -1, 0));
    play_on();
}

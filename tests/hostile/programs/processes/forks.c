// tries: create another process from C, and let it play
// must: play on
// walls: seccomp, rlimits
#include "lib.h"

int main(void)
{
    ask();
    tried();
    for (int way = 0; way < 4; way++) {
        long child = way == 0 ? fork() : syscall(SYS_clone, (int[]){0, SIGCHLD, 0x8000 | SIGCHLD, CLONE_PARENT_SETTID}[way], 0, 0, 0, 0);
        attempt("fork", child);
        if (!child)
            pause();
    }
    play_on();
}

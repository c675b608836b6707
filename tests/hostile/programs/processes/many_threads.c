// tries: create threads by raw clone calls, with flags that the limit may not count
// must: play on
// walls: rlimits
#include "lib.h"

static int wait_for_ever(void *arg)
{
    for (;;)
        syscall(SYS_pause);
}

int main(void)
{
    int count = 1, flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    ask();
    tried();
    while (count < 4 * THREADS && clone(wait_for_ever, (char *)malloc(8192) + 8192, flags, 0) > 0)
        count++;
    dprintf(2, "%d threads\n", count);
    if (count > THREADS)
        got("more threads than there may be");
    play_on();
}

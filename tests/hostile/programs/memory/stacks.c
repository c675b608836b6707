// tries: fill the stacks of threads, each a separate mapping that becomes read-only afterwards
// must: play on or crash
// walls: rlimits, memory watch, cgroup
#include "lib.h"

static void *fill(void *arg)
{
    char stack[7 << 20];
    touch(stack, sizeof stack);
    mprotect((char *)(((uintptr_t)stack + 4095) & ~4095L), 6 << 20, PROT_READ);
    *(volatile int *)arg = 1;
    pause();
}

static long take(void)
{
    pthread_t thread;
    volatile int full = 0;
    if (pthread_create(&thread, 0, fill, (void *)&full))
        return 0;
    while (!full)
        usleep(100);
    return 7 * MIB;
}

int main(void) { hold_more_than(MEMORY_MIB * MIB * 5 / 4, take); }
